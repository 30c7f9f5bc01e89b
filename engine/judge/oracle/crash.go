package oracle

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Crash reports runs whose class alone shows a defect: a fault, or a check inside the solver that failed. Targets of
// the same kind of solver with the same message are one verdict.
func Crash() Oracle { return crash{} }

type crash struct{}

func (crash) Name() string { return KindCrash }

func (o crash) Judge(_ *testcase.Case, runs []*solvers.Run) []Verdict {
	type cause struct {
		kind, message string
		class         solvers.Class
	}
	var order []cause
	by := map[cause][]*solvers.Run{}
	var bugs []*solvers.Run
	for _, r := range runs {
		if r.Class.IsBug() {
			bugs = append(bugs, r)
		}
	}
	for _, r := range newestFirst(bugs) {
		// One verdict a cause: builds of one solver that die alike are one finding, reported for the newest.
		c := cause{KindOfSolver(r.Solver, r.Version), r.Message, r.Class}
		if by[c] == nil {
			order = append(order, c)
		}
		by[c] = append(by[c], r)
	}
	var verdicts []Verdict
	for _, c := range order {
		died := by[c]
		what := "crashes"
		if c.class == solvers.Assertion {
			what = "fails a check of its own"
		}
		if countDistinct(died, func(r *solvers.Run) string { return r.Solver }) > 1 {
			what = map[string]string{"crashes": "crash"}[what]
			if what == "" {
				what = "fail a check of their own"
			}
		}
		v := Verdict{
			Oracle: o.Name(), Kind: KindCrash, Target: died[0].Target, Targets: targetNames(died), Check: -1,
			Class: c.class, Message: c.message, Summary: fmt.Sprintf("%s %s", solverNames(died), what), Detail: answerTable(runs),
		}
		if c.message != "" {
			v.Summary += ": " + c.message
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}
