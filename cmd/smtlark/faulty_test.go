//go:build linux

package main

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// faultyLibrary compiles testdata/faulty.c into a library that stands before the real one of a solver, and returns its
// path. What lies beside the real one, such as a dynamic loader of its own, is found from there, too.
func faultyLibrary(t *testing.T, compiler, dir, kind, library string) string {
	t.Helper()
	library, err := filepath.EvalSymlinks(library)
	require.NoError(t, err)
	file, err := elf.Open(library)
	require.NoError(t, err)
	names, err := file.DynString(elf.DT_SONAME)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "real"), 0o755))
	if len(names) > 0 {
		require.NoError(t, os.Symlink(library, filepath.Join(dir, "real", names[0])))
	}
	home := filepath.Dir(library)
	triplets, _ := filepath.Glob(filepath.Join(home, "*-linux-gnu"))
	for _, folder := range append(triplets, home) {
		if loaders, _ := filepath.Glob(filepath.Join(folder, "ld-linux*.so.*")); len(loaders) > 0 {
			require.NoError(t, os.Symlink(folder, filepath.Join(dir, "their-linux-gnu")))
		}
	}
	path := filepath.Join(dir, filepath.Base(library))
	out, err := exec.Command(compiler, "-std=gnu11", "-shared", "-fPIC", "-g", "-O0", "-w", "-DFOR_"+kind, `-DREAL="`+library+`"`, "-o", path,
		filepath.Join("testdata", "faulty.c"), "-Wl,--no-as-needed", library, "-ldl", "-Wl,--disable-new-dtags,-rpath,"+filepath.Join(dir, "real")+":"+home).CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// TestEveryKindReplaysInLibraries provokes every kind of finding in each C library of this machine: a wrapper library
// calls the real one and injects a fault into its behavior or its results. Each finding is replayed by repro.sh, by the
// command of its page and by smtlark repro.
func TestEveryKindReplaysInLibraries(t *testing.T) {
	t.Parallel()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "a C compiler is required in CI")
		t.Skip("there is no C compiler on this machine")
	}
	dir := fakeProject(t, "fronts.star", frontCampaign)
	unpackedSolvers(t, dir)
	text, err := smtlarkIn(dir, "solvers", "--json").Output()
	require.NoError(t, err)
	var found []struct {
		Name, Kind, Path, Unusable string
		Modes                      []string
	}
	require.NoError(t, json.Unmarshal(text, &found))
	libraries := 0
	for _, s := range found {
		if s.Unusable != "" || s.Modes[0] != "native" {
			continue
		}
		if libraries++; libraries > 1 && testing.Short() {
			break // one of all
		}
		t.Run(s.Name, func(t *testing.T) { // one after the other: each campaign traces its crashes, within limits of time
			folder := filepath.Join(dir, "faulty "+s.Name)
			faulty := faultyLibrary(t, compiler, folder, s.Kind, s.Path)
			out := filepath.Join(dir, "out "+s.Name)
			code, said := runCode(t, smtlarkIn(dir, "run", "fronts.star", "--seed", "1", "--cases", "13", "-j", "1", "-q", "--out", out,
				"--set", "kind="+s.Kind, "--set", "mode=native", "--set", "front="+faulty, "--set", "real="+s.Path))
			require.Equal(t, command.ExitFindings, code, said)
			require.Equal(t, map[string]int{
				oracle.KindCrash: 4, oracle.KindKnownAnswer: 1, oracle.KindAssumedAnswer: 1, oracle.KindDisagreement: 1, oracle.KindInvalidModel: 1,
				oracle.KindInvalidValue: 1, oracle.KindInvalidCore: 1, "undecided": 1, "flaky": 0,
			}, replayAll(t, dir, out, 1), said)
		})
	}
	if libraries == 0 {
		require.NotEqual(t, "true", os.Getenv("CI"), "libraries of solvers are required in CI")
		t.Skip("there is no C library of a solver on this machine")
	}
}
