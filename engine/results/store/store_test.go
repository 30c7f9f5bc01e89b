package store_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
)

// liar writes a solver that answers as it is told: its first argument, for files and for standard input.
func liar(t testing.TB, body string) string {
	path := filepath.Join(t.TempDir(), "liar")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	return path
}

const script = "(set-logic QF_LIA)\n(set-info :source |a ; b|)\n(declare-const x Int)\n(assert (> x 1))\n(check-sat)\n"

// testFinding makes a finding about a solver at path.
func testFinding(key, path string) *finding.Finding {
	v := oracle.Verdict{
		Oracle: "known-answer", Kind: oracle.KindKnownAnswer, Target: "liar-1.0/fresh", Targets: []string{"liar-1.0/fresh"},
		Got: smtlib.Unsat, Want: smtlib.Sat, Summary: "liar-1.0 (fresh) answers unsat, the answer is sat",
	}
	run := finding.Run{
		Target: "liar-1.0/fresh", Solver: "liar-1.0", Version: "1.0", Mode: "fresh", Class: solvers.OK, Answers: []string{"unsat"},
		Argv: []string{path, "--opt=a b", "/tmp/x/case.smt2"}, Stdout: "unsat\n", Outcome: "unsat",
	}
	return &finding.Finding{
		SignedVerdict: finding.SignedVerdict{Verdict: v, Signature: triage.Signature{Key: key, Text: "text of " + key}, Slug: "liar-unsat-for-sat", Logic: "QF_LIA"},
		Plan: &finding.Plan{Declared: finding.Declared{File: "my campaign.star"}, Targets: []finding.Target{
			{Name: "liar-1.0/fresh", Solver: "liar-1.0", Kind: "liar", Version: "1.0", Path: path, Mode: "fresh", Exec: 1, Expr: `solver("liar")`},
			{Name: "good-2.0/reset", Solver: "good-2.0", Kind: "good", Version: "2.0", Path: path, Mode: "reset", Exec: 1, Expr: `solver("good", mode = "reset")`},
		}},
		Reproduction: finding.Reproduction{Mode: "fresh", Hits: 3, Tries: 3}, Runs: []finding.Run{run}, Confirm: []finding.Run{run},
		Sightings: finding.Sightings{Count: 1, Examples: []uint64{17}, Found: time.Now()},
		Case:      &testcase.Wire{Script: script, Expect: []string{"sat"}, Witness: "(define-fun x () Int 2)\n", Origin: testcase.Origin{Campaign: "c", Technique: "t", Seed: 0x51f2, Number: 17, Seeds: []string{"a.smt2"}}},
	}
}

// open opens the store of a folder, whose findings are in findings/.
func open(t testing.TB, out string) *store.Store {
	s, err := store.Open(out)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t testing.TB, parts ...string) string {
	text, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(text)
}

func TestSaveAndUpdate(t *testing.T) {
	out := t.TempDir()
	dir := filepath.Join(out, "findings")
	s := open(t, out)
	f := testFinding("k1", "/bin/liar")
	require.NoError(t, s.Save(f))
	require.Equal(t, filepath.Join(dir, "0001-liar-unsat-for-sat"), f.Dir)
	require.Equal(t, script, read(t, f.Dir, "case.smt2"))
	require.Equal(t, "(define-fun x () Int 2)\n", read(t, f.Dir, "model.smt2"))
	require.NoFileExists(t, filepath.Join(f.Dir, "min.smt2"))
	require.FileExists(t, filepath.Join(f.Dir, "runs", "liar-1.0-fresh.json"))
	require.Equal(t, "unsat\n", read(t, f.Dir, "out", "liar-1.0-fresh.txt"))
	require.Contains(t, read(t, f.Dir, "repro.star"), `smt.read("case.smt2")`)
	r, err := folder.ReadRecord(f.Dir)
	require.NoError(t, err)
	require.Equal(t, "smtlark run 'my campaign.star' --seed 0x51f2 --case 17", r.Replay)
	require.Equal(t, f.Verdict, r.Verdict)

	f.Options.Command = "smtlark fuzz storm --seeds dir" // of a campaign that is no file
	f.Min = &testcase.Wire{Script: "(declare-const x Int)\n(check-sat)\n", Expect: []string{"sat"}}
	f.Count, f.Reduced = 5, finding.Reduction{Tests: 9, From: len(script), To: 36}
	require.NoError(t, s.Update(f))
	require.Equal(t, f.Min.Script, read(t, f.Dir, "min.smt2"))
	require.Contains(t, read(t, f.Dir, "repro.star"), `smt.read("min.smt2")`)
	require.Contains(t, read(t, f.Dir, "README.md"), "reduced to 34 in 9 tests")
	require.Contains(t, read(t, f.Dir, "README.md"), "`smtlark fuzz storm --seeds dir --seed 0x51f2 --case 17` makes the case again")
	r, err = folder.ReadRecord(f.Dir)
	require.NoError(t, err)
	require.Equal(t, 5, r.Count)
	require.Equal(t, 34, r.MinBytes)
	left, err := filepath.Glob(filepath.Join(dir, "*", ".*"))
	require.NoError(t, err)
	require.Empty(t, left, "no temporary files stay")
}

