package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// rowsOf returns the cells of the rows of the tables in Markdown, without their heads.
func rowsOf(out string) (rows [][]string) {
	for line := range strings.Lines(out) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) > 3 {
			rows = append(rows, cells)
		}
	}
	return rows[1:]
}

// TestBenchPaths: each way answers all queries, with the same answers, and a cache asks the solver less.
func TestBenchPaths(t *testing.T) {
	unpackedWith(t, "bin/z3-4.13.3")
	code, out, errs := runVerb("bench", "paths", "--solver", "z3-4.13.3", "--cases", "150", "--rounds", "1")
	require.Equal(t, command.ExitOK, code, errs)
	rows := rowsOf(out)
	require.Len(t, rows, 4, out)
	require.Equal(t, "150 of 150", rows[0][4])
	require.Equal(t, "150 of 150", rows[1][4])
	require.NotEqual(t, "150 of 150", rows[2][4])
	for _, row := range rows {
		require.Equal(t, rows[0][5], row[5])
	}
}

// TestBenchPortfolio: files at equal distances are solved in all ways.
func TestBenchPortfolio(t *testing.T) {
	unpackedWith(t, "bin/z3-5.4.1", "bin/cvc5-1.3.2")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": "(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)",
		"b": "left out, for two of four are asked for",
		"c": "(set-logic QF_LIA)(declare-const x Int)(push 1)(assert (> x 3))(check-sat)(assert (< x 3))(check-sat)",
		"d": "left out, too",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".smt2"), []byte(text), 0o600))
	}
	code, out, errs := runVerb("bench", "portfolio", "--seeds", dir, "--cases", "2", "--solver", "z3-5.4.1", "--solver", "cvc5-1.3.2")
	require.Equal(t, command.ExitOK, code, errs)
	for _, row := range rowsOf(out) {
		require.Equal(t, "2", row[1], out)
	}
	require.Len(t, rowsOf(out), 3)
	require.Contains(t, out, "Decided by a solver alone: 2. Time of the race")
	require.NotContains(t, out, "\n- ")

	code, _, _ = runVerb("bench", "portfolio", "--seeds", filepath.Join(dir, "none"), "--solver", "z3-5.4.1", "--solver", "cvc5-1.3.2")
	require.Equal(t, command.ExitUsage, code)
	code, _, _ = runVerb("bench", "portfolio", "--seeds", dir, "--solver", "z3")
	require.Equal(t, command.ExitUsage, code)
}
