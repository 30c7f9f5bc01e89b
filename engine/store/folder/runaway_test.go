package folder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
)

// A check that takes all memory prints nothing by which a shell could tell: repro.sh asks smtlark, which needs no campaign file for it.
func TestWhatNobodyPrintsIsJudgedBySmtlark(t *testing.T) {
	f := &finding.Finding{Plan: &finding.Plan{}}
	f.Verdict = oracle.Verdict{Oracle: oracle.Runaway(nil).Name(), Kind: oracle.KindRunaway, Targets: []string{"z"}}
	text := reproShell(f)
	require.Contains(t, text, `"$smtlark" repro "$@" repro.star`)
	require.Contains(t, text, "and smtlark")
}
