package durable_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/durable"
)

func open(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return root, dir
}

// A file has the old or the new content, and nothing else is left.
func TestReplace(t *testing.T) {
	root, dir := open(t)
	require.NoError(t, durable.Replace(root, "a.txt", []byte("old"), 0o600))
	require.NoError(t, durable.Replace(root, "a.txt", []byte("new"), 0o600))
	text, err := durable.ReadFile(dir, "a.txt")
	require.NoError(t, err)
	require.Equal(t, "new", string(text))

	require.NoError(t, root.Mkdir("b.txt", 0o700))
	require.NoError(t, root.WriteFile("b.txt/inside", nil, 0o600))
	require.Error(t, durable.Replace(root, "b.txt", []byte("new"), 0o600), "a folder with files is in the way")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{"a.txt", "b.txt"}, names)
}

// No name and no link leads out of the folder, and only regular files are opened.
func TestNothingLeadsOut(t *testing.T) {
	root, dir := open(t)
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	finding := filepath.Join(dir, "finding")
	require.NoError(t, os.Mkdir(finding, 0o700))
	require.Error(t, durable.Replace(root, "../outside", []byte("x"), 0o600))
	_, err := durable.ReadFile(finding, "../../outside")
	require.Error(t, err)
	if os.Symlink(outside, filepath.Join(finding, "link")) == nil { // not everywhere may links be made
		_, err = durable.ReadFile(finding, "link")
		require.Error(t, err)
	}
	_, err = durable.ReadFile(dir, "finding")
	require.ErrorContains(t, err, "it is no regular file")
}

func TestNamesAndTexts(t *testing.T) {
	for text, want := range map[string]string{"z3 4.13.3: wrong/answer": "z3-4.13.3-wrong-answer", "../../etc": "etc", "-.-": "", "ä": ""} {
		require.Equal(t, want, durable.FileName(text), text)
	}
	text, err := durable.JSON(map[string]string{"a": "x\x1b"})
	require.NoError(t, err)
	require.Equal(t, "{\n  \"a\": \"x\\u001b\"\n}\n", string(text))
	_, err = durable.JSON(func() {})
	require.Error(t, err)
}
