package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers"
)

// The plots are SVG without text in stretched parts: a curve is drawn in a box of 1000 by 100 that the page stretches to
// its width (vector-effect keeps lines thin), bars have their places in percent, and all text is HTML beside them or SVG
// text that is not stretched. So one drawing serves a wide screen, a phone and paper, and text keeps its size.

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

// esc makes text from anywhere fit for HTML.
func esc(s string) string { return html.EscapeString(display.Text(s)) }

// figure frames a plot.
func figure(class, caption, sub, body string) template.HTML {
	if class != "" {
		class = fmt.Sprintf(" class=%q", class)
	}
	if sub != "" {
		sub = "<span>" + esc(sub) + "</span>"
	}
	return template.HTML("<figure" + class + "><figcaption>" + esc(caption) + sub + "</figcaption>" + body + "</figure>\n")
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
func overTime(label string, xmax float64, curves ...curve) string {
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
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="plot"><div class="y" aria-hidden="true"><span>%s</span><span>%s</span><span>0</span></div>`, axis(ymax), axis(ymax/2))
	fmt.Fprintf(&b, `<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="%s">`, esc(label))
	for _, y := range []int{0, 50, 100} {
		fmt.Fprintf(&b, `<path class="grid" vector-effect="non-scaling-stroke" d="M0 %dH1000"/>`, y)
	}
	for _, c := range curves {
		if len(c.points) == 0 {
			continue
		}
		d := path(c, xmax, ymax)
		if c.area {
			fmt.Fprintf(&b, `<path class="area" d="%sV100H%.1fZ"/>`, d, 1000*c.points[0].x/xmax)
		}
		fmt.Fprintf(&b, `<path class="%s" vector-effect="non-scaling-stroke" d="%s"/>`, c.class, d)
		if c.dots {
			b.WriteString(`<path class="dot" vector-effect="non-scaling-stroke" d="`)
			for _, p := range c.points[1 : len(c.points)-1] {
				fmt.Fprintf(&b, "M%.1f %.2fh0", 1000*p.x/xmax, 100-100*p.y/ymax)
			}
			b.WriteString(`"/>`)
		}
	}
	fmt.Fprintf(&b, `</svg><div class="x" aria-hidden="true"><span>0</span><span>%s</span><span>%s</span></div></div>`, duration(xmax/2), duration(xmax))
	if len(curves) > 1 {
		b.WriteString(`<ul class="legend">`)
		for _, c := range curves {
			fmt.Fprintf(&b, `<li><svg viewBox="0 0 28 16" aria-hidden="true"><path class="%s" d="M0 8H28"/></svg>%s</li>`, c.class, esc(c.name))
		}
		b.WriteString(`</ul>`)
	}
	return b.String()
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

