package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// TestDirectClientTellsOfASolverThatDies checks that the baseline client, which has no limits and no checks, does not
// wait for a dead solver.
func TestDirectClientTellsOfASolverThatDies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "solver")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nread -r line; echo sat; read -r line; echo maybe; read -r line; exit 3\n"), 0o755))
	d, err := startDirect(context.Background(), smt.NewArena(), &solvers.Solver{Profile: &solvers.Profile{}, Path: path})
	require.NoError(t, err)
	answer, err := d.check()
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, answer)
	_, err = d.check()
	require.ErrorContains(t, err, `but "maybe\n"`)
	_, err = d.check()
	require.ErrorContains(t, err, "no answer to check-sat")
	require.ErrorContains(t, d.close(), "exit status 3")
}
