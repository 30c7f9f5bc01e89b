package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDisputedLaw: a solver that refutes a law that another solver proves and that holds for all values is a finding,
// stored with its case, and repro shows it again.
func TestDisputedLaw(t *testing.T) {
	if _, err := exec.LookPath("cvc5"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("cvc5 is not installed: CI must have it")
		}
		t.Skip("cvc5 is not installed")
	}
	dir := t.TempDir()
	fake, liar := filepath.Join(programs, "fakesolver"), filepath.Join(dir, "liar")
	text := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*version*) echo 'Z3 version 4.99.0 - 64 bit'; exit;;\n*-in*) set --;;\nesac\nexec '%s' --answer=unsat --fault=wrong \"$@\"\n", fake)
	require.NoError(t, os.WriteFile(liar, []byte(text), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.star"), []byte(`law("mine.not_not", sorts = ["Bool"], lhs = lambda x: smt.not_(smt.not_(x)), rhs = lambda x: x)`+"\n"), 0o644))
	run := func(args ...string) (string, int) {
		cmd := exec.Command("smtlark", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	text, code := run("law", "check", "mine.star", "--solver", "z3="+liar, "--solver", "cvc5", "--out", "found")
	require.Equal(t, 10, code, text)
	require.Regexp(t, `mine.not_not +refuted mine.star:1:4: .* has a counterexample`, text)
	require.Contains(t, text, "1 questions on which solvers disagree")
	findings, err := filepath.Glob(filepath.Join(dir, "found", "findings", "*", "finding.json"))
	require.NoError(t, err)
	require.Len(t, findings, 1, text)
	text, code = run("repro", filepath.Dir(findings[0]))
	require.Equal(t, 10, code, text) // it shows again
	require.Contains(t, text, "reproduced 3 of 3")
}
