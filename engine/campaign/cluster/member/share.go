package member

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"
)

// restTime is the time that all workers of a campaign wait for a job before they are lent to others.
const restTime = 3 * time.Second

// share gives each campaign its part of the workers of this machine.
func (m *member) share() {
	keys := make([]string, 0, len(m.sites))
	for key := range m.sites {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	claims := make([]claim, len(keys))
	for i, key := range keys {
		s := m.sites[key]
		claims[i] = claim{weight: max(1, s.entry.Priority), rests: s.rests(time.Now())}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(m.name))
	for i, n := range divide(m.cfg.Slots, claims, int(h.Sum32()>>1)) {
		m.sites[keys[i]].resize(n)
	}
}

// claim is the number of workers to which a campaign has a right.
type claim struct {
	weight int
	rests  bool // there is nothing to do for it
}

// divide divides workers among campaigns by their weights. A campaign that rests keeps one worker, which notices when
// there is work again; the other campaigns get the rest of its share. Workers left over by rounding go to the campaigns
// that are nearest to one more. Among equals each machine begins with another campaign, so that no campaign is left
// without workers on all machines.
func divide(workers int, claims []claim, turn int) []int {
	out := make([]int, len(claims))
	total, busy := 0, 0
	for _, c := range claims {
		if !c.rests {
			total += c.weight
			busy++
		}
	}
	if busy == 0 { // all rest: as if none did
		for i := range claims {
			claims[i].rests = false
			total += claims[i].weight
		}
		busy = len(claims)
	}
	left := workers
	for i, c := range claims {
		if c.rests && left > busy {
			out[i] = 1
			left--
		}
	}
	shared := left
	var order []int
	for i, c := range claims {
		if c.rests {
			continue
		}
		out[i] = shared * c.weight / total
		left -= out[i]
		order = append(order, i)
	}
	if len(order) == 0 {
		return out
	}
	rest := func(i int) int { return shared * claims[i].weight % total }
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(rest(y), rest(x)), cmp.Compare((x+turn)%len(claims), (y+turn)%len(claims)))
	})
	for k := range left {
		out[order[k%len(order)]]++
	}
	return out
}
