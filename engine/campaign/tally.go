package campaign

import (
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
)

// tally counts in how many of some cases an operator is: how much it says that two reduced cases share it.
type tally struct {
	Cases uint64            `json:"cases"`
	With  map[string]uint64 `json:"with"`
}

const (
	firstTallied = 64 // cases of a worker, all of which are counted
	tallyEvery   = 16 // of those after them
	enoughCases  = 32 // for a tally to say anything
	rareIn       = 4  // an operator is rare that at most one in so many cases has
)

// add counts a case of a worker, if it is one of those that are counted.
func (t *tally) add(c *testcase.Case, number uint64) {
	if number > firstTallied && number%tallyEvery != 0 {
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

// take returns what was counted since it was last called; nil for nothing.
func (t *tally) take() *tally {
	if t.Cases == 0 {
		return nil
	}
	out := *t
	*t = tally{}
	return &out
}

// join adds what a worker counted.
func (t *tally) join(o *tally) {
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

// frequency returns the share of cases that have an operator; 1 where too few were counted.
func (t *tally) frequency(operator string) float64 {
	if t.Cases < enoughCases {
		return 1
	}
	return float64(t.With[operator]) / float64(t.Cases)
}

// rare reports whether few cases have an operator.
func (t *tally) rare(operator string) bool {
	return t.Cases >= enoughCases && rareIn*t.With[operator] <= t.Cases
}
