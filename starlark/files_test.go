package script

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func newFiles(t *testing.T) *files {
	t.Helper()
	top := t.TempDir()
	for _, name := range []string{"p/camp/seeds/b/2.smt2", "p/camp/seeds/a/1.smt2", "p/camp/seeds/a/1.txt", "p/camp/x.smt2", "p/lib/y.smt2", "out/secret.smt2", "extra/e.smt2"} {
		path := filepath.Join(top, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o644))
	}
	require.NoError(t, os.Symlink(filepath.Join(top, "out/secret.smt2"), filepath.Join(top, "p/camp/link.smt2")))
	require.NoError(t, os.Symlink(filepath.Join(top, "out"), filepath.Join(top, "p/camp/dir")))
	return &files{base: filepath.Join(top, "p/camp"), root: filepath.Join(top, "p"), folders: []string{filepath.Join(top, "p"), filepath.Join(top, "extra")}}
}

func TestFilesRead(t *testing.T) {
	f := newFiles(t)
	extra := filepath.Join(f.folders[1], "e.smt2")
	for name, want := range map[string]string{
		"x.smt2": "p/camp/x.smt2", "../lib/y.smt2": "p/lib/y.smt2", "//lib/y.smt2": "p/lib/y.smt2", "seeds/../x.smt2": "p/camp/x.smt2", extra: "extra/e.smt2",
	} {
		got, err := f.Read(name)
		require.NoError(t, err, name)
		require.Equal(t, want, string(got), name)
	}
	for name, want := range map[string]string{
		"../../out/secret.smt2": "lies outside of the campaign's folders",
		"//../out/secret.smt2":  "lies outside of the campaign's folders",
		"/etc/passwd":           "lies outside of the campaign's folders",
		"link.smt2":             "a link out of the campaign's folders",
		"dir/secret.smt2":       "a link out of the campaign's folders",
		"none.smt2":             "no such file: none.smt2",
		"seeds":                 "seeds is not a regular file",
		"":                      "a file name is empty",
		"a\x00b":                "is no file name",
	} {
		_, err := f.Read(name)
		require.ErrorContains(t, err, want, "%q", name)
	}
}

func TestFilesList(t *testing.T) {
	f := newFiles(t)
	extra := f.folders[1]
	for pattern, want := range map[string][]string{
		"seeds/**/*.smt2":   {"seeds/a/1.smt2", "seeds/b/2.smt2"},
		"seeds":             {"seeds/a/1.smt2", "seeds/a/1.txt", "seeds/b/2.smt2"},
		"seeds/a/*":         {"seeds/a/1.smt2", "seeds/a/1.txt"},
		"seeds/?/[12].smt2": {"seeds/a/1.smt2", "seeds/b/2.smt2"},
		"x.smt2":            {"x.smt2"},
		"*.smt2":            {"x.smt2"},
		"**/2.smt2":         {"seeds/b/2.smt2"},
		"//lib/*.smt2":      {"//lib/y.smt2"},
		"//*/*.smt2":        {"//camp/x.smt2", "//lib/y.smt2"},
		"seeds/*.smt2":      nil,
		extra + "/*":        {extra + "/e.smt2"},
	} {
		got, others, err := f.List(pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, want, got, pattern)
		for _, name := range others {
			require.Equal(t, "link.smt2", filepath.Base(name), "the only one that leads out of the folders: %s", pattern)
		}
		require.Equal(t, pattern == "*.smt2" || pattern == "//*/*.smt2", len(others) == 1, pattern)
		for _, name := range got {
			_, err := f.Read(name)
			require.NoError(t, err, name)
		}
	}
	for pattern, want := range map[string]string{
		"none/*.smt2": "no such file or folder: none",
		"dir/*.smt2":  "a link out of the campaign's folders",
		"../../*":     "lies outside",
		"seeds/[":     "malformed pattern",
	} {
		_, _, err := f.List(pattern)
		require.ErrorContains(t, err, want, pattern)
	}
}

func TestMatchPattern(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"**", "a/b/c", true}, {"**/c", "c", true}, {"**/c", "a/b/c", true}, {"a/**", "a", true}, {"a/**", "b/a", false},
		{"a/**/c", "a/c", true}, {"a/**/c", "a/x/y/c", true}, {"a/**/c", "a/x/y/d", false}, {"*/*", "a", false}, {"*", "a/b", false},
		{"**/x/**/y", "x/x/y/y", true}, {"**/x/**/y", "x/x/y/z", false},
	} {
		require.Equal(t, tc.want, matchPattern(tc.pattern, tc.name), "%s %s", tc.pattern, tc.name)
	}
}

// FuzzFiles checks that no name reads the file outside of the folders.
func FuzzFiles(f *testing.F) {
	top := f.TempDir()
	require.NoError(f, os.MkdirAll(filepath.Join(top, "p/camp/sub"), 0o755))
	require.NoError(f, os.WriteFile(filepath.Join(top, "secret"), []byte("secret"), 0o644))
	require.NoError(f, os.Symlink(filepath.Join(top, "secret"), filepath.Join(top, "p/camp/link")))
	box := &files{base: filepath.Join(top, "p/camp"), root: filepath.Join(top, "p"), folders: []string{filepath.Join(top, "p")}}
	for _, name := range []string{"link", "sub/../link", "../../secret", "//../secret", "/secret", "../*", "**", "//**/link", ".", "//", "\\..\\x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		names, _, _ := box.List(name)
		for _, n := range append(names, name) {
			if text, err := box.Read(n); err == nil && string(text) == "secret" {
				t.Fatalf("%q reads the secret", n)
			}
		}
	})
}
