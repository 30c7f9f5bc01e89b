package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/solvers"
)

// Colours of categories, after the palette of Okabe and Ito (Color Universal Design, 2008), which people with any
// kind of colour blindness can tell apart. They are the same on light and dark pages; neighbours are also parted by a
// line, and named in the legend and in the table of targets.
const (
	colorSat      = "#0072b2"
	colorUnsat    = "#e69f00"
	colorUnknown  = "#9aa0a6"
	colorNone     = "#dfe3e8"
	colorOK       = "#009e73"
	colorTimeout  = "#f0e442"
	colorMemory   = "#cc79a7"
	colorCrash    = "#d55e00"
	colorDeclined = "#56b4e9"
	colorRejected = "#3d3d3d"
	colorOther    = "#b4a7d6"
)

// figure is a plot with its caption; assets/plots.tmpl draws it.
type figure struct {
	Class, Caption, Sub string
	Lines               *linePlot
	Bars                *barPlot
	Note                string
	Data                *dataTable
}

// xy is a point of a curve.
type xy struct{ x, y float64 }

// curve is one line of a plot over time.
type curve struct {
	name, class string
	points      []xy
	area, steps bool
	dots        bool
}

// linePlot is a plot over time, and drawnCurve a line of it, with paths of SVG.
type linePlot struct {
	Label          string
	Top, Middle    string // of the vertical axis
	HalfTime, Time string
	Grid           []int
	Curves         []drawnCurve
}

type drawnCurve struct{ Name, Class, Path, Area, Dots string }

// ceilNice returns a round number that is no less than v and at least 1.
func ceilNice(v float64) float64 {
	if v <= 1 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 4, 5, 8, 10} {
		if f*unit >= v {
			return f * unit
		}
	}
	return 10 * unit
}

// overTime draws curves; xmax is the run time in seconds.
func overTime(label string, xmax float64, curves ...curve) *linePlot {
	ymax := 0.0
	for _, c := range curves {
		for _, p := range c.points {
			ymax = max(ymax, p.y)
		}
	}
	ymax = ceilNice(ymax)
	if curves[0].steps && ymax > 2 && math.Mod(ymax, 2) != 0 { // there is no half finding
		ymax++
	}
	xmax = max(xmax, 1e-9)
	plot := &linePlot{
		Label: label, Top: axis(ymax), Middle: axis(ymax / 2), HalfTime: duration(xmax / 2), Time: duration(xmax), Grid: []int{0, 50, 100},
	}
	for _, c := range curves {
		if len(c.points) == 0 {
			continue
		}
		drawn := drawnCurve{Name: c.name, Class: c.class, Path: path(c, xmax, ymax)}
		if c.area {
			drawn.Area = fmt.Sprintf("%sV100H%.1fZ", drawn.Path, 1000*c.points[0].x/xmax)
		}
		if c.dots {
			for _, p := range c.points[1 : len(c.points)-1] {
				drawn.Dots += fmt.Sprintf("M%.1f %.2fh0", 1000*p.x/xmax, 100-100*p.y/ymax)
			}
		}
		plot.Curves = append(plot.Curves, drawn)
	}
	return plot
}

func axis(v float64) string {
	if v == math.Trunc(v) {
		return number(uint64(v))
	}
	return fmt.Sprintf("%.1f", v)
}

// path writes the points of a curve.
func path(c curve, xmax, ymax float64) string {
	var b strings.Builder
	for i, p := range c.points {
		x, y := 1000*p.x/xmax, 100-100*p.y/ymax
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%.1f %.2f", x, y)
		case c.steps:
			fmt.Fprintf(&b, "H%.1fV%.2f", x, y)
		default:
			fmt.Fprintf(&b, "L%.1f %.2f", x, y)
		}
	}
	return b.String()
}

// maxRows bounds the rows of the table behind a plot.
const maxRows = 24

// dataTable is a plot as a table, for those who cannot see it.
type dataTable struct {
	ID, Caption string
	Head        []string
	Rows        [][]string
}

// newDataTable makes a table of some of the points of a plot.
func newDataTable(id, caption string, head []string, rows [][]string) *dataTable {
	if len(rows) > maxRows {
		var some [][]string
		for i := range maxRows {
			some = append(some, rows[i*(len(rows)-1)/(maxRows-1)])
		}
		rows = some
	}
	return &dataTable{id, caption, head, rows}
}

