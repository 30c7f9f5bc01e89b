package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// Markdown writes a report that can be pasted into an issue tracker or a wiki (GitHub's dialect).
func Markdown(w io.Writer, d *Data) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# %s\n", display.Markdown(title(d)))
	p("%s\n", display.Markdown(verdict(d)))
	if d.Run != nil {
		mdRun(p, d.Run)
	}
	p("## Findings\n")
	if len(d.Findings) == 0 {
		p("None.\n")
	} else {
		p("| number | kind | what | status | reproduced | seen | bytes | reduced | folder |\n|---|---|---|---|---|---|---|---|---|")
		for i := range d.Findings {
			f := &d.Findings[i]
			reduced := "–"
			if f.MinBytes > 0 {
				reduced = fmt.Sprint(f.MinBytes)
			}
			p("| %s | %s | %s | %s | %d of %d | %d | %d | %s | %s |", f.ID, display.Markdown(f.Kind), display.Markdown(f.Summary), markdownStatus(f.Status), f.Hits, f.Tries, f.Count, f.CaseBytes, reduced, display.MarkdownCode(f.Folder))
		}
		p("")
		for i := range d.Findings {
			mdFinding(p, &d.Findings[i])
		}
	}
	p("---\n\nMade by %s on %s.", display.Markdown(d.Tool), d.Made.Format("2006-01-02 15:04 MST"))
	_, err := io.WriteString(w, b.String())
	return err
}

func mdRun(p func(string, ...any), r *reportRun) {
	s := r.Stats
	for _, h := range s.Health {
		p("> Warning: %s\n", display.Markdown(h))
	}
	p("| | |\n|---|---|")
	for _, row := range environment(r) {
		p("| %s | %s |", display.Markdown(row.Name), display.Markdown(row.Value))
	}
	p("")
	mdTable(p, "Targets", targetRows(s.Targets))
	mdTable(p, "Yields", yieldRows(s))
	mdTable(p, "Declined and rejected", refusalRows(s.Refused))
	mdTable(p, "Coverage", edgeRows(s))
	mdCells(p, &s.Cells)
}

// mdTable writes a table whose first row is its head, under a heading; nothing where it has no other rows.
func mdTable(p func(string, ...any), heading string, rows [][]string) {
	if len(rows) < 2 {
		return
	}
	p("## %s\n", heading)
	mdRows(p, rows)
}

// mdRows writes the rows of a table, the first of which is its head.
func mdRows(p func(string, ...any), rows [][]string) {
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = display.Markdown(c)
		}
		p("| %s |", strings.Join(cells, " | "))
		if i == 0 {
			p("|---%s|", strings.Repeat("|--:", len(row)-1))
		}
	}
	p("")
}

func mdFinding(p func(string, ...any), f *reportFinding) {
	p("### %s: %s\n", f.ID, display.Markdown(f.Summary))
	for _, o := range f.Outcomes {
		mark := ""
		if o.Wrong {
			mark = " **(wrong)**"
		}
		p("- %s: %s%s", display.Markdown(o.Target), display.Markdown(o.Outcome), mark)
	}
	for _, c := range f.Checks {
		p("- %s: %s (%d of %d)", display.Markdown(c.Solver), display.Markdown(c.Outcome), c.Hits, c.Tries)
	}
	if f.Needs != "" {
		p("- options: %s", display.Markdown(f.Needs))
	}
	p("- again: %s", display.MarkdownCode("smtlark repro "+f.Folder))
	p("- the case: %s\n", display.MarkdownCode(f.Replay))
	if f.Text != "" {
		fence := display.MarkdownFence(f.Text)
		p("%ssmt2\n%s\n%s\n", fence, strings.TrimRight(display.Text(f.Text), "\n"), fence)
		if f.Cut {
			p("(The rest is in %s.)\n", display.MarkdownCode(f.Folder+"/"+f.File))
		}
	}
}
