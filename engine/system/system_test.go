package system

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		require.NoError(t, err)
		return f
	}
	first, second := open(), open()
	defer second.Close()
	ok, err := Lock(first, false)
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = Lock(second, false)
	require.NoError(t, err)
	require.False(t, ok, "another has it")
	require.NoError(t, first.Close())
	ok, err = Lock(second, true)
	require.NoError(t, err)
	require.True(t, ok)
}

func TestPattern(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]c")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.smt2"), nil, 0o600))
	hits, err := filepath.Glob(filepath.Join(Pattern(dir), "*.smt2"))
	require.NoError(t, err)
	require.Len(t, hits, 1)
}
