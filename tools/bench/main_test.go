package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// call calls bench with arguments; smtlark is the program that it measures.
func call(smtlark string, args ...string) (string, error) {
	var out bytes.Buffer
	err := (&bench{out: &out}).run(context.Background(), append([]string{"--smtlark", smtlark}, args...))
	return out.String(), err
}

// pinned returns the folder with the solvers that CI has.
func pinned(t *testing.T, names ...string) {
	t.Helper()
	folder, err := filepath.Abs("../../.solvers/bin")
	require.NoError(t, err)
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Skip("make setup fetches it: ", err)
		}
	}
	t.Setenv("SMTLARK_SOLVERS", folder)
}

// Errors on the command line are reported before anything runs.
func TestArguments(t *testing.T) {
	for args, why := range map[string]string{
		"":                                  "--seeds names no folder",
		"speed --seeds .":                   `no table is named "speed"; the tables are: start, reading, `,
		"--seeds nowhere":                   "nowhere: no such file",
		"--seeds . --rounds 0":              "--rounds wants at least 1",
		"paths reading":                     "table paths is made alone",
		"declined modes":                    "table declined is made alone",
		"declined --for -1s":                "--for wants a time above 0",
		"planted":                           "wants --planted with a folder of tools/planted.sh",
		"planted modes --planted .":         "table planted is made alone",
		"planted --planted .":               "has no defects, SOLVER/NN.txtar: make it with tools/planted.sh",
		"modes --seeds . --technique probe": "--technique belongs to tables planted, declined and hunt",
		"modes --seeds . --defect x":        "belong to table planted",
		"declined --defect x":               "belong to table planted",
		"paths --planted .":                 "belong to table planted",
		"paths --technique probe":           "--technique belongs to tables planted, declined and hunt",
		"portfolio --directed":              "belong to table planted",
		"portfolio --seeds . --solver z3":   "two --solver at least",
		"paths --cases -1":                  "--cases wants a number above 0",
	} {
		_, err := call("true", strings.Fields(args)...)
		require.ErrorContains(t, err, why, args)
	}
	_, err := call("no-such-program", "--seeds", ".")
	require.ErrorContains(t, err, "make build makes bin/smtlark")
}

// rowsOf returns the cells of the rows of the tables in Markdown, without their heads.
func rowsOf(out string) (rows [][]string) {
	for line := range strings.Lines(out) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) > 3 {
			rows = append(rows, cells)
		}
	}
	return rows[1:]
}

// TestPaths: each way answers all queries, with the same answers, and a cache asks the solver less.
func TestPaths(t *testing.T) {
	pinned(t, "z3-4.13.3")
	out, err := call("true", "paths", "--solver", "z3-4.13.3", "--cases", "150", "--rounds", "1")
	require.NoError(t, err)
	rows := rowsOf(out)
	require.Len(t, rows, 4, out)
	require.Equal(t, "150 of 150", rows[0][4])
	require.Equal(t, "150 of 150", rows[1][4])
	require.NotEqual(t, "150 of 150", rows[2][4])
	for _, row := range rows {
		require.Equal(t, rows[0][5], row[5])
	}
}

// TestPortfolio: files at equal distances are solved in all ways.
func TestPortfolio(t *testing.T) {
	pinned(t, "z3-5.4.1", "cvc5-1.3.2")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": "(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)",
		"b": "left out, for two of four are asked for",
		"c": "(set-logic QF_LIA)(declare-const x Int)(push 1)(assert (> x 3))(check-sat)(assert (< x 3))(check-sat)",
		"d": "left out, too",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".smt2"), []byte(text), 0o600))
	}
	out, err := call("true", "portfolio", "--seeds", dir, "--cases", "2", "--solver", "z3-5.4.1", "--solver", "cvc5-1.3.2")
	require.NoError(t, err)
	for _, row := range rowsOf(out) {
		require.Equal(t, "2", row[1], out)
	}
	require.Len(t, rowsOf(out), 3)
	require.Contains(t, out, "Decided by a solver alone: 2. Time of the race")
	require.NotContains(t, out, "\n- ")

	_, err = call("true", "portfolio", "--seeds", filepath.Join(dir, "none"))
	require.Error(t, err)
}

// The tables of rows and of declined runs, of a smtlark that is built for them.
func TestTables(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	pinned(t, "z3-4.13.3")
	program := filepath.Join(t.TempDir(), "smtlark")
	built, err := exec.Command("go", "build", "-o", program, "../../cmd/smtlark").CombinedOutput()
	require.NoError(t, err, string(built))
	seeds := filepath.Join(t.TempDir(), "seeds")
	sat := filepath.Join(seeds, "QF_LIA", "sat")
	require.NoError(t, os.MkdirAll(sat, 0o755))
	for name, text := range map[string]string{
		"a": "(declare-const x Int)(declare-const y Int)(assert (< (+ x y) (* 2 x)))",
		"b": "(declare-const a Int)(declare-const b Int)(assert (and (> a b) (= (- a b) 7)))",
	} {
		text = "(set-logic QF_LIA)(set-info :status sat)" + text + "(check-sat)"
		require.NoError(t, os.WriteFile(filepath.Join(sat, name+".smt2"), []byte(text), 0o644))
	}
	profiles := t.TempDir()
	const solver = "z3-4.13.3"
	out, err := call(program, "mutators", "modes", "--seeds", seeds, "--logics", "QF_LIA", "--rounds", "1", "--for", "1s",
		"--solver", solver, "--pprof", profiles)
	require.NoError(t, err)
	for _, row := range []string{
		`## Mutators: cases, with solvers that answer at once`,
		`\| opfuzz QF_LIA, mode reset, cases \| [0-9.]+ \[[0-9.]+\.\.[0-9.]+\] \| [0-9.]+ \[.*\] \| [0-9]+ % \| - \| - \| -, - \|`,
		`\| fusion QF_LIA, mode fresh, cases \| [0-9.]+ \[`,
		`\| z3-4.13.3, mode fresh, cases \| .* \| [0-9]+ % \| - \| - \| -, - \|`,
	} {
		require.Regexp(t, regexp.MustCompile("(?m)^"+row), out)
	}
	written, err := filepath.Glob(filepath.Join(profiles, "worker-*.pprof"))
	require.NoError(t, err)
	require.NotEmpty(t, written)
	_, err = call(program, "--read", seeds, "--rounds", "2")
	require.NoError(t, err)
	out, err = call(program, "declined", "--solver", solver+":reset", "--technique", "api", "--cases", "20")
	require.NoError(t, err)
	require.Contains(t, out, "\n## Declined and rejected: api, each of --cases 20\n")
	require.Regexp(t, `\| z3-4.13.3/reset \| 20 \| [0-9]+ \| [0-9]+ \| [0-9.]+ % \|`, out)
	_, err = call(program, "declined", "--solver", "nobody", "--technique", "api", "--cases", "1")
	require.ErrorContains(t, err, `no solver is named "nobody"`)
}
