package campaign

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// TechniqueStats says what a technique, or a mutator, yielded. A case counts for its technique and for each of the
// mutators that took part in it.
type TechniqueStats struct {
	Name     string  `json:"name" help:"of the technique or the mutator"`
	Cases    uint64  `json:"cases" metric:"counter" help:"cases made with it, run and judged"`
	Skipped  uint64  `json:"skipped" metric:"counter" help:"cases it did not make"`
	Repeats  uint64  `json:"repeats" metric:"counter" help:"cases that the same worker had run before"`
	Verdicts uint64  `json:"verdicts" metric:"counter" help:"verdicts about its cases"`
	Findings uint64  `json:"findings" metric:"counter" help:"new findings that its cases led to"`
	MakeTime float64 `json:"make_time" metric:"counter" unit:"s" help:"time spent making its cases"`
}

// Histogram counts durations by powers of two: element i those of at most 2^i milliseconds that are no less than the
// element before, the last element all that are longer. Zeros at the end are left out.
type Histogram []uint64

// histogramSize is one more than the number of bounds: 1 ms to 65.536 s.
const histogramSize = 18

// HistogramBound returns the upper bound of element i in seconds; ok is false for the last one, which has none.
func HistogramBound(i int) (seconds float64, ok bool) {
	return float64(uint64(1)<<i) / 1000, i < histogramSize-1
}

func (h *Histogram) add(d time.Duration) {
	i := 0
	for i < histogramSize-1 && d > time.Millisecond<<i {
		i++
	}
	for len(*h) <= i {
		*h = append(*h, 0)
	}
	(*h)[i]++
}

// Total is the number of durations.
func (h Histogram) Total() (n uint64) {
	for _, c := range h {
		n += c
	}
	return n
}

// Quantile returns an upper bound of the q-quantile in seconds, the bound of the element that has it: at most twice
// the true value. Without durations it is 0; for the last element, which has no bound, it is the bound before.
func (h Histogram) Quantile(q float64) float64 {
	rest := q * float64(h.Total())
	for i, c := range h {
		if rest -= float64(c); rest <= 0 && c > 0 {
			bound, ok := HistogramBound(i)
			if !ok {
				bound, _ = HistogramBound(i - 1)
			}
			return bound
		}
	}
	return 0
}

// Bounds on what is told apart.
const (
	maxTechniques = 100
	maxNameBytes  = 80
)

// manyNames counts what has no place of its own.
const manyNames = "others"

// technique returns the counters of a name; they are made when it is new.
func technique(list *[]TechniqueStats, name string) *TechniqueStats {
	if len(name) > maxNameBytes {
		name = strings.ToValidUTF8(name[:maxNameBytes], "")
	}
	i := slices.IndexFunc(*list, func(t TechniqueStats) bool { return t.Name == name })
	if i < 0 && len(*list) >= maxTechniques {
		name = manyNames
		i = slices.IndexFunc(*list, func(t TechniqueStats) bool { return t.Name == name })
	}
	if i < 0 {
		i = len(*list)
		*list = append(*list, TechniqueStats{Name: name})
	}
	return &(*list)[i]
}

// yields calls f for the counters of a technique and of some mutators.
func (s *Stats) yields(name string, steps []string, f func(*TechniqueStats)) {
	if name == "" {
		name = s.Technique
	}
	if name != "" {
		f(technique(&s.Techniques, name))
	}
	for _, step := range steps {
		f(technique(&s.Steps, step))
	}
}

// addYield counts a case and its verdicts.
func (s *Stats) addYield(r *report) {
	s.yields(r.Technique, r.Steps, func(t *TechniqueStats) {
		t.Cases++
		if r.Repeat {
			t.Repeats++
		}
		t.Verdicts += uint64(len(r.Verdicts))
		t.MakeTime += float64(r.Make) / 1e6
	})
}

// addFound counts a new finding for what made its case.
func (s *Stats) addFound(o *testcase.Origin) {
	s.yields(o.Technique, stepNames(o.Steps), func(t *TechniqueStats) { t.Findings++ })
}

// stepNames returns the names of the mutators in the steps of a case, each once: a step is a name and perhaps what was
// done in detail.
func stepNames(steps []string) []string {
	var out []string
	for _, s := range steps {
		if s == "" {
			continue
		}
		if i := strings.IndexAny(s[1:], " (:"); i >= 0 { // the name may be an operator, such as =
			s = s[:i+1]
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// yield notes in a worker's report what made the case. The technique is left out where it is that of the plan.
func (w *worker) yield(r *report, c *testcase.Case) {
	if c.Origin.Technique != w.plan.Technique.Name() {
		r.Technique = c.Origin.Technique
	}
	r.Steps = stepNames(c.Origin.Steps)
}

// appendYield adds the fields of yield to a report that is written by hand.
func (r *report) appendYield(b []byte) []byte {
	if r.Repeat {
		b = append(b, `,"repeat":true`...)
	}
	if r.Technique != "" {
		b = append(b, `,"technique":`...)
		b = appendString(b, r.Technique)
	}
	for i, s := range r.Steps {
		if i == 0 {
			b = append(b, `,"steps":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendString(b, s)
		if i == len(r.Steps)-1 {
			b = append(b, ']')
		}
	}
	return b
}

func appendString(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil { // not possible for strings
		return strconv.AppendQuote(b, "")
	}
	return append(b, text...)
}

// repeats remembers the latest cases of a worker by their hash. Its seed differs from process to process, which shows
// nowhere: hashes are only compared.
type repeats struct {
	seed     maphash.Seed
	now, old map[uint64]struct{}
}

// repeatsKept is how many cases are remembered at least.
const repeatsKept = 1 << 16

// seen reports whether a case was there before, and remembers it.
func (p *repeats) seen(q *solvers.Query) bool {
	if p.now == nil {
		p.seed, p.now = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	var h maphash.Hash
	h.SetSeed(p.seed)
	for i := range q.Commands {
		h.WriteString(q.Commands[i].Text)
		h.WriteByte('\n')
	}
	sum := h.Sum64()
	_, here := p.now[sum]
	_, there := p.old[sum]
	if here || there {
		return true
	}
	if len(p.now) >= repeatsKept {
		p.old, p.now = p.now, map[uint64]struct{}{}
	}
	p.now[sum] = struct{}{}
	return false
}
