package coordinator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// A finding of which only an oracle can tell whether it still shows, such as a wrong value, is reduced by the next run,
// too: it was left as it is.
func TestWhatOnlyAnOracleTellsIsReducedLater(t *testing.T) {
	for name, c := range map[string]struct {
		pending, blind, oracle, want bool
	}{
		"left":             {true, true, true, true},
		"reduced":          {false, true, true, false},
		"not there":        {true, false, true, false},
		"another campaign": {true, true, false, false},
	} {
		x := newCrashes(t)
		if c.oracle {
			x.s.plan.Oracles = []string{"values"}
		}
		v := oracle.Verdict{Oracle: "values", Kind: oracle.KindInvalidValue, Target: "a", Targets: []string{"a"}}
		f := &finding.Finding{
			SignedVerdict: finding.SignedVerdict{Verdict: v, Signature: triage.Signature{Key: "k"}}, Number: 7, Dir: "7", Known: true, Plan: x.s.plan,
			Case: &testcase.Wire{}, Reduced: finding.Reduction{Pending: c.pending},
		}
		x.s.ledger.AddKnown(f)
		x.s.takeRecheck(f, &wire.Rechecked{Blind: c.blind})
		require.Equal(t, c.want, len(x.s.queue.reduces) == 1, name)
		require.NoError(t, x.err, name)
	}
}
