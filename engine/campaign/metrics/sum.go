package metrics

import (
	"errors"
	"math"
	"slices"

	"github.com/smtlark/smtlark/solvers"
)

// Sum adds up cases for which only their makers and the endings of their runs are reported.
type Sum struct {
	Made    []Made        `json:"made"`
	Targets []TargetStats `json:"targets"` // without names
}

// Made is cases that the same technique made in the same steps.
type Made struct {
	Technique string   `json:"technique,omitempty"` // empty: that of the plan
	Steps     []string `json:"steps,omitempty"`
	Repeat    bool     `json:"repeat,omitempty"`
	Cases     uint64   `json:"cases"`
	Make      int64    `json:"make"` // microseconds
}

// Cases is the number of cases.
func (s *Sum) Cases() (n uint64) {
	for i := range s.Made {
		more := s.Made[i].Cases
		if n+more < n { // nobody makes so many
			return math.MaxUint64
		}
		n += more
	}
	return n
}

// maxChecks bounds the answers of one run, and maxSeconds its time: a worker that reports more is not believed.
const (
	maxChecks  = 1 << 24
	maxSeconds = 1 << 20
)

// isPossible reports whether runs can have such a result.
func (t *TargetStats) isPossible(cases uint64) bool {
	most := float64(t.Runs+1) * maxSeconds
	if t.Runs > cases || !(t.CPU >= 0 && t.CPU <= most) || !(t.Wall >= 0 && t.Wall <= most) { // nor is NaN
		return false
	}
	for _, n := range []uint64{t.Asked, t.Sat, t.Unsat, t.Unknown, t.NoAnswer, t.Checks} {
		if n > (t.Runs+1)*maxChecks {
			return false
		}
	}
	for _, n := range t.Classes {
		if n > t.Runs {
			return false
		}
	}
	for _, n := range t.Latency {
		if n > t.Runs {
			return false
		}
	}
	return true
}

// Add adds cases with their runs in short form; the error is about these.
func (s *Sum) Add(m *Made, runs string, targets int) error {
	all, err := ParseRunCodes(runs, targets)
	if err != nil {
		return err
	}
	if s.Targets == nil {
		s.Targets = make([]TargetStats, targets)
		for i := range s.Targets {
			s.Targets[i].Classes = map[string]uint64{}
		}
	}
	for i := range all {
		if all[i].Class != solvers.Invalid {
			s.Targets[i].AddRun(&all[i])
		}
	}
	at := slices.IndexFunc(s.Made, func(o Made) bool {
		return o.Technique == m.Technique && o.Repeat == m.Repeat && slices.Equal(o.Steps, m.Steps)
	})
	if at < 0 {
		s.Made = append(s.Made, *m)
		return nil
	}
	s.Made[at].Cases += m.Cases
	s.Made[at].Make += m.Make
	return nil
}

var errSum = errors.New("a sum that cannot be")

// AddSum counts cases that were summed up by a worker. The error says that these are no sums of these targets.
func (s *Stats) AddSum(sum *Sum) error {
	known := map[string]bool{}
	for _, c := range solvers.Classes() {
		known[c.String()] = true
	}
	if len(sum.Targets) != len(s.Targets) {
		return errSum
	}
	for i := range sum.Targets {
		t := &sum.Targets[i]
		if len(t.Latency) > histogramSize || !t.isPossible(sum.Cases()) {
			return errSum
		}
		for class := range t.Classes {
			if !known[class] {
				return errSum
			}
		}
	}
	for i := range sum.Targets {
		s.Targets[i].join(&sum.Targets[i])
	}
	for i := range sum.Made {
		m := &sum.Made[i]
		s.addMade(&CaseMade{Technique: m.Technique, Steps: m.Steps, Repeat: m.Repeat, Seconds: float64(m.Make) / 1e6}, m.Cases)
	}
	return nil
}

// join adds the runs of another one.
func (t *TargetStats) join(o *TargetStats) {
	t.Runs += o.Runs
	t.Asked += o.Asked
	t.Sat += o.Sat
	t.Unsat += o.Unsat
	t.Unknown += o.Unknown
	t.NoAnswer += o.NoAnswer
	t.Checks += o.Checks
	t.CPU += o.CPU
	t.Wall += o.Wall
	for class, n := range o.Classes {
		t.Classes[class] += n
	}
	for len(t.Latency) < len(o.Latency) {
		t.Latency = append(t.Latency, 0)
	}
	for i, n := range o.Latency {
		t.Latency[i] += n
	}
	t.updateDecided()
}
