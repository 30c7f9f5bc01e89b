package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/internal/wheels"
)

// z3Release is a z3 that takes a case from version 4.3 on and gets it wrong in the versions 4.5 to 4.8.
func z3Release(t *testing.T, x *wheels.IndexServer, minor int) {
	t.Helper()
	answer := "echo sat"
	switch {
	case minor < 3:
		answer = `echo '(error "line 1 column 1: unknown constant x")'`
	case minor >= 5 && minor <= 8:
		answer = "echo unsat"
	}
	version := fmt.Sprintf("4.%d.0", minor)
	x.Add(t, "z3-solver", "z3_solver-"+version+".0-py3-none-manylinux2014_x86_64.whl", false, map[string]string{
		"z3_solver-" + version + ".0.data/data/bin/z3": fmt.Sprintf("#!/bin/sh\ncase \"$1\" in --version|-version) echo 'Z3 version %s - 64 bit'; exit;; esac\n%s\n", version, answer),
		"z3/lib/libz3.dylib":                           "of another system",
	})
}

// TestReleases checks that releases are fetched by name, that a campaign uses those that it names, and that bisect
// fetches the releases it needs to find two neighbouring ones that differ.
func TestReleases(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the wheels of this test are for Linux on x86-64")
	}
	x := wheels.New(t)
	for minor := range 12 {
		z3Release(t, x, minor)
	}
	dir := fakeProject(t, "wrong.star", `
def technique(_seeds, _rng):
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (> x 7))(set-info :status sat)(check-sat)")

campaign(technique = technique, targets = solver("z3-4.6.0", mode = "fresh"), reduce = False)
`)
	t.Setenv("PATH", filepath.Join(dir, "bin")) // with no other z3
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, ".config"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	smtlark := func(code int, args ...string) string {
		cmd := smtlarkIn(dir, args...)
		out, _ := cmd.CombinedOutput()
		require.Equal(t, code, cmd.ProcessState.ExitCode(), "%q: %s", args, out)
		return string(out)
	}
	require.Contains(t, smtlark(command.ExitSolver, "run", "wrong.star", "--cases", "1", "-q"), `no solver is named "z3-4.6.0"; fetch it (smtlark solvers --fetch z3@4.6.0)`)
	require.Regexp(t, `^fetched z3-4\.6\.0 \(\d+ B\)\nz3-4\.6\.0: program\n`, smtlark(command.ExitOK, "solvers", "--fetch", "z3@4.6.0", ".solvers"))
	require.Equal(t, "z3-4.6.0: program; it was there\n", smtlark(command.ExitOK, "solvers", "--fetch", "z3@4.6.0", ".solvers"))
	require.Contains(t, smtlark(command.ExitOK, "solvers"), "\nreleases, for those who name one:\nz3: 4.6.0\n")
	smtlark(command.ExitFindings, "run", "wrong.star", "--cases", "1", "--seed", "7", "-q")
	require.Equal(t, 1, x.Asked)

	said := smtlark(command.ExitOK, "bisect", "1", "--fetch")
	require.Contains(t, said, "last good: 4.4.0, first bad: 4.5.0\nlast bad: 4.8.0, fixed in: 4.9.0\n")
	require.Contains(t, said, "finding 1 is fixed in")
	fetched := x.Asked
	require.Less(t, fetched, 11, "not all of them")
	require.Equal(t, 0, strings.Count(smtlark(command.ExitOK, "bisect", "1", "--fetch"), "fetched "))
	require.Equal(t, fetched, x.Asked)
	x.Close()
	require.Contains(t, smtlark(command.ExitOK, "bisect", "1"), "last good: 4.4.0, first bad: 4.5.0\n")

	for _, wrong := range [][]string{
		{"--fetch", "z3@", ".solvers"}, {"--fetch", "boolector@3.2.4", ".solvers"}, {"--fetch", "z3@4.6.0", "one", "two"},
		{"--fetch", "z3"}, {"--remove", "z3"}, {"--remove", ".solvers"}, {"--remove", "z3@4.99"},
	} {
		smtlark(command.ExitUsage, append([]string{"solvers"}, wrong...)...)
	}
	require.Contains(t, smtlark(command.ExitSolver, "solvers", "--fetch", "z3@4.99", ".solvers"), "z3 has no release 4.99")
	require.FileExists(t, filepath.Join(dir, ".solvers", "bin", "z3-4.6.0"))
	require.NoFileExists(t, filepath.Join(dir, ".solvers", "bin", "z3-4.5.0"), "bisect gives campaigns no solvers")
	require.Contains(t, smtlark(command.ExitOK, "solvers", "z3-4.5.0"), "z3-4.5.0: what the build", "one that is used where it is named")
	require.Equal(t, "removed: z3-4.6.0\n", smtlark(command.ExitOK, "solvers", "--remove", "z3@4.6.0"))
	require.NoFileExists(t, filepath.Join(dir, ".solvers", "bin", "z3-4.6.0"))
	require.Contains(t, smtlark(command.ExitOK, "solvers", "--remove", "z3@all"), "removed: z3-4.5.0\n")
	left, err := filepath.Glob(filepath.Join(dir, ".solvers", "releases", "[bl]i[nb]", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
