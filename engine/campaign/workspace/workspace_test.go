package workspace_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

func parse(t *testing.T, name, text string) *workspace.AnalyzedCase {
	c, err := workspace.ParseCase(name, []byte(text))
	require.NoError(t, err)
	return c
}

// TestTermsEndWithTheirCase checks that terms made for a case are gone when the next case begins, and that using them
// gives a clear message.
func TestTermsEndWithTheirCase(t *testing.T) {
	s := workspace.NewSession()
	seed, err := s.Seed(corpus.Text{Label: "seed", Text: "(declare-const x Int)(assert (> x 1))(check-sat)"})
	require.NoError(t, err)
	st := seed.Store()
	a := st.Arena
	x := st.Term(a.Const(seed.Engine().Script.Declarations()[0].Symbols[0]))
	xID, err := x.ID()
	require.NoError(t, err)
	sum := st.Term(a.MustApp(smt.OpAdd, xID, a.Int64(41)))
	sumID, err := sum.ID()
	require.NoError(t, err)
	c := seed.WithAsserts([]smt.Term{a.Eq(sumID, xID)}, smtlib.None, nil)
	m := seed.RandomModel(rng.New(1))
	require.Equal(t, "(+ x 41)", sum.String())
	_, err = m.TruthOf(st.Term(a.Eq(sumID, xID)))
	require.NoError(t, err)

	s.Begin()
	_, err = sum.ID()
	require.ErrorContains(t, err, "belongs to an earlier case made from seed")
	_, err = c.TestCase()
	require.ErrorContains(t, err, "belongs to an earlier case")
	_, err = m.TruthOf(x)
	require.ErrorContains(t, err, "belongs to an earlier case")
	_, err = x.ID()
	require.NoError(t, err, "terms of the seed stay")
	_, err = seed.TestCase()
	require.NoError(t, err)
}

// Atoms of a large formula have few heads: a dict of them is no list.
func TestHashesOfAtomsDiffer(t *testing.T) {
	hashes := map[uint32]bool{}
	st := workspace.NewStore(smt.NewArena(), "")
	a := st.Arena
	for i := range 100 {
		x := a.Const(a.Declare(fmt.Sprint("x", i), nil, smt.SortInt))
		h, err := st.Term(a.MustApp(smt.OpLe, a.MustApp(smt.OpAdd, x, a.Int64(1)), a.Int64(7))).Hash()
		require.NoError(t, err)
		hashes[h] = true
	}
	require.Len(t, hashes, 100)
}

// Terms of no case and of globals go into any case, those of two cases are not mixed.
func TestStoresOfTerms(t *testing.T) {
	one, other := parse(t, "one", "(assert true)").Store(), parse(t, "other", "(assert true)").Store()
	loose := workspace.NewStore(smt.NewArena(), "")
	global := workspace.NewStore(smt.NewArena(), "module")
	five := global.Term(global.Arena.Int64(5))
	global.Freeze()
	common := func(s *workspace.ThreadState, terms ...workspace.TermRef) (*workspace.TermStore, error) {
		var meeting workspace.Meeting
		for _, t := range terms {
			if err := meeting.Add(t); err != nil {
				return nil, err
			}
		}
		return meeting.Store(s), nil
	}
	of := func(st *workspace.TermStore) workspace.TermRef { return st.Term(st.Arena.True()) }
	st, err := common(nil, of(loose), of(one), five)
	require.NoError(t, err)
	require.Same(t, one, st)
	_, err = common(nil, of(one), of(other))
	require.ErrorContains(t, err, "terms of two cases are mixed (one and other)")
	_, err = of(one).In(other)
	require.ErrorContains(t, err, "terms of two cases are mixed")
	st, err = common(nil, five)
	require.NoError(t, err)
	require.False(t, st.Frozen(), "nobody adds to a global")
	session := workspace.NewSession()
	st, err = common(session, five)
	require.NoError(t, err)
	require.Same(t, session.Scratch(), st)
	id, err := five.In(one)
	require.NoError(t, err)
	same, err := workspace.SameTerm(five, one.Term(id))
	require.NoError(t, err)
	require.True(t, same)
}

