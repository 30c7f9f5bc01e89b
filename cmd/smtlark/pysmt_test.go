package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPysmt: pysmt's own formulas are answered as its list says, with smtlark solve -in in the place of a solver of its
// generic interface. It needs the package, which make setup puts into .solvers/python where CI=true (else pip install
// pysmt), and is left out where that is not there.
func TestPysmt(t *testing.T) {
	notInGate(t)
	packages, err := filepath.Abs("../../.solvers/python")
	require.NoError(t, err)
	t.Setenv("PYTHONPATH", packages)
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import pysmt.test.examples").Run() != nil {
		t.Skip("python3 with the package pysmt is not there")
	}
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("z3 is not there")
	}
	script, err := filepath.Abs(filepath.Join("testdata", "pysmt", "examples.py"))
	require.NoError(t, err)
	dir := fakeProject(t, "none.star", "")
	program := smtlarkIn(dir)
	run := exec.Command(python, script, program.Path, "solve", "-in", "--solver", "z3")
	run.Dir, run.Env = dir, program.Env
	if run.Env == nil {
		run.Env = os.Environ()
	}
	text, err := run.CombinedOutput()
	require.NoError(t, err, string(text))
	require.Regexp(t, `asked 1[0-9][0-9] wrong 0 left out 3\n$`, string(text))
}
