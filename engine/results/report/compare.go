package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// compareVersion is the version of the format of `smtlark compare --format json`.
const compareVersion = 1

// Comparison compares two runs. The tag help explains a field; docs/schema/compare.json is generated from the tags.
type Comparison struct {
	Version    int          `json:"version" help:"version of this format"`
	A          string       `json:"a" help:"folder of the first run"`
	B          string       `json:"b" help:"folder of the second run"`
	Numbers    []twoNumbers `json:"numbers" help:"of the runs as a whole"`
	Targets    []twoNumbers `json:"targets" help:"of each target: runs, decided, seconds for a run"`
	Techniques []twoNumbers `json:"techniques" help:"of each technique and mutator: cases, verdicts for 1000 cases, findings"`
	OnlyA      []pointMark  `json:"only_a" help:"findings that only the first run has"`
	OnlyB      []pointMark  `json:"only_b" help:"findings that only the second run has"`
	Both       []pointMark  `json:"both" help:"findings of both, as in the second run"`
	Slower     float64      `json:"slower" help:"by which fraction of the first run's cases per second the second is slower; negative when it is faster"`
}

// twoNumbers is a number of two runs. A run that has no such number has null.
type twoNumbers struct {
	Of   string   `json:"of,omitempty" help:"target or technique"`
	Name string   `json:"name" help:"what it is"`
	Unit string   `json:"unit,omitempty" help:"s, /s, share, or none for counts"`
	A    *float64 `json:"a" help:"of the first run"`
	B    *float64 `json:"b" help:"of the second run"`
}

// Compare compares two runs.
func Compare(a, b *Data) (*Comparison, error) {
	for _, d := range []*Data{a, b} {
		if d.Run == nil {
			return nil, fmt.Errorf("%s: there is no run", d.Folder)
		}
	}
	sa, sb := a.Run.Stats, b.Run.Stats
	c := &Comparison{Version: compareVersion, A: a.Run.Dir, B: b.Run.Dir}
	add := func(list *[]twoNumbers, of, name, unit string, va, vb float64, hasA, hasB bool) {
		n := twoNumbers{Of: of, Name: name, Unit: unit}
		if hasA {
			n.A = &va
		}
		if hasB {
			n.B = &vb
		}
		*list = append(*list, n)
	}
	mean := func(s *metrics.Stats) float64 { return float64(s.Cases) / max(s.Elapsed, 1e-9) }
	for _, n := range []struct {
		name, unit string
		of         func(*metrics.Stats) float64
	}{
		{"cases", "", func(s *metrics.Stats) float64 { return float64(s.Cases) }},
		{"run time", "s", func(s *metrics.Stats) float64 { return s.Elapsed }},
		{"cases per second", "/s", mean},
		{"skipped", "", func(s *metrics.Stats) float64 { return float64(s.Skipped) }},
		{"new findings", "", func(s *metrics.Stats) float64 { return float64(s.Findings.New) }},
		{"known findings", "", func(s *metrics.Stats) float64 { return float64(s.Findings.Known) }},
		{"flaky findings", "", func(s *metrics.Stats) float64 { return float64(s.Findings.Flaky) }},
		{"duplicates", "", func(s *metrics.Stats) float64 { return float64(s.Findings.Duplicates) }},
		{"smtlark's own share of the CPU time", "share", func(s *metrics.Stats) float64 { return s.CPU.EngineShare }},
	} {
		add(&c.Numbers, "", n.name, n.unit, n.of(sa), n.of(sb), true, true)
	}
	for _, name := range names(sa.Targets, sb.Targets, func(t metrics.TargetStats) string { return t.Name }) {
		ta, okA := named(sa.Targets, name, func(t metrics.TargetStats) string { return t.Name })
		tb, okB := named(sb.Targets, name, func(t metrics.TargetStats) string { return t.Name })
		add(&c.Targets, name, "runs", "", float64(ta.Runs), float64(tb.Runs), okA, okB)
		add(&c.Targets, name, "decided", "share", ta.Decided, tb.Decided, okA, okB)
		add(&c.Targets, name, "time for a run", "s", ta.Wall/float64(max(1, ta.Asked)), tb.Wall/float64(max(1, tb.Asked)), okA, okB)
	}
	techniqueName := func(t metrics.TechniqueStats) string { return t.Name }
	for _, lists := range [][2][]metrics.TechniqueStats{{sa.Techniques, sb.Techniques}, {sa.Steps, sb.Steps}} {
		for _, name := range names(lists[0], lists[1], techniqueName) {
			ta, okA := named(lists[0], name, techniqueName)
			tb, okB := named(lists[1], name, techniqueName)
			// For as many cases, since the runs need not have the same length.
			yield := func(t metrics.TechniqueStats) float64 { return 1000 * float64(t.Verdicts) / float64(max(1, t.Cases)) }
			add(&c.Techniques, name, "cases", "", float64(ta.Cases), float64(tb.Cases), okA, okB)
			add(&c.Techniques, name, "verdicts for 1000 cases", "", yield(ta), yield(tb), okA, okB)
			add(&c.Techniques, name, "findings", "", float64(ta.Findings), float64(tb.Findings), okA, okB)
		}
	}
	c.findings(met(a), met(b))
	if m := mean(sa); m > 0 {
		c.Slower = 1 - mean(sb)/m
	}
	return c, nil
}

