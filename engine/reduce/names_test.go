package reduce

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Names are single letters while there are any, then letters with numbers; none is taken or means something to a
// solver.
func TestShort(t *testing.T) {
	taken := map[string]bool{"a": true}
	require.Equal(t, "b", shortName("ab", taken))
	taken["b"] = true
	require.Equal(t, "a1", shortName("ab", taken))
	taken["a1"] = true
	require.Equal(t, "b1", shortName("ab", taken))
}