// A model says what it cannot be asked.
func TestModels(t *testing.T) {
	c := parse(t, "c", "(declare-const x Int)(assert (> x 1))(check-sat)")
	unbound := workspace.TextModel("((define-fun x () Int 7))")
	x := c.Store().Term(c.Engine().Script.Asserts()[0])
	_, err := unbound.TruthOf(x)
	require.ErrorContains(t, err, "bind it with case.read_model(text)")
	m, err := unbound.In(c)
	require.NoError(t, err)
	bound := workspace.NewModel(c.Store(), m)
	truth, err := bound.TruthOf(x)
	require.NoError(t, err)
	require.Equal(t, value.True, truth)
	lit, err := bound.Literal(x)
	require.NoError(t, err)
	require.Equal(t, "true", lit.String())
	bound.Freeze()
	_, err = bound.Eval(x)
	require.ErrorContains(t, err, "this model is a global of a module")
}

// The result of Satisfies depends only on the case, not on earlier questions about the seed.
func TestSatisfies(t *testing.T) {
	// Each takes most of the steps of a question: both together are too many.
	const hard = "(forall ((x (_ BitVec 9))) (= (bvmul x (bvadd x (_ bv%d 9))) (bvadd (bvmul x x) (bvmul (_ bv%d 9) x))))"
	both := fmt.Sprintf("(and "+hard+" "+hard+")", 3, 3, 5, 5)
	for _, test := range []struct {
		asserts string
		want    value.Truth
	}{
		{"(assert (> x 1))(assert (< x 9))", value.True},
		{"(assert (> x 1))(assert (> x 9))", value.False},
		{fmt.Sprintf("(assert "+hard+")", 3, 3), value.True},
		{fmt.Sprintf("(assert "+hard+")(assert (> x 1))", 5, 5), value.True},
		{"(assert " + both + ")", value.Unknown},
		{"(assert (> x 1))(assert " + both + ")(assert (> x 9))", value.False},
		{"(assert " + both + ")(assert (> y 3))", value.Unknown},
		{"(assert (< y 3))", value.True},
		{"(assert (> y 3))", value.Unknown},
		{"(assert (> x 1))(assert (< y 3))(assert (> x 9))", value.False},
		{"(assert (> x 1))(check-sat)(assert (> x 9))", value.False},
	} {
		declared := fmt.Sprintf("(declare-const x Int)(declare-const y Int)(assert (! "+hard+" :named a))(assert "+hard+")", 3, 3, 5, 5)
		c := parse(t, "c", declared+test.asserts+"(check-sat)")
		m, err := workspace.TextModel("((define-fun x () Int 7))").In(c)
		require.NoError(t, err)
		for _, first := range []int{-1, 0, 1} { // assertion evaluated before
			w := workspace.NewModel(c.Store(), m)
			if first >= 0 {
				_, err := w.TruthOf(c.Store().Term(c.Engine().Script.Asserts()[first]))
				require.NoError(t, err)
			}
			for range 2 {
				got, err := w.Satisfies(c)
				require.NoError(t, err)
				require.Equal(t, test.want, got, "%s after %d", test.asserts, first)
			}
		}
	}
}

// TestPermanentAnalyses checks that data computed about a seed in the middle of a case is correct in the next case.
func TestPermanentAnalyses(t *testing.T) {
	s := workspace.NewSession()
	src := corpus.Text{Label: "seed", Text: "(declare-const x Int)(declare-const u (_ BitVec 9))(assert (! (or (> x 1) (bvult u (bvadd u u))) :named n))(check-sat)"}
	var first string
	for i := range 4 {
		seed, err := s.Seed(src)
		require.NoError(t, err)
		if i == 0 { // the arena is not clean when fragments and values are first asked for
			seed.Store().Arena.Int64(1 << 40)
		}
		frags, err := seed.Fragments()
		require.NoError(t, err)
		m := seed.Assignment(7)
		text := ""
		for _, f := range frags {
			v, err := m.TruthOf(seed.Store().Term(f.Term))
			require.NoError(t, err)
			text += fmt.Sprint(smtlib.TermText(seed.Store().Arena, f.Term), " ", v, "\n")
		}
		if i == 0 {
			first = text
		}
		require.Equal(t, first, text, "case %d", i)
		s.Begin()
	}
	require.Equal(t, 3, strings.Count(first, "\n"))
}

