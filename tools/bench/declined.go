package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/results/report"
	"github.com/smtlark/smtlark/tools/benchmark"
)

// declined counts the cases of each technique that the solvers of this machine, or the named ones, decline or reject.
func (b *bench) declined(ctx context.Context) error {
	const duration = 20 * time.Second // of a campaign
	bound := []string{"--for", b.time(duration).String()}
	if b.cases > 0 {
		bound = []string{"--cases", strconv.Itoa(b.cases)}
	}
	techniques := b.techniques
	if len(techniques) == 0 {
		techniques = []string{"api", benchmark.DefaultCampaign}
	}
	var named []string
	if b.given("solver") {
		named = b.solvers
	}
	var found []installed
	if len(named) == 0 {
		var err error
		if found, err = b.installed(ctx); err != nil {
			return err
		}
	}
	d := &benchmark.Declined{Smtlark: b.smtlark, For: bound, Seed: "1"}
	for _, technique := range techniques {
		targets := named
		if len(named) == 0 {
			targets = targetsOf(found, technique != benchmark.DefaultCampaign)
		}
		var all metrics.Refusals
		for _, target := range targets {
			dir, err := os.MkdirTemp("", "smtlark-bench-")
			if err != nil {
				return err
			}
			counted, err := d.Count(ctx, technique, target, dir)
			os.RemoveAll(dir)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", technique, target, err)
			}
			all.Join(counted)
		}
		fmt.Fprintf(b.out, "\n## Declined and rejected: %s, each of %s\n\n", technique, strings.Join(bound, " "))
		report.WriteRefusals(b.out, all)
	}
	return nil
}

// installed is a solver of this machine, as "smtlark solvers --json" tells it.
type installed struct {
	Name  string   `json:"name"`
	Modes []string `json:"modes"` // none: it cannot be used
}

// installed asks smtlark for the solvers of this machine.
func (b *bench) installed(ctx context.Context) (found []installed, err error) {
	text, err := exec.CommandContext(ctx, b.smtlark, "solvers", "--json").Output()
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		err = fmt.Errorf("%s solvers --json: %w", b.smtlark, err)
	}
	return found, err
}

// targetsOf returns the names of usable solvers, in the form of --solver: one for each mode or, for campaigns that
// themselves use a program in all ways, one for a program and its library.
func targetsOf(found []installed, eachMode bool) (names []string) {
	for _, s := range found {
		name := strings.TrimPrefix(s.Name, "lib")
		for _, m := range s.Modes {
			if eachMode {
				names = append(names, name+":"+m)
			} else if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
