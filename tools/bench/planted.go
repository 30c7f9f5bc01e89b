package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/tools/benchmark"
)

// planted searches for each of the defects in a folder of tools/planted.sh with each of the techniques, in that order.
func (b *bench) planted(ctx context.Context) error {
	if b.defectsIn == "" {
		return errors.New("table planted wants --planted with a folder of tools/planted.sh")
	}
	p := &benchmark.Planted{Folder: b.defectsIn, Limit: b.time(time.Minute), Seed: "1", Seeds: b.seeds, Led: b.led}
	techniques := b.techniques
	folder, err := filepath.Abs(p.Folder)
	if err == nil && p.Seeds != "" {
		if p.Seeds, err = filepath.Abs(p.Seeds); err == nil {
			_, err = os.Stat(p.Seeds)
		}
	}
	if err != nil {
		return fmt.Errorf("--planted: %v", err)
	}
	defects, err := benchmark.ReadDefects(filepath.Join(folder, "defects"))
	if err != nil {
		return fmt.Errorf("--planted: %v", err)
	}
	for _, name := range b.defects {
		if !slices.ContainsFunc(defects, func(d *benchmark.Defect) bool { return d.Name() == name }) {
			return fmt.Errorf("--defect: %s has no defect %q; it has %s to %s", folder, name, defects[0].Name(), defects[len(defects)-1].Name())
		}
	}
	if len(techniques) == 0 {
		techniques = []string{benchmark.DefaultCampaign}
	}
	work, err := os.MkdirTemp("", "smtlark-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	p.Smtlark, p.Folder = b.smtlark, folder
	limit := p.Limit
	defects = slices.DeleteFunc(defects, func(d *benchmark.Defect) bool { return len(b.defects) > 0 && !slices.Contains(b.defects, d.Name()) })
	inFolder := func(search func(dir string) (*benchmark.SearchResult, error)) (*benchmark.SearchResult, error) {
		dir, err := os.MkdirTemp(work, "search-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		return search(dir)
	}
	var prepared string // the solver that searches without a defect have asked
	var asleep []string // results of the searches without a defect
	results := make([][]*benchmark.SearchResult, len(techniques))
	for i, d := range defects {
		row := make([]*benchmark.SearchResult, len(techniques))
		for k, technique := range techniques {
			if d.Solver != prepared {
				s, err := inFolder(func(dir string) (*benchmark.SearchResult, error) { return p.Prepare(ctx, d.Solver, technique, dir) })
				if err != nil {
					return err
				}
				asleep = append(asleep, fmt.Sprintf("%s, %s: %d findings within %s of CPU time without a defect", d.Solver, technique, s.Others, limit))
			}
			s, err := inFolder(func(dir string) (*benchmark.SearchResult, error) { return p.Search(ctx, d.Solver, d, technique, dir) })
			if err != nil {
				return err
			}
			row[k], results[k] = s, append(results[k], s)
		}
		if i == 0 {
			benchmark.WritePlantedHeader(b.out, techniques)
		}
		prepared = d.Solver
		benchmark.WritePlantedRow(b.out, d, row)
	}
	fmt.Fprintf(b.out, "\n%s\n", strings.Join(asleep, "\n"))
	for k, technique := range techniques {
		benchmark.WritePlantedSummary(b.out, technique, results[k], limit)
	}
	return nil
}
