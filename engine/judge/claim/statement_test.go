package claim

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// caseAndRun makes a case of a text and the run that gave some answers and replies.
func caseAndRun(t *testing.T, text string, answers []smtlib.Answer, replies ...string) (*testcase.Case, *solvers.Run) {
	t.Helper()
	s, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	require.NoError(t, err, text)
	return &testcase.Case{Script: s}, &solvers.Run{Target: "x", Solver: "liar", Class: solvers.OK, Answers: answers, Values: replies}
}

// TestStatements: right replies are not refuted, and a lie in each kind of reply is, by the evaluator and its search
// alone.
func TestStatements(t *testing.T) {
	const xy = "(declare-const x Int)(declare-const y Int)(declare-const z Int)"
	const ab = xy + "(declare-const a Bool)(declare-const b Bool)(assert (=> a (= x 3)))(assert (=> b (not a)))"
	const cores = "(declare-const p Bool)" + xy + "(assert (! (> x 3) :named A))(assert (! (< x y) :named B))(assert (! (< x 2) :named |c d|))"
	const maximum = "(set-info :solution |(define-fun f ((x Int) (y Int)) Int (ite (< x y) y x))|)(synth-fun f ((x Int) (y Int)) Int)" +
		"(declare-var x Int)(declare-var y Int)(constraint (>= (f x y) x))(constraint (>= (f x y) y))(constraint (or (= (f x y) x) (= (f x y) y)))(check-synth)"
	bounded := strings.Replace(maximum, "Int)(declare", "Int ((I Int) (B Bool)) ((I Int (x y 0 (+ I I) (ite B I I) (Constant Int))) (B Bool ((<= I I) (not B)))))(declare", 1)
	const named = xy + "(assert (! (> x y) :named A))(assert (! (> y z) :named B))(assert (! (< x z) :named C))(check-sat)"
	sat, unsat := []smtlib.Answer{smtlib.Sat}, []smtlib.Answer{smtlib.Unsat}
	for _, test := range []struct {
		text    string
		answers []smtlib.Answer
		reply   string
		want    string // part of the summary; "" is no verdict
	}{
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", nil, "(define-fun I () Bool (> x (+ y 1)))", ""},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", nil, "(> x (+ y 1))", ""},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", nil, "fail", ""},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", nil, "(define-fun I () Bool (> x (+ y 5)))", "does not follow from the assertions"},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", nil, "(define-fun I () Bool (> x (- y 5)))", "goal does not follow"},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", nil, "(define-fun I () Bool (and (= z z) (> x (+ y 1))))", "do not share: z"},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y) ((G Bool)) ((G Bool ((= z z) (> x y)))))", nil, "(define-fun I () Bool (and (= z z) (> x (+ y 1))))", ""},
		{xy + "(assert (> x (+ y 2)))(get-interpolant I (> x y))(get-interpolant-next)", nil, "(> x (+ y 1))\n(> x (+ y 7))", "does not follow from the assertions"},
		{named + "(get-interpolants A B C)", unsat, "((> x y) (> x z))", ""},
		{named + "(get-interpolants A B C)", unsat, "((> x y) (> x (+ z 4)))", "does not follow from its partition"},
		{named + "(get-interpolants A B C)", unsat, "(true true)", "does not follow from its partition"},
		{named + "(get-interpolants A B C)", unsat, "((> x z) (> x z))", "do not share: z"},
		{named + "(get-interpolants A B C)", unsat, "((or (= z 1) (> x y)) (> x z))", "do not share: z"},
		{named + "(get-interpolants A (B) C)", unsat, "((> x y) (> y z))", ""},
		{named + "(get-interpolants A (B) C)", unsat, "((> x y) (> x z))", "do not share: x"},
		{named + "(get-interpolants A (and B C))", unsat, "((> x y))", ""},
		{named + "(get-interpolants (and A C) B)", unsat, "((>= z y))", ""},
		{named + "(get-interpolants (and A C) B)", unsat, "((and (= x x) (>= z y)))", "do not share: x"},
		{named + "(get-interpolants A B C)", unsat, "((> x y))", "another number of interpolants"},
		{named + "(get-interpolants A B)", unsat, "(false)", ""}, // C belongs to no partition
		{xy + "(assert (> x y))(check-sat)(get-abduct A (> x 7))", sat, "(define-fun A () Bool (> y 7))", ""},
		{xy + "(assert (> x y))(check-sat)(get-abduct A (> x 7))", sat, "(define-fun A () Bool (> y 5))", "goal does not follow from the abduct"},
		{xy + "(assert (> x y))(check-sat)(get-abduct A (> x 7))", sat, "(define-fun A () Bool false)", "contradicts the assertions"},
		{xy + "(assert (< x 5))(get-qe (exists ((p Bool)) (and p (< x y))))", nil, "(< x y)", ""},
		{xy + "(assert (< x 5))(get-qe (exists ((p Bool)) (and p (< x y))))", nil, "(<= x y)", "not equivalent"},
		{xy + "(assert (< x 5))(get-qe (exists ((p Bool)) (and p (< x y) (< x 6))))", nil, "(< x y)", ""},
		{xy + "(get-qe (exists ((p Bool)) (and p (< x y))))", nil, "(exists ((p Bool)) (and p (< x y)))", ""},
		{xy + "(get-qe-disjunct (exists ((p Bool)) (and p (< x y))))", nil, "(< x (- y 1))", ""},
		{xy + "(get-qe-disjunct (exists ((p Bool)) (and p (< x y))))", nil, "(< x (+ y 1))", "does not imply"},
		{xy + "(assert (> x 3))(check-sat)(get-learned-literals)", sat, "((>= x 4) (> x 2))", ""},
		{xy + "(assert (> x 3))(check-sat)(get-learned-literals)", sat, "((>= x 4) (> x 9))", "learned literal"},
		{ab + "(get-consequences (a) ((= x 3) b))", nil, "sat\n\n(=> a (not b))\n(=> a (= x 3))", ""},
		{ab + "(get-consequences (a) ((= x 3) b))", nil, "sat\n((=> a (not b)) (=> a (= x 3)))", ""},
		{ab + "(get-consequences (a) ((= x 3) b))", nil, "sat\n((=> a b))", "a consequence does not follow"},
		{ab + "(get-consequences (a) (b))", nil, "sat\n()", ""},
		{ab + "(get-consequences (a b) (b))", nil, "unsat", ""},
		{ab + "(get-consequences (a) (b))", nil, "unsat", "get-consequences answers unsat"},
		{cores + "(check-sat)(get-difficulty)", unsat, "(((> x 3) 2) ((> y x) 1))", ""},
		{cores + "(check-sat)(get-difficulty)", unsat, "(((> x 4) 2))", "a formula that no assertion implies"},
		{cores + "(check-sat)(get-difficulty)", unsat, "(((> x 3) -2))", "not a natural number"},
		{cores + "(get-timeout-core)", nil, "unsat\n(A |c d|)", ""},
		{cores + "(get-timeout-core)", nil, "unsat\n(A B)", "the core is satisfiable"},
		{cores + "(get-timeout-core)", nil, "unsat\n(A |c d| E)", "not an assertion: E"},
		{cores + "(get-timeout-core)", nil, "unsat\n((> x 3) (< x y))", ""}, // formulas in the place of names
		{cores + "(get-timeout-core)", nil, "unknown\n(B)", ""},
		{cores + "(assert false)(get-timeout-core)", nil, "unsat\n()", ""},
		{cores + "(check-sat)(get-unsat-core)", unsat, "(A |c d|)", ""},
		{cores + "(check-sat)(get-unsat-core)", unsat, "(|A| |c d|)", ""},      // A is the same symbol
		{xy + "(assert (> x 2))(get-assertions)", nil, "((not (<= x 2)))", ""}, // in other words
		{xy + "(assert (> x 2))(check-sat-assuming ((< x y)))(get-assertions)", sat, "((> x 2) (< x y))", "lists a formula that does not follow"},
		{xy + "(assert (> x 2))(push 1)(assert (< x y))(get-assertions)", nil, "((> x 2))", "an assertion does not follow"},
		{xy + "(get-assertions)", nil, "()", ""},
		{xy + "(assert (> x 2))(get-assertions)", nil, "(error \"not in this mode\")", ""},
		{cores + "(check-sat)(reset-assertions)(get-unsat-core)", unsat, "(B A)", ""}, // no check is about what is asserted now
		{cores + "(check-sat-assuming (p))(get-unsat-core)", unsat, "(A p |c d|)", ""},
		{cores + "(check-sat)(get-unsat-core)", unsat, "(B A)", "the core is satisfiable"},
		{cores + "(check-sat-assuming ((= x 3) (= y 3)))(get-unsat-assumptions)", unsat, "((= x 3))", ""},
		{xy + "(assert (> x 2))(declare-const p Bool)(assert (=> p (< x y)))(check-sat-assuming (p (not p)))(get-unsat-assumptions)", unsat, "(p)", "the core is satisfiable"},
		{maximum, nil, "((define-fun f ((x Int) (y Int)) Int (ite (< y x) x y)))", ""},
		{maximum, nil, "((define-fun f ((x Int) (y Int)) Int (ite (< y x) x 7)))", "do not satisfy the constraints"},
		{maximum, nil, "((define-fun g ((x Int) (y Int)) Int (ite (< y x) x y)))", ""}, // f is not declared: not judged
		{maximum, nil, "fail", ""},
		{maximum, nil, "infeasible", ""}, // no solver is asked here
		{bounded, nil, "((define-fun f ((x Int) (y Int)) Int (ite (<= y x) (+ x 0) y)))", ""},
		{bounded, nil, "((define-fun f ((x Int) (y Int)) Int (ite (<= y (+ x (- 1))) x y)))", ""},
		{bounded, nil, "((define-fun f ((x Int) (y Int)) Int (ite (< y x) x y)))", "not in its grammar: f"},
		{bounded, nil, "((define-fun f ((x Int) (y Int)) Int (let ((z (<= y x))) (ite z x y))))", ""},
		{xy + "(simplify (+ x x 3))", nil, "(+ 3 (* 2 x))", ""},
		{xy + "(simplify (+ x x 3))", nil, "(+ 2 (* 2 x))", "another value"},
		{xy + "(assert (= x 3))(assert (> y x))(apply (then simplify solve-eqs))", nil, "(goals\n(goal\n  (> y 3)\n  :precision precise :depth 2)\n)", ""},
		{xy + "(assert (= x 3))(assert (> y x))(apply (then simplify solve-eqs))", nil, "(goals\n(goal\n  (> y 4)\n  :precision precise :depth 2)\n)", "do not follow from the assertions"},
		{xy + "(assert (> y x))(apply simplify)", nil, "(goals\n(goal\n  (>= y x)\n  :precision precise :depth 2)\n)", "assertions do not follow"},
		{xy + "(assert (> y x))(apply simplify)", nil, "(goals\n(goal\n  (> y x!1)\n  :precision precise :depth 2)\n)", ""},
		{xy + "(assert (> y x))(apply simplify)", nil, "(goals\n(goal\n  (= ((_ extract 1 0) (its-own x)) #b01)\n  :precision precise :depth 2)\n)", ""},
		{xy + "(assert (> y x))(apply simplify)", nil, "(goals\n)", "do not follow from the assertions"},
	} {
		c, r := caseAndRun(t, test.text, test.answers, strings.Split(test.reply, "\n(> ")...)
		if len(r.Values) == 2 && strings.HasPrefix(test.reply, "(goals") {
			r.Values = []string{test.reply}
		} else if len(r.Values) == 2 {
			r.Values[1] = "(> " + r.Values[1]
		}
		vs := (&Statements{Ask: nobody, Only: Commands()}).Judge(c, []*solvers.Run{r})
		if test.want == "" {
			assert.Empty(t, vs, "%s %s", test.text, test.reply)
			continue
		}
		if !assert.Len(t, vs, 1, "%s %s", test.text, test.reply) {
			continue
		}
		assert.Contains(t, vs[0].Summary, test.want)
		require.Equal(t, oracle.KindInvalidReply, vs[0].Kind)
		require.Equal(t, r.Values[len(r.Values)-1], vs[0].Reply)
	}
}

