package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// maxMarkdown is a little less than the characters that a comment on GitHub may have.
const maxMarkdown = 60_000

// mdReport is a report that is being written. Parts that do not fit are named at its end.
type mdReport struct {
	strings.Builder
	left []string
}

// p writes a line.
func (b *mdReport) p(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// section writes a part where there is room for it.
func (b *mdReport) section(name string, write func(p func(string, ...any))) (written bool) {
	var part mdReport
	write(part.p)
	if b.Len()+part.Len() > maxMarkdown {
		b.left = append(b.left, name)
		return false
	}
	b.WriteString(part.String())
	return true
}

// Markdown writes a report that fits into a comment of an issue tracker (GitHub's dialect): the findings first, the
// most serious with their cases, then the run.
func Markdown(w io.Writer, d *Data) error {
	var b mdReport
	b.p("# %s\n", display.Markdown(title(d)))
	b.p("%s\n", display.Markdown(verdict(d)))
	if d.Run != nil {
		for _, h := range d.Run.Stats.Health {
			b.p("> Warning: %s\n", display.Markdown(h))
		}
	}
	b.p("## Findings\n")
	if len(d.Findings) == 0 {
		b.p("None.\n")
	}
	rows, cases := d.Findings, 0
	for ; len(rows) > 0 && !b.section("", func(p func(string, ...any)) { mdFindings(p, rows) }); rows = rows[:len(rows)/2] {
		b.left = nil
	}
	if more := len(d.Findings) - len(rows); more > 0 {
		b.p("%s more: `smtlark findings` lists all.\n", plural(more, "finding", "findings"))
	}
	if d.Run != nil {
		mdRun(&b, d.Run)
	}
	for i := range rows {
		if !b.section("", func(p func(string, ...any)) { mdFinding(p, &rows[i]) }) {
			b.left = b.left[:len(b.left)-1]
			continue
		}
		cases++
	}
	if more := len(rows) - cases; more > 0 {
		b.p("What %s of them did is in their folders.\n", plural(more, "finding", "findings"))
	}
	if len(b.left) > 0 {
		b.p("Left out for lack of room: %s. The page (`smtlark report -o report.html`) has it.\n", strings.Join(b.left, ", "))
	}
	b.p("---\n\nMade by %s on %s.", display.Markdown(d.Tool), d.Made.Format("2006-01-02 15:04 MST"))
	_, err := io.WriteString(w, b.String())
	return err
}

// mdFindings writes the table of findings.
func mdFindings(p func(string, ...any), list []reportFinding) {
	p("| number | severity | what | status | reproduced | seen | bytes | reduced | folder |\n|---|---|---|---|---|---|---|---|---|")
	for i := range list {
		f := &list[i]
		reduced := "–"
		if f.MinBytes > 0 {
			reduced = fmt.Sprint(f.MinBytes)
		}
		p("| %s | %s | %s | %s | %d of %d | %d | %d | %s | %s |", f.ID, f.Severity.Short(), display.Markdown(f.Verdict.Summary), markdownStatus(f), f.Hits, f.Tries, f.Count, f.CaseBytes, reduced, display.MarkdownCode(f.Folder))
	}
	p("")
}

func mdRun(b *mdReport, r *reportRun) {
	s := r.Stats
	b.section("the environment", func(p func(string, ...any)) {
		p("| | |\n|---|---|")
		for _, row := range environment(r) {
			p("| %s | %s |", display.Markdown(row.Name), display.Markdown(row.Value))
		}
		p("")
	})
	for _, t := range []struct {
		name string
		rows [][]string
	}{{"Targets", targetRows(s.Targets)}, {"Yields", yieldRows(s)}, {"Declined and rejected", refusalRows(s.Refused)}, {"Coverage", edgeRows(s)}, {"Coverage by source file", fileRows(s)}, {"The change", changeRows(s)}, {"Options, one at a time", optionRows(s.Options)}} {
		b.section(t.name, func(p func(string, ...any)) { mdTable(p, t.name, t.rows) })
	}
	if len(s.Cells.Targets) > 0 {
		b.section("Cells", func(p func(string, ...any)) {
			p("## Cells\n")
			for _, line := range cellLines(&s.Cells) {
				p("- %s", display.Markdown(line))
			}
			p("")
		})
	}
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
	p("### %s: %s\n", f.ID, display.Markdown(f.Verdict.Summary))
	for _, o := range f.Outcomes {
		mark := ""
		if o.Wrong {
			mark = " **(wrong)**"
		}
		p("- %s: %s%s", display.Markdown(o.Target), display.Markdown(o.Outcome), mark)
	}
	for _, c := range f.Checks {
		p("- %s: %s (%d of %d)", display.Markdown(c.Kind+" "+c.Version), display.Markdown(c.Outcome), c.Hits, c.Tries)
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
