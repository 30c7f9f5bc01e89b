package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// A repeated check must give the same answer as the earlier one if the assertions are the same. If a reduction has
// removed some of them, nothing is claimed.
func TestRepeatedChecks(t *testing.T) {
	const sat, unsat, unknown = smtlib.Sat, smtlib.Unsat, smtlib.Unknown
	for _, test := range []struct {
		name, script string // whose last check repeats an earlier one
		answers      []smtlib.Answer
		want         string // part of the summary; "" for no verdict
	}{
		{"over a scope", "(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(check-sat)(pop 1)(check-sat)", []smtlib.Answer{sat, unsat, unsat}, "check-sat 3 is unsat, check-sat 1, over the same assertions, is sat"},
		{"the same answer", "(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(check-sat)(pop 1)(check-sat)", []smtlib.Answer{sat, unsat, sat}, ""},
		{"not decided", "(declare-const p Bool)(assert p)(check-sat)(check-sat)", []smtlib.Answer{sat, unknown}, ""},
		{"the scope is not closed any more", "(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(check-sat)", []smtlib.Answer{sat, unsat}, ""},
		{"assumptions count", "(declare-const p Bool)(check-sat-assuming (p))(check-sat)", []smtlib.Answer{unsat, sat}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			script, err := smtlib.Parse("walk", []byte(test.script), smt.NewArena())
			require.NoError(t, err)
			trace := solvers.TraceOf(script)
			trace.Calls[len(trace.Calls)-1].Same = true
			read, err := tracetext.Read(tracetext.AppendTo(nil, trace), nil)
			require.NoError(t, err)
			require.True(t, read.HasSame(), "the text of a trace says so")
			verdicts := oracle.Expectations().Judge(testcase.FromTrace("walk", read), []*solvers.Run{{Target: "s", Solver: "s", Answers: test.answers}})
			if test.want == "" {
				require.Empty(t, verdicts)
				return
			}
			require.Len(t, verdicts, 1)
			require.Contains(t, verdicts[0].Summary, test.want)
		})
	}
}
