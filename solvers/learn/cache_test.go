package learn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/learn"
)

// TestOnce: what one process has found, others take over, and an error is not remembered.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	found := 0
	find := func(err error) func() (string, error) {
		return func() (string, error) { found++; return fmt.Sprint("found ", found), err }
	}
	_, err := learn.NewCache(dir).Once("key", find(fmt.Errorf("gone")))
	require.ErrorContains(t, err, "gone")
	for range 2 {
		text, err := learn.NewCache(dir).Once("key", find(nil))
		require.NoError(t, err)
		require.Equal(t, "found 2", text)
	}
	text, err := (*learn.Cache)(nil).Once("key", find(nil))
	require.NoError(t, err)
	require.Equal(t, "found 3", text, "no folder, nothing remembered")
}
