package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// A campaign's joins are stored and reported, and can be undone.
func TestJoin(t *testing.T) {
	s := open(t, t.TempDir())
	one, two := testFinding("one", "/bin/liar"), testFinding("two", "/bin/liar")
	one.Count, two.Count = 3, 4
	require.NoError(t, s.Save(one))
	require.NoError(t, s.Save(two))
	join := func() bool {
		joined, err := finding.Merger(s).Join(two, one, "it has all of the other one")
		require.NoError(t, err)
		return joined
	}
	require.NoError(t, s.SetReported("1", "https://example.org/7"))
	require.False(t, join(), "somebody has looked at it")
	require.NoError(t, s.SetReported("1", ""))
	require.True(t, join())
	require.False(t, join(), "it is one already")
	page := read(t, two.Dir, "README.md")
	require.Contains(t, page, "text of one (merged with finding 1 by the campaign: it has all of the other one)")
	require.Contains(t, read(t, one.Dir, "README.md"), "Status: a duplicate of 2")
	require.FileExists(t, one.Dir+"/case.smt2")
	parted, err := s.Split("2")
	require.NoError(t, err)
	require.Equal(t, []int{1}, parted)
	require.NotContains(t, read(t, one.Dir, "README.md"), "a duplicate of 2.")
}