// names lists the names of both lists in their order.
func names[T any](a, b []T, name func(T) string) (out []string) {
	for _, e := range slices.Concat(a, b) {
		if n := name(e); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func named[T any](list []T, want string, name func(T) string) (found T, ok bool) {
	i := slices.IndexFunc(list, func(e T) bool { return name(e) == want })
	if i < 0 {
		return found, false
	}
	return list[i], true
}

// met lists the findings of a run that reproduced, each once, with its signature.
func met(d *Data) []pointMark {
	var out []pointMark
	for _, m := range d.Run.Marks {
		for i := range d.Findings {
			f := &d.Findings[i]
			if m.Number == f.Number && f.Flaky == (m.What == "flaky") {
				m.Signature, m.Kind = f.Signature.Key, f.Verdict.Kind // a signature may have been refined since
			}
		}
		if m.What != "flaky" && !slices.ContainsFunc(out, func(o pointMark) bool { return same(o, m) }) {
			out = append(out, m)
		}
	}
	return out
}

func same(a, b pointMark) bool {
	if a.Signature == "" || b.Signature == "" {
		return a.Summary == b.Summary
	}
	return a.Signature == b.Signature
}

func (c *Comparison) findings(a, b []pointMark) {
	c.OnlyA, c.OnlyB, c.Both = []pointMark{}, []pointMark{}, []pointMark{}
	for _, m := range a {
		if !slices.ContainsFunc(b, func(o pointMark) bool { return same(o, m) }) {
			c.OnlyA = append(c.OnlyA, m)
		}
	}
	for _, m := range b {
		if slices.ContainsFunc(a, func(o pointMark) bool { return same(o, m) }) {
			c.Both = append(c.Both, m)
		} else {
			c.OnlyB = append(c.OnlyB, m)
		}
	}
}

// Text writes the comparison for people.
func (c *Comparison) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "A: %s\nB: %s\n\n", display.Text(c.A), display.Text(c.B))
	rows := [][]string{{"", "A", "B", "change"}}
	for _, n := range c.Numbers {
		rows = append(rows, []string{n.Name, n.value(n.A), n.value(n.B), n.change()})
	}
	table := func(rows [][]string) {
		for _, l := range align(rows) {
			b.WriteString(strings.TrimRight(l, " ") + "\n")
		}
	}
	table(rows)
	for _, part := range []struct {
		name string
		list []twoNumbers
	}{{"target", c.Targets}, {"technique or mutator", c.Techniques}} {
		if len(part.list) == 0 {
			continue
		}
		rows := [][]string{{part.name, "A", "B", "change"}}
		last := ""
		for _, n := range part.list {
			if of := display.Text(n.Of); of != last {
				rows, last = append(rows, []string{of, "", "", ""}), of
			}
			rows = append(rows, []string{"  " + n.Name, n.value(n.A), n.value(n.B), n.change()})
		}
		b.WriteString("\n")
		table(rows)
	}
	for _, part := range []struct {
		name string
		list []pointMark
	}{{"findings of both", c.Both}, {"only in A", c.OnlyA}, {"only in B", c.OnlyB}} {
		fmt.Fprintf(&b, "\n%s: %d\n", part.name, len(part.list))
		for _, m := range part.list {
			fmt.Fprintf(&b, "  %d at %s  %s\n", m.Number, duration(m.Elapsed), display.Text(display.Clip(m.Summary, 200)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (n *twoNumbers) value(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case n.Unit == "share":
		return fmt.Sprintf("%.1f%%", 100**v)
	case n.Unit == "s" && *v >= 60:
		return duration(*v)
	case n.Unit == "s":
		return fmt.Sprintf("%.4f s", *v)
	case *v == float64(uint64(max(0, *v))):
		return number(uint64(*v))
	}
	return fmt.Sprintf("%.2f", *v)
}

func (n *twoNumbers) change() string {
	switch {
	case n.A == nil || n.B == nil || *n.A == *n.B:
		return ""
	case n.Unit == "share":
		return fmt.Sprintf("%+.1f points", 100*(*n.B-*n.A))
	case *n.A == 0:
		return ""
	}
	return fmt.Sprintf("%+.1f%%", 100*(*n.B / *n.A - 1))
}