func TestReadmeTellsAll(t *testing.T) {
	s := open(t, t.TempDir())
	f := testFinding("k", "/bin/liar")
	f.Confirm[0].Outcome += " <b>|`"
	require.NoError(t, s.Save(f))
	text := read(t, f.Dir, "README.md")
	for _, want := range []string{
		"# liar 1.0: unsat where sat is right (QF_LIA)\n", "(assert (> x 1))", "| liar | 1.0 | fresh | unsat &lt;b&gt;\\|\\` |", "(define-fun x () Int 2)",
		"liar 1.0 answers `unsat`, but the input is satisfiable: the assignment below satisfies every assertion.",
		"$ /bin/liar '--opt=a b' case.smt2\nunsat\n", "reproduced 3 of 3 times in new processes, in mode fresh", "made from a.smt2", "text of k",
	} {
		require.Contains(t, text, want)
	}
}

// TestReadmeOfAGroundCase: a reduced case without constants has no assignment to show.
func TestReadmeOfAGroundCase(t *testing.T) {
	s := open(t, t.TempDir())
	f := testFinding("k", "/bin/liar")
	f.Min = &testcase.Wire{Name: "min", Script: "(assert (= 1 1))\n(check-sat)\n", Expect: []string{"sat"}, Witness: "(\n)\n"}
	require.NoError(t, s.Save(f))
	text := read(t, f.Dir, "README.md")
	require.Contains(t, text, "liar 1.0 answers `unsat`, but the input is satisfiable: it has no constants, and every assertion is true by evaluation.")
	require.NotContains(t, text, "define-fun")
	require.NotContains(t, text, "This assignment")
}

func TestKnownAndDuplicates(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	require.NoError(t, s.Save(testFinding("k1", "/bin/liar")))
	other := open(t, dir) // another campaign
	g := testFinding("k1", "/bin/liar")
	require.NoError(t, other.Save(g))
	require.True(t, g.Known, "it was stored meanwhile")
	require.Equal(t, 1, g.Number)
	known, err := open(t, dir).Known()
	require.NoError(t, err)
	require.Len(t, known, 1)
	require.Equal(t, "k1", known[0].Signature.Key)
	require.Zero(t, known[0].Count)

	last := open(t, dir)
	known, err = last.Known()
	require.NoError(t, err)
	known[0].Count = 4
	require.NoError(t, last.Update(known[0]))
	known[0].Count = 6 // of the same campaign
	require.NoError(t, last.Update(known[0]))
	r, err := folder.ReadRecord(known[0].Dir)
	require.NoError(t, err)
	require.Equal(t, 8, r.Count, "each of them adds what it saw")
	require.NoError(t, os.RemoveAll(known[0].Dir))
	known[0].Count = 9
	require.NoError(t, last.Update(known[0]))
	require.DirExists(t, known[0].Dir, "somebody removed it, and it was seen again")
	require.NoError(t, os.RemoveAll(known[0].Dir))
	require.NoError(t, last.Note("1", "nobody saw it since"))
	require.NoDirExists(t, known[0].Dir)
	back, gone, err := last.Restore("1")
	require.NoError(t, err)
	require.True(t, gone)
	require.Equal(t, known[0].Dir, back)
	require.NoError(t, os.RemoveAll(known[0].Dir))
	n, err := last.Export()
	require.NoError(t, err)
	require.Equal(t, 1, n)
	r, err = folder.ReadRecord(known[0].Dir)
	require.NoError(t, err)
	require.Equal(t, 11, r.Count)
}

