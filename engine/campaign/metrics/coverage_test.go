package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// apiCase is the case of a script, with actions named like the commands.
func apiCase(t *testing.T, text string) *testcase.Case {
	s, err := smtlib.Parse("s", []byte(text), smt.NewArena())
	require.NoError(t, err)
	trace := solvers.TraceOf(s)
	for i := range trace.Calls {
		trace.Calls[i].Action = trace.Calls[i].Command.Kind.String()
	}
	return testcase.FromTrace("s", trace)
}

func TestCoverageCountsWhatWasAnswered(t *testing.T) {
	c := apiCase(t, "(declare-const x Int)(assert (> x 1))(check-sat)(get-model)(push 1)(assert (< (mod x 3) 1))(check-sat)(get-assertions)(assert (= (abs x) 1))")
	c.Trace.Calls[3].When = smtlib.Sat
	c.Trace.Calls[7].When = smtlib.Unsat // held back
	cover := func(runs ...*solvers.Run) *Coverage {
		v := &Coverage{}
		v.Add(c, runs)
		return v
	}
	good := &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat, smtlib.Unknown}, Values: []string{"((x 2))", ""}}
	v := cover(good)
	require.Equal(t, map[string][2]uint64{">": {1, 1}, "<": {1, 1}, "mod": {1, 1}, "=": {1, 1}, "abs": {1, 1}}, v.Operators)
	require.Equal(t, map[string][2]uint64{"declare-const": {1, 1}, "assert": {1, 1}, "check-sat": {1, 1}, "get-model": {1, 1}, "push": {1, 1}}, v.Actions)
	require.Equal(t, map[string]uint64{"declare-const": 1, "assert": 3, "check-sat": 2, "get-model": 1, "push": 1}, v.Calls)

	// The second assertion was rejected: no answer, and what comes later does not count.
	bad := &solvers.Run{Class: solvers.ParseError, Answers: []smtlib.Answer{smtlib.Sat, smtlib.None}, Values: []string{`(error "no")`, ""}}
	v = cover(bad)
	require.Equal(t, map[string][2]uint64{">": {1, 1}, "<": {1, 0}, "mod": {1, 0}, "=": {1, 0}, "abs": {1, 0}}, v.Operators)
	require.Equal(t, [2]uint64{1, 0}, v.Actions["get-model"])
	require.Equal(t, [2]uint64{1, 0}, v.Actions["push"])
	require.Equal(t, [2]uint64{1, 1}, v.Actions["check-sat"])
	require.Equal(t, map[string]uint64{"declare-const": 1, "assert": 1, "check-sat": 1}, v.Calls)

	// After a reset there are answers again, but not of what was rejected before.
	c = apiCase(t, "(assert (= 1 2))(check-sat)(reset)(assert (< 1 2))(check-sat)")
	v = cover(&solvers.Run{Class: solvers.ParseError, Answers: []smtlib.Answer{smtlib.None, smtlib.Sat}})
	require.Equal(t, map[string][2]uint64{"=": {1, 0}, "<": {1, 1}}, v.Operators)
	c = apiCase(t, "(declare-const x Int)(assert (> x 1))(check-sat)")
	good = &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat}}
	bad = &solvers.Run{Class: solvers.ParseError, Answers: []smtlib.Answer{smtlib.None}}

	// One target that took it is enough.
	require.Equal(t, cover(good).Operators, cover(bad, good).Operators)
}

// What one target takes says nothing of another.
func TestTargetsAreCountedByThemselves(t *testing.T) {
	c := apiCase(t, "(declare-const x Int)(assert (> x 1))(check-sat)(assert (= (abs x) 1))(check-sat)")
	good := &solvers.Run{Target: "good", Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat, smtlib.Unsat}}
	bad := &solvers.Run{Target: "bad", Class: solvers.ParseError, Answers: []smtlib.Answer{smtlib.Sat, smtlib.None}}
	v := &Coverage{}
	for range enoughGiven {
		v.Add(c, []*solvers.Run{bad, good})
	}
	s := &APIStats{}
	s.Begin(&finding.Claims{Operators: []string{"=", ">", "abs"}})
	s.Add(v)
	before := s.Targets
	s.Add(v)
	require.Equal(t, 3, s.OperatorsOK, "good took them all")
	require.Equal(t, []TargetTook{
		{Name: "bad", Given: 3, OK: 1, Runs: 6, Rejects: []lostByName{{"=", 6}, {"abs", 6}}},
		{Name: "good", Given: 3, OK: 3, Runs: 6},
	}, s.Targets)
	require.Equal(t, uint64(3), before[0].Runs, "what was handed on does not change")
}

func TestAPIStats(t *testing.T) {
	s := &APIStats{}
	s.Begin(&finding.Claims{Operators: []string{"+", "abs", "mod"}, Actions: []string{"push"}})
	s.Add(&Coverage{Operators: map[string][2]uint64{"+": {3, 2}, "mod": {1, 0}, "unclaimed": {1, 1}}})
	s.Add(&Coverage{Operators: map[string][2]uint64{"+": {1, 1}}, Actions: map[string][2]uint64{"push": {1, 1}}, Calls: map[string]uint64{"push": 5, "unclaimed": 1}})
	s.Add(nil)
	require.Equal(t, []coverCount{{Name: "+", Tried: 4, OK: 3}, {Name: "abs"}, {Name: "mod", Tried: 1}}, s.Operators)
	require.Equal(t, []coverCount{{"push", 1, 1, 5}}, s.Actions)
	require.Equal(t, []string{"abs", "mod"}, Never(s.Operators))
	require.Equal(t, [4]int{3, 1, 1, 1}, [4]int{s.OperatorsClaimed, s.OperatorsOK, s.ActionsClaimed, s.ActionsOK})
}
