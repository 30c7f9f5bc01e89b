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
		if text, err := src.readSource(m); err == nil && strings.Contains(string(text), "secret") {
			t.Fatalf("load(%q) from %q reads a file outside of the root", name, from)
		}
	})
}

// FuzzCompile checks that every text either compiles or gives an error with a place in
// the file, and that the message can be rendered.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"x = 1\n", "def f(:\n", "x = y + zz\n", "load(\"@std//a.star\", \"a\")\nb = a\n", "x = 1\nx = 2\n", "import os", "\"\"\"", "\ty = 1", "f\"{x}\"",
		"while 1:\n  pass\n", "return 1\n", "x = [\n", "é = 1\n", "\xff\n", "def f(a, a): pass\n"} {
		f.Add(text)
	}
	reg, err := Registry()
	require.NoError(f, err)
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		src := NewSources(reg, fstest.MapFS{"a.star": {Data: []byte("def a():\n  pass\n")}}, root)
		src.SetText("main.star", []byte(text))
		c := src.compileModule(module{path: "main.star"})
		if c.err == nil {
			return
		}
		e := New(src, InterpreterOptions{}).newError(c.err)
		if len(e.Frames) == 0 || e.Frames[0].Pos.Filename() != "main.star" {
			t.Fatalf("no place in %q: %s", text, e)
		}
		if msg := e.Error(); !strings.Contains(msg, "Error: ") {
			t.Fatalf("%q", msg)
		}
	})
}
