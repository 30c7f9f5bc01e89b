package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShownBy(t *testing.T) {
	for _, c := range []struct {
		releases, others []string
		want             string
	}{
		{[]string{"5.4.1"}, nil, "5.4.1"},
		{[]string{"4.9.0", "4.8.17"}, []string{"5.4.1", "4.8.5"}, "4.8.17 to 4.9.0 (mended in 5.4.1)"},
		{[]string{"5.0.0", "4.12.2"}, []string{"4.13.0"}, "4.12.2 (mended in 4.13.0), 5.0.0"}, // it came back
	} {
		require.Equal(t, c.want, (&Cause{Releases: c.releases, Others: c.others}).shownBy())
	}
}

// A report for a tracker tells nothing about the machine that made it.
func TestWithoutMachine(t *testing.T) {
	require.Equal(t, "$ z3-5.4.1 min.smt2\n- linux/amd64\nhttps://github.com/Z3Prover/z3/issues\n",
		withoutMachine("$ /builds/bin/z3-5.4.1 min.smt2\n- linux/amd64, Debian GNU/Linux 12, kernel 6.1\nhttps://github.com/Z3Prover/z3/issues\n"))
	const kept = "Incorrect result (SAT/UNSAT/Unknown)\nfails at ./src/proof/proof_node_manager.cpp:229\n"
	require.Equal(t, kept, withoutMachine(kept))
}

// Each row has its command, and rows that the newest release does not show stand in the second table.
func TestPage(t *testing.T) {
	text := page([]Cause{
		{Number: 1, Solvers: []string{"z3-4.8.5"}, What: "a | b", Releases: []string{"4.8.5"}},
		{Number: 2, Solvers: []string{"golem --print-witness", "z3-5.4.1"}, Releases: []string{newest["golem"]}},
	})
	require.Contains(t, text, `    smtlark check docs/found/002.smt2 --solver "golem --print-witness" --solver z3-5.4.1`+"\n")
	require.Regexp(t, `(?s)## Newest releases.*\[002\].*## Older releases.*\[001\].*a \\\| b`, text)
}

// The page is the one that the index makes.
func TestPageIsCurrent(t *testing.T) {
	t.Chdir("../..")
	causes, err := read()
	require.NoError(t, err)
	text, err := os.ReadFile(into + ".md")
	require.NoError(t, err)
	require.Equal(t, page(causes), string(text), "go run ./tools/found writes it")
}
