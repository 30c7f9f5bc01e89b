package system

import (
	"errors"
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

func TestSharedNumber(t *testing.T) {
	number, file, err := NewSharedNumber()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no shared memory on this system")
	}
	require.NoError(t, err)
	other, err := OpenSharedNumber(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	other.Value().Store(18)
	require.EqualValues(t, 18, number.Value().Load())
	require.NoError(t, other.Close())
	require.EqualValues(t, 18, number.Value().Load(), "it stays when the other ends")
	require.NoError(t, number.Close())

	empty, err := os.Create(filepath.Join(t.TempDir(), "empty"))
	require.NoError(t, err)
	defer empty.Close()
	_, err = OpenSharedNumber(empty)
	require.ErrorContains(t, err, "no shared memory")
}
