package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes a report that can be pasted into an issue tracker or a wiki (GitHub's dialect).
func Markdown(w io.Writer, d *Data) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# %s\n", mdText(title(d)))
	p("%s\n", mdText(verdict(d)))
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
			p("| %s | %s | %s | %s | %d of %d | %d | %d | %s | %s |", f.ID, mdText(f.Kind), mdText(f.Summary), mdText(f.Status), f.Hits, f.Tries, f.Count, f.CaseBytes, reduced, mdCode(f.Folder))
		}
		p("")
		for i := range d.Findings {
			mdFinding(p, &d.Findings[i])
		}
	}
	p("---\n\nMade by %s on %s.", mdText(d.Tool), d.Made.Format("2006-01-02 15:04 MST"))
	_, err := io.WriteString(w, b.String())
	return err
}

func mdRun(p func(string, ...any), r *Run) {
	s := r.Stats
	for _, h := range s.Health {
		p("> Warning: %s\n", mdText(h))
	}
	p("| | |\n|---|---|")
	for _, row := range environment(r) {
		p("| %s | %s |", mdText(row.Name), mdText(row.Value))
	}
	p("\n## Targets\n")
	rows := targetRows(s.Targets)
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = mdText(c)
		}
		p("| %s |", strings.Join(cells, " | "))
		if i == 0 {
			p("|---%s|", strings.Repeat("|--:", len(row)-1))
		}
	}
	p("")
	if rows := yieldRows(s); len(rows) > 1 {
		p("## Yields\n")
		for i, row := range rows {
			for j := range row {
				row[j] = mdText(row[j])
			}
			p("| %s |", strings.Join(row, " | "))
			if i == 0 {
				p("|---%s|", strings.Repeat("|--:", len(row)-1))
			}
		}
		p("")
	}
}

func mdFinding(p func(string, ...any), f *Finding) {
	p("### %s: %s\n", f.ID, mdText(f.Summary))
	for _, o := range f.Outcomes {
		mark := ""
		if o.Wrong {
			mark = " **(wrong)**"
		}
		p("- %s: %s%s", mdText(o.Target), mdText(o.Outcome), mark)
	}
	for _, c := range f.Checks {
		p("- %s: %s (%d of %d)", mdText(c.Solver), mdText(c.Outcome), c.Hits, c.Tries)
	}
	if f.Needs != "" {
		p("- options: %s", mdText(f.Needs))
	}
	p("- again: %s", mdCode("smtlark repro "+f.Folder))
	p("- the case: %s\n", mdCode(f.Replay))
	if f.Text != "" {
		fence := fenceFor(f.Text)
		p("%ssmt2\n%s\n%s\n", fence, strings.TrimRight(visible(f.Text), "\n"), fence)
		if f.Cut {
			p("(The rest is in %s.)\n", mdCode(f.Folder+"/"+f.File))
		}
	}
}

// fenceFor returns a fence longer than any run of backquotes in the text.
func fenceFor(text string) string { return strings.Repeat("`", max(3, longestRun(text)+1)) }

// longestRun is the length of the longest run of backquotes.
func longestRun(text string) int {
	longest, n := 0, 0
	for _, r := range text {
		if r != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// mdText writes text so that Markdown and HTML find nothing to interpret in it, on one line.
func mdText(s string) string {
	s = strings.Join(strings.Fields(visible(s)), " ")
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@': // nobody gets a notification
			b.WriteString("&#64;")
		case '\\', '`', '*', '_', '[', ']', '|', '#', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "://", ":&#47;/") // no links but ours
}

// mdCode writes text as code, on one line.
func mdCode(s string) string {
	s = strings.Join(strings.Fields(visible(s)), " ")
	fence := strings.Repeat("`", longestRun(s)+1)
	s = strings.ReplaceAll(s, "|", `\|`)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
