package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Upstream writes one short list for the developers of each solver: its open findings, the most serious first. Findings
// of one kind in one component are one entry, for they may well have one cause; an entry names all of them and links to
// the one that is the most serious, shows in the mildest configuration and is the smallest. Findings that were reported
// already are named at the end. Findings that are fixed, duplicates, no bugs, or never reproduced are left out.
func Upstream(w io.Writer, d *Data) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# Reports to developers\n")
	lists := upstreamLists(d)
	if len(lists) == 0 {
		p("There are no open findings.\n")
	}
	for _, l := range lists {
		p("## %s\n", display.Markdown(l.solver))
		if l.tracker != "" {
			p("%s\n", display.Line(l.tracker))
		}
		for i, e := range l.entries {
			lead := e.findings[0]
			p("%d. **%s**, %s: %s", i+1, display.Markdown(lead.Severity.String()), display.Markdown(cmp.Or(lead.Component, "component not known")), display.Markdown(lead.Headline()))
			p("   - %s", display.Markdown(e.facts()))
			p("   - %s", display.MarkdownCode(lead.Folder+"/README.md"))
		}
		if len(l.entries) > 0 {
			p("")
		}
		if len(l.reported) > 0 {
			p("Reported already: %s.\n", strings.Join(l.reported, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// upstreamList has the report to the developers of one solver.
type upstreamList struct {
	solver, tracker string
	entries         []*upstreamEntry
	reported        []string
}

// upstreamEntry is one report: findings of one kind and component.
type upstreamEntry struct {
	findings []*reportFinding // the one to show first
}

// facts returns further facts about an entry in a line.
func (e *upstreamEntry) facts() string {
	lead := e.findings[0]
	facts := []string{"finding " + lead.ID}
	if len(e.findings) > 1 {
		var more []string
		for _, f := range e.findings[1:] {
			more = append(more, f.ID)
		}
		facts[0] = fmt.Sprintf("finding %s, and %s of the same kind and component, perhaps with one cause", lead.ID, strings.Join(more, ", "))
	}
	switch {
	case lead.Configuration == "":
	case lead.Alone:
		facts = append(facts, "configuration: "+lead.Configuration)
	default:
		facts = append(facts, "configuration: "+lead.Configuration+", not by the program and the file alone")
	}
	bytes := lead.CaseBytes
	if lead.MinBytes > 0 {
		bytes = lead.MinBytes
	}
	return strings.Join(append(facts, fmt.Sprintf("%d bytes", bytes)), "; ")
}

// upstreamLists sorts findings into the lists of solvers, those with the most serious entries first.
func upstreamLists(d *Data) []*upstreamList {
	var open []*reportFinding
	for i := range d.Findings {
		if f := &d.Findings[i]; !f.Flaky && !f.IsDismissed() && f.Status != folder.StatusFixed {
			open = append(open, f)
		}
	}
	slices.SortStableFunc(open, func(a, b *reportFinding) int { return a.Rank().Compare(b.Rank()) })
	var lists []*upstreamList
	entries := map[[4]string]*upstreamEntry{}
	for _, f := range open {
		i := slices.IndexFunc(lists, func(l *upstreamList) bool { return l.solver == f.SolverKind() })
		if i < 0 {
			i = len(lists)
			lists = append(lists, &upstreamList{solver: f.SolverKind()})
		}
		l := lists[i]
		if f.Upstream != nil {
			l.tracker = cmp.Or(l.tracker, f.Upstream.Tracker)
		}
		if f.Reported != "" {
			l.reported = append(l.reported, fmt.Sprintf("%s (%s)", display.Markdown(f.ID), markdownAddress(f.Reported)))
			continue
		}
		key := [4]string{f.SolverKind(), f.Severity.String(), f.Verdict.Kind, f.Component}
		if f.Component == "" { // nothing says that they have to do with each other
			key[3] = "finding " + f.ID
		}
		if e := entries[key]; e != nil {
			e.findings = append(e.findings, f)
			continue
		}
		entries[key] = &upstreamEntry{findings: []*reportFinding{f}}
		l.entries = append(l.entries, entries[key])
	}
	return lists
}

// markdownAddress writes an address that can be read and copied in a terminal, too, and that is no link: it may be a
// stranger's.
func markdownAddress(address string) string {
	if !strings.Contains(address, "://") {
		return display.Markdown(address)
	}
	return display.MarkdownCode(address)
}

// markdownStatus writes the status of a finding, with the address of its report.
func markdownStatus(f *reportFinding) string {
	text := display.Markdown(f.StatusWords())
	if f.Reported != "" {
		text += ", reported (" + markdownAddress(f.Reported) + ")"
	}
	return text
}
