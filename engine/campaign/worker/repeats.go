package worker

import (
	"hash/maphash"

	"github.com/smtlark/smtlark/solvers"
)

// repeats remembers the latest cases of a worker by their hash. The hash seed differs between processes. This has no
// visible effect, since hashes are only compared within a process.
type repeats struct {
	seed     maphash.Seed
	now, old map[uint64]struct{}
}

// repeatsKept is the least number of cases remembered.
const repeatsKept = 1 << 16

// seen reports whether a case occurred before, and remembers it.
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
