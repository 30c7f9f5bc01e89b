package oracle

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// KindExpectation is the kind of verdicts about what an action of a campaign file expected of a live solver.
const KindExpectation = "expectation"

// Expectations reports what actions of a campaign file found wrong while they ran on a live solver.
func Expectations() Oracle { return expectations{} }

type expectations struct{}

func (expectations) Name() string { return KindExpectation }

// Judge implements Oracle: one verdict for each expectation, with all targets that failed it.
func (o expectations) Judge(_ *testcase.Case, runs []*solvers.Run) []Verdict {
	var order []solvers.Failure
	by := map[solvers.Failure][]*solvers.Run{}
	for _, r := range runs {
		for _, m := range r.Failed {
			if by[m] == nil {
				order = append(order, m)
			}
			if n := len(by[m]); n == 0 || by[m][n-1] != r {
				by[m] = append(by[m], r)
			}
		}
	}
	var out []Verdict
	for _, m := range order {
		failed := by[m]
		out = append(out, Verdict{
			Oracle: o.Name(), Kind: KindExpectation, Target: failed[0].Target, Targets: targetNames(failed), Check: -1, Message: m.Message, FurtherWant: m.Want,
			Summary: fmt.Sprintf("%s: %s", solverNames(failed), m.Message), Group: KindOfSolver(failed[0].Solver, failed[0].Version) + ": " + m.Message, Detail: answerTable(runs),
		})
	}
	return out
}
