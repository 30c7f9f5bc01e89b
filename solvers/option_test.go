package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A value in a word of its own belongs to the option before it.
func TestSplitOptions(t *testing.T) {
	require.Equal(t, [][]string{{"--print-witness"}, {"--proof-format", "alethe"}, {"sat.threads=2"}, {"-v", "a/b=c"}},
		SplitOptions([]string{"--print-witness", "--proof-format", "alethe", "sat.threads=2", "-v", "a/b=c"}))
	require.Equal(t, [][]string{{"alethe"}}, SplitOptions([]string{"alethe"}))
	require.Empty(t, SplitOptions(nil))
}
