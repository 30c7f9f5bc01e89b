package store_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/store"
	"github.com/smtlark/smtlark/solvers"
)

func TestCampaignsGoOn(t *testing.T) {
	out := t.TempDir()
	id := store.Identity{File: "/a.star", Text: "campaign()", Set: map[string]string{"n": "1"}}
	a := open(t, out)
	r, err := a.Campaign(id, 7, false)
	require.NoError(t, err)
	require.Equal(t, store.Resumed{Seed: 7}, r)
	require.NoError(t, a.Checkpoint(campaign.Progress{Next: 10, Open: [][2]uint64{{3, 5}}}))
	f := finding("k1", "/bin/liar")
	require.NoError(t, a.Hold(f))
	g := finding("k2", "/bin/liar")
	require.NoError(t, a.Hold(g))
	require.NoError(t, a.Save(g), "what is saved is no longer held")

	busy, err := open(t, out).Campaign(id, 8, false)
	require.NoError(t, err)
	require.True(t, busy.Busy)
	require.EqualValues(t, 8, busy.Seed)
	require.NoError(t, a.Close())

	b := open(t, out)
	r, err = b.Campaign(id, 9, false)
	require.NoError(t, err)
	require.EqualValues(t, 7, r.Seed, "that of the latest run")
	require.Equal(t, &campaign.Progress{Next: 10, Open: [][2]uint64{{3, 5}}}, r.From)
	held, err := b.Held()
	require.NoError(t, err)
	require.Len(t, held, 1)
	require.Equal(t, f.Case, held[0].Case)
	require.Equal(t, f.Signature, held[0].Signature)
	require.NoError(t, b.Close())

	c := open(t, out)
	seed := uint64(7)
	fresh := id
	fresh.Seed = &seed
	r, err = c.Campaign(fresh, 9, true)
	require.NoError(t, err)
	require.Nil(t, r.From)
	require.NoError(t, c.Close())

	d := open(t, out)
	id.Text += " # edited"
	r, err = d.Campaign(id, 9, false)
	require.NoError(t, err)
	require.Equal(t, store.Resumed{Seed: 9}, r, "another campaign")
}

func TestStatusFollowsTheVersions(t *testing.T) {
	out := t.TempDir()
	s := open(t, out)
	f := finding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	status := func() string {
		r, err := store.ReadRecord(f.Dir)
		require.NoError(t, err)
		return r.State()
	}
	check := func(version string, hits int) string {
		text, err := s.Checked(f, []campaign.Check{{Kind: "liar", Version: version, Hits: hits, Tries: 3}})
		require.NoError(t, err)
		return text
	}
	require.Empty(t, check("1.0", 3))
	require.Equal(t, "open", status())
	require.Contains(t, check("1.10", 0), "finding 1 is fixed in 1.10")
	check("1.9", 0)
	require.Equal(t, "fixed in 1.9", status(), "the oldest one since which it is gone")
	require.Empty(t, check("1.0", 3), "an old version still shows it")
	require.Contains(t, check("2.0", 1), "regressed in 2.0")
	require.NoError(t, s.Set("1", store.StatusInvalid, ""))
	again, err := s.Again()
	require.NoError(t, err)
	require.Empty(t, again)
}

func TestVersionsAreOrdered(t *testing.T) {
	order := []string{"1.0", "1.0.3", "1.2-rc1", "1.2", "1.10", "4.8.12", "4.13.3"}
	for i := range order {
		for j := range order {
			got := solvers.CompareVersions(order[i], order[j])
			require.Equal(t, i < j, got < 0, "%s %s", order[i], order[j])
			require.Equal(t, i == j, got == 0, "%s %s", order[i], order[j])
		}
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	out := t.TempDir()
	require.NoError(t, open(t, out).Close())
	db, err := sql.Open("sqlite", "file:"+filepath.Join(out, "smtlark.db"))
	require.NoError(t, err)
	_, err = db.Exec("PRAGMA user_version = 99")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = store.Open(out)
	require.ErrorContains(t, err, "newer smtlark")
	_, err = store.OpenReader(out)
	require.ErrorContains(t, err, "newer smtlark")
}