func TestFlakyAreKeptApart(t *testing.T) {
	out := t.TempDir()
	dir := filepath.Join(out, "findings")
	s := open(t, out)
	f := testFinding("k1", "/bin/liar")
	f.Flaky, f.Hits = true, 0
	require.NoError(t, s.Save(f))
	require.Equal(t, filepath.Join(dir, "flaky", "0001-liar-unsat-for-sat"), f.Dir)
	again := testFinding("k1", "/bin/liar")
	again.Flaky = true
	require.NoError(t, open(t, out).Save(again))
	require.Equal(t, f.Dir, again.Dir, "the same signature keeps its folder")
	was := f.Dir
	f.Flaky, f.Hits = false, 2
	require.NoError(t, s.Save(f))
	require.Equal(t, filepath.Join(dir, "0001-liar-unsat-for-sat"), f.Dir)
	require.NoDirExists(t, was)
	require.Len(t, folder.Folders(dir), 1)
}

// Several campaigns number findings of one folder at the same time.
func TestNumberingIsSafe(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			s, err := store.Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for j := range 8 {
				f := testFinding(fmt.Sprint(i, "-", j), "/bin/liar")
				f.Slug = fmt.Sprint("s", i, "-", j)
				if err := s.Save(f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	findings := folder.Folders(filepath.Join(dir, "findings"))
	require.Len(t, findings, 32)
	seen := map[int]bool{}
	for _, path := range findings {
		r, err := folder.ReadRecord(path)
		require.NoError(t, err)
		require.False(t, seen[r.Number], "number %d twice", r.Number)
		seen[r.Number] = true
		require.LessOrEqual(t, r.Number, 32)
	}
}

func TestStrangeFoldersAreLeftAlone(t *testing.T) {
	out := t.TempDir()
	dir := filepath.Join(out, "findings")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "0041-mine"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "0007-broken"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "0007-broken", "finding.json"), []byte("{"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644))
	f := testFinding("k", "/bin/liar")
	require.NoError(t, open(t, out).Save(f))
	require.Equal(t, 42, f.Number)
}

func TestNewerFormatIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "finding.json"), []byte(`{"version": 99}`), 0o644))
	_, err := folder.ReadRecord(dir)
	require.ErrorContains(t, err, "newer smtlark")
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := store.Open(filepath.Join(file, "findings"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
}

func TestRunFolder(t *testing.T) {
	root := t.TempDir()
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, err := store.OpenRun(root, "my campaign/..", begun)
	require.NoError(t, err)
	b, err := store.OpenRun(root, "my campaign/..", begun)
	require.NoError(t, err)
	require.NotEqual(t, a.Dir(), b.Dir())
	require.Equal(t, filepath.Join(root, "my-campaign", "2026-01-02T03-04-05Z"), a.Dir())
	require.NoError(t, a.Event("start", map[string]any{"workers": 2}))
	require.NoError(t, a.Event("end", nil))
	require.NoError(t, a.Stats(&metrics.Stats{Progress: metrics.Progress{Version: 1}, CaseStats: metrics.CaseStats{Cases: 3}}))
	require.NoError(t, a.Stats(&metrics.Stats{Progress: metrics.Progress{Version: 1}, CaseStats: metrics.CaseStats{Cases: 4}}))
	require.NoError(t, a.Close())
	lines := bufio.NewScanner(strings.NewReader(read(t, a.Dir(), "events.jsonl")))
	var events []string
	for lines.Scan() {
		var e map[string]any
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		require.NotEmpty(t, e["time"])
		events = append(events, fmt.Sprint(e["event"]))
	}
	require.Equal(t, []string{"start", "end"}, events)
	var st metrics.Stats
	require.NoError(t, json.Unmarshal([]byte(read(t, a.Dir(), "stats.json")), &st))
	require.EqualValues(t, 4, st.Cases)
	target, err := os.Readlink(filepath.Join(root, "my-campaign", "latest"))
	require.NoError(t, err)
	require.Equal(t, filepath.Base(b.Dir()), target)
}

// The case tells the component of a finding if neither a fault nor a skeleton does. The logic ALL names no part of a
// solver.
func TestComponentOfACase(t *testing.T) {
	s := open(t, t.TempDir())
	f := testFinding("k", "/bin/liar")
	f.Logic = "ALL"
	f.Case.Script = "(set-logic ALL)\n(declare-datatypes ((T 0)) (((a) (b))))\n(declare-const x T)\n(assert (= x a))\n(check-sat)\n"
	require.NoError(t, s.Save(f))
	r, err := folder.ReadRecord(f.Dir)
	require.NoError(t, err)
	require.Equal(t, "Datatypes", r.Component)
}
