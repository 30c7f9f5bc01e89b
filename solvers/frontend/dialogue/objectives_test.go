package dialogue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/internal/processtest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// objectiveReplies are commands about objectives, and the replies to them.
var objectiveReplies = []struct{ name, text, want string }{
	{"levels", "(declare-const a (_ BitVec 4))(assert (bvult a #xa))(push 1)(maximize a)(check-sat)(get-value (a))(get-objectives)(pop 1)(minimize a)(push 1)(assert-soft (= a #x5) :weight 2.5 :id g)(check-sat)(get-objectives)(pop 1)(check-sat)(get-model)",
		"sat\n((a #x9))\n(objectives\n (a 9)\n)\nsat\n(objectives\n (a 0)\n (g (/ 5.0 2.0))\n)\nsat\n(\n  (define-fun a () (_ BitVec 4) #x0)\n)\n"},
	{"assumptions", "(set-option :produce-unsat-assumptions true)(declare-const a (_ BitVec 4))(maximize a)(check-sat-assuming ((bvult a #x7) (bvult #x3 a)))(get-objectives)(check-sat)(get-value ((bvadd a #x1)))(check-sat-assuming ((bvult a #x7) (bvult #x9 a)))(get-unsat-assumptions)",
		"sat\n(objectives\n (a 6)\n)\nsat\n(((bvadd a #x1) #x0))\nunsat\n((bvult a #x7) (bvult #x9 a))\n"},
	{"pareto", "(set-option :opt.priority pareto)(declare-const a (_ BitVec 3))(declare-const b (_ BitVec 3))(assert (= a (bvnot b)))(maximize a)(minimize b)(check-sat)(get-objectives)(check-sat)(get-objectives)(check-sat)(assert (bvult a #b001))(check-sat)(get-objectives)",
		"sat\n(objectives\n (a 7)\n (b 0)\n)\nunsat\n(objectives\n (a 7)\n (b 0)\n)\nsat\nsat\n(objectives\n (a 0)\n (b 7)\n)\n"},
	{"box", "(set-option :opt.priority box)(get-option :opt.priority)(declare-const p Bool)(assert-soft p :id g)(assert-soft (not p) :id h)(check-sat)(get-objectives)(get-value (p))(set-option :opt.priority lex)(check-sat)(get-objectives)",
		"box\nsat\n(objectives\n (g 0)\n (h 0)\n)\n((p true))\nsat\n(objectives\n (g 0)\n (h 1)\n)\n"},
	{"success", "(set-option :print-success true)(set-option :opt.priority lex)(declare-const a (_ BitVec 2))(maximize a)(assert-soft (= a #b00))(check-sat)",
		"success\nsuccess\nsuccess\nsuccess\nsuccess\nsat\n"},
	{"nothing to say", "(get-objectives)(declare-const a (_ BitVec 2))(maximize a)(get-objectives)(assert (bvult a #b00))(check-sat)(get-objectives)(reset)(get-objectives)",
		"(objectives\n)\n(error \"line 1 column 59: get-objectives needs a check-sat, and nothing asserted, pushed or popped since\")\nunsat\n" +
			"(objectives\n (a (interval (* (- 1) oo) oo))\n)\n(objectives\n)\n"},
	{"as given", "(define-fun twice ((v (_ BitVec 4))) (_ BitVec 4) (bvadd v v))(declare-const a (_ BitVec 4))(maximize (let ((b a)) (bvand  b #x7)))(minimize (twice a))(assert-soft true :id |a b|)(check-sat)(get-objectives)",
		"sat\n(objectives\n ((let ((b a)) (bvand b #x7)) 7)\n ((twice a) 14)\n (|a b| 0)\n)\n"},
	{"errors", "(declare-const p Bool)(maximize p)(maximize yy)(minimize)(assert-soft #x0)(assert-soft p :weight 1/2)(assert-soft p :id)(assert-soft p :wait 1)(maximize #b0 :id g)(set-option :opt.priority first)(check-sat)",
		"(error \"line 1 column 23: maximize: an objective is an Int, a Real or a bit vector; this term has sort Bool: p\")\n" +
			"(error \"line 1 column 35: maximize: unknown constant yy: neither declared nor an operator\")\n(error \"line 1 column 48: minimize: want a term\")\n" +
			"(error \"line 1 column 58: assert-soft: want a formula; this term is of sort (_ BitVec 4): #x0\")\n(error \"line 1 column 75: assert-soft: the weight 1/2 is no decimal number\")\n" +
			"(error \"line 1 column 102: assert-soft: :id wants a value\")\n(error \"line 1 column 121: assert-soft: want :weight or :id, found :wait\")\n" +
			"(error \"line 1 column 144: maximize: want one term and nothing behind it, found :id\")\n" +
			"(error \"line 1 column 164: set-option: the value of :opt.priority is lex, box or pareto, not first\")\nsat\n"},
}

// TestObjectives: whatever solver is below, in every mode.
func TestObjectives(t *testing.T) {
	for _, name := range []string{"z3", "cvc5", "bitwuzla"} {
		for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Batch, frontend.Cached} {
			targets := targetsOf(t, name)
			for _, c := range objectiveReplies {
				t.Run(fmt.Sprintf("%s/%s/%s", name, mode, c.name), func(t *testing.T) {
					require.Equal(t, c.want, talk(t, frontend.Options{Mode: mode}, targets, c.text))
				})
			}
		}
	}
}

// TestOptimaOfASolverThatDoesNotAnswer checks that known facts are reported, and that the rest is unknown with the
// reason.
func TestOptimaOfASolverThatDoesNotAnswer(t *testing.T) {
	got := talk(t, frontend.Options{}, []solvers.Target{fakeTarget(t, "fake", "--answer=unknown")}, "(declare-const x Int)(maximize x)(check-sat)(get-objectives)")
	require.Equal(t, "unknown\n(objectives\n (x (interval (* (- 1) oo) oo))\n)\n", got)
	got = talk(t, frontend.Options{}, []solvers.Target{fakeTarget(t, "hanging", "--fault=hang")}, "(set-option :timeout 100)(declare-const x Int)(maximize x)(check-sat)(get-info :reason-unknown)")
	require.Equal(t, "unknown\n(:reason-unknown \"timeout\")\n", got)
}

// TestKilledWhileOptimising: the solver below is killed again and again, and all optima are right.
func TestKilledWhileOptimising(t *testing.T) {
	s, err := frontend.New(smt.NewArena(), targetsOf(t, "z3"), frontend.Options{})
	require.NoError(t, err)
	c := newClient(t, s)
	require.Equal(t, "sat", c.ask("(declare-const x Int)(declare-const y Int)(assert (<= 0 y x 90))(maximize (- (* 3 y) x))(check-sat)"))
	for i := range 30 {
		if i%4 == 1 {
			for _, pid := range childrenOf(t) {
				require.NoError(t, processtest.KillProcess(pid))
			}
		}
		require.Equal(t, "sat", c.ask(fmt.Sprintf("(push 1)(assert (< (+ x y) %d))(assert-soft (= y 1) :weight 0.5)(check-sat)", 3+i)))
		require.Equal(t, fmt.Sprintf("((y %d))", (2+i)/2), c.ask("(get-value (y))(pop 1)"))
	}
	require.Greater(t, s.Stats()[0].Replaced, 5)
}
