package target_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Settings one at a time are asked about in groups, once, and it is told which options of walks do not go beside them.
func TestSettingsOneAtATime(t *testing.T) {
	options := []rule.OptionSpec{{Name: "bad", Kind: rule.Bool}}
	for i := range 31 {
		options = append(options, rule.OptionSpec{Name: fmt.Sprintf("own%d", i), Kind: rule.Bool})
	}
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{}, "modes": []string{"fresh"}, "theories": []string{"Core"}, "api_options": options})
	require.NoError(t, err)
	n := 0
	solver := &target.Solver{Found: &solvers.Solver{Profile: p, Name: "mine-1", Version: "1"}, New: func(process.TargetOptions) solvers.Target {
		return &asked{n: &n, say: func(q *solvers.Query) *solvers.Run {
			text := q.Text()
			if strings.Contains(text, ":bad") || strings.Contains(text, ":own") && strings.Contains(text, ":produce-unsat-cores") {
				return &solvers.Run{Class: solvers.Refusal, Message: "no"}
			}
			return &solvers.Run{Class: solvers.OK}
		}}
	}}
	cache := memo.New(t.TempDir())
	all, err := target.Singles(context.Background(), []*target.Solver{solver}, cache)
	require.NoError(t, err)
	names := map[string]bool{}
	for i := range all.Table.Cells() {
		taken, without, err := all.Takes(context.Background(), i, cache)
		require.NoError(t, err)
		require.Equal(t, []string{"produce-unsat-cores"}, without)
		require.Equal(t, all.Set(i)[0].Name != "bad", taken)
		names[all.Set(i)[0].Name] = true
	}
	require.Len(t, names, 32)
	require.Less(t, n, 6*all.Table.Cells(), "questions")
	asked := n
	again, err := target.Singles(context.Background(), []*target.Solver{solver}, cache)
	require.NoError(t, err)
	_, _, err = again.Takes(context.Background(), 0, cache)
	require.NoError(t, err)
	require.Equal(t, asked, n)
}
