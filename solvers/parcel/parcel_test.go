package parcel_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// lay lays a parcel of a solver out.
func lay(t *testing.T, s *solvers.Solver) (*parcel.Parcel, *parcel.Laid) {
	t.Helper()
	p, err := parcel.Of(s)
	require.NoError(t, err)
	folder := t.TempDir()
	laid, err := p.Lay(folder, fetched(t))
	require.NoError(t, err)
	again, err := p.Lay(folder, func(*parcel.File) (string, error) { return "", errors.New("it is there") })
	require.NoError(t, err)
	require.Equal(t, laid, again)
	return p, laid
}

// fetched copies files, because the parcel may be laid out by hard links to them.
func fetched(t *testing.T) func(f *parcel.File) (string, error) {
	folder := t.TempDir()
	return func(f *parcel.File) (string, error) {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return "", err
		}
		path := filepath.Join(folder, f.SHA256)
		return path, os.WriteFile(path, text, 0o700)
	}
}

// A program with libraries is the same build where it is laid out, and runs there with the libraries that came with it.
func TestProgramWithItsLibraries(t *testing.T) {
	path, err := exec.LookPath("z3")
	if runtime.GOOS != "linux" || err != nil {
		t.Skip("no z3")
	}
	profile, err := solvers.ProfileFromMap(map[string]any{
		"name": "z3", "binaries": []string{path}, "version_args": []string{"--version"}, "version": "Z3 version ([0-9.]+)",
	}, nil)
	require.NoError(t, err)
	here := solvers.Describe(profile, path, "z3-here")
	require.Empty(t, here.Unusable)
	p, laid := lay(t, here)
	require.Equal(t, path, laid.From)
	there := solvers.Describe(profile, laid.Path, "z3-there")
	require.Empty(t, there.Unusable)
	require.Equal(t, here.Version, there.Version)
	require.True(t, here.Build().Same(there.Build()), "%v, %v", here.Build(), there.Build())
	if whole := build.WholeOf([]string{path}); whole.Loader != "" {
		require.Len(t, there.Exec, 4, "it is started without a shell, by the loader that came with it")
		require.Equal(t, filepath.Base(whole.Loader), filepath.Base(there.Exec[0]))
		out, err := exec.Command(there.Exec[0], "--library-path", there.Exec[2], "--list", there.Exec[3]).CombinedOutput()
		require.NoError(t, err, string(out))
		require.NotContains(t, string(out), "not found")
		require.NotContains(t, string(out), " /lib", "nothing of this machine")
		require.NotContains(t, string(out), " /usr", "nothing of this machine")
	}
	// Damaged files are laid out anew.
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(laid.Path)), filepath.FromSlash(p.Files[0].Name)), []byte("damaged"), 0o600))
	laid, err = p.Lay(filepath.Dir(filepath.Dir(filepath.Dir(laid.Path))), fetched(t))
	require.NoError(t, err)
	require.True(t, here.Build().Same(solvers.Describe(profile, laid.Path, "").Build()))
}

// A script is sent as it is.
func TestScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "liar")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho liar 1.0\n"), 0o700))
	p, laid := lay(t, &solvers.Solver{Profile: &solvers.Profile{Name: "liar"}, Name: "liar-1.0", Path: path, Exec: []string{path}})
	require.Len(t, p.Files, 1)
	text, err := os.ReadFile(laid.Path)
	require.NoError(t, err)
	require.Equal(t, "#!/bin/sh\necho liar 1.0\n", string(text))
	require.Equal(t, "liar", filepath.Base(laid.Path))
}

// A parcel cannot write outside of its folder.
func TestNamesOfStrangers(t *testing.T) {
	for _, p := range []parcel.Parcel{
		{Name: "none", From: "/x"},
		{Name: "up", From: "/x", Files: []parcel.File{{Name: "../x"}}},
		{Name: "absolute", From: "/x", Files: []parcel.File{{Name: "/x"}}},
		{Name: "link", From: "/x", Files: []parcel.File{{Name: "lib/x", Link: "../y"}}},
		{Name: "from", From: "/x/..", Files: []parcel.File{{Name: "bin/x"}}},
	} {
		_, err := p.Lay(t.TempDir(), func(*parcel.File) (string, error) { return os.Args[0], nil })
		require.Error(t, err, p.Name)
	}
}
