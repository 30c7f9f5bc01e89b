package store_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// unpackRecorded copies the data of an earlier version into a folder: findings, and also the database if database is
// true.
func unpackRecorded(t *testing.T, database bool) string {
	out := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(out, "findings"), os.DirFS("testdata/recorded/findings")))
	if !database {
		return out
	}
	in, err := os.Open("testdata/recorded/smtlark.db.gz")
	require.NoError(t, err)
	defer in.Close()
	zip, err := gzip.NewReader(in)
	require.NoError(t, err)
	content, err := io.ReadAll(zip)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(out, "smtlark.db"), content, 0o644))
	return out
}

// requireRecorded checks that a finding is the one that was recorded.
func requireRecorded(t *testing.T, f *finding.Finding) {
	require.Equal(t, 1, f.Number)
	require.Equal(t, "k1", f.Signature.Key)
	require.Equal(t, "liar-unsat-for-sat", f.Slug)
	require.Equal(t, "QF_LIA", f.Logic)
	require.Equal(t, finding.Reproduction{
		Mode: "fresh", Hits: 3, Tries: 3, Needs: "it needs option --opt", Varies: []string{"liar: check-sat 1 is sat in one run, unsat in another"},
		Upstream: f.Upstream, Stack: f.Stack,
	}, f.Reproduction)
	require.Equal(t, "f()", f.Stack.Frames[0].Function)
	require.True(t, f.Upstream.Trials[0].Shows)
	require.Equal(t, finding.Sequence{Before: []string{"(check-sat)\n"}, Repeat: 2}, f.Sequence)
	require.Equal(t, "(declare-const x Int)\n(check-sat)\n", f.Min.Script)
	require.Equal(t, "unsat\n", f.MinRuns[0].Stdout)
	require.Equal(t, 0, *f.MinCheck)
	require.Equal(t, 9, f.Reduced.Tests)
	require.Equal(t, []string{"good-2.0"}, f.Reduced.ConfirmedBy)
	require.Equal(t, []uint64{17, 18, 19}, f.Examples)
	require.Equal(t, []finding.Member{{N: 18, Targets: []string{"liar-1.0/fresh"}, Reason: "same text of k1"}}, f.Members)
	require.True(t, f.Found.Equal(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)))
	require.False(t, f.Unfinished(), "its sequence was reduced, too")
}

// This version reads the findings of an earlier one: from its database, from its folders alone, and as a document.
func TestFindingsOfAnEarlierVersion(t *testing.T) {
	for _, database := range []bool{true, false} {
		out := unpackRecorded(t, database)
		s, err := store.Open(out)
		require.NoError(t, err)
		if !database {
			for _, dir := range []string{"0001-liar-unsat-for-sat", "flaky/0001-liar-unsat-for-sat"} {
				_, known, err := s.Import(filepath.Join(s.Findings(), dir))
				require.NoError(t, err)
				require.False(t, known)
			}
		}
		require.NoError(t, s.Close())
		r, err := store.OpenReader(out)
		require.NoError(t, err)
		f, rec, err := r.Finding("1")
		require.NoError(t, err)
		requireRecorded(t, f)
		require.Equal(t, "smtlark run 'my campaign.star' --seed 0x51f2 --case 17", rec.Replay)
		if database {
			require.Equal(t, 90.0, f.Elapsed)
			require.Equal(t, 1, f.Tried)
			require.Len(t, f.Plain, 1)
		}
		flaky, rec, err := r.Finding("flaky/1")
		require.NoError(t, err)
		require.True(t, flaky.Flaky)
		require.True(t, rec.Flaky)
		require.Empty(t, flaky.Mode)
		require.NoError(t, r.Close())
		require.Empty(t, r.Broken())
	}
}

// finding.json says the same as it did.
func TestRecordKeepsItsForm(t *testing.T) {
	for _, dir := range []string{"0001-liar-unsat-for-sat", filepath.Join("flaky", "0001-liar-unsat-for-sat")} {
		path := filepath.Join("testdata", "recorded", "findings", dir)
		rec, err := folder.ReadRecord(path)
		require.NoError(t, err)
		again, err := json.Marshal(rec)
		require.NoError(t, err)
		require.JSONEq(t, read(t, path, "finding.json"), string(again))
	}
}
