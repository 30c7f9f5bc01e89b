package metrics

import (
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// Tally counts how much it says that two reduced cases share an operator. The operators of unreduced cases say little
// if cases have most of the existing operators, as probes of all bit-vector operators do: few of them are left in a
// reduced case. So a case counts an operator with the probability that it is among triage.FewOperators of the case's
// operators, drawn at random. A case with no more operators than that counts each of them whole.
type Tally struct {
	Cases uint64             `json:"cases"`
	With  map[string]float64 `json:"with"`
}

const (
	FirstTallied = 64 // cases of a worker, all of which are counted
	TallyEvery   = 16 // of those after them
	EnoughCases  = 32 // for a tally to say anything
	rareIn       = 4  // an operator is rare that at most one in so many reduced cases would have by chance
)

// Add counts a case of a worker, if it is one of those that are counted.
func (t *Tally) Add(c *testcase.Case, number uint64) {
	if number > FirstTallied && number%TallyEvery != 0 {
		return
	}
	if t.With == nil {
		t.With = map[string]float64{}
	}
	t.Cases++
	operators := triage.Operators(c.Script)
	chance := min(1, triage.FewOperators/float64(max(1, len(triage.Functions(operators)))))
	for _, name := range operators {
		t.With[name] += chance
	}
}

// Take returns the counts since it was last called; nil for nothing.
func (t *Tally) Take() *Tally {
	if t.Cases == 0 {
		return nil
	}
	out := *t
	*t = Tally{}
	return &out
}

// Join adds the counts of a worker.
func (t *Tally) Join(o *Tally) {
	if o == nil {
		return
	}
	if t.With == nil {
		t.With = map[string]float64{}
	}
	t.Cases += o.Cases
	for name, n := range o.With {
		t.With[name] += n
	}
}

// Frequency returns the share of cases that would have an operator if each kept few of those it has; 1 where too few
// were counted.
func (t *Tally) Frequency(operator string) float64 {
	if t.Cases < EnoughCases {
		return 1
	}
	return t.With[operator] / float64(t.Cases)
}

// Rare reports whether few reduced cases would have an operator by chance.
func (t *Tally) Rare(operator string) bool {
	return t.Cases >= EnoughCases && rareIn*t.With[operator] <= float64(t.Cases)
}