// dataTable is the plot as a table, for those who cannot see it: some of the points.
func dataTable(id, caption string, head []string, rows [][]string) string {
	if len(rows) > maxRows {
		var some [][]string
		for i := range maxRows {
			some = append(some, rows[i*(len(rows)-1)/(maxRows-1)])
		}
		rows = some
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<details id="%s"><summary>As a table</summary><div class="scroll" id="s-%s" tabindex="0" role="region" aria-label="%s"><table><caption>%s</caption><thead><tr>`, id, id, esc(caption), esc(caption))
	for _, h := range head {
		fmt.Fprintf(&b, `<th scope="col" class="n">%s</th>`, esc(h))
	}
	b.WriteString("</tr></thead><tbody>")
	for _, r := range rows {
		b.WriteString("<tr>")
		for _, c := range r {
			fmt.Fprintf(&b, `<td class="n">%s</td>`, esc(c))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table></div></details>")
	return b.String()
}

// plotRate draws the cases per second, measured between neighbouring points.
func plotRate(r *reportRun) template.HTML {
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
		return ""
	}
	s := r.Stats
	mean := 0.0
	if s.Elapsed > 0 {
		mean = float64(s.Cases) / s.Elapsed
	}
	sub := fmt.Sprintf("mean %.1f per second, at most %.1f", mean, top)
	return figure("", "Cases per second", sub, overTime("Cases per second over time: "+sub, s.Elapsed, curve{name: "cases per second", class: "line", points: smooth(pts), area: true})+
		dataTable("d-rate", "Cases per second", []string{"run time", "cases", "per second"}, rows))
}

// smoothed is how many points a curve keeps at least before neighbours are joined.
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
func plotFindings(r *reportRun) template.HTML {
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
		return figure("", "Findings over time", "none so far", "")
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
	return figure("", "Findings over time", sub, overTime("Findings over time: "+sub, end, curves...)+
		dataTable("d-findings", "Findings over time", []string{"run time", "what", "number", "summary"}, rows))
}

// segment is a part of a stacked bar.
type segment struct {
	name, color string
	n           uint64
}

// stacked draws a bar of segments. Segments of an eighth and more are named in it.
func stacked(label string, segs []segment) string {
	total := uint64(0)
	for _, s := range segs {
		total += s.n
	}
	var b strings.Builder
	var said []string
	for _, s := range segs {
		if s.n > 0 {
			said = append(said, fmt.Sprintf("%s %s", s.name, percent(s.n, total)))
		}
	}
	fmt.Fprintf(&b, `<svg role="img" aria-label="%s"><rect class="track" width="100%%" height="100%%"/>`, esc(label+": "+strings.Join(said, ", ")))
	x := 0.0
	for _, s := range segs {
		if s.n == 0 {
			continue
		}
		w := 100 * float64(s.n) / float64(total)
		fmt.Fprintf(&b, `<rect class="seg" x="%.3f%%" width="%.3f%%" height="100%%" fill="%s"><title>%s</title></rect>`, x, w, s.color, esc(fmt.Sprintf("%s: %s (%s)", s.name, number(s.n), percent(s.n, total))))
		if w >= 12.5 {
			fmt.Fprintf(&b, `<text x="%.3f%%" dx="4" y="50%%" dominant-baseline="central" fill="%s">%.0f%%</text>`, x, inkOn(s.color), w)
		}
		x += w
	}
	b.WriteString("</svg>")
	return b.String()
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

// legend names the colours of the segments that occur.
func legend(rows [][]segment) string {
	var b strings.Builder
	b.WriteString(`<ul class="legend">`)
	for i, s := range rows[0] {
		if !slices.ContainsFunc(rows, func(r []segment) bool { return r[i].n > 0 }) {
			continue
		}
		fmt.Fprintf(&b, `<li><svg viewBox="0 0 28 16" aria-hidden="true"><rect width="28" height="16" fill="%s" stroke="#777"/></svg>%s</li>`, s.color, esc(s.name))
	}
	b.WriteString("</ul>")
	return b.String()
}

// plotMix draws what the targets answered and how their runs ended.
func plotMix(s *metrics.Stats) []template.HTML {
	one := func(id, caption, sub, unit string, segs func(*metrics.TargetStats) []segment) template.HTML {
		var b strings.Builder
		var rows [][]segment
		var table [][]string
		head := []string{"target"}
		b.WriteString(`<dl class="bars">`)
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
			fmt.Fprintf(&b, `<dt>%s</dt><dd class="b">%s</dd><dd class="v">%s</dd>`, esc(t.Name), stacked(t.Name, parts), number(total)+" "+unit)
		}
		b.WriteString("</dl>" + legend(rows))
		return figure("wide", caption, sub, b.String()+dataTable(id, caption, head, table))
	}
	if len(s.Targets) == 0 {
		return nil
	}
	return []template.HTML{
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

// plotYields draws what techniques and mutators yielded, the most productive mutators only where there are many.
func plotYields(s *metrics.Stats) template.HTML {
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
		return ""
	}
	shown := all[:min(len(all), maxYields)]
	top := 0.0
	for _, y := range shown {
		top = max(top, y.rate)
	}
	top = ceilNice(top)
	var b strings.Builder
	b.WriteString(`<dl class="bars">`)
	for _, y := range shown {
		text := fmt.Sprintf("%.2f per 1000 of %s cases, %s", y.rate, number(y.t.Cases), plural(int(y.t.Findings), "finding", "findings"))
		fmt.Fprintf(&b, `<dt>%s</dt><dd class="b thin"><svg role="img" aria-label="%s"><rect class="track" width="100%%" height="100%%"/><rect class="fill" width="%.3f%%" height="100%%"/></svg></dd><dd class="v">%s</dd>`,
			esc(y.name), esc(y.name+": "+text), 100*y.rate/top, esc(text))
	}
	b.WriteString("</dl>")
	if n := len(all) - len(shown); n > 0 {
		fmt.Fprintf(&b, `<p class="soft">%d more are in the table of yields.</p>`, n)
	}
	return figure("wide", "Yield by technique", fmt.Sprintf("verdicts of oracles per 1000 cases, duplicates included; a full bar is %s; names that begin with a dot are operators and mutators", axis(top)), b.String())
}

// plotLatency draws how long the runs of each target took.
func plotLatency(s *metrics.Stats) template.HTML {
	const bars = 18
	var b strings.Builder
	var table [][]string
	some := false
	b.WriteString(`<dl class="bars">`)
	for i := range s.Targets {
		t := &s.Targets[i]
		h := t.Latency
		if h.Total() == 0 {
			continue
		}
		some = true
		top := slices.Max(h)
		text := fmt.Sprintf("half within %s, 90 %% within %s, 99 %% within %s", span(h.Quantile(0.5)), span(h.Quantile(0.9)), span(h.Quantile(0.99)))
		fmt.Fprintf(&b, `<dt>%s</dt><dd class="b hist"><svg role="img" aria-label="%s"><path class="grid" d="M0 0"/>`, esc(t.Name), esc(t.Name+": "+text))
		line := []string{t.Name}
		for j := range bars {
			n := uint64(0)
			if j < len(h) {
				n = h[j]
			}
			line = append(line, number(n))
			fmt.Fprintf(&b, `<rect class="track" x="%.3f%%" y="97%%" width="%.3f%%" height="3%%"/>`, 100*float64(j)/bars+0.2, 100.0/bars-0.4)
			if n == 0 {
				continue
			}
			// A single slow run must be seen beside a million fast ones.
			height := max(4, 97*float64(n)/float64(top))
			fmt.Fprintf(&b, `<rect class="fill" x="%.3f%%" y="%.2f%%" width="%.3f%%" height="%.2f%%"><title>%s</title></rect>`,
				100*float64(j)/bars+0.2, 100-height, 100.0/bars-0.4, height, esc(fmt.Sprintf("%s: %s of %s runs", bucket(j), number(n), number(h.Total()))))
		}
		table = append(table, line)
		fmt.Fprintf(&b, `</svg></dd><dd class="v">%s · %s · %s</dd>`, span(h.Quantile(0.5)), span(h.Quantile(0.9)), span(h.Quantile(0.99)))
	}
	if !some {
		return ""
	}
	b.WriteString(`<dt></dt><dd class="b ticks" aria-hidden="true"><span>≤ 1 ms</span><span>≤ 64 ms</span><span>≤ 2 s</span><span>&gt; 65 s</span></dd><dd class="v">50 % · 90 % · 99 %</dd></dl>`)
	head := []string{"target"}
	for j := range bars {
		head = append(head, bucket(j))
	}
	return figure("wide", "How long runs took, by target", "each bar covers twice the time of the one before; its height is relative to the target's highest; right: percentiles", b.String()+
		dataTable("d-latency", "Runs by wall time", head, table))
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
