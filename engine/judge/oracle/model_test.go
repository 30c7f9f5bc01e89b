package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func modelCase(t *testing.T, text string) *testcase.Case {
	t.Helper()
	s, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: s}
}

func modelRun(target, solver string, answers []smtlib.Answer, values ...string) *solvers.Run {
	return &solvers.Run{Target: target, Solver: solver, Version: "1", Mode: solvers.Fresh, Class: solvers.OK, Answers: answers, Values: values}
}

const twoChecks = `(declare-const x Int)(declare-const y Int)
(assert (> x 1))
(check-sat)
(get-value (x))
(push 1)
(assert (= (div x y) 3))
(check-sat-assuming ((> y 5)))
(get-info :name)`

func replyModel(x, y string) string {
	return "((define-fun x () Int " + x + ") (define-fun y () Int " + y + "))"
}

func TestModel(t *testing.T) {
	sat := []smtlib.Answer{smtlib.Sat, smtlib.Sat}
	good := []string{replyModel("2", "0"), "((x 2))", replyModel("21", "7"), "z"}
	replace := func(i int, text string) []string {
		v := append([]string{}, good...)
		v[i] = text
		return v
	}
	c := modelCase(t, twoChecks)
	for name, tc := range map[string]struct {
		answers []smtlib.Answer
		values  []string
		check   int // of the verdict, -1 for none
	}{
		"good":                          {sat, good, -1},
		"first is wrong":                {sat, replace(0, replyModel("1", "0")), 0},
		"another model":                 {sat, replace(2, replyModel("22", "6")), -1},
		"assumption is wrong":           {sat, replace(2, replyModel("15", "5")), 1},
		"second breaks the first":       {sat, replace(2, replyModel("1", "7")), 1},
		"it said unknown":               {[]smtlib.Answer{smtlib.Unknown, smtlib.Sat}, replace(0, replyModel("1", "0")), -1},
		"an error in place of a model":  {sat, replace(0, `(error "no model")`), -1},
		"no reply":                      {sat, replace(0, ""), -1},
		"not asked":                     {sat, nil, -1},
		"ended early":                   {[]smtlib.Answer{smtlib.Sat, smtlib.None}, good[:1], -1},
		"nonsense":                      {sat, replace(0, "((define-fun x () Int"), -1},
		"division by zero is left open": {sat, replace(2, "((define-fun x () Int 3) (define-fun y () Int 0))"), 1}, // y > 5 is false
	} {
		vs := Model().Judge(c, []*solvers.Run{modelRun("t", "z", tc.answers, tc.values...)})
		if tc.check < 0 {
			require.Empty(t, vs, name)
			continue
		}
		require.Len(t, vs, 1, name)
		require.Equal(t, tc.check, vs[0].Check, name)
		require.Equal(t, KindInvalidModel, vs[0].Kind)
		require.Equal(t, []string{"t"}, vs[0].Targets)
		require.Contains(t, vs[0].Detail, "define-fun x", name)
	}
	require.True(t, NeedsModels([]Oracle{Crash(), Model()}))
	require.False(t, NeedsModels([]Oracle{Crash()}))
}

// Values that a model leaves open are never a bug: division by zero, and constants that it does not mention.
func TestModelUnknownIsNoBug(t *testing.T) {
	c := modelCase(t, "(declare-const x Int)(declare-const y Int)(declare-fun f (Int) Int)(assert (= (div x y) 3))(assert (distinct (f 1) (f 2)))(check-sat)")
	sat := []smtlib.Answer{smtlib.Sat}
	require.Empty(t, Model().Judge(c, []*solvers.Run{modelRun("t", "z", sat, replyModel("3", "0"))}))
	vs := Model().Judge(c, []*solvers.Run{modelRun("t", "z", sat, "((define-fun x () Int 3) (define-fun y () Int 1) (define-fun f ((k Int)) Int 0))")})
	require.Len(t, vs, 1)
	require.Contains(t, vs[0].Detail, "assertion 2")
}

// Yices prints the square root of 3 as 1.732051, and a third as (/ 1 3).
func TestRoundedNumbersAreNoBug(t *testing.T) {
	c := modelCase(t, "(declare-const x Real)(assert (= (* x x) 3.0))(check-sat)")
	run := modelRun("t", "z", []smtlib.Answer{smtlib.Sat}, "(model (define-fun x () Real 1.732051))")
	require.Len(t, Model().Judge(c, []*solvers.Run{run}), 1)
	run.RoundsReals = true
	require.Empty(t, Model().Judge(c, []*solvers.Run{run}))
	run.Values[0] = "(model (define-fun x () Real (/ 1 3)))"
	require.Len(t, Model().Judge(c, []*solvers.Run{run}), 1, "this is what it is")
}

// Targets of one kind of solver share one verdict; different kinds have separate ones.
func TestModelVerdictsByKind(t *testing.T) {
	c := modelCase(t, "(declare-const x Int)(assert (> x 1))(check-sat)")
	bad := "((define-fun x () Int 0))"
	sat := []smtlib.Answer{smtlib.Sat}
	vs := Model().Judge(c, []*solvers.Run{
		modelRun("a", "z-1", sat, bad), modelRun("b", "z-1", sat, bad), modelRun("c", "y-1", sat, bad), modelRun("d", "y-1", sat, "((define-fun x () Int 2))"),
	})
	require.Len(t, vs, 2)
	require.Equal(t, []string{"a", "b"}, vs[0].Targets)
	require.Equal(t, []string{"c"}, vs[1].Targets)
	require.Contains(t, vs[0].Summary, "z-1 (fresh) gives a model that does not satisfy an assertion")
}
