package native

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// TestRenew: after Renew the next run is in another child, which was started ahead; Close ends all children and removes
// their files.
func TestRenew(t *testing.T) {
	q := &solvers.Query{Commands: []solvers.PrintedCommand{{Text: "(declare-const x Bool)"}, {Text: "(assert x)"}, {Text: "(check-sat)", Reply: solvers.AnswerReply}}}
	done := false
	for _, s := range discovered() {
		if s.Unusable != "" || done {
			continue
		}
		done = true
		x := New(s, process.TargetOptions{TempDir: t.TempDir()}).(*target)
		ask := func() int {
			require.Equal(t, solvers.OK, x.Run(context.Background(), q, solvers.Limits{}).Class)
			return x.worker.PID()
		}
		first := ask()
		require.Nil(t, x.spare, "nobody has asked for it")
		require.Equal(t, first, ask())
		x.Renew()
		second := ask()
		require.NotEqual(t, first, second)
		spare := x.spare
		require.Equal(t, second, ask())
		x.Renew()
		require.Equal(t, spare.PID(), ask())
		worker, spare, dir := x.worker, x.spare, x.folder.Dir
		require.NoError(t, x.Close())
		require.True(t, worker.Dead() && spare.Dead())
		require.NoDirExists(t, dir)
		require.NotEqual(t, spare.PID(), ask(), "and it can be asked again")
		require.NoError(t, x.Close())
	}
	if !done {
		t.Skip("needs a library")
	}
}
