package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

func TestRepeats(t *testing.T) {
	var p repeats
	q := func(cmds ...string) *solvers.Query {
		q := &solvers.Query{}
		for _, c := range cmds {
			q.Commands = append(q.Commands, solvers.PrintedCommand{Text: c})
		}
		return q
	}
	require.False(t, p.seen(q("(a)", "(b)")))
	require.False(t, p.seen(q("(a)", "(c)")))
	require.False(t, p.seen(q("(a)(b)")))
	require.True(t, p.seen(q("(a)", "(b)")))
}
