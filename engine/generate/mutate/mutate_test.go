package mutate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

func parse(t testing.TB, text string) *smtlib.Script {
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

func texts(a *smt.Arena, ts []smt.Term) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = smtlib.TermText(a, t)
	}
	return out
}

func TestFragments(t *testing.T) {
	for text, want := range map[string][]string{
		"(assert (=> p (xor q (= p q))))":                        {"0 p", "0 q", "1 (= p q)", "2 (xor q (= p q))", "3 (=> p (xor q (= p q)))"},
		"(assert (> (ite (< x 1) x (f (not p))) 2))":             {"0 (< x 1)", "0 p", "1 (not p)", "0 (> (ite (< x 1) x (f (not p))) 2)"},
		"(assert (forall ((i Int)) (or (> i x) (< x 3))))":       {"0 (< x 3)", "0 (forall ((i Int)) (or (> i x) (< x 3)))"},
		"(assert (forall ((i Int)) (exists ((j Int)) (= j 0))))": {"0 (exists ((j Int)) (= j 0))", "0 (forall ((i Int)) (exists ((j Int)) (= j 0)))"},
		"(assert (and true (let ((y (and p q))) (or y (not y)))))": {"0 p", "0 q", "1 (and p q)", "2 (not (and p q))",
			"3 (let ((?1 (and p q))) (or ?1 (not ?1)))", "4 (let ((?1 (and p q))) (and true (or ?1 (not ?1))))"},
		"(define-fun d () Bool (or p q)) (assert (distinct d p))": {"0 d", "0 p", "1 (distinct d p)", "0 q", "1 (or p q)"},
		"(assert (! (! (not p) :named n) :weight 3))(assert n)":   {"0 p", "1 (not p)"},
	} {
		s := parse(t, "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-fun f (Bool) Int)"+text)
		roots, err := scope.StripNames(s.Arena, s.Asserts())
		require.NoError(t, err)
		var got []string
		for _, f := range mutate.Fragments(s.Arena, roots, -1) {
			got = append(got, fmt.Sprint(f.Depth, " ", smtlib.TermText(s.Arena, f.Term)))
			require.Equal(t, f.Depth, mutate.Depth(s.Arena, f.Term))
		}
		for i, line := range want { // as the printer writes it
			depth, text, _ := strings.Cut(line, " ")
			want[i] = depth + " " + again(t, s, text)
		}
		require.Equal(t, want, got, text)
	}
}

// again returns a term's text as the printer writes it, which decides about let.
func again(t testing.TB, s *smtlib.Script, text string) string {
	term, err := smtlib.ParseTerm(s.Arena, s, text)
	require.NoError(t, err)
	return smtlib.TermText(s.Arena, term)
}

func TestOuterFragments(t *testing.T) {
	s := parse(t, "(declare-const p Bool)(declare-const q Bool)(assert (and (or p (not q)) (=> p q)))")
	var got []string
	for _, f := range mutate.Fragments(s.Arena, s.Asserts(), -1) {
		if f.Outer {
			got = append(got, smtlib.TermText(s.Arena, f.Term))
		}
	}
	require.Equal(t, []string{"p", "(not q)", "(or p (not q))", "(=> p q)", "(and (or p (not q)) (=> p q))"}, got)
}

// TestFragmentsOfSharedTerms has a formula whose tree has 2^64 nodes.
func TestFragmentsOfSharedTerms(t *testing.T) {
	a := smt.NewArena()
	f := a.Const(a.Declare("p", nil, smt.SortBool))
	for range 64 {
		f = a.Not(a.And(f, f))
	}
	require.Len(t, mutate.Fragments(a, []smt.Term{f}, -1), 129)
	require.Len(t, mutate.Fragments(a, []smt.Term{f}, 10), 11)
}

func TestReplacer(t *testing.T) {
	s := parse(t, "(declare-const x Int)(assert (forall ((i Int)) (or (> (+ i 1) x) (exists ((i Int)) (= (+ i 1) 0)))))")
	a := s.Arena
	i := a.Var("i", smt.SortInt)
	sum := a.MustApp(smt.OpAdd, i, a.Int64(1))
	got, err := mutate.NewReplacer(a, map[smt.Term]smt.Term{sum: a.MustApp(smt.OpMul, i, sum)}).Apply(s.Asserts()[0])
	require.NoError(t, err)
	require.Equal(t, "(forall ((i Int)) (or (> (* i (+ i 1)) x) (exists ((i Int)) (= (* i (+ i 1)) 0))))", smtlib.TermText(a, got),
		"under binders, where it captures, and not inside a replacement")
	got, err = mutate.NewReplacer(a, map[smt.Term]smt.Term{i: a.Int64(7)}).Apply(s.Asserts()[0])
	require.NoError(t, err)
	require.Equal(t, again(t, s, "(forall ((i Int)) (or (> (+ 7 1) x) (exists ((i Int)) (= (+ 7 1) 0))))"), smtlib.TermText(a, got), "the variables of binders stay")
}

