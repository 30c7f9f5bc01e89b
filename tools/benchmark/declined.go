package benchmark

import (
	"context"
	"path/filepath"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// Declined measures the share of campaign cases that solvers decline or reject.
type Declined struct {
	Smtlark string   // this program
	For     []string // arguments that say how long a campaign takes, such as --for 20s
	Seed    string   // of the campaigns
}

// Count runs a campaign of a technique, or DefaultCampaign, on a solver as --solver names it. dir is an empty folder.
// The result has a row for each target, since the default campaign uses other solvers as references, and a program in
// several modes.
func (d *Declined) Count(ctx context.Context, technique, solver, dir string) (metrics.Refusals, error) {
	argv := []string{d.Smtlark, "fuzz"}
	if technique != DefaultCampaign {
		argv = append(argv, technique)
	}
	argv = append(append(argv, "--solver", solver, "--out", filepath.Join(dir, "out"), "-j", "1", "--quiet", "--seed", d.Seed), d.For...)
	var refused metrics.Refusals
	campaign := Process{Argv: argv, Accept: []int{10, 11} /* there are findings */, Count: func(string) (float64, error) {
		stats, err := readStats(filepath.Join(dir, "out"))
		if err != nil {
			return 0, err
		}
		refused = stats.Refused
		return stats.countRuns(), nil
	}}
	_, err := campaign.Run(ctx)
	return refused, err
}