func nobody(string, *solvers.Query, solvers.Limits) *solvers.Run { return nil }

// TestObjectives: optima that are better, worse, unreached or missing.
func TestObjectives(t *testing.T) {
	const declared = "(declare-const x Int)(declare-const y Real)(declare-const b (_ BitVec 8))(declare-const p Bool)" +
		"(assert (and (> x 3) (< x 100)))(assert (< y 2.5))(assert (bvult b #x20))"
	for _, test := range []struct{ objectives, reply, want string }{
		{"(minimize x)", "(x 4)", ""},
		{"(minimize x)", "(x 5)", "better value"},
		{"(minimize x)", "(x 3)", "does not reach"},
		{"(minimize x)", "(x (* (- 1) oo))", "called unbounded"},
		{"(maximize x)", "(x (* (- 1) oo))", "better value than the infinity"},
		{"(minimize (- x))(minimize b)", "((- x) (- 99)) (b 0)", ""},
		{"(minimize (- x))(minimize b)", "((- x) (- 99)) (b 1)", "better value"},
		{"(minimize (- x))(minimize b)", "((- x) (- 99)) (b #x00)", ""},
		{"(maximize y)", "(y (+ (/ 5.0 2.0) (* (- 1.0) epsilon)))", ""},
		{"(maximize y)", "(y (+ 2.0 (* (- 1.0) epsilon)))", "called its unreached bound"},
		{"(maximize y)", "(y 0)", "better value"},
		{"(maximize y)(minimize x)", "(y (+ (/ 5.0 2.0) (* (- 1.0) epsilon))) (x 77)", ""}, // not judged
		{"(maximize x)(minimize (+ x (ite p 1 0)))", "(x 99) ((+ x (ite p 1 0)) 99)", ""},
		{"(maximize x)(minimize (+ x (ite p 1 0)))", "(x 99) ((+ x (ite p 1 0)) 100)", "better value"},
		{"(set-option :opt.priority box)(maximize x)(minimize x)", "(x 99) (x 4)", ""},
		{"(set-option :opt.priority box)(maximize x)(minimize x)", "(x 99) (x 99)", "better value"},
		{"(set-option :opt.priority pareto)(maximize x)(minimize x)", "(x 50) (x 50)", ""},
		{"(set-option :opt.priority pareto)(maximize x)(minimize (+ x (ite p 1 0)))", "(x 50) ((+ x (ite p 1 0)) 51)", "none that is worse"},
		{"(set-option :opt.priority pareto)(maximize x)(minimize x)", "(x 99) (x 98)", "values of the point together"},
		{"(set-option :opt.priority pareto)(maximize y)(minimize x)", "(y (+ (/ 5.0 2.0) (* (- 1.0) epsilon))) (x 4)", ""},
		{"(assert-soft p :weight 2 :id g)(assert-soft (not p) :weight 3 :id g)(assert-soft (not p) :weight 0.5)", "(g 2) ( 0)", ""},
		{"(assert-soft p :weight 2 :id g)(assert-soft (not p) :weight 3 :id g)(assert-soft (not p) :weight 0.5)", "(g 3)  ( (/ 1.0 2.0))", "better value"},
		{"(assert-soft p :weight 2 :id g)(assert-soft (not p) :weight 3 :id g)", "(g 0)", "does not reach"},
		{"(push)(maximize x)(pop)(minimize x)", "(x 4)", ""},
		{"(maximize b)", "(b 31)", ""},
		{"(maximize b)", "(b 30)", "better value"},
		{"(maximize b)", "(b 300)", ""}, // no bit vector: not judged
		{"(maximize x)", "(x (interval 4 99))", ""},
	} {
		c, r := caseAndRun(t, declared+test.objectives+"(check-sat)(get-objectives)", []smtlib.Answer{smtlib.Sat}, "(objectives\n "+test.reply+"\n)")
		// Two solvers that deny that anything is satisfiable, or say nothing.
		referees := []Referee{knowing("a", test.want != ""), knowing("b", test.want != "")}
		judged := slices.Collect(Replies(context.Background(), c, r, &Inquiry{Referees: referees}))
		if strings.Contains(test.objectives, "pareto") && strings.Contains(test.reply, "epsilon") {
			require.Empty(t, judged)
			continue
		}
		require.Len(t, judged, 1, "%s %s", test.objectives, test.reply)
		wrong := judged[0].Wrong()
		if test.want == "" {
			require.Empty(t, wrong, "%s %s", test.objectives, test.reply)
			continue
		}
		require.Contains(t, wrong, test.want, "%s %s", test.objectives, test.reply)
	}
}

// knowing is a solver that denies that anything is satisfiable, or says nothing.
func knowing(kind string, denies bool) Referee {
	return Referee{Kind: kind, Target: kind, Ask: func(*solvers.Query, solvers.Limits) *solvers.Run {
		if !denies {
			return nil
		}
		return &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Unsat}}
	}}
}

// TestSynthesis: infeasible is a lie if the case tells a solution that two solvers confirm.
func TestSynthesis(t *testing.T) {
	const about = "(synth-fun f ((x Int)) Int)(declare-var x Int)(constraint (> (f x) x))(check-synth)"
	for solution, wrong := range map[string]bool{"": false, "(define-fun f ((x Int)) Int (+ x 1))": true, "(define-fun f ((x Int)) Int x)": false} {
		c, r := caseAndRun(t, "(set-info :solution |"+solution+"|)"+about, nil, "infeasible")
		denies := wrong // the solvers are honest
		for reply := range Replies(context.Background(), c, r, &Inquiry{Referees: []Referee{knowing("a", denies), knowing("b", denies)}}) {
			require.Equal(t, wrong, reply.IsWrong(), solution)
		}
	}
}
