package release

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/wheels"
)

// addZ3 makes a wheel of z3 whose program says its version.
func addZ3(t *testing.T, x *wheels.IndexServer, version string) {
	t.Helper()
	x.Add(t, "z3-solver", "z3_solver-"+version+"-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", false, map[string]string{
		"z3_solver-" + version + ".data/data/bin/z3": "#!/bin/sh\necho Z3 version " + version + "\n",
		"z3/lib/libz3.so": "a library", "z3/lib/libz3.dylib": "of another system", "z3/z3.py": "not used",
	})
}

var linux = Machine{OS: "linux", Arch: "amd64", Python: "/usr/bin/python3", ABI: "cp311"}

func (s *Depot) mustFetch(t *testing.T, wish string) (*Choice, int) {
	t.Helper()
	w, err := ParseWish(wish)
	require.NoError(t, err)
	p, err := s.Plan(context.Background(), w)
	require.NoError(t, err)
	n, err := s.Carry(context.Background(), p)
	require.NoError(t, err)
	return p, n
}

func TestFetch(t *testing.T) {
	x := wheels.New(t)
	for _, v := range []string{"4.9.0.0", "4.12.2.0", "4.5.1.0", "4.5.1.0.post2", "4.10.0.0"} {
		addZ3(t, x, v)
	}
	x.Add(t, "z3-solver", "z3_solver-9.0.0.0-py3-none-manylinux1_x86_64.whl", "broken", nil)
	x.Add(t, "z3-solver", "z3_solver-9.0.1.0-py3-none-win_amd64.whl", false, nil)
	var told []string
	s := &Depot{Dir: t.TempDir(), Machine: linux, Progress: func(r Release, done, size int64) {
		if done == size {
			told = append(told, r.String())
		}
	}}
	p, n := s.mustFetch(t, "z3@4.12.2")
	require.Equal(t, []Release{{"z3", "4.12.2"}}, p.Releases)
	require.Equal(t, 1, n)
	require.Equal(t, []string{"z3-4.12.2"}, told)

	out, err := exec.Command(filepath.Join(s.Dir, Folder, "bin", "z3-4.12.2")).Output()
	require.NoError(t, err)
	require.Equal(t, "Z3 version 4.12.2.0\n", string(out))
	text, err := os.ReadFile(filepath.Join(s.Dir, Folder, "lib", "libz3-4.12.2.so"))
	require.NoError(t, err)
	require.Equal(t, "a library", string(text))
	require.NoFileExists(t, filepath.Join(s.Dir, Folder, "z3-4.12.2", "z3.py"))
	require.NoDirExists(t, filepath.Join(s.Dir, "bin"), "nothing uses it before it is installed")

	program, library, err := s.Install(p.Releases[0])
	require.NoError(t, err)
	require.True(t, program && library)
	out, err = exec.Command(filepath.Join(s.Dir, "bin", "z3-4.12.2")).Output()
	require.NoError(t, err, "%s", out)
	require.FileExists(t, filepath.Join(s.Dir, "lib", "libz3-4.12.2.so"))

	p, n = s.mustFetch(t, "z3@newest")
	require.Equal(t, "4.12.2", p.Releases[0].Version, "neither the one that was taken back nor that of another system")
	require.Zero(t, n)
	p, n = s.mustFetch(t, "z3@all")
	require.Equal(t, []Release{{"z3", "4.5.1"}, {"z3", "4.9.0"}, {"z3", "4.10.0"}, {"z3", "4.12.2"}}, p.Releases)
	require.Equal(t, 3, n)
	require.Equal(t, 4, x.Asked, "nothing is fetched twice")
	out, err = exec.Command(filepath.Join(s.Dir, Folder, "bin", "z3-4.5.1")).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "post2", "the later wheel of a version")

	at := AtHand("z3", false, filepath.Join(s.Dir, Folder, "bin"), "/nowhere")
	require.Len(t, at, 4)
	require.Equal(t, "4.5.1", at[0].Version)
	require.Equal(t, filepath.Join(s.Dir, Folder, "lib", "libz3-4.12.2.so"), AtHand("z3", true, filepath.Join(s.Dir, Folder, "lib"))[3].Path)

	x.Close() // without a network
	_, n = s.mustFetch(t, "z3@4.9.0")
	require.Zero(t, n)
	var notes []string
	s.Note = func(text string) { notes = append(notes, text) }
	p, n = s.mustFetch(t, "z3@all")
	require.Len(t, p.Releases, 4)
	require.Zero(t, n)
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "the index cannot be reached, what it said before counts")
	_, err = (&Depot{Dir: t.TempDir(), Machine: linux}).Plan(context.Background(), Wish{"z3", Newest})
	require.ErrorContains(t, err, "which releases of z3 there are cannot be asked")
}

