package core_test

import (
	"testing"

	jsonlib "go.starlark.net/lib/json"
	mathlib "go.starlark.net/lib/math"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/registry"
)

func TestExamples(t *testing.T) {
	reg, err := registry.New(core.Modules()...)
	require.NoError(t, err)
	for _, name := range reg.Names() {
		if b := reg.Lookup(name); b.Example != "" {
			th := &starlark.Thread{Print: func(*starlark.Thread, string) {}}
			core.TestKey.Set(th, true)
			if name == "help" {
				continue // its example is about rng, which is not here
			}
			require.NoError(t, registry.RunExample(b, th, reg.Predeclared()))
		}
	}
}

// Every member of the language's libraries is registered, so that a new release of
// them cannot bring an undocumented function.
func TestLibrariesAreCovered(t *testing.T) {
	reg, err := registry.New(core.Modules()...)
	require.NoError(t, err)
	for name := range mathlib.Module.Members {
		require.NotNil(t, reg.Lookup("math."+name), name)
	}
	for name := range jsonlib.Module.Members {
		require.NotNil(t, reg.Lookup("json."+name), name)
	}
}

func TestErrorOfOutsideTests(t *testing.T) {
	reg, err := registry.New(core.Modules()...)
	require.NoError(t, err)
	_, err = starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "x.star", "error_of(lambda: 1)", reg.Predeclared())
	require.ErrorContains(t, err, "error_of: the test harness is not available here: it works in test_* functions only")
}

// TestRenamed: who still uses the former name of a parameter is warned at the place of the call.
func TestRenamed(t *testing.T) {
	reg, err := registry.New(core.Modules()...)
	require.NoError(t, err)
	var printed []string
	th := &starlark.Thread{Print: func(_ *starlark.Thread, msg string) { printed = append(printed, msg) }}
	registry.WarningsKey.Set(th, &registry.Warnings{})
	const file = `def cut(size = 3, bound = None):
    return renamed("bound", bound, "size", size)

a, b = cut(size = 5), cut(bound = 7)
`
	got, err := starlark.ExecFileOptions(&syntax.FileOptions{}, th, "x.star", file, reg.Predeclared())
	require.NoError(t, err)
	require.Equal(t, "5 7", got["a"].String()+" "+got["b"].String())
	require.Equal(t, []string{"warning: x.star:4:26: cut: the parameter bound is named size now; the old way is taken for one more release"}, printed)
}
