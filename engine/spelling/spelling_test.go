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
