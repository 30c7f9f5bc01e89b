package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/registry"
)

// A function of the library is an entry like those of builtins: signature, documentation, and a check of calls.
func TestParseLibrary(t *testing.T) {
	l, err := registry.ParseLibrary("@std//mine.star", []byte(`"""Mine.

More.
"""

WEIGHTS = {"and": 1}

def slower(least, factor = 20.0, *, ops = WEIGHTS):
    """Reports what is slow.

    It looks at CPU time.

    Args:
      least: seconds; what takes less
        is left alone.
      factor: how many times.

    Returns:
      an oracle.
    """
    return least

def _own():
    """Private."""

def bare(x):
    return x
`))
	require.NoError(t, err)
	require.Equal(t, "Mine.\n\nMore.", l.Doc)
	require.Len(t, l.Members, 1)
	b := l.Lookup("slower")
	require.Equal(t, "slower(least, factor = 20.0, *, ops = WEIGHTS)", b.Signature())
	require.Equal(t, "Reports what is slow.\n\nIt looks at CPU time.\n\nReturns an oracle.", b.Doc)
	require.Equal(t, "oracle", b.Ret)
	require.Equal(t, "seconds; what takes less is left alone", b.Params[0].Doc)
	require.Empty(t, b.CheckShape(2, []string{"ops"}))
	require.Contains(t, b.CheckShape(1, []string{"factr"}), "did you mean 'factor'?")
	require.Contains(t, b.CheckShape(0, nil), "missing argument for least")
}
