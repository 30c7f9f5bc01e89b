package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/smtlark/smtlark/tools/benchmark"
)

// hunt lets each fuzzer hunt for mistakes of the first solver, --rounds times with different seeds, and counts what it
// found. Hunts whose results are in --out are not made again, so that a table can be made bit by bit.
func (b *bench) hunt(ctx context.Context) error {
	if len(b.solvers) != 2 || b.peers == "" || b.kept == "" || b.seeds == "" {
		return errors.New("table hunt wants two --solver, of which the first is tested, --seeds, --peers and --out")
	}
	h := benchmark.Hunt{Smtlark: b.smtlark, Name: b.solvers[0], Limit: b.time(30 * time.Minute)}
	var programs []string
	for _, name := range b.solvers {
		target, err := programNamed(ctx, name)
		if err != nil {
			return err
		}
		programs = append(programs, target.Solver().Path)
	}
	h.Solver, h.Reference = programs[0], programs[1]
	var err error
	for _, f := range []struct {
		to    *string
		given string
	}{{&h.Peers, b.peers}, {&h.Seeds, b.seeds}} {
		if *f.to, err = filepath.Abs(f.given); err != nil {
			return err
		}
	}
	fuzzers := b.techniques
	if len(fuzzers) == 0 {
		fuzzers = benchmark.Fuzzers
	}
	fmt.Fprintf(b.out, "\n## Causes found in %s of CPU time: %s beside %s\n\n", h.Limit, b.solvers[0], b.solvers[1])
	fmt.Fprintln(b.out, "| fuzzer | seed | CPU seconds | reported | confirmed findings | causes |\n|---|---|---|---|---|---|")
	var all []*benchmark.Caught
	for round := range b.rounds {
		for _, h.Fuzzer = range fuzzers {
			h.Seed = round + 1
			caught, err := hunted(ctx, &h, filepath.Join(b.kept, h.Name, fmt.Sprintf("%s-%d", h.Fuzzer, h.Seed)))
			if err != nil {
				return err
			}
			all = append(all, caught)
			reported := "-"
			if h.Fuzzer != "smtlark" {
				reported = fmt.Sprint(caught.Reports)
			}
			fmt.Fprintf(b.out, "| %s | %d | %.0f | %s | %d | %d |\n", h.Fuzzer, h.Seed, caught.CPU, reported, len(caught.Findings), caught.Causes())
		}
	}
	benchmark.WriteHuntSummary(b.out, fuzzers, all)
	return nil
}

// hunted returns the results of a hunt in a folder, and makes them if they are not there. Without caught.json the
// findings of a hunt are counted anew.
func hunted(ctx context.Context, h *benchmark.Hunt, dir string) (*benchmark.Caught, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	results := filepath.Join(dir, "caught.json")
	text, err := os.ReadFile(results)
	if err == nil {
		caught := &benchmark.Caught{}
		err = json.Unmarshal(text, caught)
		return caught, err
	}
	used, err := huntOnce(ctx, h, dir)
	if err != nil {
		return nil, err
	}
	caught, err := h.Count(ctx, dir, used)
	if err != nil {
		return nil, err
	}
	if text, err = json.MarshalIndent(caught, "", "  "); err != nil {
		return nil, err
	}
	return caught, os.WriteFile(results, append(text, '\n'), 0o644)
}

// huntOnce hunts, unless that was done before, and returns the CPU seconds that it took, which the folder keeps.
func huntOnce(ctx context.Context, h *benchmark.Hunt, dir string) (used float64, err error) {
	file := filepath.Join(dir, "cpu.json")
	if text, err := os.ReadFile(file); err == nil {
		err = json.Unmarshal(text, &used)
		return used, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	if used, err = h.Run(ctx, dir); err != nil {
		return 0, err
	}
	text, err := json.Marshal(used)
	if err != nil {
		return 0, err
	}
	return used, os.WriteFile(file, text, 0o644)
}
