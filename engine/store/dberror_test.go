package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/store"
)

// A database that is damaged says so, and what to do; following that brings the findings back.
func TestDamagedDatabase(t *testing.T) {
	out := t.TempDir()
	s, err := store.Open(out)
	require.NoError(t, err)
	require.NoError(t, s.Save(finding("k1", liar(t, "echo unsat"))))
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
			require.Contains(t, err.Error(), "findings export")
			require.NoError(t, os.Remove(db))
			s, err := store.Open(out)
			require.NoError(t, err)
			known, err := s.Known()
			require.NoError(t, err)
			require.Len(t, known, 1)
			require.NoError(t, s.Close())
		})
	}
}