// plotRate draws the cases per second, measured between neighbouring points.
func plotRate(r *reportRun) *figure {
	var pts []xy
	var rows [][]string
	top := 0.0
	for i := range r.Points {
		p := &r.Points[i]
		was := metrics.Stats{}
		if i > 0 {
			was = r.Points[i-1]
		}
		if p.Elapsed-was.Elapsed < 0.5 { // the last point may come right after another
			continue
		}
		rate := float64(p.Cases-min(p.Cases, was.Cases)) / (p.Elapsed - was.Elapsed)
		top = max(top, rate)
		pts = append(pts, xy{p.Elapsed, rate})
		rows = append(rows, []string{duration(p.Elapsed), number(p.Cases), fmt.Sprintf("%.1f", rate)})
	}
	if len(pts) < 2 {
		return nil
	}
	s := r.Stats
	mean := 0.0
	if s.Elapsed > 0 {
		mean = float64(s.Cases) / s.Elapsed
	}
	sub := fmt.Sprintf("mean %.1f per second, at most %.1f", mean, top)
	line := curve{name: "cases per second", class: "line", points: smooth(pts), area: true}
	return &figure{
		Caption: "Cases per second", Sub: sub, Lines: overTime("Cases per second over time: "+sub, s.Elapsed, line),
		Data: newDataTable("d-rate", "Cases per second", []string{"run time", "cases", "per second"}, rows),
	}
}

// smoothed is the least number of points of a curve; neighbours beyond it are joined.
const smoothed = 240

// smooth joins neighbours of a long curve to their mean: more points than pixels are noise.
func smooth(pts []xy) []xy {
	k := len(pts) / smoothed
	if k < 2 {
		return pts
	}
	var out []xy
	for chunk := range slices.Chunk(pts, k) {
		var m xy
		for _, p := range chunk {
			m.x += p.x / float64(len(chunk))
			m.y += p.y / float64(len(chunk))
		}
		out = append(out, m)
	}
	return out
}

// plotFindings draws how many findings there were over time.
func plotFindings(r *reportRun) *figure {
	solid, flaky := []xy{{0, 0}}, []xy{{0, 0}}
	var rows [][]string
	for _, m := range r.Marks {
		to := &solid
		if m.What == "flaky" {
			to = &flaky
		}
		*to = append(*to, xy{m.Elapsed, float64(len(*to))})
		rows = append(rows, []string{duration(m.Elapsed), m.What, fmt.Sprint(m.Number), m.Summary})
	}
	nSolid, nFlaky := len(solid)-1, len(flaky)-1
	if nSolid+nFlaky == 0 {
		return &figure{Caption: "Findings over time", Sub: "none so far"}
	}
	end := r.Stats.Elapsed
	for _, m := range r.Marks {
		end = max(end, m.Elapsed)
	}
	solid, flaky = append(solid, xy{end, float64(nSolid)}), append(flaky, xy{end, float64(nFlaky)})
	curves := []curve{{name: "reproduced", class: "line", points: solid, steps: true, dots: true}}
	sub := fmt.Sprintf("%d reproduced", nSolid)
	if nFlaky > 0 {
		curves = append(curves, curve{name: "did not reproduce", class: "line2", points: flaky, steps: true})
		sub += fmt.Sprintf(", %d did not", nFlaky)
	}
	if last := r.Stats.Findings.Last; last > 0 {
		sub += "; the last new one at " + duration(last)
	}
	return &figure{
		Caption: "Findings over time", Sub: sub, Lines: overTime("Findings over time: "+sub, end, curves...),
		Data: newDataTable("d-findings", "Findings over time", []string{"run time", "what", "number", "summary"}, rows),
	}
}

// barPlot is a plot of bars, one a row.
type barPlot struct {
	Rows   []bar
	Ticks  []string // below the bars
	Values string   // what Bar.Value is of, beside the ticks
	Legend []legendEntry
}

type bar struct {
	Name, Label, Value string
	Style              string // of the bar: "" for stacked parts, thin or hist
	Rects              []rect
}

// rect is a part of a bar; places and sizes are in percent.
type rect struct {
	Class, X, Y, Width, Height string
	Fill, Title, Text, Ink     string
}

type legendEntry struct{ Name, Color string }

// track is the whole of a bar.
var track = rect{Class: "track", Width: "100%", Height: "100%"}

// places writes a place or a size with so many digits.
func places(percent float64, digits int) string { return fmt.Sprintf("%.*f%%", digits, percent) }

// segment is a part of a stacked bar.
type segment struct {
	name, color string
	n           uint64
}

