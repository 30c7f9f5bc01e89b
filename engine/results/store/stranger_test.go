package store_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/results/store"
)

// change changes the database of a folder as somebody else may have done before sending it.
func change(t *testing.T, out, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(out, "smtlark.db"))
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(statement)
	require.NoError(t, err)
}

// victim makes a folder of the user that must stay as it is, and returns a check of that.
func victim(t *testing.T) (dir string, untouched func()) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "runs"), 0o700))
	for _, name := range []string{"README.md", "runs/mine.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("KEEP ME"), 0o600))
	}
	return dir, func() {
		t.Helper()
		for _, name := range []string{"README.md", "runs/mine.json"} {
			require.Equal(t, "KEEP ME", read(t, dir, name))
		}
		all, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		require.Len(t, all, 2)
	}
}

// sent is a folder with a finding.
func sent(t *testing.T) (out, dir string) {
	t.Helper()
	out = t.TempDir()
	s, err := store.Open(out)
	require.NoError(t, err)
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	require.NoError(t, s.Close())
	return out, f.Dir
}

func TestSlugsDoNotLeaveTheFolder(t *testing.T) {
	outside, untouched := victim(t)
	for _, slug := range []string{"x/../../../../../../../../../../" + outside, "/../../victim", `..\..\x`, "a\nb"} {
		out, _ := sent(t)
		change(t, out, `UPDATE findings SET slug = '`+slug+`', exported = 0`)
		s := open(t, out)
		n, err := s.Export()
		require.NoError(t, err)
		require.Equal(t, 1, n)
		untouched()
		folders, err := filepath.Glob(filepath.Join(out, "findings", "0001-*", "finding.json"))
		require.NoError(t, err)
		require.Len(t, folders, 1)
	}
}

// Links in a folder that somebody sent lead nowhere, neither for writing nor for reading.
func TestLinksDoNotLeaveTheFolder(t *testing.T) {
	for name, link := range map[string]func(dir, outside string) error{
		"folder": func(dir, outside string) error { os.RemoveAll(dir); return os.Symlink(outside, dir) },
		"runs": func(dir, outside string) error {
			d := filepath.Join(dir, "runs")
			os.RemoveAll(d)
			return os.Symlink(filepath.Join(outside, "runs"), d)
		},
		"temporary": func(dir, outside string) error {
			return os.Symlink(filepath.Join(outside, "README.md"), filepath.Join(dir, ".README.md.new"))
		},
	} {
		outside, untouched := victim(t)
		out, dir := sent(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte("old"), 0o600))
		require.NoError(t, link(dir, outside), name)
		change(t, out, "UPDATE findings SET exported = 0")
		s, err := store.Open(out) // writes files that are out of date
		if err == nil {
			_, err = s.Export()
			require.NoError(t, s.Close())
		}
		require.ErrorContains(t, err, "escapes", name)
		untouched()
	}
}

func TestLinksAreNotRead(t *testing.T) {
	outside, _ := victim(t)
	_, dir := sent(t)
	path := filepath.Join(dir, "case.smt2")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(filepath.Join(outside, "README.md"), path))
	_, err := durable.ReadFile(dir, "case.smt2")
	require.ErrorContains(t, err, "escapes")
	text, err := durable.ReadFile(dir, "finding.json")
	require.NoError(t, err)
	require.NotEmpty(t, text)
	_, err = durable.ReadFile(dir, "runs")
	require.ErrorContains(t, err, "no regular file")
	_, err = durable.ReadFile(dir, "../../smtlark.db")
	require.Error(t, err)
}

// An imported finding of another folder gets its own number, only once; errors in its record are reported.
func TestImportOfAnotherFolder(t *testing.T) {
	_, dir := sent(t)
	s := open(t, t.TempDir())
	require.NoError(t, s.Save(testFinding("k2", "/bin/liar")))
	name, known, err := s.Import(dir)
	require.NoError(t, err)
	require.False(t, known)
	require.Equal(t, "finding 2", name)
	list, err := filepath.Glob(filepath.Join(s.Findings(), "0002-*", "case.smt2"))
	require.NoError(t, err)
	require.Len(t, list, 1, "its folder is written")
	name, known, err = s.Import(dir)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "finding 2", name)

	path := filepath.Join(dir, "finding.json")
	record := read(t, path)
	for status, want := range map[string]string{"dup": "open", "fixed": "fixed", "$(reboot)": ""} {
		text := strings.Replace(record, `"status": "open"`, `"status": "`+status+`"`, 1)
		require.NotEqual(t, text, record)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		fresh := open(t, t.TempDir())
		_, _, err := fresh.Import(dir)
		if want == "" {
			require.ErrorContains(t, err, `"$(reboot)" is no status of a finding`)
			continue
		}
		require.NoError(t, err)
		again, err := fresh.Again()
		require.NoError(t, err)
		require.Equal(t, want, again[0].Standing)
	}
	_, _, err = s.Import(t.TempDir())
	require.ErrorIs(t, err, fs.ErrNotExist)
}
