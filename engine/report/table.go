// Package report shows campaigns to people: a live status and a summary at the end.
package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/solvers"
)

// column is one column of the table of targets.
type column struct {
	head  string
	value func(*campaign.TargetStats) string
}

var columns = []column{
	{"runs", func(t *campaign.TargetStats) string { return fmt.Sprint(t.Runs) }},
	{"sat", func(t *campaign.TargetStats) string { return percent(t.Sat, answers(t)) }},
	{"unsat", func(t *campaign.TargetStats) string { return percent(t.Unsat, answers(t)) }},
	{"unknown", func(t *campaign.TargetStats) string { return percent(t.Unknown, answers(t)) }},
	{"decided", func(t *campaign.TargetStats) string { return percent(t.Sat+t.Unsat, t.Checks) }},
	{"timeout", func(t *campaign.TargetStats) string { return count(t, solvers.Timeout) }},
	{"memory", func(t *campaign.TargetStats) string { return count(t, solvers.OutOfMemory) }},
	{"crash", func(t *campaign.TargetStats) string { return count(t, solvers.Crash, solvers.Assertion) }},
	{"declined", func(t *campaign.TargetStats) string { return count(t, solvers.Refusal, solvers.Unsupported) }},
	{"rejected", func(t *campaign.TargetStats) string { return count(t, solvers.ParseError) }},
	{"other", func(t *campaign.TargetStats) string {
		return count(t, solvers.SolverError, solvers.OutputLimit, solvers.Garbage, solvers.StartFailure, solvers.Killed)
	}},
	{"ms/run", func(t *campaign.TargetStats) string {
		if t.Asked == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", 1000*t.Wall/float64(max(1, t.Asked)))
	}},
}

func answers(t *campaign.TargetStats) uint64 { return t.Sat + t.Unsat + t.Unknown + t.NoAnswer }

func count(t *campaign.TargetStats, classes ...solvers.Class) string {
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

// targetTable renders the table of targets, its head first.
func targetTable(targets []campaign.TargetStats) []string { return align(targetRows(targets)) }

// targetRows is the table of targets, its head first.
func targetRows(targets []campaign.TargetStats) [][]string {
	rows := [][]string{{"target"}}
	for _, c := range columns {
		rows[0] = append(rows[0], c.head)
	}
	for i := range targets {
		row := []string{clean(targets[i].Name)}
		for _, c := range columns {
			row = append(row, c.value(&targets[i]))
		}
		rows = append(rows, row)
	}
	return rows
}

// align pads cells: the first column to the left, the others to the right.
func align(rows [][]string) []string {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var out []string
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
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

// clean makes text from solvers and files safe for a terminal: control characters, and those that change the direction of
// writing, become question marks.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unsafeRune(r) {
			return '?'
		}
		return r
	}, s)
}

// clip shortens a line to width columns.
func clip(s string, width int) string {
	if width <= 0 || utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width])
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
