package smt_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/corpus"
	"github.com/smtlark/smtlark/builtins/mutate"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/rng"
	"github.com/smtlark/smtlark/builtins/smt"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
	"github.com/stretchr/testify/require"
)

// fakeSolver stands for the module solver, which is not under test here.
func fakeSolver() registry.Module {
	return registry.Module{Types: []*registry.Type{registry.NewType("solver", "", nil)}}
}

func testRegistry(t testing.TB) *registry.Registry {
	reg, err := registry.New(append(core.Modules(), rng.Module(), smt.Module(), corpus.Module(library()), mutate.Module(), fakeSolver())...)
	require.NoError(t, err)
	return reg
}

func library() fs.FS { return stdlib.FS() }

var exampleFiles = map[string]string{
	"seeds/sat.smt2":   "(set-logic QF_LIA)\n(set-info :status sat)\n(declare-fun x () Int)\n(assert (> x 1))\n(check-sat)\n",
	"seeds/unsat.smt2": "(set-logic QF_LIA)\n(set-info :status unsat)\n(declare-fun x () Int)\n(assert (> x 1))\n(assert (< x 1))\n(check-sat)\n",
	"min.smt2":         "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (= x 7))\n(check-sat)\n",
	"model.smt2":       "(model (define-fun x () Int 7))\n",
}

// interpreter runs scripts in a folder with the example files.
func interpreter(t testing.TB, reg *registry.Registry) *script.Interpreter {
	dir := t.TempDir()
	for name, text := range exampleFiles {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return script.New(script.NewSources(reg, library(), dir), script.Options{Setup: script.Slots})
}

func TestExamples(t *testing.T) {
	reg := testRegistry(t)
	for _, name := range reg.Names() {
		b := reg.Lookup(name)
		if b.Example == "" || b.Needs != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.NoError(t, interpreter(t, reg).RunExample(t.Context(), b))
		})
	}
}
