package dialogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// newFrontEnd makes a front end over z3 with an arena of its own.
func newFrontEnd(t *testing.T, o frontend.Options) *frontend.FrontEnd {
	t.Helper()
	s, err := frontend.New(smt.NewArena(), targetsOf(t, "z3"), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// doAll makes the calls of the commands of a text; it returns the result of the last check-sat.
func doAll(t *testing.T, s *frontend.FrontEnd, scope *smtlib.Scope, text string) (r frontend.Result) {
	t.Helper()
	xs, err := smtlib.ParseSExprs(text)
	require.NoError(t, err)
	for i := range xs {
		c, _, err := scope.Command([]byte(xs[i].String()), smtlib.Pos{Line: 1, Col: 1})
		require.NoError(t, err)
		if c.Kind == smtlib.CmdCheckSat || c.Kind == smtlib.CmdCheckSatAssuming {
			r, err = s.Check(context.Background(), c.Terms...)
		} else {
			err = s.Do(&c)
		}
		require.NoError(t, err)
	}
	return r
}

// TestCoresAreKnown: what has the assertions that an unsat rested on is known to be unsat, whatever else is asserted,
// and not more than that.
func TestCoresAreKnown(t *testing.T) {
	s := newFrontEnd(t, frontend.Options{Mode: frontend.Cached})
	scope := smtlib.NewScope(s.Arena())
	defer scope.Close()
	r := doAll(t, s, scope, "(declare-const x Int)(declare-const y Int)(push 1)(assert (> y 7))(assert (> x 3))(assert (> x 3))(push 1)(assert (or (< x 2) (< x 1)))(check-sat)")
	require.Equal(t, smtlib.Unsat, r.Answer)
	require.NotEqual(t, "cache", r.By)
	r = doAll(t, s, scope, "(pop 2)(push 1)(assert (or (< x 2) (< x 1)))(assert (> y 8))(assert (> x 3))(check-sat)")
	require.Equal(t, "unsat cache", r.Answer.String()+" "+r.By)
	r = doAll(t, s, scope, "(pop 1)(push 1)(assert (> y 9))(assert (> x 3))(check-sat-assuming ((or (< x 2) (< x 1))))")
	require.Equal(t, "unsat cache", r.Answer.String()+" "+r.By)
	// The core has an assumption, and without it the rest is satisfiable.
	r = doAll(t, s, scope, "(pop 1)(push 1)(declare-const p Bool)(assert (=> p (< y 5)))(assert (> x 11))(assert (> y 10))(check-sat-assuming (p))")
	require.Equal(t, smtlib.Unsat, r.Answer)
	require.Equal(t, smtlib.Sat, doAll(t, s, scope, "(check-sat)").Answer)
	require.Equal(t, smtlib.Sat, doAll(t, s, scope, "(check-sat-assuming ((not p)))").Answer)
	// An assertion that has a name of the client's is part of no core.
	r = doAll(t, s, scope, "(pop 1)(push 1)(assert (! (or (> x 20) (> x 21)) :named big))(assert (< x 15))(check-sat)")
	require.Equal(t, smtlib.Unsat, r.Answer)
	require.Equal(t, smtlib.Sat, doAll(t, s, scope, "(pop 1)(push 1)(assert (< x 15))(check-sat)").Answer)
}

// TestCachedAnswersAreThoseOfTheSolver goes through random problems by push and pop, with and without a cache.
func TestCachedAnswersAreThoseOfTheSolver(t *testing.T) {
	cached, plain := newFrontEnd(t, frontend.Options{Mode: frontend.Cached}), newFrontEnd(t, frontend.Options{Mode: frontend.Incremental})
	fronts := []*frontend.FrontEnd{cached, plain}
	var scopes []*smtlib.Scope
	for _, s := range fronts {
		scopes = append(scopes, smtlib.NewScope(s.Arena()))
	}
	both := func(text string) (out []smtlib.Answer) {
		for i, s := range fronts {
			out = append(out, doAll(t, s, scopes[i], text).Answer)
		}
		return out
	}
	both("(declare-const a (_ BitVec 4))(declare-const b (_ BitVec 4))(declare-const c (_ BitVec 4))(declare-const n Int)(declare-const m Int)(declare-fun f (Int) Int)")
	r := rand.New(rand.NewPCG(3, 7))
	vectors, numbers := []string{"a", "b", "c", "(bvadd a b)", "#x3", "#xc"}, []string{"n", "m", "(+ n m)", "(f n)", "(f m)", "2", "5"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	atom := func() string {
		if r.IntN(2) == 0 {
			return fmt.Sprintf("(%s %s %s)", pick([]string{"bvult", "bvsle", "=", "distinct"}), pick(vectors), pick(vectors))
		}
		return fmt.Sprintf("(%s %s %s)", pick([]string{"<", ">=", "=", "distinct"}), pick(numbers), pick(numbers))
	}
	var pool []string
	for range 40 {
		pool = append(pool, atom())
	}
	levels, answers := 0, map[smtlib.Answer]int{}
	for range 600 {
		if levels > 0 && r.IntN(3) == 0 || levels > 8 {
			n := 1 + r.IntN(levels)
			both(fmt.Sprintf("(pop %d)", n))
			levels -= n
		}
		levels++
		text := fmt.Sprintf("(push 1)(assert %s)", pick(pool))
		if r.IntN(4) == 0 {
			text += fmt.Sprintf("(assert %s)", pick(pool))
		}
		if r.IntN(8) == 0 {
			text += fmt.Sprintf("(assert (! %s :named named%d))", pick(pool), levels)
		}
		if got := both(text + "(check-sat)"); !slices.Equal(got[:1], got[1:]) {
			require.Equal(t, got[1], got[0], "%s", smtlib.TermText(cached.Arena(), cached.Arena().And(cached.Stack().Assertions()...)))
		} else {
			answers[got[0]]++
		}
		if r.IntN(8) == 0 {
			both("(pop 1)")
			levels--
		}
	}
	require.Greater(t, answers[smtlib.Sat], 100)
	require.Greater(t, answers[smtlib.Unsat], 100)
	require.Less(t, cached.Stats()[0].Asked, plain.Stats()[0].Asked/2)
}

// TestWhatOnlySolversKnowOfAKnownAnswer: a command that the front end does not know may be about the model of an answer
// of the cache.
func TestWhatOnlySolversKnowOfAKnownAnswer(t *testing.T) {
	s := newFrontEnd(t, frontend.Options{Mode: frontend.Cached})
	scope := smtlib.NewScope(s.Arena())
	defer scope.Close()
	doAll(t, s, scope, "(declare-const x Int)(push 1)(assert (= x 7))(check-sat)(pop 1)(push 1)(assert (= x 7))")
	require.Equal(t, "cache", doAll(t, s, scope, "(check-sat)").By)
	text, err := s.Ask(context.Background(), &smtlib.Command{Kind: smtlib.CmdOther, Name: "eval", Text: "(eval (+ x 1))"})
	require.NoError(t, err)
	require.Equal(t, "8", text)
}

// emptyCore has a model, x29 = #b01.
const emptyCore = `(declare-const x26 (_ BitVec 8))
(declare-const x27 (Seq RoundingMode))
(declare-const x29 (_ BitVec 2))
(push 1)
(assert (and (= x29 #b01) (= (str.from_sbv x29) "1") (not (is_int (/ 0.7 935.0)))))
(assert (and (= x26 #x01) (= (str.from_sbv (bvsub x26 x26)) "0") (= x29 #b01) (not (bvssubo #b00 (bvashr (bvlshr x29 x29) #b11)))))
(assert (let ((?1 (bvashr (bvlshr x29 x29) #b11)) (?2 (seq.unit RTZ)) (?3 (seq.unit RNA)) (?4 (seq.unit RNE)) (?5 (seq.unit RTN))) (let ((?6 (seq.++ x27 (seq.++ ?4 ?3) ?5))) (and (= x29 #b01) (= (str.from_ubv ?1) "0") (= #b00 (bvlshr #b01 (bvudiv ?1 #b00))) (= x27 (seq.++ ?2 ?3 ?2)) (= (seq.++ ?6 ?6) (seq.++ ?2 ?3 ?2 ?4 ?3 ?5 ?2 ?3 ?2 ?4 ?3 ?5))))))
(check-sat)`

// TestACoreOfNothingIsNotBelieved: z3 5.4.1 says unsat of this where the assertion has a name, with an empty core, and
// sat where it has none.
func TestACoreOfNothingIsNotBelieved(t *testing.T) {
	below, err := script.Supply().Find("z3", "5.4.1")
	if err != nil {
		t.Skip(err) // make solvers unpacks it
	}
	target := process.New(below, process.TargetOptions{Mode: solvers.Incremental})
	defer target.Close()
	var told []string
	s, err := frontend.New(smt.NewArena(), []solvers.Target{target}, frontend.Options{Mode: frontend.Cached, Notify: func(e frontend.Event) { told = append(told, e.Message) }})
	require.NoError(t, err)
	defer s.Close()
	scope := smtlib.NewScope(s.Arena())
	defer scope.Close()
	r := doAll(t, s, scope, emptyCore)
	require.Equal(t, smtlib.Sat, r.Answer)
	require.Len(t, told, 1)
	require.Equal(t, smtlib.Unsat, doAll(t, s, scope, `(assert (= x29 #b11))(check-sat)`).Answer)
}
