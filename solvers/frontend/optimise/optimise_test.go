package optimise_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// problem is a front end that was told a text.
type problem struct {
	*frontend.FrontEnd
	scope      *smtlib.Scope
	objectives []optimise.Objective
}

// newFrontEnd makes a front end over solvers of this machine.
func newFrontEnd(t testing.TB, o frontend.Options, names ...string) *frontend.FrontEnd {
	t.Helper()
	var targets []solvers.Target
	for _, name := range names {
		found, err := script.Supply().Find(name, "")
		if err != nil {
			t.Skip(err)
		}
		x := process.New(found, process.TargetOptions{Mode: solvers.Incremental})
		t.Cleanup(func() { _ = x.Close() })
		targets = append(targets, x)
	}
	s, err := frontend.New(smt.NewArena(), targets, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// told has a front end forget everything, and tells it a text.
func told(t require.TestingT, s *frontend.FrontEnd, text string) *problem {
	p := &problem{FrontEnd: s, scope: smtlib.NewScope(s.Arena())}
	xs, err := smtlib.ParseSExprs("(reset)" + text)
	require.NoError(t, err)
	for i := range xs {
		c, _, err := p.scope.Command([]byte(xs[i].String()), smtlib.Pos{Line: 1, Col: 1})
		require.NoError(t, err, xs[i].String())
		if optimise.IsCommand(&c) {
			require.NoError(t, optimise.Check(s.Arena(), p.scope, &c))
		}
		require.NoError(t, s.Do(&c))
	}
	p.objectives, err = optimise.Objectives(s.Stack())
	require.NoError(t, err)
	return p
}

// valuesText are the values of an outcome in one line; a reason where it is not sat.
func valuesText(s *frontend.FrontEnd, o *optimise.SearchResult) string {
	text := o.Result.Answer.String()
	if o.Result.Answer == smtlib.Unknown {
		text += " " + o.Result.Reason
	}
	if len(o.Values) > 0 {
		text += " " + strings.Join(strings.Fields(optimise.ObjectivesText(s.Arena(), o.Values)), " ")
	}
	return text
}

// cases are problems with the reply that is right.
var cases = []struct{ name, text, lex, box string }{
	{"attained", "(declare-const x Int)(declare-const y Int)(assert (<= 0 y 9 (- 20 x)))(maximize (+ x y))(minimize y)",
		"sat (objectives ((+ x y) 20) (y 9) )", "sat (objectives ((+ x y) 20) (y 0) )"},
	{"strict", "(declare-const x Real)(assert (and (< (* 3.0 x) 5.0) (> x (- 0.5))))(maximize x)", "sat (objectives (x (+ (/ 5.0 3.0) (* (- 1.0) epsilon))) )", ""},
	{"strict at 0", "(declare-const x Real)(assert (> x 0.0))(minimize x)", "sat (objectives (x epsilon) )", ""},
	{"reached in another part", "(declare-const x Real)(assert (or (< 0.0 x 2.0) (= x 2.0)))(maximize x)(minimize x)", "sat (objectives (x 2) (x 2) )", "sat (objectives (x 2) (x epsilon) )"},
	{"no bound", "(declare-const x Int)(declare-const y Int)(assert (= x (* 3 y)))(maximize (- x y))(minimize y)",
		"sat (objectives ((- x y) oo) (y (interval (* (- 1) oo) 0)) )", "sat (objectives ((- x y) oo) (y (* (- 1) oo)) )"},
	{"no bound behind a disjunction", "(declare-const x Int)(declare-const p Bool)(assert (or (<= x 7) (and p (>= x 100))))(maximize x)", "sat (objectives (x oo) )", ""},
	{"whole numbers between fractions", "(declare-const x Int)(declare-const y Int)(assert (and (<= (+ (* 2 x) (* 2 y)) 7) (<= 0 x) (<= 0 y)))(maximize (+ x y))", "sat (objectives ((+ x y) 3) )", ""},
	{"definitions", "(declare-const x Int)(define-fun f ((n Int)) Bool (< n 12))(define-const y Int (+ x 1))(assert (! (f x) :named n))(maximize y)", "sat (objectives (y 12) )", ""},
	{"products", "(declare-const x Int)(declare-const y Int)(assert (and (<= 1 x 5) (<= 1 y 5) (<= (* x y) 13)))(maximize (* x y))", "sat (objectives ((* x y) 12) )", ""},
	{"functions", "(declare-fun f (Int) Int)(declare-const x Int)(assert (and (= (f x) 3) (<= x 4) (< (f 4) 3)))(maximize x)", "sat (objectives (x 3) )", ""},
	{"arrays", "(declare-const a (Array Int Int))(declare-const i Int)(assert (and (< (select a i) 7) (<= i 9) (= (select a 3) 2)))(maximize (select (store a 3 i) i))(maximize i)",
		"sat (objectives ((select (store a 3 i) i) 6) (i 9) )", "sat (objectives ((select (store a 3 i) i) 6) (i 9) )"},
	{"conditions", "(declare-const x Real)(declare-const y Real)(assert (and (<= x 4.0) (<= (- 1.0) y 9.5)))(maximize (ite (> x 3.5) y (+ y 1.0)))", "sat (objectives ((ite (> x 3.5) y (+ y 1.0)) (/ 21.0 2.0)) )", ""},
	{"mixed", "(declare-const x Real)(declare-const n Int)(assert (and (<= x (+ (to_real n) 0.5)) (< n 4)))(maximize x)", "sat (objectives (x (/ 7.0 2.0)) )", ""},
	{"bit vectors", "(declare-const a (_ BitVec 8))(assert (and (bvult a #xe7) (= ((_ extract 0 0) a) #b0)))(maximize a)(minimize (bvnot a))", "sat (objectives (a 230) ((bvnot a) 25) )", ""},
	{"least bit vector", "(declare-const a (_ BitVec 24))(assert (bvugt (bvmul a a) a))(assert (= ((_ extract 3 0) a) #xd))(minimize a)", "sat (objectives (a 13) )", ""},
	{"soft", "(declare-const p Bool)(declare-const q Bool)(assert-soft p :weight 0.5 :id a)(assert-soft (not p) :weight 3 :id b)(assert-soft q)(assert-soft (not q) :weight -2.25 :id a)(assert-soft (and p q) :id a :weight 2)",
		"sat (objectives (a (- (/ 9.0 4.0))) (b 3) ( 0) )", "sat (objectives (a (- (/ 9.0 4.0))) (b 0) ( 0) )"},
	{"soft that hold anyway", "(declare-const x Int)(assert (> x 3))(assert-soft (> x 2) :weight 7)(assert-soft true)(assert-soft (= x 5) :weight 0)(assert-soft (< x 3) :weight -1)", "sat (objectives ( (- 1)) )", ""},
	{"soft before a number", "(declare-const x Int)(assert (<= 0 x 10))(assert-soft (< x 4) :id g)(assert-soft (> x 6) :weight 1.5 :id g)(minimize x)", "sat (objectives (g 1) (x 7) )", "sat (objectives (g 1) (x 0) )"},
	{"unsat", "(declare-const x Int)(assert (< x x))(maximize x)", "unsat", "unsat"},
	{"bound of whole numbers that fractions exceed", "(declare-const x Real)(declare-const n Int)(assert (and (<= x (/ (to_real n) 3.0)) (< (* 2 n) 9)))(maximize x)", "sat (objectives (x (/ 4.0 3.0)) )", ""},
}

// TestBoundsThatNothingProves checks nonlinear terms, which may be unbounded without a proof of it.
func TestBoundsThatNothingProves(t *testing.T) {
	s := newFrontEnd(t, frontend.Options{}, "cvc5")
	p := told(t, s, "(declare-const x Int)(declare-const y Int)(assert (= y (* x x)))(maximize y)(minimize x)")
	got, err := optimise.Lexicographic(context.Background(), s, p.objectives)
	require.NoError(t, err)
	many := regexp.MustCompile(`[0-9]{20,}|[0-9]+ bits`).ReplaceAllString(valuesText(s, got), "many")
	require.Equal(t, "unknown the optimum of y is not known: a value of many was found, and nothing that proves that there is no bound (objectives (y (interval many oo)) (x (interval (* (- 1) oo) many)) )",
		strings.ReplaceAll(many, "(- many)", "many"))
	// The model is the best that was found.
	m, err := s.Model(context.Background())
	require.NoError(t, err)
	require.Greater(t, len(m.Text()), 100)
}

func TestOptima(t *testing.T) {
	for name, o := range map[string]frontend.Options{
		"z3": {}, "cvc5": {}, "z3 batch": {Mode: frontend.Batch}, "cvc5 cached": {Mode: frontend.Cached}, "z3 cvc5 race": {Portfolio: true}, "cvc5 z3 checked": {Check: true},
	} {
		o.Timeout = time.Minute
		var below []string
		for _, word := range strings.Fields(name) {
			if word == "z3" || word == "cvc5" {
				below = append(below, word)
			}
		}
		s := newFrontEnd(t, o, below...)
		for _, c := range cases {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				p := told(t, s, c.text)
				if c.lex != "" {
					got, err := optimise.Lexicographic(context.Background(), s, p.objectives)
					require.NoError(t, err)
					require.Equal(t, c.lex, valuesText(s, got))
				}
				if c.box != "" {
					got, err := optimise.Box(context.Background(), s, p.objectives)
					require.NoError(t, err)
					require.Equal(t, c.box, valuesText(s, got))
				}
			})
		}
	}
}