// TestAdopt brings terms of every kind from one arena to another and back.
func TestAdopt(t *testing.T) {
	const decls = `(declare-sort U 1)(declare-datatypes ((L 1)) ((par (X) ((nil) (cons (hd X) (tl (L X)))))))(declare-const l (L Int))(declare-const x Int)
(declare-fun f (Int (U Bool)) Real)(declare-const u (U Bool))(declare-const a (Array Int (_ BitVec 7)))(declare-const s String)(declare-const g (_ FloatingPoint 5 11))
(define-fun twice ((n Int)) Int (+ n n))`
	asserts := []string{
		"(forall ((i Int) (j Real)) (=> (> j (f i u)) (exists ((i Int)) (= i (twice x)))))",
		"(= l (cons (- 3) (as nil (L Int))))", "((_ is cons) l)", "(= ((_ update hd) l 7) (tl l))",
		"(= (match l ((nil 0) ((cons h t) (+ h x)))) 4)",
		"(= (select (store a 1 #b0000001) x) ((_ extract 6 0) #xff))", "(= a ((as const (Array Int (_ BitVec 7))) #b1111111))",
		"(str.in_re s (re.++ (re.range \"a\" \"z\") ((_ re.loop 1 3) (str.to_re \"\\u{1F600}\"))))",
		"(fp.lt (fp.add RNE g (_ +oo 5 11)) ((_ to_fp 5 11) RTZ 0.125))", "(! (> x 1) :pattern ((twice x)))",
		"((_ divisible 12345678901234567890) x)", "(= (/ 1.0 3.0) 0.5)",
	}
	src := decls
	for _, a := range asserts {
		src += "(assert " + a + ")\n"
	}
	from := parse(t, "from", src)
	to := parse(t, "to", decls+"(assert true)")
	ts, err := from.Asserts()
	require.NoError(t, err)
	for i, id := range ts {
		over, err := to.Store().Import(from.Store(), id)
		require.NoError(t, err, asserts[i])
		want := smtlib.TermText(from.Store().Arena, id)
		require.Equal(t, want, smtlib.TermText(to.Store().Arena, over))
		back, err := from.Store().Import(to.Store(), over)
		require.NoError(t, err)
		require.Equal(t, want, smtlib.TermText(from.Store().Arena, back))
	}
}

// TestCorpusSkipsBrokenSeeds picks from seeds some of which cannot be read.
func TestCorpusSkipsBrokenSeeds(t *testing.T) {
	seeds := []corpus.Seed{
		corpus.Text{Label: "a.smt2", Text: "(assert true)"},
		corpus.Text{Label: "b.smt2", Text: "(set-logic QF_LIA)\n(assert (> y 1))"},
		corpus.Text{Label: "c.smt2", Text: "(assert false)"},
		corpus.Text{Label: "d.smt2", Text: "(assert"},
	}
	from := corpus.New("test", seeds)
	s := workspace.NewSession()
	c := workspace.Seeds{From: from, In: s}
	r := rng.New(1)
	got := map[string]int{}
	for range 200 {
		k, err := c.Pick(r)
		require.NoError(t, err)
		got[k.String()]++
	}
	require.Len(t, got, 2)
	broken := s.Broken()
	require.Len(t, broken, 2)
	require.Equal(t, "b.smt2", broken[0].File)
	require.Contains(t, broken[0].Error, "b.smt2:2:12: ")
	known := memo.New(t.TempDir())
	check := from.Check(1<<20, known, workspace.CheckSeed)
	again := from.Check(1<<20, known, func(name string, _ []byte) error { return errors.New(name + " is read again") })
	require.Equal(t, check, again)
	require.Equal(t, 2, check.Seeds)
	require.Equal(t, broken, check.BrokenSeeds)
	require.Equal(t, 4, from.Check(0, nil, workspace.CheckSeed).Seeds, "nothing is read without a budget")

	none := workspace.Seeds{From: corpus.New("test", seeds[1:2]), In: s}
	_, err := none.Pick(r)
	require.ErrorContains(t, err, "could not be read")
	require.ErrorContains(t, err, "b.smt2:2:12")
}
