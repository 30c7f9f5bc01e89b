package coverage

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStatistics: replies of z3, Yices, cvc5 and CVC4; costs are left out, a counter of another class is another edge
// with the same number.
func TestStatistics(t *testing.T) {
	edges := func(reply string) []Edge { return OfStatistics([]byte(reply)).All() }
	z3 := edges("(:arith-lower 1\n :decisions 3\n :max-memory 18.15\n :num-allocs 87481\n :rlimit-count 12\n :time 0.01\n :total-time 7)")
	require.Len(t, z3, 2)
	require.Equal(t, z3, edges("(\n :decisions 2\n :arith-lower 1\n :mem-usage 4.531\n :conflicts 0)"))
	more := edges("(:decisions 8192 :arith-lower 1)")
	require.NotEqual(t, z3, more)
	for i := range more {
		require.Equal(t, z3[i].Number(), more[i].Number())
	}
	require.Len(t, edges(`(:all-statistics (("a::b" 3) ("global::totalTime" "5ms") ("empty" {  }) ("kinds" { ADD: 2, (EQ : 1) }) ("c::constant" 0)))`), 2)
	require.Equal(t, edges(`(("expr::GT" 1))`), edges(`( :all-statistics ( ("expr::GT" 1) ("expr::LT" 0) ) )`))
	for _, broken := range []string{"", "unsupported", `("open`, "(:", ": 7", "(:x 99999999999999999999999)"} {
		require.LessOrEqual(t, len(edges(broken)), 1, broken)
	}
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, func() (out []int) {
		for _, n := range []string{"1", "3", "15", "63", "255", "1023", "8191", "8192"} {
			out = append(out, classOf([]byte(n)))
		}
		return out
	}())
}
