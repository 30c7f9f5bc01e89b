package folder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// A target that was asked twice with one outcome has one row in the table of runs.
func TestRowsOfRuns(t *testing.T) {
	f := &finding.Finding{}
	f.Runs = []finding.Run{
		{Solver: "bad-1.0", Version: "1.0", Mode: "fresh", Outcome: "sat", Wall: 0.1},
		{Solver: "bad-1.0", Version: "1.0", Mode: "fresh", Outcome: "sat", Wall: 0.2},
		{Solver: "bad-1.0", Version: "1.0", Mode: "reset", Outcome: "sat", Wall: 0.3},
		{Solver: "bad-1.0", Version: "1.0", Mode: "fresh", Outcome: "unsat", Wall: 0.4},
	}
	require.Equal(t, []shownRun{
		{"bad", "1.0", "fresh", "sat", 0.1},
		{"bad", "1.0", "reset", "sat", 0.3},
		{"bad", "1.0", "fresh", "unsat", 0.4},
	}, (&page{Finding: f}).Runs())
}
