package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// edgesText says in a few words how many edges of solvers were taken; "" where none are counted.
func edgesText(st *metrics.Stats) string {
	if len(st.Edges) == 0 {
		return ""
	}
	var each []string
	for _, e := range st.Edges {
		each = append(each, number(uint64(e.Edges)))
	}
	text := "edges " + strings.Join(each, " + ")
	if n := st.Grown.Seeds; n > 0 {
		text += ", grown seeds " + number(uint64(n))
	}
	return text
}

// edgeLines tells for each solver how many of its edges were taken, and which techniques took them first.
func edgeLines(st *metrics.Stats) (lines []string) {
	for _, e := range st.Edges {
		text := fmt.Sprintf("coverage of %s: %s of %s edges (%.1f %%)", display.Line(e.Name), number(uint64(e.Edges)), number(uint64(e.Of)), 100*float64(e.Edges)/float64(max(1, e.Of)))
		if e.Last > 0 { // else an earlier run had them all
			text += fmt.Sprintf(", the last new one after %s", seconds(e.Last))
		}
		lines = append(lines, text)
	}
	if by := firstTakers(st); len(by) > 1 {
		var each []string
		for _, t := range by[:min(len(by), maxTakers)] {
			each = append(each, fmt.Sprintf("%s %s", display.Line(t.Name), number(t.Edges)))
		}
		if n := len(by) - maxTakers; n > 0 {
			each = append(each, fmt.Sprintf("%d more", n))
		}
		lines = append(lines, "  first taken by "+strings.Join(each, ", "))
	}
	if c := &st.Changed; c.Lines > 0 {
		text := fmt.Sprintf("changed lines reached: %d of %d", c.Reached, c.Lines)
		if len(c.Never) > 0 {
			text += "; never: " + display.Line(strings.Join(c.Never[:min(len(c.Never), maxNever)], ", "))
			if n := len(c.Never) - maxNever; n > 0 {
				text += fmt.Sprintf(" and %d more stretches (stats.json has all)", n)
			}
		}
		lines = append(lines, text)
	}
	if n := st.Grown.Seeds; n > 0 {
		lines = append(lines, fmt.Sprintf("  %s that took new edges %s seeds now", plural(n, "case", "cases"), map[bool]string{true: "is among the", false: "are"}[n == 1]))
	}
	return lines
}

// maxTakers bounds the techniques that a line names by the edges that they took first, and the curves of plotEdges.
const maxTakers = 6

// maxNever bounds the stretches of changed lines that a line names.
const maxNever = 12

// changeRows is the table of the changed lines that cases came to, its head first; nil where the campaign is led to no
// change.
func changeRows(st *metrics.Stats) [][]string {
	c := &st.Changed
	if c.Lines == 0 {
		return nil
	}
	rows := [][]string{{"changed lines", "reached", "never"}, {number(uint64(c.Lines)), number(uint64(c.Reached)), ""}}
	for i, never := range c.Never {
		if i == 0 {
			rows[1][2] = display.Text(never)
			continue
		}
		rows = append(rows, []string{"", "", display.Text(never)})
	}
	return rows
}

// firstTakers returns the techniques that took edges first, those with most in front.
func firstTakers(st *metrics.Stats) (by []metrics.TechniqueStats) {
	for _, t := range st.Techniques {
		if t.Edges > 0 {
			by = append(by, t)
		}
	}
	slices.SortStableFunc(by, func(a, b metrics.TechniqueStats) int { return cmp.Compare(b.Edges, a.Edges) })
	return by
}

// plotEdges draws how many edges of each solver were taken over time, and how many of all of them each technique was
// the first to take; "" where none are counted.
func plotEdges(r *reportRun) []*figure {
	if len(r.Stats.Edges) == 0 || len(r.Points) < 2 {
		return nil
	}
	end := r.Points[len(r.Points)-1].Elapsed
	draw := func(id, caption, sub string, names []string, at func(p *metrics.Stats, name string) uint64) *figure {
		var curves []curve
		head := []string{"run time"}
		for i, name := range names {
			c := curve{name: name, class: curveClass(i), points: []xy{{0, 0}}}
			for k := range r.Points {
				c.points = append(c.points, xy{r.Points[k].Elapsed, float64(at(&r.Points[k], name))})
			}
			curves, head = append(curves, c), append(head, name)
		}
		var rows [][]string
		for k := range r.Points {
			row := []string{duration(r.Points[k].Elapsed)}
			for _, name := range names {
				row = append(row, number(at(&r.Points[k], name)))
			}
			rows = append(rows, row)
		}
		return &figure{Caption: caption, Sub: sub, Lines: overTime(caption+": "+sub, end, curves...), Data: newDataTable(id, caption, head, rows)}
	}
	var solvers, said []string
	for _, e := range r.Stats.Edges[:min(len(r.Stats.Edges), maxTakers)] {
		solvers = append(solvers, e.Name)
		said = append(said, fmt.Sprintf("%s %s of %s", e.Name, number(uint64(e.Edges)), number(uint64(e.Of))))
	}
	plots := []*figure{draw("d-edges", "Edges over time", strings.Join(said, "; "), solvers, func(p *metrics.Stats, name string) uint64 {
		i := slices.IndexFunc(p.Edges, func(e metrics.EdgeStats) bool { return e.Name == name })
		if i < 0 {
			return 0
		}
		return uint64(p.Edges[i].Edges)
	})}
	var techniques []string
	for _, t := range firstTakers(r.Stats) {
		techniques = append(techniques, t.Name)
	}
	if len(techniques) < 2 {
		return plots
	}
	sub := fmt.Sprintf("the %s with most", plural(min(len(techniques), maxTakers), "technique", "techniques"))
	return append(plots, draw("d-takers", "Edges by the technique that took them first", sub, techniques[:min(len(techniques), maxTakers)], func(p *metrics.Stats, name string) uint64 {
		i := slices.IndexFunc(p.Techniques, func(t metrics.TechniqueStats) bool { return t.Name == name })
		if i < 0 {
			return 0
		}
		return p.Techniques[i].Edges
	}))
}

// curveClass is the style of the curve at a place.
func curveClass(i int) string {
	if i == 0 {
		return "line"
	}
	return fmt.Sprintf("line%d", i+1)
}

// edgeRows returns the table of the edges that were taken in each solver, the header row first.
func edgeRows(st *metrics.Stats) [][]string {
	rows := [][]string{{"solver", "edges taken", "of", "share", "last new one after"}}
	for _, e := range st.Edges {
		rows = append(rows, []string{display.Text(e.Name), number(uint64(e.Edges)), number(uint64(e.Of)), percent(uint64(e.Edges), uint64(max(1, e.Of))), seconds(e.Last)})
	}
	return rows
}

// maxFiles bounds the source files of fileRows.
const maxFiles = 40

// fileRows is the table of the edges by source file, its head first: those with most edges that no case took; nil where
// that is not known.
func fileRows(st *metrics.Stats) [][]string {
	var rows [][]string
	for _, e := range st.Edges {
		for i, f := range e.Files {
			if i == maxFiles {
				rows = append(rows, []string{display.Text(e.Name), fmt.Sprintf("%d more in stats.json", len(e.Files)-i), "", "", ""})
				break
			}
			rows = append(rows, []string{display.Text(e.Name), display.Text(f.Name), number(uint64(f.Edges)), number(uint64(f.Of)), percent(uint64(f.Edges), uint64(max(1, f.Of)))})
		}
	}
	if rows == nil {
		return nil
	}
	return slices.Insert(rows, 0, []string{"solver", "source file", "edges taken", "of", "share"})
}
