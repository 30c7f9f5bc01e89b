package benchmarks

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/results/benchmark"
	"github.com/smtlark/smtlark/engine/results/report"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// tableDeclined is the table of bench that counts what solvers decline.
const tableDeclined = "declined"

// benchDeclined counts what the solvers of this machine, or those named, decline and reject of what techniques ask. bound are the arguments
// that say how long each campaign takes.
func benchDeclined(ctx context.Context, e *command.Env, named, techniques, bound []string) int {
	if len(techniques) == 0 {
		techniques = []string{"api", benchmark.DefaultCampaign}
	}
	program, err := os.Executable()
	if err != nil {
		return e.Fail(command.ExitInternal, "bench", err)
	}
	supply := script.NewSupply()
	for _, name := range named {
		n, err := command.SolverName(name)
		if err == nil {
			n.Mode = ""
			_, err = supply.ProductNamed(ctx, n)
		}
		if err != nil {
			return e.Fail(command.ExitSolver, "bench", err)
		}
	}
	var found []*solvers.Solver
	if len(named) == 0 {
		if found, err = supply.Installed(); err != nil {
			return e.Fail(command.ExitInternal, "bench", err)
		}
		process.Preflight(ctx, found)
		libraries, err := command.InstalledLibraries(ctx, supply)
		if err != nil {
			return e.Fail(command.ExitInternal, "bench", err)
		}
		found = append(found, libraries...)
	}
	d := &benchmark.Declined{Smtlark: program, For: bound, Seed: "1"}
	for _, technique := range techniques {
		targets := named
		if len(named) == 0 {
			targets = targetsOf(found, technique != benchmark.DefaultCampaign)
		}
		var all metrics.Refusals
		for _, target := range targets {
			dir, err := os.MkdirTemp("", "smtlark-bench-")
			if err != nil {
				return e.Fail(command.ExitDisk, "bench", err)
			}
			counted, err := d.Count(ctx, technique, target, dir)
			os.RemoveAll(dir)
			if err != nil {
				return e.Fail(command.ExitSolver, "bench", fmt.Errorf("%s, %s: %w", technique, target, err))
			}
			all.Join(counted)
		}
		fmt.Fprintf(e.Stdout, "\n## Declined and rejected: %s, each of %s\n\n", technique, strings.Join(bound, " "))
		report.WriteRefusals(e.Stdout, all)
	}
	return command.ExitOK
}

// targetsOf names the solvers that can be used as --solver does: each in each of its modes or, for campaigns that ask a program in all ways by
// themselves, once with its library.
func targetsOf(found []*solvers.Solver, eachMode bool) (names []string) {
	for _, s := range found {
		if s.Unusable != "" {
			continue
		}
		name := s.Name
		if s.Library != "" {
			name = strings.TrimPrefix(name, "lib")
		}
		switch {
		case eachMode:
			for _, m := range s.Modes() {
				names = append(names, fmt.Sprintf("%s:%s", name, m))
			}
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names
}
