package benchmark

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// peer makes a folder with one program of a peer, a shell script.
func peer(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
	return dir
}

// A hunt ends when its CPU time is over, and keeps what was reported.
func TestHuntEndsWithItsTime(t *testing.T) {
	h := &Hunt{Fuzzer: "opfuzz", Peers: peer(t, "opfuzz", `mkdir -p bugs; echo "$1" > bugs/a.smt2; while :; do :; done`),
		Solver: "/z3", Name: "z3-4.8.5", Reference: "/other", Limit: 300 * time.Millisecond}
	dir := t.TempDir()
	used, err := h.Run(t.Context(), dir)
	require.NoError(t, err)
	require.GreaterOrEqual(t, used, 0.3)
	text, err := os.ReadFile(filepath.Join(dir, "bugs", "a.smt2"))
	require.NoError(t, err)
	require.Equal(t, "/z3 model_validate=true;/other\n", string(text))
}

// A fuzzer that ends at once is started again, but not for ever.
func TestHuntOfAFuzzerThatEnds(t *testing.T) {
	h := &Hunt{Fuzzer: "typefuzz", Peers: peer(t, "typefuzz", "exit 10"), Name: "cvc5-1.0.3", Limit: time.Hour}
	_, err := h.Run(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "typefuzz ends at once, again and again")
}

// yinyang gets the seeds that are sat for half of the time, and then those that are unsat.
func TestHuntOfYinYang(t *testing.T) {
	seeds := t.TempDir()
	for _, answer := range []string{"sat", "unsat"} {
		require.NoError(t, os.MkdirAll(filepath.Join(seeds, "QF_BV", answer), 0o755))
	}
	h := &Hunt{Fuzzer: "yinyang", Peers: peer(t, "yinyang", `echo "$2 $4" >> given; while :; do :; done`), Seeds: seeds, Limit: 400 * time.Millisecond}
	dir := t.TempDir()
	_, err := h.Run(t.Context(), dir)
	require.NoError(t, err)
	given, err := os.ReadFile(filepath.Join(dir, "given"))
	require.NoError(t, err)
	require.Equal(t, "sat "+seeds+"/QF_BV/sat\nunsat "+seeds+"/QF_BV/unsat\n", string(given))
}

// Wrong answers and models that one release mends are one cause; without such a release, signatures are told apart.
func TestCausesOfAHunt(t *testing.T) {
	c := &Caught{Findings: []CaughtRecord{
		{Kind: "known-answer", Signature: "a", Status: "fixed in 4.8.12"},
		{Kind: "invalid-model", Signature: "b", Status: "fixed in 4.8.12"},
		{Kind: "crash", Signature: "c", Status: "fixed in 4.8.12"},
		{Kind: "crash", Signature: "d", Status: "open"},
		{Kind: "crash", Signature: "e", Status: "open"},
	}}
	require.Equal(t, 4, c.Causes())
}