// stacked draws a bar of segments. Segments of an eighth and more are named in it.
func stacked(name, value string, segs []segment) bar {
	total := uint64(0)
	for _, s := range segs {
		total += s.n
	}
	var said []string
	b := bar{Name: name, Value: value, Rects: []rect{track}}
	x := 0.0
	for _, s := range segs {
		if s.n == 0 {
			continue
		}
		said = append(said, fmt.Sprintf("%s %s", s.name, percent(s.n, total)))
		w := 100 * float64(s.n) / float64(total)
		part := rect{
			Class: "seg", X: places(x, 3), Width: places(w, 3), Height: "100%", Fill: s.color,
			Title: fmt.Sprintf("%s: %s (%s)", s.name, number(s.n), percent(s.n, total)),
		}
		if w >= 12.5 {
			part.Text, part.Ink = places(w, 0), inkOn(s.color)
		}
		b.Rects = append(b.Rects, part)
		x += w
	}
	b.Label = strings.Join(said, ", ")
	return b
}

// luminance is the relative luminance of a colour #rrggbb (WCAG 2.2).
func luminance(color string) float64 {
	var r, g, b int
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return 0
	}
	lin := func(v int) float64 {
		c := float64(v) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// contrast is the contrast ratio of two colours (WCAG 2.2).
func contrast(a, b string) float64 {
	l, m := luminance(a), luminance(b)
	return (max(l, m) + 0.05) / (min(l, m) + 0.05)
}

// inkOn returns black or white, whichever reads better on a colour.
func inkOn(color string) string {
	if contrast(color, "#000000") >= contrast(color, "#ffffff") {
		return "#000000"
	}
	return "#ffffff"
}

// answerSegments are the check-sats that a target was asked.
func answerSegments(t *metrics.TargetStats) []segment {
	none := t.Checks - min(t.Checks, t.Sat+t.Unsat+t.Unknown)
	return []segment{{"sat", colorSat, t.Sat}, {"unsat", colorUnsat, t.Unsat}, {"unknown", colorUnknown, t.Unknown}, {"no answer", colorNone, none}}
}

// endSegments are the runs of a target by how they ended.
func endSegments(t *metrics.TargetStats) []segment {
	return []segment{
		{"ended well", colorOK, t.Count(solvers.OK)},
		{"timeout", colorTimeout, t.Count(solvers.Timeout)},
		{"out of memory", colorMemory, t.Count(solvers.OutOfMemory)},
		{"crash", colorCrash, t.Count(solvers.Crash, solvers.Assertion)},
		{"declined", colorDeclined, t.Count(solvers.Refusal, solvers.Unsupported)},
		{"rejected", colorRejected, t.Count(solvers.ParseError)},
		{"other", colorOther, t.Count(solvers.SolverError, solvers.OutputLimit, solvers.Garbage, solvers.StartFailure, solvers.Killed)},
	}
}

// legendOf names the colours of the segments that occur.
func legendOf(rows [][]segment) (entries []legendEntry) {
	for i, s := range rows[0] {
		if slices.ContainsFunc(rows, func(r []segment) bool { return r[i].n > 0 }) {
			entries = append(entries, legendEntry{s.name, s.color})
		}
	}
	return entries
}

// plotMix draws the shares of the answers of each target, and of the ways its runs ended.
func plotMix(s *metrics.Stats) []*figure {
	one := func(id, caption, sub, unit string, segs func(*metrics.TargetStats) []segment) *figure {
		bars := &barPlot{}
		var rows [][]segment
		var table [][]string
		head := []string{"target"}
		for i := range s.Targets {
			t := &s.Targets[i]
			parts := segs(t)
			rows = append(rows, parts)
			line, total := []string{t.Name}, uint64(0)
			for _, p := range parts {
				if i == 0 {
					head = append(head, p.name)
				}
				line, total = append(line, number(p.n)), total+p.n
			}
			table = append(table, line)
			bars.Rows = append(bars.Rows, stacked(t.Name, number(total)+" "+unit, parts))
		}
		bars.Legend = legendOf(rows)
		return &figure{Class: "wide", Caption: caption, Sub: sub, Bars: bars, Data: newDataTable(id, caption, head, table)}
	}
	if len(s.Targets) == 0 {
		return nil
	}
	return []*figure{
		one("d-answers", "Answers by target", "of the check-sats that were sent to the target", "asked", answerSegments),
		one("d-ends", "How runs ended, by target", "declined: the target does not support the logic or an operator", "runs", endSegments),
	}
}

// maxYields bounds the bars of plotYields; the table of yields has them all.
const maxYields = 16

// yield is a bar of plotYields.
type yield struct {
	name string
	rate float64 // verdicts per 1000 cases
	t    *metrics.TechniqueStats
}

// plotYields draws the yields of techniques and mutators; if there are many mutators, only the most productive ones.
func plotYields(s *metrics.Stats) *figure {
	bars := func(list []metrics.TechniqueStats, prefix string) (out []yield) {
		for i := range list {
			t := &list[i]
			out = append(out, yield{prefix + t.Name, 1000 * float64(t.Verdicts) / float64(max(1, t.Cases)), t})
		}
		slices.SortStableFunc(out, func(a, b yield) int {
			return cmp.Or(cmp.Compare(b.t.Findings, a.t.Findings), cmp.Compare(b.rate, a.rate), cmp.Compare(b.t.Cases, a.t.Cases))
		})
		return out
	}
	all := append(bars(s.Techniques, ""), bars(s.Steps, "· ")...)
	if len(all) == 0 {
		return nil
	}
	shown := all[:min(len(all), maxYields)]
	top := 0.0
	for _, y := range shown {
		top = max(top, y.rate)
	}
	top = ceilNice(top)
	f := &figure{
		Class: "wide", Caption: "Yield by technique", Bars: &barPlot{},
		Sub: fmt.Sprintf("verdicts of oracles per 1000 cases, duplicates included; a full bar is %s; "+
			"names that begin with a dot are operators and mutators", axis(top)),
	}
	for _, y := range shown {
		findings := plural(int(y.t.Findings), "finding", "findings")
		text := fmt.Sprintf("%.2f per 1000 of %s cases, %s", y.rate, number(y.t.Cases), findings)
		f.Bars.Rows = append(f.Bars.Rows, bar{
			Name: y.name, Label: text, Value: text, Style: "thin",
			Rects: []rect{track, {Class: "fill", Width: places(100*y.rate/top, 3), Height: "100%"}},
		})
	}
	if n := len(all) - len(shown); n > 0 {
		f.Note = fmt.Sprintf("%d more are in the table of yields.", n)
	}
	return f
}

// plotLatency draws how long the runs of each target took.
func plotLatency(s *metrics.Stats) *figure {
	const buckets = 18
	bars := &barPlot{Ticks: []string{"≤ 1 ms", "≤ 64 ms", "≤ 2 s", "> 65 s"}, Values: "50 % · 90 % · 99 %"}
	var table [][]string
	for i := range s.Targets {
		t := &s.Targets[i]
		h := t.Latency
		if h.Total() == 0 {
			continue
		}
		half, most, nearlyAll := span(h.Quantile(0.5)), span(h.Quantile(0.9)), span(h.Quantile(0.99))
		b := bar{
			Name: t.Name, Label: fmt.Sprintf("half within %s, 90 %% within %s, 99 %% within %s", half, most, nearlyAll),
			Value: half + " · " + most + " · " + nearlyAll, Style: "hist",
		}
		line := []string{t.Name}
		top := slices.Max(h)
		for j := range buckets {
			n := uint64(0)
			if j < len(h) {
				n = h[j]
			}
			line = append(line, number(n))
			column := rect{Class: "track", X: places(100*float64(j)/buckets+0.2, 3), Y: "97%", Width: places(100.0/buckets-0.4, 3), Height: "3%"}
			b.Rects = append(b.Rects, column)
			if n == 0 {
				continue
			}
			// A single slow run must be seen beside a million fast ones.
			height := max(4, 97*float64(n)/float64(top))
			column.Class, column.Y, column.Height = "fill", places(100-height, 2), places(height, 2)
			column.Title = fmt.Sprintf("%s: %s of %s runs", bucket(j), number(n), number(h.Total()))
			b.Rects = append(b.Rects, column)
		}
		bars.Rows = append(bars.Rows, b)
		table = append(table, line)
	}
	if bars.Rows == nil {
		return nil
	}
	head := []string{"target"}
	for j := range buckets {
		head = append(head, bucket(j))
	}
	return &figure{
		Class: "wide", Caption: "How long runs took, by target", Bars: bars, Data: newDataTable("d-latency", "Runs by wall time", head, table),
		Sub: "each bar covers twice the time of the one before; its height is relative to the target's highest; right: percentiles",
	}
}

// bucket names an element of a histogram.
func bucket(i int) string {
	if bound, ok := metrics.HistogramBound(i); ok {
		return "≤ " + span(bound)
	}
	bound, _ := metrics.HistogramBound(i - 1)
	return "> " + span(bound)
}

// span writes a short time.
func span(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.0f ms", 1000*s)
	}
	return fmt.Sprintf("%.0f s", s)
}
