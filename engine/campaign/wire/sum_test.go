package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Plain results become one line, and all others stay where they are.
func TestSumResults(t *testing.T) {
	var out bytes.Buffer
	w := Writer{Out: &out}
	add := func(n uint64, r *CaseResult) {
		require.NoError(t, w.Announce(n))
		if r != nil {
			r.N = n
			require.NoError(t, w.Line(r, true))
		}
	}
	plain := func() *CaseResult { return &CaseResult{Make: 10, Runs: "1:s:1:1"} }
	add(5, plain())
	add(6, plain())
	add(7, &CaseResult{Runs: "1:s:1:1", Verdicts: []finding.SignedVerdict{{}}})
	add(8, plain())
	add(9, nil)
	require.NoError(t, w.Line(&CaseSkipped{N: 9, Reason: "none"}, true))
	add(10, &CaseResult{Runs: "1:u:1:1", Technique: "t", Steps: []string{"s"}})
	add(11, &CaseResult{Runs: "1:u:1:1", Hash: "h"})
	add(12, plain())
	add(13, nil) // it killed its worker
	text := SumResults(out.Bytes(), 1)
	var said []string
	for line := range bytes.Lines(text) {
		report, err := ParseReport(bytes.TrimSpace(line))
		require.NoError(t, err)
		word := report.Kind()
		if c, ok := report.(*Counted); ok {
			word += strings.Repeat("+", int(c.Cases()))
		}
		said = append(said, word)
	}
	require.Equal(t, []string{"counted++", "case", "result", "counted+", "case", "skip", "counted+", "case", "result", "counted+", "case"}, said)
	require.Equal(t, "no report\n", string(SumResults([]byte("no report\n"), 1)))
	require.Equal(t, out.Bytes(), SumResults(out.Bytes(), 2), "results of other targets")
	require.Empty(t, SumResults(nil, 1))
}

// A result with edges of solvers is no plain one: who sums up cases keeps it.
func TestEdgesAreNotSummedUp(t *testing.T) {
	var out bytes.Buffer
	w := Writer{Out: &out}
	require.NoError(t, w.Announce(5))
	require.NoError(t, w.Line(&CaseResult{N: 5, Runs: "1:s:1:1", Took: &growth.Report{Covered: []growth.Covered{{Edges: "CA"}}}}, true))
	require.Equal(t, out.String(), string(SumResults(out.Bytes(), 1)))
}
