package store_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Campaigns that share a folder add up their counts. A run that is killed neither loses counts nor counts twice.
func TestCountsAreAdded(t *testing.T) {
	out := t.TempDir()
	count := func(key string) int {
		s := open(t, out)
		defer s.Close()
		known, err := s.Known()
		require.NoError(t, err)
		for _, f := range known {
			if f.Signature.Key == key {
				whole, err := s.Finding(strconv.Itoa(f.Number))
				require.NoError(t, err)
				return whole.Count
			}
		}
		return -1
	}
	begin := func(name string) *store.Store {
		s := open(t, out)
		_, err := s.Campaign(store.Identity{File: name, Text: "campaign()"}, 7, false)
		require.NoError(t, err)
		return s
	}
	a, b := begin("/a.star"), begin("/b.star")
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, a.Hold(f))
	f.Count = 3 // two more while it is confirmed
	require.NoError(t, a.Checkpoint(finding.Progress{Next: 10}, []*finding.Finding{f}, nil))
	require.Equal(t, 3, f.Booked)
	f.Count = 5 // of cases that are not noted as done
	require.NoError(t, a.Save(f))
	require.Equal(t, 3, count("k1"), "what is not noted as done is made again after a kill")
	require.NoError(t, a.Checkpoint(finding.Progress{Next: 20}, []*finding.Finding{f}, nil))
	require.Equal(t, 5, count("k1"))
	fresh := testFinding("k0", "/bin/liar")
	require.NoError(t, a.Hold(fresh))
	require.NoError(t, a.Save(fresh))
	require.Equal(t, 1, count("k0"), "it was seen, though its case is not noted as done")
	record := func() *folder.Record {
		r, err := folder.ReadRecord(fresh.Dir)
		require.NoError(t, err)
		return r
	}
	require.Equal(t, 1, record().Count)
	fresh.Count = 3
	require.NoError(t, a.Checkpoint(finding.Progress{Next: 21}, []*finding.Finding{fresh}, nil))
	open(t, out) // writes files that are out of date, as the end of a run does
	require.Equal(t, 3, record().Count)

	known, err := b.Known()
	require.NoError(t, err)
	g := known[0]
	g.Count = 4
	f.Count = 6
	require.NoError(t, b.Checkpoint(finding.Progress{Next: 5}, []*finding.Finding{g}, nil))
	require.NoError(t, a.Checkpoint(finding.Progress{Next: 30}, []*finding.Finding{f}, nil))
	require.NoError(t, a.Update(f))
	require.NoError(t, b.Update(g))
	require.Equal(t, 10, count("k1"), "both are there, in whatever order they were written")
	r, err := folder.ReadRecord(f.Dir)
	require.NoError(t, err)
	require.Equal(t, 10, r.Count, "the folder says the same")

	h := testFinding("k2", "/bin/liar")
	require.NoError(t, b.Hold(h))
	require.NoError(t, b.Close()) // killed before it noted that the case is done
	b = begin("/b.star")
	held, err := b.Held()
	require.NoError(t, err)
	require.Len(t, held, 1)
	require.Zero(t, held[0].Count, "its case is made again")
	held[0].Count = 1
	require.NoError(t, b.Checkpoint(finding.Progress{Next: 6}, held, nil))
	require.NoError(t, b.Close())
	b = begin("/b.star")
	held, err = b.Held()
	require.NoError(t, err)
	require.Equal(t, 1, held[0].Count)
	g.Count += held[0].Count // it turns out to be the same as the other one
	require.NoError(t, b.Checkpoint(finding.Progress{Next: 6}, []*finding.Finding{g}, held))
	held, err = b.Held()
	require.NoError(t, err)
	require.Empty(t, held)
	require.Equal(t, 11, count("k1"))
}

// A finding that duplicates a finding of another campaign hands over its count once, however often it is updated after
// that. Later hits are counted at the other finding.
func TestDuplicateHandsOverItsCountOnce(t *testing.T) {
	out := t.TempDir()
	begin := func(name string) *store.Store {
		s := open(t, out)
		_, err := s.Campaign(store.Identity{File: name, Text: "campaign()"}, 7, false)
		require.NoError(t, err)
		return s
	}
	counts := func(s *store.Store) (out []int) {
		for _, number := range []string{"1", "2"} {
			f, err := s.Finding(number)
			require.NoError(t, err)
			out = append(out, f.Count)
		}
		return out
	}
	refined := triage.Signature{Key: "refined", Bucket: "vague", Text: "reduced to (bvmul)"}
	a, b := begin("/a.star"), begin("/b.star")
	for i, s := range []*store.Store{a, b} {
		f := testFinding("vague", "/bin/liar")
		f.Count = 4
		require.NoError(t, s.Hold(f))
		require.NoError(t, s.Save(f))
		require.Equal(t, i+1, f.Number)
		require.NoError(t, s.Checkpoint(finding.Progress{Next: 10}, []*finding.Finding{f}, nil))
		f.Signature = refined
		require.NoError(t, s.Update(f))
		if i == 0 {
			continue
		}
		require.Equal(t, 8, counts(a)[0])
		for n := range 3 {
			f.Count++
			require.NoError(t, s.Checkpoint(finding.Progress{Next: uint64(11 + n)}, []*finding.Finding{f}, nil))
			require.NoError(t, s.Update(f))
			require.Equal(t, 9+n, counts(a)[0])
		}
	}
}
