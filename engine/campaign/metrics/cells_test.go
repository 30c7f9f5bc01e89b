package metrics

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// TestCellsAddUp follows cells from cases over the worker's reports to statistics, and into those of a later run.
func TestCellsAddUp(t *testing.T) {
	table := &cells.Grid{Classes: cells.Classes{"bit": {"0", "1"}}}
	for _, name := range []string{"and", "or", "odd"} {
		table.Add(cells.Row{Theory: "Core", Name: name, Factors: []string{"bit", "bit"}})
	}
	targets := []finding.Target{{Name: "one"}, {Name: "two"}}
	asked := func(row, cell int) *testcase.Case {
		return &testcase.Case{Asked: &cells.Asked{Table: table, Cells: []cells.AskedCell{{Row: row, Cell: cell}}}}
	}
	answer := func(target string, a smtlib.Answer, class solvers.Class) *solvers.Run {
		return &solvers.Run{Target: target, Class: class, Answers: []smtlib.Answer{a}}
	}
	run := func(earlier *CellStats, cases func(v *CellCoverage)) *CellStats {
		var s CellStats
		var v CellCoverage
		cases(&v)
		text, err := json.Marshal(v.Take())
		require.NoError(t, err)
		var told CellStats
		require.NoError(t, json.Unmarshal(text, &told))
		s.Add(&told, earlier, targets)
		require.Nil(t, v.Take())
		return &s
	}
	first := run(nil, func(v *CellCoverage) {
		v.Add(asked(0, 1), []*solvers.Run{answer("one", smtlib.Sat, solvers.OK), answer("two", smtlib.None, solvers.Crash)})
		for range declinedEnough {
			v.Add(asked(2, 0), []*solvers.Run{answer("one", smtlib.Unsat, solvers.OK), answer("two", smtlib.None, solvers.Unsupported)})
		}
	})
	require.Equal(t, []TargetCells{{"one", 12, 2, 9}, {"two", 8, 0, 0}}, first.Targets)
	copied := first.clone()
	second := run(first, func(v *CellCoverage) {
		v.Add(asked(0, 1), []*solvers.Run{answer("one", smtlib.Sat, solvers.OK)})
		v.Add(asked(0, 3), []*solvers.Run{answer("one", smtlib.Unknown, solvers.OK), answer("two", smtlib.Sat, solvers.OK)})
	})
	require.Equal(t, []TargetCells{{"one", 12, 3, 1}, {"two", 8, 1, 1}}, second.Targets, "unknown is no decision, and probes that were decided are those of the run")
	require.True(t, second.Rows[0].Probed["one"].Has(1) && second.Rows[0].Probed["one"].Has(3) && !second.Rows[0].Probed["one"].Has(2))
	require.Equal(t, copied, *first, "statistics of a run change no others")
	all := (*CellStats)(nil).Union(first).Union(second)
	require.Equal(t, 2, all.Rows[0].Probed["one"].Len())
}
