package metrics

import (
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// addWarnings adds warnings about problems with a technique or a mutator.
func (t *TechniqueStats) addWarnings(out *warnings, what string) {
	if n := t.Repeats; t.Cases >= enoughRuns && float64(n) > mostRuns*float64(t.Cases) {
		out.add("%s %s makes the same cases again: %.0f %% of its cases were there before; more seeds, or more kinds of changes, make new ones", what, t.Name, 100*float64(n)/float64(t.Cases))
	}
}

// TechniqueStats has the yield of a technique or a mutator. A case counts for its technique and for each of the
// mutators that took part in it.
type TechniqueStats struct {
	Name     string  `json:"name" help:"of the technique or the mutator"`
	Cases    uint64  `json:"cases" metric:"counter" help:"cases made with it, run and judged"`
	Skipped  uint64  `json:"skipped" metric:"counter" help:"cases it did not make"`
	Repeats  uint64  `json:"repeats" metric:"counter" help:"cases that the same worker had run before"`
	Verdicts uint64  `json:"verdicts" metric:"counter" help:"verdicts about its cases"`
	Findings uint64  `json:"findings" metric:"counter" help:"new findings that its cases led to"`
	Last     float64 `json:"last" metric:"gauge" unit:"s" help:"run time at the last of these findings"`
	Edges    uint64  `json:"edges" metric:"counter" help:"edges of solvers that its cases were the first to take"`
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

// Bounds on the techniques that are counted separately.
const (
	maxTechniques = 100
	maxNameBytes  = 80
)

// manyNames counts everything that has no entry of its own.
const manyNames = "others"

// countersOf returns the counters of a name; they are made when it is new.
func countersOf(list *[]TechniqueStats, name string) *TechniqueStats {
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

// CaseMade names the makers of a case and its results.
type CaseMade struct {
	Technique string // "": that of the plan
	Steps     []string
	Repeat    bool // it was there before
	Verdicts  int
	Seconds   float64 // that it took to make it
}

// maxReasons bounds the reasons by which skips are counted.
const maxReasons = 100

// StepNames returns the names of the mutators in the steps of a case, each once. A step consists of a name and,
// optionally, details.
func StepNames(steps []string) []string {
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

// eachCounter calls f for the counters of a technique and of some mutators.
func (s *Stats) eachCounter(name string, steps []string, f func(*TechniqueStats)) {
	if name == "" {
		name = s.Technique
	}
	if name != "" {
		f(countersOf(&s.Techniques, name))
	}
	for _, step := range steps {
		f(countersOf(&s.Steps, step))
	}
}

// AddCase counts a case and its verdicts.
func (s *Stats) AddCase(m CaseMade) { s.addMade(&m, 1) }

// addMade counts so many cases, whose verdicts and seconds are those of all of them.
func (s *Stats) addMade(m *CaseMade, cases uint64) {
	s.Cases += cases
	s.MakeTime += m.Seconds
	s.eachCounter(m.Technique, m.Steps, func(t *TechniqueStats) {
		t.Cases += cases
		if m.Repeat {
			t.Repeats += cases
		}
		t.Verdicts += uint64(m.Verdicts)
		t.MakeTime += m.Seconds
	})
}

// AddSkip counts a case that was not made, and returns the reason that it is counted by.
func (s *Stats) AddSkip(reason string) string {
	if reason == "" {
		reason = "no reason given"
	}
	if _, ok := s.SkippedBy[reason]; !ok && len(s.SkippedBy) >= maxReasons {
		reason = "other reasons"
	}
	s.Skipped++
	s.SkippedBy[reason]++
	s.eachCounter("", nil, func(t *TechniqueStats) { t.Skipped++ })
	return reason
}

// AddFound counts a new finding, for what made its case, too; at is the run time in seconds.
func (s *Stats) AddFound(o *testcase.Origin, at float64) {
	s.Findings.New++
	s.Findings.Last = at
	s.eachCounter(o.Technique, StepNames(o.Steps), func(t *TechniqueStats) {
		t.Findings++
		t.Last = at
	})
}

// LastFound returns the run time in seconds of the last new finding of a technique, "" for any; 0 where there is none.
func (s *Stats) LastFound(technique string) float64 {
	if technique == "" {
		return s.Findings.Last
	}
	i := slices.IndexFunc(s.Techniques, func(t TechniqueStats) bool { return t.Name == technique })
	if i < 0 {
		return 0
	}
	return s.Techniques[i].Last
}
