package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
)

func TestCampaignsGoOn(t *testing.T) {
	out := t.TempDir()
	id := store.Identity{File: "/a.star", Text: "campaign()", Set: map[string]string{"n": "1"}}
	a := open(t, out)
	r, err := a.Campaign(id, 7, false)
	require.NoError(t, err)
	require.Equal(t, store.Resumed{Seed: 7}, r)
	require.NoError(t, a.Checkpoint(finding.Progress{Next: 10, Open: [][2]uint64{{3, 5}}}, nil, nil))
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, a.Hold(f))
	g := testFinding("k2", "/bin/liar")
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
	require.Equal(t, &finding.Progress{Next: 10, Open: [][2]uint64{{3, 5}}}, r.From)
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

// After a kill the case of a finding may be made again. Its verdict is held until it is counted at the finding,
// whatever is stored of the finding meanwhile. A campaign without settings is the same, whether nobody gave any or the
// list of them is empty, as settle reads it from a log.
func TestNoSettingsAreAnEmptyList(t *testing.T) {
	out := t.TempDir()
	a := open(t, out)
	_, err := a.Campaign(store.Identity{File: "/a.star", Text: "campaign()", Set: map[string]string{}}, 7, false)
	require.NoError(t, err)
	require.NoError(t, a.Checkpoint(finding.Progress{Next: 10}, nil, nil))
	require.NoError(t, a.Hold(testFinding("k1", "/bin/liar")))
	require.NoError(t, a.Close())

	b := open(t, out)
	seed := uint64(7)
	r, err := b.Campaign(store.Identity{File: "/a.star", Text: "campaign()", Seed: &seed}, 7, false)
	require.NoError(t, err)
	require.NotNil(t, r.From)
	require.EqualValues(t, 10, r.From.Next)
	held, err := b.Held()
	require.NoError(t, err)
	require.Len(t, held, 1)
}

func TestAVerdictIsHeldBesideItsFinding(t *testing.T) {
	s := open(t, t.TempDir())
	_, err := s.Campaign(store.Identity{File: "/a.star"}, 7, false)
	require.NoError(t, err)
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Hold(f))
	require.NoError(t, s.Save(f))
	again := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Hold(again))
	require.NoError(t, s.Update(f))
	held, err := s.Held()
	require.NoError(t, err)
	require.Len(t, held, 1)
	require.NoError(t, s.Checkpoint(finding.Progress{}, nil, []*finding.Finding{again}))
	held, err = s.Held()
	require.NoError(t, err)
	require.Empty(t, held)
}

func TestStatusFollowsTheVersions(t *testing.T) {
	out := t.TempDir()
	s := open(t, out)
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	status := func() string {
		r, err := folder.ReadRecord(f.Dir)
		require.NoError(t, err)
		return r.State()
	}
	check := func(version string, hits int) string {
		text, err := s.Checked(f, []finding.Check{{Kind: "liar", Version: version, Hits: hits, Tries: 3}})
		require.NoError(t, err)
		return text
	}
	require.Empty(t, check("1.0", 3))
	require.Equal(t, "open", status())
	require.Contains(t, check("1.10", 0), "finding 1 is fixed in 1.10")
	check("1.9", 0)
	require.Equal(t, "fixed in 1.9", status(), "the oldest one since which it is gone")
	require.Empty(t, check("1.0", 3), "an old version still shows it")
	require.Empty(t, check("1.11", 0), "so that the status stays")
	require.Contains(t, read(t, f.Dir, "README.md"), "| liar 1.11 |")
	require.Contains(t, check("2.0", 1), "regressed in 2.0")
	require.NoError(t, s.Set("1", folder.StatusInvalid, ""))
	again, err := s.Again()
	require.NoError(t, err)
	require.Empty(t, again)
	require.Empty(t, check("2.1", 3), "no bug, whoever shows it")
	require.Empty(t, check("2.2", 0))
	require.Equal(t, folder.StatusInvalid, status())
}

// A check of many versions tells ranges of them.
func TestWhoShowsAFinding(t *testing.T) {
	s := open(t, t.TempDir())
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	checks := []finding.Check{{Kind: "liar", Version: "1.0", Hits: 3, Tries: 3}}
	for _, version := range []string{"0.9", "1.1", "1.2"} {
		checks = append(checks, finding.Check{Kind: "liar", Version: version, Tries: 3})
	}
	text, err := s.Checked(f, checks)
	require.NoError(t, err)
	require.Contains(t, text, "finding 1 is fixed in 1.1: liar 0.9 and 1.1 to 1.2 no longer show it, liar 1.0 shows it")
}

