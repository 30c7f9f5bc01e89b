package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers"
)

// fewLost is the share of runs that may be lost to refusals before a summary mentions it.
const fewLost = 0.005

// lostCells are the cells of a row of the table of refusals behind its name.
func lostCells(t *metrics.TechniqueRefusals) []string {
	return []string{number(t.Runs), number(t.Declined), number(t.Rejected), fmt.Sprintf("%.2f %%", 100*t.Lost()), number(t.NotMeant)}
}

// refusalRows returns the table of the runs that targets did not accept, the header row first. Each target has a row
// with its runs; below it are its messages, those that cost most runs first. A target that was never asked or meant has
// no row.
func refusalRows(refused metrics.Refusals) [][]string {
	rows := [][]string{{"target, and why", "runs", "declined", "rejected", "lost", "not meant", "first case"}}
	for i := range refused {
		t := &refused[i]
		all := t.All()
		rows = append(rows, append(append([]string{display.Line(t.Name)}, lostCells(&all)...), ""))
		for _, x := range all.Reasons {
			declined, rejected := number(x.Runs), ""
			if x.Class != solvers.Unsupported.String() && x.Class != solvers.Refusal.String() {
				declined, rejected = rejected, declined
			}
			rows = append(rows, []string{"· " + display.Line(display.Clip(x.Message, maxReason)), "", declined, rejected, "", "", fmt.Sprint(x.Case)})
		}
	}
	return rows
}

// WriteRefusals writes that table in Markdown.
func WriteRefusals(w io.Writer, refused metrics.Refusals) {
	mdRows(func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }, refusalRows(refused))
}

// maxReason bounds the columns of a reason in the table.
const maxReason = 120

// lostText says which targets declined or rejected more than a few of their runs, and mostly why; "" where none did.
func lostText(s *metrics.Stats) string {
	var lost []metrics.TechniqueRefusals
	for i := range s.Refused {
		if all := s.Refused[i].All(); all.Lost() > fewLost {
			lost = append(lost, all)
		}
	}
	if lost == nil {
		return ""
	}
	slices.SortStableFunc(lost, func(a, b metrics.TechniqueRefusals) int { return cmp.Compare(b.Lost(), a.Lost()) })
	var parts []string
	for i := range lost[:min(len(lost), maxRejects)] {
		parts = append(parts, fmt.Sprintf("%s %.1f %% of %s runs (%s)", lost[i].Name, 100*lost[i].Lost(), number(lost[i].Runs), display.Clip(lost[i].Reasons[0].Message, 60)))
	}
	text := "declined or rejected: " + display.Line(strings.Join(parts, "; "))
	if more := len(lost) - len(parts); more > 0 {
		text += fmt.Sprintf("; and %s", plural(more, "target", "targets"))
	}
	return text + "; smtlark report lists all"
}
