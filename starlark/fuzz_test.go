package script

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// FuzzResolve checks that no name that a file gives to load leads out of its package,
// and that resolving is stable: the key of a module names that module.
func FuzzResolve(f *testing.F) {
	for _, name := range []string{"@std//a.star", "//a.star", "a.star", "../a.star", "sub/../../a.star", "@std//../a.star", "@x//y.star",
		"/etc/a.star", "//../../etc/a.star", "a\\..\\b.star", "./a.star", "//a//b.star", "@std//", ".star", "..star", "a/.star", "\x00.star"} {
		f.Add(false, "dir/main.star", name)
		f.Add(true, "lib.star", name)
	}
	base := f.TempDir()
	root := filepath.Join(base, "root")
	require.NoError(f, os.MkdirAll(filepath.Join(root, "dir"), 0o755))
	require.NoError(f, os.WriteFile(filepath.Join(base, "secret.star"), []byte("secret = 1\n"), 0o644))
	src := &Sources{std: fstest.MapFS{"a.star": {Data: []byte("a = 1\n")}}, root: root}
	f.Fuzz(func(t *testing.T, std bool, from, name string) {
		if !fs.ValidPath(from) {
			return
		}
		m, err := resolveModule(module{std: std, path: from}, name)
		if err != nil {
			return
		}
		if !fs.ValidPath(m.path) || !strings.HasSuffix(m.path, ".star") {
			t.Fatalf("load(%q) from %q means %q", name, from, m.path)
		}
		if again, err := resolveModule(module{path: "x.star"}, m.key()); err != nil || again != m {
			t.Fatalf("load(%q) means %q, which means %+v, %v", name, m.key(), again, err)
		}
		if text, err := src.read(m); err == nil && strings.Contains(string(text), "secret") {
			t.Fatalf("load(%q) from %q reads a file outside of the root", name, from)
		}
	})
}
