package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// rowSide is one of the two programs of a row.
type rowSide struct {
	Name string
	// Process returns the next run, with all its files in the empty folder dir.
	Process func(dir string) (*Process, error)
}

// benchmarkRow is a comparison: how many units of work programs do in a CPU second. A is smtlark, B its peer. Limit is
// the smallest program that does the same; without one, A's run reports the limit itself, see Process.LeastCPU. All run
// in turn, so that ratios of different machines can be compared.
type benchmarkRow struct {
	Name, Unit  string
	A, B, Limit rowSide
}

// figureSpread is the median of some figures with the least and the greatest.
type figureSpread struct{ Median, Least, Greatest float64 }

// spreadOf returns the spread of figures; that of none is zero.
func spreadOf(figures []float64) figureSpread {
	if len(figures) == 0 {
		return figureSpread{}
	}
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	return figureSpread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Least: sorted[0], Greatest: sorted[n-1]}
}

func (s figureSpread) String() string {
	return fmt.Sprintf("%s [%s..%s]", formatFigure(s.Median), formatFigure(s.Least), formatFigure(s.Greatest))
}

// formatFigure writes a number with three digits or more.
func formatFigure(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// roundsResult is the result of a side of a row, over all rounds.
type roundsResult struct {
	Rate    figureSpread // units in a CPU second of all processes
	OwnRate figureSpread // units in a CPU second without the solvers; zero: not known
	Most    figureSpread // units per CPU second of the unavoidable work; zero: not known
	Units   figureSpread // in a run
	Wall    figureSpread // seconds of a run
	Failed  error        // why there are no figures
}

// rowResult holds the figures of the sides of a row.
type rowResult struct{ A, B, Limit roundsResult }

// Compare runs a row: A, B, the limit, A, B, the limit, as often as rounds says. Each run gets an empty folder of
// newFolder. A side that fails is not run again.
func Compare(ctx context.Context, row *benchmarkRow, rounds int, newFolder func() (string, error)) (*rowResult, error) {
	sides := []rowSide{row.A, row.B, row.Limit}
	results := make([]roundsResult, len(sides))
	samples := make([][]*processSample, len(sides))
	for range rounds {
		for i, side := range sides {
			if side.Process == nil || results[i].Failed != nil {
				continue
			}
			dir, err := newFolder()
			if err != nil {
				return nil, err
			}
			sample, err := runSide(ctx, side, dir)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if results[i].Failed = err; err == nil {
				samples[i] = append(samples[i], sample)
			}
		}
	}
	for i := range results {
		summariseSamples(&results[i], samples[i])
	}
	out := &rowResult{results[0], results[1], results[2]}
	if row.Limit.Process == nil {
		out.Limit.Rate = out.A.Most
	}
	return out, nil
}

func runSide(ctx context.Context, side rowSide, dir string) (*processSample, error) {
	p, err := side.Process(dir)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx)
}

func summariseSamples(r *roundsResult, samples []*processSample) {
	var rate, own, most, units, wall []float64
	for _, s := range samples {
		if s.CPU > 0 {
			rate = append(rate, s.Units/s.CPU)
		}
		if s.Own > 0 {
			own = append(own, s.Units/s.Own)
		}
		if s.Least > 0 {
			most = append(most, s.Units/s.Least)
		}
		units, wall = append(units, s.Units), append(wall, s.Wall)
	}
	r.Rate, r.OwnRate, r.Most, r.Units, r.Wall = spreadOf(rate), spreadOf(own), spreadOf(most), spreadOf(units), spreadOf(wall)
}

// WriteHeader begins the table of rows that are compared with a limit and a peer.
func WriteHeader(w io.Writer, table string) {
	fmt.Fprintf(w, "\n## %s\n\n| what | per CPU second of all processes | per CPU second of its own | limit | share of the limit | peer: all processes | peer: its own | ratio: all, own |\n|---|---|---|---|---|---|---|---|\n", table)
}

// WriteRow writes a row as Markdown.
func WriteRow(w io.Writer, row *benchmarkRow, r *rowResult) {
	share := "-"
	if r.A.Rate.Median > 0 && r.Limit.Rate.Median > 0 {
		share = fmt.Sprintf("%.0f %%", 100*r.A.Rate.Median/r.Limit.Rate.Median)
	}
	fmt.Fprintf(w, "| %s, %s | %s | %s | %s | %s | %s | %s | %s, %s |\n", row.Name, row.Unit, formatCell(r.A, r.A.Rate), formatCell(r.A, r.A.OwnRate),
		formatCell(r.Limit, r.Limit.Rate), share, peerCell(row, r.B, r.B.Rate), peerCell(row, r.B, r.B.OwnRate),
		formatRatio(r.A.Rate, r.B.Rate), formatRatio(r.A.OwnRate, r.B.OwnRate))
}

func formatCell(r roundsResult, s figureSpread) string {
	if r.Failed != nil {
		return "failed: " + cmp.Or(display.LastLine(r.Failed.Error()), "?")
	}
	if s == (figureSpread{}) {
		return "-"
	}
	return s.String()
}

func peerCell(row *benchmarkRow, r roundsResult, s figureSpread) string {
	if row.B.Process == nil {
		return "-"
	}
	return formatCell(r, s)
}

func formatRatio(a, b figureSpread) string {
	if a.Median == 0 || b.Median == 0 {
		return "-"
	}
	return formatFigure(a.Median / b.Median)
}
