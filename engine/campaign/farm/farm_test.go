package farm

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The newest matching program is the build, and a book knows whether it is new. A build that is gone or has changed is
// not tried.
func TestBuilds(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode, at time.Time) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chtimes(path, at, at))
		return path
	}
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := Source{Variable: "nightly", Pattern: filepath.Join(dir, "z3-*")}
	_, err := s.newest(t.Context())
	require.ErrorContains(t, err, "no program matches "+s.Pattern)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	for i, name := range []string{"z3-2", "z3-1", "z3-3"} { // by the time, not by the name
		want := write(name, fmt.Sprint("build ", i), 0o755, day.AddDate(0, 0, i))
		write("z3-notes", "no program", 0o644, day.AddDate(1, 0, 0))
		got, err := s.newest(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, got)
		b, err := openBook(root)
		require.NoError(t, err)
		for _, isNew := range []bool{true, false} {
			fresh, err := b.note("nightly", got, day)
			require.NoError(t, err)
			require.Equal(t, isNew, fresh)
		}
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "z3-1")))
	write("z3-2", "another build in its place", 0o755, day)
	b, err := openBook(root)
	require.NoError(t, err)
	require.Len(t, b.Builds["nightly"], 3)
	kept := b.kept("nightly", mostBuilds)
	require.Len(t, kept, 1)
	require.Equal(t, filepath.Join(dir, "z3-3"), kept[0].Path)

	said := Source{Variable: "nightly", Command: "echo building; echo " + filepath.Join(dir, "z3-3")}
	got, err := said.newest(t.Context())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "z3-3"), got)
	said.Command = "echo no such branch >&2; exit 3"
	_, err = said.newest(t.Context())
	require.ErrorContains(t, err, "exit status 3: no such branch")
	said.Command = "true"
	_, err = said.newest(t.Context())
	require.ErrorContains(t, err, "it names no build")
	require.NoError(t, os.WriteFile(filepath.Join(dir, bookFile), []byte("{"), 0o644))
	_, err = openBook(root)
	require.ErrorContains(t, err, bookFile)
}

// Old runs go, and the oldest of too many bytes, but never the latest of a campaign.
func TestRetention(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		keep Retention
		left []string
	}{
		{Retention{}, []string{"a/1", "a/2", "a/3", "b/1"}},
		{Retention{Runs: 36 * time.Hour}, []string{"a/3", "b/1"}},
		{Retention{Bytes: 3000}, []string{"a/2", "a/3", "b/1"}},
		{Retention{Bytes: 1}, []string{"a/3", "b/1"}},
	} {
		dir := t.TempDir()
		for name, age := range map[string]int{"a/1": 9, "a/2": 2, "a/3": 1, "b/1": 30} {
			folder := filepath.Join(dir, runsFolder, name)
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "stats.json"), make([]byte, 1000), 0o644))
			at := now.AddDate(0, 0, -age)
			require.NoError(t, os.Chtimes(folder, at, at))
		}
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		c.keep.apply(root, now)
		root.Close()
		found, err := filepath.Glob(filepath.Join(dir, runsFolder, "*", "*"))
		require.NoError(t, err)
		var left []string
		for _, path := range found {
			name, err := filepath.Rel(filepath.Join(dir, runsFolder), path)
			require.NoError(t, err)
			left = append(left, filepath.ToSlash(name))
		}
		require.Equal(t, c.left, left, "%v", c.keep)
	}
}
