package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestSpreadOf(t *testing.T) {
	require.Equal(t, figureSpread{}, spreadOf(nil))
	require.Equal(t, figureSpread{2, 1, 9}, spreadOf([]float64{9, 1, 2}))
	require.Equal(t, "2.5 [1..12.0]", spreadOf([]float64{1, 2, 3, 12}).String())
}

// shell is a side that runs a line of sh.
func shell(line string, units float64) rowSide {
	return rowSide{Name: "sh", Process: func(dir string) (*Process, error) {
		return &Process{Argv: []string{"sh", "-c", line}, Dir: dir, Count: func(string) (float64, error) { return units, nil }}, nil
	}}
}

func TestCompareRunsSidesInTurn(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	row := &benchmarkRow{Name: "row", Unit: "units", A: shell("echo a >> "+log, 3), B: shell("echo b >> "+log, 2), Limit: shell("echo l >> "+log, 6)}
	r, err := Compare(context.Background(), row, 2, func() (string, error) { return t.TempDir(), nil })
	require.NoError(t, err)
	require.NoError(t, r.A.Failed)
	require.NoError(t, r.B.Failed)
	require.NoError(t, r.Limit.Failed)
	require.Equal(t, 3.0, r.A.Units.Median)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, "a\nb\nl\na\nb\nl\n", string(text))
}

func TestASideThatFailsSaysWhy(t *testing.T) {
	row := &benchmarkRow{A: shell("echo cannot open it; exit 3", 1), B: rowSide{Process: func(string) (*Process, error) { return nil, errors.New("no input") }}}
	r, err := Compare(context.Background(), row, 1, func() (string, error) { return t.TempDir(), nil })
	require.NoError(t, err)
	require.ErrorContains(t, r.A.Failed, "exit status 3: cannot open it")
	require.ErrorContains(t, r.B.Failed, "no input")
}

// Without a program for the limit, the limit is the CPU time of the solvers in the run itself.
func TestLimits(t *testing.T) {
	side := shell("exit 0", 30)
	row := &benchmarkRow{Name: "row", Unit: "cases", A: rowSide{Process: func(dir string) (*Process, error) {
		p, err := side.Process(dir)
		p.LeastCPU = func() (float64, error) { return 0.5, nil }
		return p, err
	}}}
	r, err := Compare(context.Background(), row, 1, func() (string, error) { return t.TempDir(), nil })
	require.NoError(t, err)
	require.Equal(t, 60.0, r.Limit.Rate.Median)
	r.A.Rate = spreadOf([]float64{45})
	var b strings.Builder
	WriteRow(&b, row, r)
	require.Equal(t, "| row, cases | 45.0 [45.0..45.0] | - | 60.0 [60.0..60.0] | 75 % | - | - | -, - |\n", b.String())

	var s campaignStats
	require.NoError(t, json.Unmarshal([]byte(`{"cpu": {"purposes": [{"name": "cases", "solvers": 3}, {"name": "models", "solvers": 4}]}}`), &s))
	require.Equal(t, 3.0, s.solversOnCases())
}

// The loop in C reports errors even without z3; with z3, it counts cases in every mode.
func TestLoop(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	program, err := CompileLoop(t.TempDir())
	require.NoError(t, err)
	out, err := exec.Command(program, "native", "/nonexistent/libz3.so", "0.1", tinyInts).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "loop: /nonexistent/libz3.so: ")
	library, err := filepath.Glob("../../.solvers/wheel/libz3.so")
	require.NoError(t, err)
	if len(library) == 0 {
		t.Skip("no libz3: make setup fetches one")
	}
	for _, mode := range []string{"native", "incremental", "reset"} {
		out, err := exec.Command(program, mode, library[0], "0.1", tinyInts).CombinedOutput()
		require.NoError(t, err, string(out))
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		require.NoError(t, err)
		require.Positive(t, n, mode)
	}
}

func TestStubAnswersAndCounts(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	programs, err := CompileStub(dir)
	require.NoError(t, err)
	counter := filepath.Join(dir, "count")
	for range 2 {
		cmd := exec.Command(programs[1], "x.smt2")
		cmd.Env = append(os.Environ(), countVariable+"="+counter)
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, "sat\n", string(out))
	}
	info, err := os.Stat(counter)
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Size())
	cmd := exec.Command(programs[0])
	cmd.Stdin = strings.NewReader("(set-logic QF_LIA)\n(check-sat)\n(echo \"end\")\n")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "sat\n\"end\"\n", string(out))
}

// seedFolder is a folder of one logic with two seeds that use the same symbol.
func seedFolder(t *testing.T, logic string) string {
	dir := filepath.Join(t.TempDir(), logic, "sat")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, sort := range map[string]string{"a.smt2": "String", "b.smt2": "Int"} {
		text := "(set-logic ALL)\n(declare-const x " + sort + ")\n(assert (= x x))\n(check-sat)\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return filepath.Dir(filepath.Dir(dir))
}

func TestInputsAreWellFormed(t *testing.T) {
	s := &TableSettings{Seeds: seedFolder(t, "QF_SLIA"), Solvers: []string{"z3"}}
	out := filepath.Join(t.TempDir(), "out.smt2")
	require.NoError(t, writeUnion(s.seedFiles("QF_SLIA"), 2000, out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Greater(t, len(text), 2000)
	require.Contains(t, string(text), planted)
	_, err = smtlib.Parse(out, text, smt.NewArena())
	require.NoError(t, err)

	require.NoError(t, writeWithoutChecks(s.seedFiles("QF_SLIA"), out))
	text, err = os.ReadFile(out)
	require.NoError(t, err)
	require.NotContains(t, string(text), "check-sat")
	_, err = smtlib.Parse(out, text, smt.NewArena())
	require.NoError(t, err)
}

func TestCasesOfMixedModes(t *testing.T) {
	var s campaignStats
	require.NoError(t, json.Unmarshal([]byte(`{"cases": 100, "targets": [{"name": "z3-1/reset", "runs": 20}, {"name": "libz3-1/native", "runs": 80}, {"name": "cvc5-1/reset", "runs": 90}]}`), &s))
	require.Equal(t, 90.0, s.countRuns())
}

func TestRowsOfTables(t *testing.T) {
	s := &TableSettings{Smtlark: "smtlark", Seeds: seedFolder(t, "QF_SLIA"), Logics: []string{"QF_SLIA", "QF_BV"}, Solvers: []string{"z3"},
		Peers: map[string]string{"opfuzz": "opfuzz"}}
	for table, want := range map[string]int{tableReading: 1, tableMutators: 6, tableCampaigns: 2, tablePasses: 8, tableModes: 4, tableWalks: 1, tableReduction: 3, tableGrowth: 12, tableStart: 3} {
		rows, err := s.Rows(table)
		require.NoError(t, err)
		require.Len(t, rows, want, table)
	}
	seeds := filepath.Join(t.TempDir(), "seeds")
	require.NoError(t, writeGrown(seeds, 30))
	for _, file := range []string{"l.smt2", "l=.smt2"} {
		text, err := os.ReadFile(filepath.Join(seeds, file))
		require.NoError(t, err)
		script, err := smtlib.Parse(file, text, smt.NewArena())
		require.NoError(t, err)
		require.Len(t, script.Asserts(), 30)
	}
	_, err := s.Rows("speed")
	require.ErrorContains(t, err, "there are start, reading, mutators, campaigns, passes, modes, walks, reduction, growth")
}
