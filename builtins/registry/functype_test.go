package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
)

// A function that does not fit is shown with its parameters as they were written.
func TestParametersAsWritten(t *testing.T) {
	for _, want := range []string{
		"", "a", "a, b = 3", "*, k = 1", "a, *, k = 1, m = 2", "a, *rest", "a, *rest, k = 1", "a, *rest, k = 1, **more", "a, *, k = 1, **more", "a, **more", "a, *rest, **more",
	} {
		globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, &starlark.Thread{}, "f.star", "def f("+want+"):\n    pass\n", nil)
		require.NoError(t, err, want)
		f := globals["f"].(starlark.Callable)
		require.Contains(t, registry.CheckFunction(f)+registry.CheckFunction(f, "x", "y", "z"), "f takes ("+want+"), want a function of (")
	}
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, &starlark.Thread{}, "f.star", "def f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, c, d): pass\n", nil)
	require.NoError(t, err)
	require.Contains(t, registry.CheckFunction(globals["f"].(starlark.Callable)), "f takes (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, ...), want")
}
