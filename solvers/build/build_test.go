package build_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/build"
)

func TestContentTellsBuildsApart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	of := func(paths ...string) *build.Info {
		info, err := build.Of(paths)
		require.NoError(t, err)
		return info
	}
	a, b, c := of(write("a", "one")), of(write("b", "two")), of(write("c", "one"))
	sum := sha256.Sum256([]byte("one"))
	require.Equal(t, hex.EncodeToString(sum[:]), a.SHA256, "what sha256sum says of the only file")
	require.Equal(t, a.SHA256[:12], a.Short())
	require.Equal(t, "sha256 "+a.SHA256, a.String())
	require.True(t, a.Same(c), "a copy elsewhere is the same build")
	require.False(t, a.Same(b))
	require.False(t, a.Same(nil))
	var none *build.Info
	require.Empty(t, none.Short()+none.String())

	both := of(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	require.Len(t, both.Files, 2)
	require.False(t, both.Same(a))
	sum = sha256.Sum256([]byte(a.SHA256 + "  a\n" + b.SHA256 + "  b\n"))
	require.Equal(t, hex.EncodeToString(sum[:]), both.SHA256, "what sha256sum says of what sha256sum says")

	write("a", "three")
	require.False(t, a.Same(of(filepath.Join(dir, "a"))), "a file that was written again is read again")
	_, err := build.Of([]string{filepath.Join(dir, "nothing")})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = build.Of(nil)
	require.Error(t, err)
}

// Real programs have the build id that the tools of their platform show.
func TestBuildID(t *testing.T) {
	path, err := filepath.EvalSymlinks("/bin/sh")
	require.NoError(t, err)
	info, err := build.Of([]string{path})
	require.NoError(t, err)
	if info.ID == "" {
		t.Skip("this system's sh has no build id")
	}
	require.Regexp(t, "^[0-9a-f]{16,64}$", info.ID)
	require.Equal(t, "build id "+info.ID+", sha256 "+info.SHA256, info.String())
	tool, err := exec.LookPath("readelf")
	if err != nil {
		t.Skip("no readelf to compare with")
	}
	out, err := exec.Command(tool, "-n", path).Output()
	require.NoError(t, err)
	said := regexp.MustCompile(`Build ID: ([0-9a-f]+)`).FindSubmatch(out)
	require.NotNil(t, said)
	require.Equal(t, string(said[1]), info.ID)
}

func TestFilesOfLoader(t *testing.T) {
	require.Equal(t, []string{"/x/z3"}, build.Files([]string{"/lib/ld-linux-x86-64.so.2", "--library-path", "/a:/b", "/x/z3"}, "libz3"))
	require.Equal(t, []string{"/x/z3"}, build.Files([]string{"/x/z3", "-in"}, "libz3"))
	require.Empty(t, build.Files(nil))
}

// A program of Debian's is a thin one: the solver is in its library, and a build of that is what counts.
func TestOwnLibraries(t *testing.T) {
	path, err := exec.LookPath("cvc5")
	if err != nil {
		t.Skip("no cvc5 on this machine")
	}
	files := build.Files([]string{path}, "libcvc5")
	require.NotEmpty(t, files)
	for _, f := range files[1:] {
		require.True(t, strings.HasPrefix(filepath.Base(f), "libcvc5"), f)
	}
	info, err := build.Of(files)
	require.NoError(t, err)
	require.Len(t, info.Files, len(files))
}

func TestJarsTellTheBuild(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jar"), filepath.Join(dir, "b.jar")
	require.NoError(t, os.WriteFile(a, []byte("a"), 0o600))
	require.NoError(t, os.WriteFile(b, []byte("b"), 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	path := a + string(filepath.ListSeparator) + b + string(filepath.ListSeparator) + filepath.Join(dir, "none.jar")
	require.Equal(t, []string{self, a, b}, build.Files([]string{self, "-Xss64m", "-cp", path, "Main"}))
	require.Equal(t, []string{self}, build.Files([]string{self, "-cp"}))
}

// TestRememberedHashes: the hash of a large file is kept for other processes, and what somebody else has put in its
// place is not believed where it cannot be a hash of that file.
func TestRememberedHashes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the variable of the user's cache folder is that of Linux")
	}
	large, err := exec.LookPath("go")
	require.NoError(t, err)
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	first, err := build.Of([]string{large})
	require.NoError(t, err)
	kept, err := filepath.Glob(filepath.Join(cache, "smtlark", "found", "*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	for _, text := range []string{"", "{", `{"path":"/bin/sh","sha256":"` + first.SHA256 + `"}`, `{"sha256":"00"}`} {
		require.NoError(t, os.WriteFile(kept[0], []byte(text), 0o600))
		again, err := build.Of([]string{large})
		require.NoError(t, err)
		require.Equal(t, first, again, text)
	}
}
