package script_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// TestRegistry: the parameters of all builtins are well-formed, which is found out at a call otherwise.
func TestRegistry(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	require.NoError(t, reg.Check())
}

// TestExamples runs the example of every builtin, each in a folder of its own with the
// files that examples may use.
func TestExamples(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	ran := 0
	for _, name := range reg.Names() {
		b := reg.Lookup(name)
		if b.Example == "" {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			if b.Needs != "" && !haveSolver(t, b.Needs) {
				t.Skipf("%s is not installed", b.Needs)
			}
			dir := writeFiles(t, exampleFiles)
			t.Chdir(dir)
			in := script.New(script.NewSources(reg, stdlib.FS(), dir), script.InterpreterOptions{Setup: script.Slots})
			require.NoError(t, in.RunExample(t.Context(), b))
		})
	}
	require.Greater(t, ran, 10)
}

// exampleFiles are at hand in examples.
var exampleFiles = map[string]string{
	".smtlark/keep":    "",
	"seeds/sat.smt2":   "(set-logic QF_LIA)\n(set-info :status sat)\n(declare-fun x () Int)\n(assert (> x 1))\n(check-sat)\n",
	"seeds/unsat.smt2": "(set-logic QF_LIA)\n(set-info :status unsat)\n(declare-fun x () Int)\n(assert (> x 1))\n(assert (< x 1))\n(check-sat)\n",
	"min.smt2":         "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (= x 7))\n(check-sat)\n",
	"model.smt2":       "(model (define-fun x () Int 7))\n",
}

// haveSolver reports whether a solver is on the PATH; in CI it must be.
func haveSolver(t *testing.T, name string) bool {
	for _, dir := range []string{"/usr/bin", "/usr/local/bin"} {
		if _, err := os.Stat(dir + "/" + name); err == nil {
			return true
		}
	}
	require.Empty(t, os.Getenv("CI"), "%s is not installed", name)
	return false
}

// TestMostHaveExamples keeps the reference useful: functions need an example unless
// they come in groups of the same kind (operators, the libraries of the language).
func TestMostHaveExamples(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	for _, name := range reg.Names() {
		b := reg.Lookup(name)
		if b.IsCall() && b.Example == "" && b.Group == "" && b.Module != "math" {
			t.Errorf("%s has neither an example nor a group", name)
		}
	}
}

func TestRunExampleReportsPlace(t *testing.T) {
	dir := t.TempDir()
	in := script.New(script.NewSources(newRegistry(t), testStd, dir), script.InterpreterOptions{Setup: script.Slots})
	err := in.RunExample(t.Context(), &registry.Builtin{Name: "f", Example: "1 + 1  # -> 3",
		Fn: func(*registry.Call) (starlark.Value, error) { return nil, nil }})
	require.ErrorContains(t, err, "the value is 2, not 3")
}
