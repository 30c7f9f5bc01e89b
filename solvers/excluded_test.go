package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinesOfOldVersions(t *testing.T) {
	lines := []string{"operator a", "operator b before 1.1", "sort Set before 4.13.2", "sort Bag since 5"}
	require.Equal(t, []string{"operator a", "operator b", "sort Set"}, inVersion(lines, "1.0.3"))
	require.Equal(t, []string{"operator a", "sort Set"}, inVersion(lines, "1.1"))
	require.Equal(t, []string{"operator a", "sort Set"}, inVersion(lines, "4.8.12"))
	require.Equal(t, []string{"operator a"}, inVersion(lines, "4.13.3-dev"))
	require.Equal(t, []string{"operator a", "sort Bag"}, inVersion(lines, "5.4.0"))
}

func TestOverText(t *testing.T) {
	lines := []string{"theory HigherOrder over text", "operator a before 2 over text", "sort Set"}
	require.Equal(t, []string{"theory HigherOrder", "operator a", "sort Set"}, linesThatCount(lines, &Solver{Version: "1"}))
	require.Equal(t, []string{"theory HigherOrder", "sort Set"}, linesThatCount(lines, &Solver{Version: "2"}))
	require.Equal(t, []string{"sort Set"}, linesThatCount(lines, &Solver{Version: "1", Library: "lib.so"}))
}
