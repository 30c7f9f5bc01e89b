package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func TestOptionsAreCountedByTheirSettings(t *testing.T) {
	table := &cells.Grid{Classes: cells.Classes{"a": {"true"}, "b": {"x", "y", "z"}, "c": {"1", "2"}}}
	for _, name := range []string{"a", "b", "c"} {
		table.Add(cells.Row{Theory: "s-1", Name: name, Factors: []string{name}})
	}
	run := func(answers ...smtlib.Answer) []*solvers.Run { return []*solvers.Run{{Target: "s", Answers: answers}} }
	under := func(row, cell int, refused ...int) *testcase.Case {
		return &testcase.Case{Option: &cells.Asked{Table: table, Cells: []cells.AskedCell{{Row: row, Cell: cell}}, Refused: refused}}
	}
	var one, two, all OptionStats
	one.Add(&testcase.Case{}, run(smtlib.Sat))
	require.Empty(t, one)
	one.Add(under(0, 0), run(smtlib.None)) // it did not answer
	require.Equal(t, 0, one[0].Probed)
	one.Add(under(0, 0), run(smtlib.Unknown))
	one.Add(under(1, 0), run(smtlib.None, smtlib.Sat))
	two.Add(under(1, 1, 3, 4, 5), run(smtlib.Unsat)) // the third value of b, and both of c
	all.Join(one.Take())
	require.Empty(t, one)
	before := all.clone()
	all.Join(two.Take())
	require.Equal(t, 1, before[0].Probed, "a copy stays what it was")
	require.Equal(t, "s-1", all[0].Name)
	require.Equal(t, []int{3, 2, 1, 6, 3, 3}, []int{all[0].Options, all[0].Probed, all[0].Refused, all[0].Settings, all[0].Tried.Len(), all[0].Untaken.Len()})
	all.Join(OptionStats{{Name: "a-1", Settings: 1, Options: 1}})
	require.Equal(t, []string{"a-1", "s-1"}, []string{all[0].Name, all[1].Name})
}
