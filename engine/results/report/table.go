// Package report shows campaigns to people: a live status, a summary at the end, and reports of the findings in several
// formats.
package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers"
)

// column is one column of the table of targets.
type column struct {
	head  string
	keep  int // those with the least go first when there is no room
	value func(*metrics.TargetStats) string
}

var columns = []column{
	{"runs", 6, func(t *metrics.TargetStats) string { return fmt.Sprint(t.Runs) }},
	{"sat", 4, func(t *metrics.TargetStats) string { return percent(t.Sat, answers(t)) }},
	{"unsat", 4, func(t *metrics.TargetStats) string { return percent(t.Unsat, answers(t)) }},
	{"unknown", 4, func(t *metrics.TargetStats) string { return percent(t.Unknown, answers(t)) }},
	{"decided", 9, func(t *metrics.TargetStats) string { return percent(t.Sat+t.Unsat, t.Checks) }},
	{"timeout", 7, func(t *metrics.TargetStats) string { return count(t, solvers.Timeout) }},
	{"memory", 1, func(t *metrics.TargetStats) string { return count(t, solvers.OutOfMemory) }},
	{"crash", 8, func(t *metrics.TargetStats) string { return count(t, solvers.Crash, solvers.Assertion) }},
	{"declined", 3, func(t *metrics.TargetStats) string { return count(t, solvers.Refusal, solvers.Unsupported) }},
	{"rejected", 5, func(t *metrics.TargetStats) string { return count(t, solvers.ParseError) }},
	{"other", 2, func(t *metrics.TargetStats) string {
		return count(t, solvers.SolverError, solvers.OutputLimit, solvers.Garbage, solvers.StartFailure, solvers.Killed)
	}},
	{"ms/run", 6, func(t *metrics.TargetStats) string {
		if t.Asked == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", 1000*t.Wall/float64(max(1, t.Asked)))
	}},
}

func answers(t *metrics.TargetStats) uint64 { return t.Sat + t.Unsat + t.Unknown + t.NoAnswer }

func count(t *metrics.TargetStats, classes ...solvers.Class) string {
	return fmt.Sprint(t.Count(classes...))
}

func percent(n, of uint64) string {
	switch {
	case of == 0:
		return "-"
	case n == 0:
		return "0"
	case n*1000 < of:
		return "<0.1%"
	case n*10 < of:
		return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}

// targetRows is the table of targets, its head first.
func targetRows(targets []metrics.TargetStats) [][]string {
	rows := [][]string{{"target"}}
	for _, c := range columns {
		rows[0] = append(rows[0], c.head)
	}
	targets = foldUnasked(targets)
	for i := range targets {
		row := []string{display.Line(targets[i].Name)}
		for _, c := range columns {
			row = append(row, c.value(&targets[i]))
		}
		rows = append(rows, row)
	}
	return rows
}

// foldUnasked puts targets without a run into one row where there are several.
func foldUnasked(targets []metrics.TargetStats) []metrics.TargetStats {
	asked := slices.DeleteFunc(slices.Clone(targets), func(t metrics.TargetStats) bool { return t.Runs == 0 })
	n := len(targets) - len(asked)
	if n < 2 || len(asked) == 0 {
		return targets
	}
	return append(asked, metrics.TargetStats{Name: fmt.Sprintf("%d targets without a run", n)})
}

// align pads cells: the first column to the left, the others to the right.
func align(rows [][]string) []string {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], display.Columns(cell))
		}
	}
	var out []string
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			pad := strings.Repeat(" ", width[i]-display.Columns(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		out = append(out, b.String())
	}
	return out
}

// duration renders seconds as h:mm:ss.
func duration(seconds float64) string {
	s := int(seconds)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// number renders an integer with separators.
func number(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// seconds renders a number of seconds for people.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