// pool returns a pool over constants b0, b1, ... with the values, and a model that gives them these values.
func pool(values []bool) (*smt.Arena, *mutate.Pool, *model.Model) {
	a := smt.NewArena()
	m := model.New(a)
	p := mutate.NewPool(a)
	for i, v := range values {
		c := a.Declare(fmt.Sprint("b", i), nil, smt.SortBool)
		m.Set(c, value.Bool(v))
		p.Add(a.Const(c), v, 0)
	}
	return a, p, m
}

// TestPoolValues checks that the values that a pool gives for its formulas are right, and that its bounds are kept.
func TestPoolValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Bool(), 1, 8).Draw(t, "values")
		var w mutate.Weights
		for op := mutate.Not; op <= mutate.Ite; op++ {
			w[op] = rapid.IntRange(0, 3).Draw(t, op.String())
		}
		pol := mutate.Policy{FromInitial: rapid.SampledFrom([]float64{-1, 0, 0.3, 1}).Draw(t, "from initial"), Balanced: rapid.Bool().Draw(t, "balanced")}
		depth := rapid.IntRange(-1, 6).Draw(t, "depth")
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		a, p, m := pool(values)
		p.Grow(r, 200, &w, pol, depth)
		require.LessOrEqual(t, p.Len(), 200+len(values))
		require.Equal(t, p.Len(), p.Count(true)+p.Count(false))
		got, err := p.Sample(nil, r, 50, pol)
		require.NoError(t, err)
		require.NotEmpty(t, got)
		require.LessOrEqual(t, len(got), 50)
		ev := eval.New(a, m)
		for _, s := range got {
			value, known := ev.Holds(s.Term)
			require.True(t, known)
			require.Equal(t, value, s.Value, smtlib.TermText(a, s.Term))
			if depth >= 0 {
				require.LessOrEqual(t, mutate.Depth(a, s.Term), depth)
			}
		}
	})
}

func TestPoolPolicies(t *testing.T) {
	share := func(pol mutate.Policy, is func(i int, s mutate.Sampled) bool) float64 {
		_, p, _ := pool([]bool{true, true, true, true, true, true, true, false})
		w := mutate.Weights{mutate.And: 1, mutate.Or: 1}
		r := rng.New(5)
		p.Grow(r, 400, &w, mutate.Policy{FromInitial: 0.3}, -1)
		n, hits := 0, 0
		for range 4000 {
			got, err := p.Sample(nil, r, 1, pol)
			require.NoError(t, err)
			n++
			if is(n, got[0]) {
				hits++
			}
		}
		return float64(hits) / float64(n)
	}
	isTrue := func(_ int, s mutate.Sampled) bool { return s.Value }
	require.Greater(t, share(mutate.Policy{FromInitial: 0.3}, isTrue), 0.7)
	require.InDelta(t, 0.5, share(mutate.Policy{FromInitial: 0.3, Balanced: true}, isTrue), 0.04)
	initial := func(_ int, s mutate.Sampled) bool { return s.Term <= 10 } // the constants come right after true and false
	require.InDelta(t, 0.3, share(mutate.Policy{FromInitial: 0.3}, initial), 0.04)
	require.InDelta(t, 1, share(mutate.Policy{FromInitial: 1}, initial), 0.001)
	require.Less(t, share(mutate.Policy{FromInitial: -1}, initial), 0.1)
}

func TestPoolWithoutFormulas(t *testing.T) {
	p := mutate.NewPool(smt.NewArena())
	w := mutate.Weights{mutate.Not: 1}
	p.Grow(rng.New(1), 10, &w, mutate.Policy{}, -1)
	got, err := p.Sample(nil, rng.New(1), 3, mutate.Policy{})
	require.NoError(t, err)
	require.Empty(t, got)
}

// TestStepwise checks that each check-sat sees a part of the assertions, that all of them occur, and that scopes
// balance.
func TestStepwise(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "assertions")
		checks := rapid.IntRange(1, 15).Draw(rt, "checks")
		var b strings.Builder
		b.WriteString("(set-logic QF_UF)")
		for i := range n {
			fmt.Fprintf(&b, "(declare-const p%d Bool)(assert p%d)", i, i)
		}
		s := parse(t, b.String()+"(check-sat)(exit)")
		all := texts(s.Arena, s.Asserts())
		out := mutate.Stepwise(s, rng.New(rapid.Uint64().Draw(rt, "seed")), checks)
		require.Equal(rt, min(n, checks), out.CheckSats())
		seen := map[string]bool{}
		for i := range out.CheckSats() {
			active := texts(out.Arena, out.AssertsAt(i))
			require.NotEmpty(rt, active)
			for _, a := range active {
				require.Contains(rt, all, a)
				seen[a] = true
			}
		}
		require.Len(rt, seen, n)
		depth := 0
		for _, c := range out.Commands {
			switch c.Kind {
			case smtlib.CmdPush:
				depth += c.N
			case smtlib.CmdPop:
				depth -= c.N
				require.GreaterOrEqual(rt, depth, 0)
			}
		}
		again, err := smtlib.Parse("again", []byte(out.Text()), smt.NewArena())
		require.NoError(rt, err)
		require.Equal(rt, out.Text(), again.Text())
	})
}
