package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/generate/api"
)

func TestValuesOfOptions(t *testing.T) {
	for line, want := range map[string]string{
		"a bool": "(True, False)", "a int 0 3": "(0, 1, 2, 3)", "a int 0 100": "(0, 1, 50, 100)", "a list 2,6,auto": "(2, 6, \"auto\")",
	} {
		o, err := api.ParseOption(line)
		require.NoError(t, err)
		require.Equal(t, want, starlark.Tuple(valuesOf(&o)).String(), line)
	}
}
