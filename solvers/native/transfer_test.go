package native

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// TestTransfer checks that a second solver of each library takes terms over from the first and answers correctly: its
// own commands and the terms taken over work together. Afterwards the first one goes on.
func TestTransfer(t *testing.T) {
	cmd := func(k smtlib.Kind, ts ...smt.Term) solvers.Call {
		return solvers.CommandCall(smtlib.Command{Kind: k, Terms: ts})
	}
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			script, err := smtlib.Parse("s", []byte(`(set-logic QF_UFBV)
(declare-const x (_ BitVec 8))
(declare-fun f ((_ BitVec 8)) (_ BitVec 8))
(assert (= (f (bvadd x #x01)) #x07))
(assert (bvult x (f x)))
(check-sat)
`), smt.NewArena())
			require.NoError(t, err)
			tr := solvers.TraceOf(script)
			a, b := script.Commands[3].Terms[0], script.Commands[4].Terms[0]
			second := func(c solvers.Call, expect smtlib.Answer) {
				c.Instance, c.Expect = 1, expect
				tr.Calls = append(tr.Calls, c)
			}
			second(solvers.Call{Kind: solvers.CallNew}, smtlib.None)
			second(solvers.CommandCall(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: "QF_UFBV"}), smtlib.None)
			second(solvers.Call{Kind: solvers.CallTransfer, Args: []smt.Term{a, b}}, smtlib.None)
			second(cmd(smtlib.CmdAssert, a), smtlib.None)
			second(cmd(smtlib.CmdAssert, b), smtlib.None)
			second(cmd(smtlib.CmdCheckSat), smtlib.Sat)
			second(cmd(smtlib.CmdPush), smtlib.None)
			tr.Calls[len(tr.Calls)-1].Command.N = 1
			second(cmd(smtlib.CmdAssert, script.Arena.Not(a)), smtlib.None)
			second(cmd(smtlib.CmdCheckSat), smtlib.Unsat)
			second(solvers.Call{Kind: solvers.CallDelete}, smtlib.None)
			tr.Calls = append(tr.Calls, cmd(smtlib.CmdAssert, script.Arena.Not(b)), cmd(smtlib.CmdCheckSat))

			target := New(s, process.TargetOptions{})
			defer target.Close()
			for range 3 { // state that stays in the library must not hurt
				run := target.Run(context.Background(), tr.ConditionalQuery(tr.Script("s")), solvers.Limits{})
				require.Equal(t, solvers.OK, run.Class, run.Message+run.Stderr)
				require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unsat}, run.Answers)
				require.Empty(t, run.Failed)
			}
			// The answers of the second solver are checked: a deliberately wrong one is noticed.
			for i := range tr.Calls {
				if tr.Calls[i].Expect == smtlib.Sat {
					tr.Calls[i].Expect = smtlib.Unsat
				}
			}
			run := target.Run(context.Background(), tr.ConditionalQuery(tr.Script("s")), solvers.Limits{})
			require.Len(t, run.Failed, 1)
		})
	}
}
