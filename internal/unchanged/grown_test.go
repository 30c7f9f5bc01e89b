//go:build linux

package unchanged_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/internal/fakesolver"
)

// TestCasesOfGrownSeedsAreTheSame: cases that are made of cases with new edges are the same with any number of workers,
// and are made again from the corpus that has grown.
func TestCasesOfGrownSeedsAreTheSame(t *testing.T) {
	program := fakesolver.Counting(t)
	isolate(t)
	dir := folder(t)
	const adaptive = "mix({opfuzz(): 1, typefuzz(): 1}, adapt = True)"
	file := func(technique string) string {
		return fmt.Sprintf(campaignThatGrows, program, technique)
	}
	const cases = 700 // of which 252 are made of seeds that have grown for the fourth epoch
	executable, err := os.Executable()
	require.NoError(t, err)
	play := func(technique string, workers int, coverage string) (map[uint64]string, *metrics.Stats, string) {
		made, folder := map[uint64]string{}, filepath.Join(t.TempDir(), "corpus")
		stats, err := coordinator.Run(context.Background(), coordinator.Config{
			File: "unchanged.star", Options: finding.Inputs{Seed: 1, Text: file(technique), Dir: dir, Feedback: finding.Feedback{Coverage: coverage}}, Workers: workers, Stop: finding.Stop{Cases: cases},
			Command: []string{executable}, Env: []string{workerEnv + "=1"}, Drain: time.Minute, Corpus: folder,
			OnCase: func(n uint64, hash string) { made[n] = hash },
		})
		require.NoError(t, err)
		require.EqualValues(t, cases, stats.Cases+stats.Skipped)
		return made, stats, folder
	}
	alone, stats, _ := play(adaptive, 1, "")
	require.Len(t, stats.Edges, 1)
	require.Positive(t, stats.Grown.Seeds)
	require.Positive(t, stats.Edges[0].Edges)
	together, other, _ := play(adaptive, 3, finding.CoverageGrow)
	require.Equal(t, alone, together)
	require.Equal(t, stats.Edges[0].Pairs, other.Edges[0].Pairs)
	counted, only, _ := play(adaptive, 2, finding.CoverageCount)
	require.Zero(t, only.Grown.Seeds)
	require.NotEqual(t, alone, counted, "without feedback cases are others")
	_, none, _ := play(adaptive, 2, finding.CoverageOff)
	require.Empty(t, none.Edges)

	made, _, kept := play("opfuzz()", 2, "")
	plan := load(t, dir, file("opfuzz()"))
	grown := 0
	for n := uint64(cases - 1); n > cases-200; n-- {
		seeds, err := growth.SeedsFor(kept, n)
		require.NoError(t, err)
		require.NotEmpty(t, seeds)
		plan.Technique.(campaign.Grower).SetGrown(seeds, false)
		c, err := plan.Technique.Make(context.Background(), n, rng.New(1).Split(n))
		if errors.Is(err, campaign.ErrSkip) {
			continue
		}
		require.NoError(t, err)
		require.Equal(t, made[n], c.Hash(), "case %d", n)
		if _, ok := corpus.GrownFrom(c.Origin.Seeds[0]); ok {
			grown++
		}
	}
	require.Greater(t, grown, 20)
}

// campaignThatGrows is a campaign with a solver that counts its edges: the path of the program, and the technique.
const campaignThatGrows = `
load("@std//opfuzz.star", "opfuzz")
load("@std//typefuzz.star", "typefuzz")
counting = solver.profile(
    name = "counting", base = "generic", binaries = [%q], version_args = ["--version"], version = "version (\\S+)",
    modes = ["fresh", "reset"], has_reset = True, continues_after_error = True, multiline_tokens = True, session_args = [], build_args = [],
)
campaign(
    technique = %s,
    seeds = corpus.files("seeds", logic = ["QF_BV", "QF_LIA"]),
    targets = [solver(counting, mode = "reset", coverage = True)],
    oracles = [oracle.crash()], full_timeout = True, limits = {"timeout": 120},
)
`
