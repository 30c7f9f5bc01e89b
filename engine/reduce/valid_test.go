package reduce_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/stdlib"
)

// realTarget returns a target of a kind of solver; in CI it must be there.
func realTarget(t *testing.T, kind string) solvers.Target {
	s, err := solving.NewSupply(stdlib.FS()).Find(kind, "")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s must be installed in CI", kind)
		t.Skipf("needs %s", kind)
	}
	target := process.New(s, process.TargetOptions{Mode: solvers.Reset, Limits: solvers.Limits{Wall: 10 * time.Second}})
	t.Cleanup(func() { _ = target.Close() })
	return target
}

// withoutChecks returns a case without the commands that make a solver search.
func withoutChecks(c *testcase.Case) *testcase.Case {
	var cmds []smtlib.Command
	for _, x := range c.Script.Commands {
		if !x.Kind.IsCheck() && x.Kind != smtlib.CmdGetModel && x.Kind != smtlib.CmdGetValue {
			cmds = append(cmds, x)
		}
	}
	return &testcase.Case{Script: c.Script.WithCommands(cmds)}
}

// Real solvers accept the candidates where they accepted the case: less than one in a hundred is a waste of time.
func TestSolversAcceptCandidates(t *testing.T) {
	for _, kind := range []string{"z3", "cvc5"} {
		t.Run(kind, func(t *testing.T) {
			target := realTarget(t, kind)
			var why string
			accepts := func(c *testcase.Case) bool {
				run := target.Run(context.Background(), withoutChecks(c).Query(), solvers.Limits{})
				why = run.Class.String() + " " + run.Message
				return run.Class == solvers.OK
			}
			candidates, rejected := 0, 0
			done := map[smt.Op]int{}
			seeds(t, func(name, text string, c *testcase.Case) {
				if !accepts(c) {
					return
				}
				for op := smt.Op(1); int(op) < 400; op++ {
					// z3 4.8.12 loses a datatype that is used by match over (reset), and then dies of it.
					if !ops(c.Script)[op] || done[op] >= 1 || op == smt.OpCase || op == smt.OpMatch || op%3 != 0 {
						continue
					}
					done[op]++
					_, err := reduce.Run(context.Background(), parse(t, text), func(c *testcase.Case) bool {
						candidates++
						if !accepts(c) {
							rejected++
							t.Logf("%s, keeping %s: %s\n%s", name, op, why, c.Text())
							return false
						}
						return ops(c.Script)[op]
					}, reduce.Options{Laws: laws})
					require.NoError(t, err)
				}
			})
			t.Logf("%d of %d candidates rejected", rejected, candidates)
			require.Less(t, float64(rejected), 0.01*float64(candidates)+1)
		})
	}
}