// The address of a report is no status: it stays whatever builds show.
func TestTheAddressOfAReportStays(t *testing.T) {
	s := open(t, t.TempDir())
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	state := func() string {
		r, err := folder.ReadRecord(f.Dir)
		require.NoError(t, err)
		return r.State()
	}
	check := func(version string, hits int) {
		_, err := s.Checked(f, []finding.Check{{Kind: "liar", Version: version, Hits: hits, Tries: 3}})
		require.NoError(t, err)
	}
	require.ErrorContains(t, s.SetReported("1", "issue 7"), "no address of a report")
	require.NoError(t, s.SetReported("1", "https://example.org/7"))
	require.Equal(t, "open, reported (https://example.org/7)", state())
	check("1.0", 3)
	check("1.1", 0)
	require.Equal(t, "fixed in 1.1, reported (https://example.org/7)", state())
	require.Contains(t, read(t, f.Dir, "README.md"), "Status: fixed in 1.1, reported")
	check("1.2", 3)
	require.Equal(t, "regressed in 1.2, reported (https://example.org/7)", state())
	require.NoError(t, s.SetReported("1", ""))
	require.Equal(t, "regressed in 1.2", state())
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

// A finding whose row cannot be read is reported with instructions. The others remain available, and new ones are
// stored.
func TestBadRowOfTheDatabase(t *testing.T) {
	out := t.TempDir()
	s := open(t, out)
	for _, key := range []string{"k1", "k2"} {
		require.NoError(t, s.Save(testFinding(key, "/bin/liar")))
	}
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", "file:"+filepath.Join(out, "smtlark.db"))
	require.NoError(t, err)
	_, err = db.Exec("UPDATE findings SET doc = x'00112233' WHERE number = 1; UPDATE records SET doc = x'00' WHERE finding = 2")
	require.NoError(t, err)

	r, err := store.OpenReader(out)
	require.NoError(t, err)
	list, err := r.Findings()
	require.NoError(t, err)
	require.Len(t, list, 2, "what a list shows of the first one can be read, and that of the second is made again")
	require.Empty(t, r.Broken())
	_, _, err = r.Finding("1")
	require.ErrorContains(t, err, "finding 1: ")

	_, err = db.Exec("DELETE FROM records")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	list, err = r.Findings()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, 2, list[0].Number)
	told := errors.Join(r.Broken()...).Error()
	require.Contains(t, told, filepath.Join(out, "smtlark.db"))
	require.Contains(t, told, "it is left out, the others are not")
	require.Contains(t, told, filepath.Join(out, "findings", "0001-"))
	require.NoError(t, r.Close())

	s = open(t, out)
	require.NoError(t, s.Save(testFinding("k3", "/bin/liar")))
	stored, err := s.Known()
	require.NoError(t, err)
	numbers := []int{}
	for _, f := range stored {
		numbers = append(numbers, f.Number)
	}
	require.ElementsMatch(t, []int{2, 3}, numbers)
	require.Len(t, s.Broken(), 1, "each once")
	require.Contains(t, s.Broken()[0].Error(), "it is left out, the others are not")
}

// A file that is not a database of this format is refused with a reason. A database without tables is created again.
func TestOtherDatabasesAreRefused(t *testing.T) {
	for _, x := range []struct{ made, why string }{
		{"PRAGMA user_version = 99", "written by another smtlark (format 99, this one has 1)"},
		{"PRAGMA application_id = 0", "it is no database of smtlark"},
	} {
		out := t.TempDir()
		require.NoError(t, open(t, out).Close())
		db, err := sql.Open("sqlite", "file:"+filepath.Join(out, "smtlark.db"))
		require.NoError(t, err)
		_, err = db.Exec(x.made)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		_, err = store.Open(out)
		require.ErrorContains(t, err, x.why)
		_, err = store.OpenReader(out)
		require.ErrorContains(t, err, x.why)
	}
	out := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(out, "smtlark.db"), nil, 0o644))
	r, err := store.OpenReader(out)
	require.NoError(t, err)
	list, err := r.Findings()
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, r.Close())
	s := open(t, out)
	require.NoError(t, s.Save(testFinding("k1", "/bin/liar")))
	require.NoError(t, s.Close())
}

// Builds of one version are distinguished; the one built later counts as newer. The result stored for the version alone
// is deleted.
func TestChecksOfBuilds(t *testing.T) {
	s := open(t, t.TempDir())
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	_, err := s.Checked(f, []finding.Check{{Kind: "liar", Version: "1.0", Hits: 3, Tries: 3, Outcome: "unsat"}})
	require.NoError(t, err)
	check := func(hash string, made time.Time, hits int) string {
		text, err := s.Checked(f, []finding.Check{{Kind: "liar", Version: "1.0", Build: &build.Info{SHA256: hash, Modified: made}, Hits: hits, Tries: 3, Outcome: "x"}})
		require.NoError(t, err)
		return text
	}
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	require.Empty(t, check("aaaaaaaaaaaaaaaa", day, 3))
	require.Contains(t, check("bbbbbbbbbbbbbbbb", day.AddDate(0, 0, 1), 0), "is fixed in 1.0 (build bbbbbbbbbbbb)")
	require.Empty(t, check("aaaaaaaaaaaaaaaa", day, 3), "that an older build shows it is no news")
	require.Contains(t, check("cccccccccccccccc", day.AddDate(0, 0, 2), 2), "is regressed in 1.0 (build cccccccccccc)")
	rec, err := folder.ReadRecord(f.Dir)
	require.NoError(t, err)
	require.Len(t, rec.Checks, 3)
}

// A campaign whose modules have changed is another one, which says where that one ended.
func TestChangedModules(t *testing.T) {
	out := t.TempDir()
	id := store.Identity{File: "/c.star", Text: "load(...)"}
	for _, say := range []string{"x = 1", "x = 2"} {
		s := open(t, out)
		id.Loads = map[string][]byte{"//lib.star": []byte(say)}
		r, err := s.Campaign(id, 7, false)
		require.NoError(t, err)
		require.Nil(t, r.From)
		if say == "x = 2" {
			require.Equal(t, []string{"//lib.star"}, r.Changed)
			require.Equal(t, store.Progressed{Next: 12, Seed: "0x7"}, r.Before)
		}
		require.NoError(t, s.Checkpoint(finding.Progress{Next: 12}, nil, nil))
		require.NoError(t, s.Close())
	}
}
