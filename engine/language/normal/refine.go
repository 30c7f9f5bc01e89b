package normal

import (
	"cmp"
	"slices"
)

// refinement distinguishes the entities of a graph by colours.
type refinement struct {
	*graph
	context  []Key // by node: where it occurs
	passed   []Key // by node: where the flat operators occur that it is nested in
	above    []Key // by sort: where it occurs
	work     int   // nodes that were looked at
	distinct int   // colours
}

// These constants bound the nodes visited in total: a minimum, and a number for each node. Entities that are still
// alike at the bound are distinguished by their order.
const (
	maxWork        = 1 << 17
	maxWorkPerNode = 48
)

// run gives every entity a colour of its own.
func (r *refinement) run() {
	slices.SortFunc(r.roots, func(x, y root) int { return cmp.Or(cmp.Compare(x.tag, y.tag), cmp.Compare(x.node, y.node)) })
	r.roots = slices.Compact(r.roots)
	r.context, r.passed, r.above = make([]Key, len(r.nodes)), make([]Key, len(r.nodes)), make([]Key, len(r.sorts))
	for i := range r.entities {
		r.entities[i].colour = r.entities[i].own
	}
	limit := max(maxWork, maxWorkPerNode*len(r.nodes))
	r.distinct = r.count()
	for {
		for r.work < limit {
			r.round()
			n := r.count()
			if n == r.distinct {
				break
			}
			r.distinct = n
		}
		if r.distinct == len(r.entities) {
			break
		}
		r.choose(r.work >= limit)
		r.distinct = r.count()
	}
	r.hashAll()
}

// count returns how many colours there are.
func (r *refinement) count() int {
	seen := make(map[Key]bool, len(r.entities))
	for i := range r.entities {
		seen[r.entities[i].colour] = true
	}
	return len(seen)
}

// choose individualises the first of the entities that have the least shared colour. If all is set, it gives every
// entity with a shared colour a colour of its own.
func (r *refinement) choose(all bool) {
	order := make([]int, len(r.entities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := r.entities[i].colour, r.entities[j].colour
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	for i := 0; i < len(order); {
		colour := r.entities[order[i]].colour
		j := i
		for j < len(order) && r.entities[order[j]].colour == colour {
			j++
		}
		if j > i+1 {
			for k := range j - i {
				e := &r.entities[order[i+k]]
				e.colour = e.colour.With(uint64(k) + 9)
				if !all {
					return
				}
			}
		}
		i = j
	}
}

func (r *refinement) colourOf(i int32) Key { return r.entities[i].colour }
func (r *refinement) sortHash(i int32) Key { return r.sorts[i].hash }

// hashAll computes the hashes of sorts and nodes from the colours.
func (r *refinement) hashAll() {
	for i := range r.sorts {
		s := &r.sorts[i]
		s.hash = s.own
		if s.entity >= 0 {
			s.hash = s.hash.WithKey(r.colourOf(s.entity))
		}
		for _, x := range s.args {
			s.hash = s.hash.WithKey(r.sorts[x].hash)
		}
	}
	for i := range r.nodes {
		r.hash(&r.nodes[i], r.colourOf, r.sortHash)
	}
	r.work += len(r.nodes)
}

// round gives each entity a colour that also depends on where it occurs.
func (r *refinement) round() {
	r.hashAll()
	clear(r.context)
	clear(r.passed)
	clear(r.above)
	more := make([]Key, len(r.entities))
	for _, x := range r.roots {
		r.context[x.node] = r.context[x.node].Plus(Key{x.tag, 10}.mixed())
	}
	for i := len(r.nodes) - 1; i >= 0; i-- {
		n := &r.nodes[i]
		here := r.context[i]
		if here != (Key{}) {
			here = here.WithKey(n.hash)
		}
		here = here.Plus(r.passed[i])
		if n.sort >= 0 {
			r.above[n.sort] = r.above[n.sort].Plus(here.With(11))
		}
		if n.entity >= 0 {
			more[n.entity] = more[n.entity].Plus(here.With(12))
		}
		for k, c := range r.links[n.from:n.to] {
			switch {
			case n.form == flattened && r.nodes[c].flat == n.flat:
				r.passed[c] = r.passed[c].Plus(here)
			case n.form == flattened: // a sum, so that it does not count how the operators are nested
				r.context[c] = r.context[c].Plus(here)
			case n.form == ordered:
				r.context[c] = r.context[c].Plus(here.With(uint64(k) + 20))
			default:
				r.context[c] = r.context[c].Plus(here.With(13))
			}
		}
	}
	for i := range r.entities {
		e := &r.entities[i]
		for k, s := range e.signature {
			more[i] = more[i].Plus(r.sorts[s].hash.With(uint64(k) + 20))
			r.above[s] = r.above[s].Plus(e.colour.With(uint64(k) + 20))
		}
	}
	for i := len(r.sorts) - 1; i >= 0; i-- {
		s := &r.sorts[i]
		if s.entity >= 0 {
			more[s.entity] = more[s.entity].Plus(r.above[i].With(14))
		}
		for k, x := range s.args {
			r.above[x] = r.above[x].Plus(r.above[i].WithKey(s.hash).With(uint64(k) + 20))
		}
	}
	for i := range r.entities {
		e := &r.entities[i]
		e.colour = e.colour.WithKey(more[i])
	}
}

// key returns the hash of the roots.
func (r *refinement) key() Key {
	var sum Key
	for _, x := range r.roots {
		sum = sum.Plus(r.nodes[x.node].hash.With(x.tag))
	}
	// The declaration is part of the key: it distinguishes two constants of one sort from two of different sorts.
	for i := range r.entities {
		e := &r.entities[i]
		k := e.colour
		for _, s := range e.signature {
			k = k.WithKey(r.sorts[s].hash)
		}
		sum = sum.Plus(k.With(15))
	}
	return sum.With(16)
}
