package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/warn"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/registry"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/starlark/lint"
	"github.com/smtlark/smtlark/stdlib"
)

// TestCheck reads testdata/*.star, in which "# want RULE: TEXT" marks the lines with a
// finding; lines without the mark must have none.
func TestCheck(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	libraries, err := registry.Libraries(stdlib.FS())
	require.NoError(t, err)
	files, err := filepath.Glob("testdata/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		want := map[int]string{}
		for i, line := range strings.Split(string(src), "\n") {
			if _, text, ok := strings.Cut(line, "# want "); ok {
				want[i+1] = text
			}
		}
		for _, f := range lint.Check(name, src, reg, libraries) {
			text, ok := want[f.Line]
			require.True(t, ok, "unexpected: %s", f)
			require.Contains(t, f.Rule+": "+f.Msg, text)
			delete(want, f.Line)
		}
		require.Empty(t, want, "%s: no finding on these lines", name)
	}
}

func TestRulesExist(t *testing.T) {
	for _, r := range lint.Rules {
		require.Contains(t, warn.AllWarnings, r)
	}
}

func TestFormat(t *testing.T) {
	got, err := lint.Format("x.star", []byte("x   =  [1,2,\n3]\ndef f( a,b=1 ):\n  return a+b\n"))
	require.NoError(t, err)
	require.Equal(t, "x = [\n    1,\n    2,\n    3,\n]\n\ndef f(a, b = 1):\n    return a + b\n", string(got))
	again, err := lint.Format("x.star", got)
	require.NoError(t, err)
	require.Equal(t, string(got), string(again))
	_, err = lint.Format("x.star", []byte("x = = 1\n"))
	require.ErrorContains(t, err, "x.star:1:6: syntax error near =")
	got, err = lint.Format("x.star", nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func FuzzFormat(f *testing.F) {
	f.Add("def f(x):\n    return x\n")
	f.Add("load(\"@std//storm.star\", \"storm\")\nx = {1: [2, 3], \"a\": lambda y: y or 1}\n")
	reg, err := script.Registry()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, src string) {
		out, err := lint.Format("f.star", []byte(src))
		if err != nil {
			return
		}
		lint.Check("f.star", out, reg, nil) // must not panic
	})
}
