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
