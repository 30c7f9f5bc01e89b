package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLastCalls(t *testing.T) {
	said := LastCalls([]string{"a", "b", "c"}, 40)
	require.Equal(t, "library call 40 of the run did not return: c\nbefore it: a, b", said)
	for _, own := range []string{"", "it died\nthere"} {
		text := said
		if own != "" {
			text = own + "\n" + said
		}
		cut, calls := CutLastCalls(text)
		require.Equal(t, own, cut)
		require.Equal(t, said, calls)
		cut, calls = CutLastCalls(own)
		require.Equal(t, own, cut)
		require.Empty(t, calls)
	}
	require.Contains(t, LastCalls([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, 10), "before it: 1, 2, 3, 4, 5, 6, 7, 8")
}
