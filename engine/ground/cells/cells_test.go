package cells

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCellOnce(t *testing.T) {
	table := Grid{Classes: Classes{"a": {"1", "2", "3"}, "b": {"x", "y"}}}
	for _, factors := range [][]string{nil, {"a"}, {"a", "b"}, {"a", "b", "a"}} {
		table.Add(Row{Theory: "t", Name: "op", Factors: factors})
	}
	require.Equal(t, 1+3+6+(6+9+6), table.Cells())
	seen := map[[2]int]bool{}
	pairs := map[int]map[Pair]bool{}
	for n := range table.Cells() {
		row, cell := table.Find(n)
		require.False(t, seen[[2]int{row, cell}])
		seen[[2]int{row, cell}] = true
		if pairs[row] == nil {
			pairs[row] = map[Pair]bool{}
		}
		p := table.Classes.Pair(&table.Rows[row], cell)
		require.False(t, pairs[row][p], "%v", p)
		pairs[row][p] = true
		if p.First >= 0 {
			require.Equal(t, p.FirstClass, p.Class(p.First))
		}
		require.Equal(t, -1, p.Class(17))
	}
	require.Len(t, pairs[3], 21)
	require.NotEqual(t, table.Rows[2].Key(), table.Rows[3].Key())
}
