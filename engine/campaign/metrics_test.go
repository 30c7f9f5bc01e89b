package campaign

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

func TestYieldTravels(t *testing.T) {
	r := &report{N: 3, Make: 5, Technique: "a\"b", Steps: []string{"s\n", "t"}, Repeat: true}
	var out strings.Builder
	w := lineWriter{w: &out}
	require.NoError(t, w.result(r, nil))
	require.NoError(t, w.flushIf(true))
	got, err := parseReport([]byte(strings.TrimSpace(out.String())))
	require.NoError(t, err)
	require.Equal(t, r.Technique, got.Technique)
	require.Equal(t, r.Steps, got.Steps)
	require.True(t, got.Repeat)
}

func TestRepeats(t *testing.T) {
	var p repeats
	q := func(cmds ...string) *solvers.Query {
		q := &solvers.Query{}
		for _, c := range cmds {
			q.Commands = append(q.Commands, solvers.Command{Text: c})
		}
		return q
	}
	require.False(t, p.seen(q("(a)", "(b)")))
	require.False(t, p.seen(q("(a)", "(c)")))
	require.False(t, p.seen(q("(a)(b)")))
	require.True(t, p.seen(q("(a)", "(b)")))
}
