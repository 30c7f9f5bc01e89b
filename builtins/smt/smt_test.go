package smt_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/smtlark/smtlark/builtins/registry"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
	"github.com/stretchr/testify/require"
)

func testRegistry(t testing.TB) *registry.Registry {
	reg, err := script.Registry()
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
