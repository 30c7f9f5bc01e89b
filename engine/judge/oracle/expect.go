package oracle

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// KindExpectation is the kind of verdicts about failed expectations of an action of a campaign file on a live solver.
const KindExpectation = "expectation"

// Expectations reports failures that actions of a campaign file noticed while they ran on a live solver, and checks
// whose answers contradict those that they are to repeat.
func Expectations() Oracle { return expectations{} }

type expectations struct{}

func (expectations) Name() string { return KindExpectation }

// Judge implements Oracle: one verdict for each expectation, with all targets that failed it.
func (o expectations) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
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
	return append(out, o.judgeRepeated(c, runs)...)
}

// judgeRepeated reports solvers that contradict their earlier answer to the same assertions, where an action of the
// campaign file asks them twice on purpose (see solvers.Call.Same).
func (o expectations) judgeRepeated(c *testcase.Case, runs []*solvers.Run) []Verdict {
	if c == nil {
		return nil
	}
	pairs := c.LiveTrace().Repeated()
	if len(pairs) == 0 {
		return nil
	}
	return EachKind(runs, func(r *solvers.Run) *Verdict {
		for _, p := range pairs {
			was, is := answerAt(r, p[0]), answerAt(r, p[1])
			if !was.Decided() || !is.Decided() || was == is {
				continue
			}
			said := fmt.Sprintf("%s, and %s before, over the same assertions", is, was)
			return &Verdict{
				Oracle: o.Name(), Kind: KindExpectation, Check: -1, Message: said, Group: KindOfSolver(r.Solver, r.Version) + ": " + said,
				Summary: fmt.Sprintf("the solver contradicts itself: check-sat %d is %s, check-sat %d, over the same assertions, is %s", p[1]+1, is, p[0]+1, was),
				Detail:  answerTable(runs),
			}
		}
		return nil
	})
}
