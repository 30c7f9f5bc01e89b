package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// TestProfiles: --pprof leaves a profile of the processor and one of the heap for each process of smtlark, also where
// the folder is not there yet.
func TestProfiles(t *testing.T) {
	dir := fakeProject(t, "few.star", `
campaign(technique = lambda seeds, rng: smt.case("(declare-const x Int)(assert (> x 1))(check-sat)"),
    targets = solver(solver.profile(name = "fake", base = "generic", binaries = ["fakesolver"], version_args = ["--version"], version = "(\\d+\\.\\d+\\.\\d+)")))
`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tiny.smt2"), []byte("(check-sat)"), 0o644))
	for _, c := range []struct {
		arguments []string
		processes map[string]int
	}{
		{[]string{"run", "few.star", "--seed", "1", "--cases", "20", "-j", "2", "-q", "--pprof", "of/run"}, map[string]int{"run": 1, "worker": 2}},
		{[]string{"solve", "tiny.smt2", "--solver", "z3", "--pprof", "of/solve"}, map[string]int{"solve": 1}},
	} {
		code, said := runCode(t, smtlarkIn(dir, c.arguments...))
		if c.processes["run"] > 0 {
			require.Equal(t, command.ExitOK, code, said)
		}
		for verb, n := range c.processes {
			for _, kind := range []string{"cpu", "heap"} {
				files, err := filepath.Glob(filepath.Join(dir, "of", c.arguments[0], verb+"-*."+kind+".pprof"))
				require.NoError(t, err)
				require.Len(t, files, n, "%s %s: %s", verb, kind, said)
				for _, file := range files { // complete: it is compressed
					f, err := os.Open(file)
					require.NoError(t, err)
					z, err := gzip.NewReader(f)
					require.NoError(t, err, file)
					_, err = io.Copy(io.Discard, z)
					require.NoError(t, err, file)
					require.NoError(t, f.Close())
				}
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taken"), nil, 0o644))
	code, said := runCode(t, smtlarkIn(dir, "run", "few.star", "--pprof", "taken"))
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, said, "pprof")
}
