package benchmarks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/benchmark"
)

// tablePlanted is the table of bench that searches for planted defects.
const tablePlanted = "planted"

// benchPlanted searches for each of the defects in a folder of tools/planted.sh with each of the techniques, in that order.
func benchPlanted(ctx context.Context, e *command.Env, p *benchmark.Planted, only, techniques []string) int {
	folder, err := filepath.Abs(p.Folder)
	if err == nil && p.Seeds != "" {
		if p.Seeds, err = filepath.Abs(p.Seeds); err == nil {
			_, err = os.Stat(p.Seeds)
		}
	}
	if err != nil {
		return e.UsageError("bench", "--planted: %v", err)
	}
	defects, err := benchmark.ReadDefects(filepath.Join(folder, "defects"))
	if err != nil {
		return e.UsageError("bench", "--planted: %v", err)
	}
	for _, name := range only {
		if !slices.ContainsFunc(defects, func(d *benchmark.Defect) bool { return d.Name() == name }) {
			return e.UsageError("bench", "--defect: %s has no defect %q; it has %s to %s", folder, name, defects[0].Name(), defects[len(defects)-1].Name())
		}
	}
	if len(techniques) == 0 {
		techniques = []string{benchmark.DefaultCampaign}
	}
	program, err := os.Executable()
	if err != nil {
		return e.Fail(command.ExitInternal, "bench", err)
	}
	work, err := os.MkdirTemp("", "smtlark-bench-")
	if err != nil {
		return e.Fail(command.ExitDisk, "bench", err)
	}
	defer os.RemoveAll(work)
	p.Smtlark, p.Folder = program, folder
	limit := p.Limit
	defects = slices.DeleteFunc(defects, func(d *benchmark.Defect) bool { return len(only) > 0 && !slices.Contains(only, d.Name()) })
	inFolder := func(search func(dir string) (*benchmark.Search, error)) (*benchmark.Search, error) {
		dir, err := os.MkdirTemp(work, "search-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		return search(dir)
	}
	var prepared string // the solver that searches without a defect have asked
	var asleep []string // what they came to
	results := make([][]*benchmark.Search, len(techniques))
	for i, d := range defects {
		row := make([]*benchmark.Search, len(techniques))
		for k, technique := range techniques {
			if d.Solver != prepared {
				s, err := inFolder(func(dir string) (*benchmark.Search, error) { return p.Prepare(ctx, d.Solver, technique, dir) })
				if err != nil {
					return e.Fail(command.ExitSolver, "bench", err)
				}
				asleep = append(asleep, fmt.Sprintf("%s, %s: %d findings within %s of CPU time without a defect", d.Solver, technique, s.Others, limit))
			}
			s, err := inFolder(func(dir string) (*benchmark.Search, error) { return p.Search(ctx, d.Solver, d, technique, dir) })
			if err != nil {
				return e.Fail(command.ExitSolver, "bench", err)
			}
			row[k], results[k] = s, append(results[k], s)
		}
		if i == 0 {
			benchmark.WritePlantedHeader(e.Stdout, techniques)
		}
		prepared = d.Solver
		benchmark.WritePlantedRow(e.Stdout, d, row)
	}
	fmt.Fprintf(e.Stdout, "\n%s\n", strings.Join(asleep, "\n"))
	for k, technique := range techniques {
		benchmark.WritePlantedSummary(e.Stdout, technique, results[k], limit)
	}
	return command.ExitOK
}