func TestWishes(t *testing.T) {
	w, err := ParseWish("yices2@2.6.4")
	require.NoError(t, err)
	require.Equal(t, Wish{"yices2", "2.6.4"}, w)
	for text, want := range map[string]string{
		"z3": "want NAME@VERSION", "@1": "want NAME@VERSION", "z3@": "want NAME@VERSION",
		"boolector@3.2.4": "no releases of \"boolector\" are known, only of bitwuzla, cvc5, yices2, z3",
	} {
		_, err := ParseWish(text)
		require.ErrorContains(t, err, want, text)
	}
	x := wheels.New(t)
	addZ3(t, x, "4.12.2.0")
	s := &Depot{Dir: t.TempDir(), Machine: linux}
	_, err = s.Plan(context.Background(), Wish{"z3", "4.12.3"})
	require.ErrorContains(t, err, "z3 has no release 4.12.3")
	require.ErrorContains(t, err, "there are 4.12.2")
	s.Machine.OS = "plan9"
	_, err = s.Plan(context.Background(), Wish{"z3", Newest})
	require.ErrorContains(t, err, "z3 has no release for plan9 on amd64")
}

// TestHostileWheels checks that a wheel must match the index, and that unpacking stays in its folder.
func TestHostileWheels(t *testing.T) {
	x := wheels.New(t)
	addZ3(t, x, "4.12.2.0")
	x.Add(t, "cvc5", "cvc5-1.4.2-cp311-cp311-manylinux2014_x86_64.whl", false, map[string]string{"cvc5/../../../../escaped": "x"})
	s := &Depot{Dir: t.TempDir(), Machine: linux}
	fetch := func(solver string) error {
		p, err := s.Plan(context.Background(), Wish{solver, Newest})
		require.NoError(t, err)
		_, err = s.Carry(context.Background(), p)
		return err
	}
	require.ErrorContains(t, fetch("cvc5"), "which is none of its own folder")
	for name := range x.Wheels {
		x.Wheels[name] = append([]byte("other"), x.Wheels[name][5:]...)
	}
	require.ErrorContains(t, fetch("z3"), "has another SHA-256 than the index says")
	for name := range x.Wheels {
		x.Wheels[name] = append(x.Wheels[name], "and more"...)
	}
	require.ErrorContains(t, fetch("z3"), "nothing was unpacked")
	left, err := os.ReadDir(filepath.Join(s.Dir, Folder))
	require.NoError(t, err)
	require.Len(t, left, 1, "the index, and nothing of a wheel")
	delete(x.Files["z3-solver"][0], "hashes")
	require.ErrorContains(t, fetch("z3"), "gives no SHA-256")
}

// TestModules: releases that are modules of Python are chosen for the Python of the machine.
func TestModules(t *testing.T) {
	x := wheels.New(t)
	for _, abi := range []string{"cp310", "cp311", "cp312"} {
		x.Add(t, "cvc5", "cvc5-1.4.2-"+abi+"-"+abi+"-manylinux2014_x86_64.whl", false, map[string]string{
			"cvc5/__init__.py": "", "cvc5/abi": abi, "cvc5.libs/libcvc5-0a.so.1.4.2": "library", "cvc5-1.4.2.dist-info/RECORD": "",
		})
	}
	x.Add(t, "cvc5", "cvc5-1.1.2-cp311-cp311-manylinux2014_x86_64.whl", false, nil) // without an interface of the parser
	x.Add(t, "bitwuzla", "bitwuzla-0.10.0-cp310-cp310-manylinux_2_28_x86_64.whl", false, map[string]string{"bitwuzla.cpython-310.so": ""})
	s := &Depot{Dir: t.TempDir(), Machine: linux}
	p, _ := s.mustFetch(t, "cvc5@all")
	require.Equal(t, []Release{{"cvc5", "1.4.2"}}, p.Releases)
	abi, err := os.ReadFile(filepath.Join(s.Dir, Folder, "cvc5-1.4.2", "cvc5", "abi"))
	require.NoError(t, err)
	require.Equal(t, "cp311", string(abi))
	start, err := os.ReadFile(filepath.Join(s.Dir, Folder, "bin", "cvc5-1.4.2"))
	require.NoError(t, err)
	require.Contains(t, string(start), `exec "/usr/bin/python3" "-I" "-B" "$here/../cvc5-1.4.2/smtlib.py" "$@"`)

	_, err = s.Plan(context.Background(), Wish{"bitwuzla", Newest})
	require.ErrorContains(t, err, "they are modules of Python, and /usr/bin/python3 is cp311")
	other := &Depot{Dir: t.TempDir(), Machine: Machine{OS: "linux", Arch: "amd64"}}
	_, err = other.Plan(context.Background(), Wish{"bitwuzla", Newest})
	require.ErrorContains(t, err, "no python3 is on the PATH")
	p, _ = other.mustFetch(t, "cvc5@newest") // its library can be used
	program, library, err := other.Install(p.Releases[0])
	require.NoError(t, err)
	require.True(t, !program && library)
}
