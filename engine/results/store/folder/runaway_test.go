package folder

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// A check that takes all memory prints nothing by which a shell could tell: repro.sh asks smtlark, which needs no campaign file for it.
func TestWhatNobodyPrintsIsJudgedBySmtlark(t *testing.T) {
	f := &finding.Finding{Plan: &finding.Plan{}}
	f.Verdict = oracle.Verdict{Oracle: oracle.Runaway(nil).Name(), Kind: oracle.KindRunaway, Targets: []string{"z"}}
	text := reproShell(f)
	require.Contains(t, text, `"$smtlark" repro "$@" repro.star`)
	require.Contains(t, text, "and smtlark")
}

// Who runs out of time contradicts nobody, and the page does not say so.
func TestRunningOutIsNoContradiction(t *testing.T) {
	f := &finding.Finding{Plan: &finding.Plan{}}
	f.Verdict = oracle.Verdict{Kind: oracle.KindRunaway, Targets: []string{"z"}, Asked: "(check-sat)\n", Reply: "the answer is sat; it ran out of time"}
	var page strings.Builder
	showSession(&page, f, &lead{line: "z ask.smt2"})
	require.Contains(t, page.String(), "On that check alone it does not answer in time either (`ask.smt2`):")
	require.NotContains(t, page.String(), "contradicts")
}
