package campaign

import (
	"encoding/json"
	"hash/maphash"
	"strconv"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// yield notes in a worker's report what made the case. The technique is left out where it is that of the plan.
func (w *worker) yield(r *report, c *testcase.Case) {
	if c.Origin.Technique != w.plan.Technique.Name() {
		r.Technique = c.Origin.Technique
	}
	r.Steps = metrics.StepNames(c.Origin.Steps)
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
