package spelling

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"args", "and_", "find", "replace", "str_replace_all"}
	for name, want := range map[string]string{
		"arg": "args", "agrs": "args", "and": "and_", "Find": "find", "str_replaceall": "str_replace_all", "zzz": "", "replcae": "replace", "": "",
	} {
		require.Equal(t, want, Nearest(name, names), name)
	}
}

func TestNearestByItsBeginning(t *testing.T) {
	require.Equal(t, "binaries", Nearest("binary", []string{"args", "binaries", "debug_binaries"}))
	require.Equal(t, "max_depth", Nearest("dept", []string{"deadline", "max_depth"}))
	require.Empty(t, Nearest("arc", []string{"armadillo"}), "too short a beginning says nothing")
}

func TestHint(t *testing.T) {
	names := []string{"declare", "assert"}
	require.Equal(t, ` (did you mean "assert"?)`, Hint("asert", names))
	require.Equal(t, ` (did you mean "assert"?)`, HintOrAll("asert", names))
	require.Empty(t, Hint("zzz", names))
	require.Equal(t, " (there are: declare, assert)", HintOrAll("zzz", names))
}
