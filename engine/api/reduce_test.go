package api

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// TestReduceLeavesNoUnusedLine: what is left is what the failure needs, and it replays.
func TestReduceLeavesNoUnusedLine(t *testing.T) {
	done := 0
	for seed := range uint64(150) {
		w, text := walkCase(t, seed, everything(ByBoth))
		if !strings.Contains(text, "bvadd") {
			continue
		}
		fails := func(c *testcase.Case) bool {
			for _, x := range traceOf(c).Calls {
				if x.Command.Kind == smtlib.CmdAssert && strings.Contains(smtlib.TermText(c.Script.Arena, x.Command.Terms[0]), "bvadd") {
					return true
				}
			}
			return false
		}
		c := w.Case("case")
		if !fails(c) {
			continue
		}
		done++
		res, err := Reduce(context.Background(), c, fails, reduce.Options{})
		require.NoError(t, err)
		small := res.Case
		require.True(t, fails(small))
		lines := strings.Split(strings.TrimSpace(small.Script.Text()), "\n")
		require.LessOrEqual(t, len(lines), 5, small.Script.Text())
		for _, x := range traceOf(small).Calls {
			require.NotEqual(t, solvers.CallMakeTerm, x.Kind)
		}
		_, err = small.Wire().Case(nil)
		require.NoError(t, err)
	}
	require.Positive(t, done)
}

// TestReduceIsAnyTime: at the end of its time it returns what it has.
func TestReduceIsAnyTime(t *testing.T) {
	w, _ := walkCase(t, 3, everything(ByBoth))
	ctx, cancel := context.WithCancel(context.Background())
	tests := 0
	res, err := Reduce(ctx, w.Case("case"), func(*testcase.Case) bool {
		if tests++; tests == 3 {
			cancel()
		}
		return true
	}, reduce.Options{})
	require.NoError(t, err)
	require.Equal(t, 3, tests)
	require.False(t, res.Stats.Done)
	require.NotNil(t, res.Case)
}
