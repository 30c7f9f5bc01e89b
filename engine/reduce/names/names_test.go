package names

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Names are single letters while there are any, then letters with numbers; none is taken or means something to a solver.
func TestShort(t *testing.T) {
	taken := map[string]bool{"a": true}
	require.Equal(t, "b", Short("ab", taken))
	taken["b"] = true
	require.Equal(t, "a1", Short("ab", taken))
	taken["a1"] = true
	require.Equal(t, "b1", Short("ab", taken))
}
