package memo_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/memo"
)

// TestOnce checks that processes share results, and that errors are not stored.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	found := 0
	find := func(err error) func() (string, error) {
		return func() (string, error) { found++; return fmt.Sprint("found ", found), err }
	}
	_, err := memo.New(dir).Once("key", find(fmt.Errorf("gone")))
	require.ErrorContains(t, err, "gone")
	for range 2 {
		text, err := memo.New(dir).Once("key", find(nil))
		require.NoError(t, err)
		require.Equal(t, "found 2", text)
	}
	text, err := (*memo.Cache)(nil).Once("key", find(nil))
	require.NoError(t, err)
	require.Equal(t, "found 3", text, "no folder, nothing remembered")
}

// TestOfFile checks that results about a file are valid until it is written or replaced, even if size and times stay
// the same. Nothing is stored about a file that has just changed.
func TestOfFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "solver")
	cache := memo.New(t.TempDir())
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
	}
	reads := 0
	read := func() string {
		text, err := cache.OfFile("content", path, func() (string, error) {
			reads++
			data, err := os.ReadFile(path)
			return string(data), err
		})
		require.NoError(t, err)
		return text
	}
	write("one")
	require.Equal(t, []string{"one", "one"}, []string{read(), read()})
	if runtime.GOOS == "windows" {
		return // times of writing are all there is
	}
	require.Equal(t, 2, reads, "it may change within the same tick")
	memo.Quiet(t, 0)
	require.Equal(t, []string{"one", "one"}, []string{read(), read()})
	require.Equal(t, 3, reads)
	time.Sleep(20 * time.Millisecond) // a tick of the clock that stamps files is 10 ms at most
	write("two")
	require.Equal(t, []string{"two", "two"}, []string{read(), read()})
	require.Equal(t, 4, reads)
	_, err := cache.OfFile("content", path+"s", func() (string, error) { return "", fmt.Errorf("it is gone") })
	require.ErrorContains(t, err, "it is gone")
}

// A new build of a program discards the entries of the earlier build.
func TestForProgram(t *testing.T) {
	dir := t.TempDir()
	cache := memo.New(dir)
	require.Nil(t, cache.ForProgram(), "a test is built again and again")
	count := func() (n int) {
		require.NoError(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				n++
			}
			return err
		}))
		return n
	}
	cache.Put("key", "of all")
	old := cache.OfBuild("/bin/a", "1")
	old.Put("key", "of 1")
	for _, c := range []*memo.Cache{old, cache.OfBuild("/bin/a", "1")} {
		text, ok := c.Get("key")
		require.True(t, ok)
		require.Equal(t, "of 1", text)
	}
	_, ok := cache.OfBuild("/bin/b", "1").Get("key")
	require.False(t, ok, "another program")
	before := count()
	of2 := cache.OfBuild("/bin/a", "2")
	_, ok = of2.Get("key")
	require.False(t, ok)
	require.Equal(t, before-1, count(), "what the other build had is gone")
	text, _ := cache.Get("key")
	require.Equal(t, "of all", text)
}
