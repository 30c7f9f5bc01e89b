package folder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// A check that takes all memory prints nothing by which a shell could tell: repro.sh asks smtlark, which needs no
// campaign file for it.
func TestWhatNobodyPrintsIsJudgedBySmtlark(t *testing.T) {
	f := &finding.Finding{Plan: &finding.Plan{}}
	f.Verdict = oracle.Verdict{Oracle: oracle.Runaway(nil).Name(), Kind: oracle.KindRunaway, Targets: []string{"z"}}
	text, err := reproShell(f)
	require.NoError(t, err)
	require.Contains(t, text, `"$smtlark" repro "$@" repro.star`)
	require.Contains(t, text, "and smtlark")
}

// Who runs out of time contradicts nobody, and the page does not say so.
func TestRunningOutIsNoContradiction(t *testing.T) {
	f := &finding.Finding{Plan: &finding.Plan{}}
	f.Verdict = oracle.Verdict{Kind: oracle.KindRunaway, Targets: []string{"z"}, Asked: "(check-sat)\n", Reply: "the answer is sat; it ran out of time"}
	text, err := render("output", &page{Finding: f, lead: &lead{line: "z ask.smt2"}})
	require.NoError(t, err)
	require.Contains(t, text, "On that check alone it does not answer in time either (`ask.smt2`):")
	require.NotContains(t, text, "contradicts")
}
