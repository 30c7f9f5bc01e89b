package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
)

// Opening a damaged database gives an error with instructions; following them restores the findings.
func TestDamagedDatabase(t *testing.T) {
	out := t.TempDir()
	s, err := store.Open(out)
	require.NoError(t, err)
	require.NoError(t, s.Save(testFinding("k1", liar(t, "echo unsat"))))
	require.NoError(t, s.Close())
	db := filepath.Join(out, "smtlark.db")
	for name, text := range map[string]string{"no database": strings.Repeat("what is this? ", 500), "cut": "SQLite format 3\x00" + strings.Repeat("\xff", 4096)} {
		t.Run(name, func(t *testing.T) {
			for _, f := range []string{"smtlark.db-wal", "smtlark.db-shm"} {
				_ = os.Remove(filepath.Join(out, f))
			}
			require.NoError(t, os.WriteFile(db, []byte(text), 0o644))
			_, err := store.Open(out)
			var told *store.DatabaseError
			require.ErrorAs(t, err, &told)
			require.Contains(t, err.Error(), "damaged or no database of smtlark")
			require.Contains(t, err.Error(), "findings import findings")
			require.NoError(t, os.Remove(db))
			s, err := store.Open(out)
			require.NoError(t, err)
			dirs, err := filepath.Glob(filepath.Join(s.Findings(), "0001-*"))
			require.NoError(t, err)
			require.Len(t, dirs, 1)
			_, _, err = s.Import(dirs[0])
			require.NoError(t, err)
			known, err := s.Known()
			require.NoError(t, err)
			require.Len(t, known, 1)
			require.NoError(t, s.Close())
		})
	}
}

// An unreadable row is reported and does not affect the others; a new verdict with its signature replaces it.
func TestDamagedRow(t *testing.T) {
	for what, damage := range map[string]string{
		"document":  "UPDATE findings SET doc = x'00ff00' WHERE number = 1",
		"signature": `UPDATE signatures SET doc = '{"key": 7' WHERE key = 'k1'`,
		"held":      "INSERT INTO held (campaign, seed, signature, number, doc, count) SELECT campaign, seed, 'k9', 9, x'00', 1 FROM progress",
	} {
		t.Run(what, func(t *testing.T) {
			out := t.TempDir()
			begin := func() *store.Store {
				s := open(t, out)
				_, err := s.Campaign(store.Identity{File: "/a.star", Text: "campaign()"}, 7, false)
				require.NoError(t, err)
				return s
			}
			s := begin()
			require.NoError(t, s.Checkpoint(finding.Progress{Next: 1}, nil, nil))
			for _, key := range []string{"k1", "k2"} {
				f := testFinding(key, "/bin/liar")
				require.NoError(t, s.Hold(f))
				require.NoError(t, s.Save(f))
			}
			require.NoError(t, s.Close())
			db, err := sql.Open("sqlite", filepath.Join(out, "smtlark.db"))
			require.NoError(t, err)
			_, err = db.Exec(damage)
			require.NoError(t, err)
			_, err = db.Exec("UPDATE findings SET revision = revision + 1") // all folders are out of date
			require.NoError(t, err)
			require.NoError(t, db.Close())
			left := 1
			if what == "held" {
				left = 2
			}

			s = begin()
			known, err := s.Known()
			require.NoError(t, err)
			require.Len(t, known, left)
			again, err := s.Again()
			require.NoError(t, err)
			_, err = s.InVain()
			require.NoError(t, err)
			held, err := s.Held()
			require.NoError(t, err)
			require.Empty(t, held)
			n, err := s.Export()
			require.NoError(t, err)
			require.Equal(t, left, n)
			require.Len(t, s.Broken(), 1, "told once")
			require.ErrorContains(t, s.Broken()[0], "the others are not")
			if what != "signature" {
				require.Len(t, again, left)
			}
			require.FileExists(t, filepath.Join(out, "findings", "0001-liar-unsat-for-sat", "case.smt2"), "its folder stays")

			r, err := store.OpenReader(out)
			require.NoError(t, err)
			records, err := r.Findings()
			require.NoError(t, err)
			require.Len(t, records, left)
			require.Len(t, r.Broken(), 2-left)
			require.NoError(t, r.Close())

			f := testFinding("k1", "/bin/liar")
			require.NoError(t, s.Save(f))
			require.Equal(t, 1, f.Number)
			require.NoError(t, s.Close())
			if what == "document" {
				s = begin()
				known, err = s.Known()
				require.NoError(t, err)
				require.Len(t, known, 2)
				require.Empty(t, s.Broken())
			}
		})
	}
}
