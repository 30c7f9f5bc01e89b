package metrics

import (
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
)

// Tally counts in how many of some cases an operator is: how much it says that two reduced cases share it.
type Tally struct {
	Cases uint64            `json:"cases"`
	With  map[string]uint64 `json:"with"`
}

const (
	FirstTallied = 64 // cases of a worker, all of which are counted
	TallyEvery   = 16 // of those after them
	EnoughCases  = 32 // for a tally to say anything
	rareIn       = 4  // an operator is rare that at most one in so many cases has
)

// Add counts a case of a worker, if it is one of those that are counted.
func (t *Tally) Add(c *testcase.Case, number uint64) {
	if number > FirstTallied && number%TallyEvery != 0 {
		return
	}
	if t.With == nil {
		t.With = map[string]uint64{}
	}
	t.Cases++
	for _, name := range triage.Operators(c.Script) {
		t.With[name]++
	}
}

// Take returns what was counted since it was last called; nil for nothing.
func (t *Tally) Take() *Tally {
	if t.Cases == 0 {
		return nil
	}
	out := *t
	*t = Tally{}
	return &out
}

// Join adds what a worker counted.
func (t *Tally) Join(o *Tally) {
	if o == nil {
		return
	}
	if t.With == nil {
		t.With = map[string]uint64{}
	}
	t.Cases += o.Cases
	for name, n := range o.With {
		t.With[name] += n
	}
}

// Frequency returns the share of cases that have an operator; 1 where too few were counted.
func (t *Tally) Frequency(operator string) float64 {
	if t.Cases < EnoughCases {
		return 1
	}
	return float64(t.With[operator]) / float64(t.Cases)
}

// Rare reports whether few cases have an operator.
func (t *Tally) Rare(operator string) bool {
	return t.Cases >= EnoughCases && rareIn*t.With[operator] <= t.Cases
}
