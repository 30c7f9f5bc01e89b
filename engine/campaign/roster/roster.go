// Package roster says which targets of a campaign a case is made for, and which of them are asked about it.
//
// Targets are grouped into products: the program and the library of one build of a solver, in all their modes and
// configurations. A case is made for one product, and one way of asking it; every fiftieth is asked in all ways, so
// that they are compared. Which others are asked depends on the known answers: a case whose answer is known by
// construction needs no other target, so other products and references are asked about a sample only. Where the answer
// is not known, some of them are asked until one decides, each of another kind of solver if there are as many.
//
// All choices follow from the campaign's seed and the case number, except the number of references asked, which depends
// on their answers. None of this changes a case.
package roster

import (
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
)

// Member is a target as the roster sees it.
type Member struct {
	Kind          string // of solver: the name of its profile
	Product       string // kind and version: what members of one build share
	Configuration string // "" is the default one; configurations of a product have equal shares
	Reference     bool   // no target of the campaign: it is only asked about cases of others
}

// sampledTargets says that in one of so many cases, the ways of asking a product, and other products, are compared.
const sampledTargets = 50

// mostReferences bounds the references that are asked about one case.
const mostReferences = 3

// Roster chooses the targets that take part. Its zero value is not usable.
type Roster struct {
	members  []Member
	products []string // those that are tested, in the order of their first members
	turns    bool
}

// New returns the roster of members, at least one of which is no reference. With turns, only one member that is not a
// reference is asked about a case; without, all are.
func New(members []Member, turns bool) *Roster {
	r := &Roster{members: members, turns: turns}
	for _, m := range members {
		if !m.Reference && !slices.Contains(r.products, m.Product) {
			r.products = append(r.products, m.Product)
		}
	}
	return r
}

// rosterTurn has the targets that take part in one case.
type rosterTurn struct {
	// Product is the one that the case is made for; "" where all targets are asked about each case.
	Product string
	// For are the members that the case is made for and that are asked about it: of one product, in ascending order.
	For []int
	// References are those that are asked one after the other where the answer is not known, or Compared is set.
	References []int
	// Compared: the case is one of the sample.
	Compared bool
}

// Turn says who takes part in case n.
func (r *Roster) Turn(seed, n uint64) rosterTurn {
	src := rng.New(seed).SplitString("roster").Split(n)
	t := rosterTurn{Compared: src.Intn(sampledTargets) == 0}
	if !r.turns {
		return r.together(t, src)
	}
	product := r.products[src.Intn(len(r.products))]
	t.Product = product
	var own, configurations = []int{}, []string{}
	for i, m := range r.members {
		if m.Reference || m.Product != product {
			continue
		}
		own = append(own, i)
		if !slices.Contains(configurations, m.Configuration) {
			configurations = append(configurations, m.Configuration)
		}
	}
	configuration := configurations[src.Intn(len(configurations))]
	ways := slices.DeleteFunc(slices.Clone(own), func(i int) bool { return r.members[i].Configuration != configuration })
	if way := ways[src.Intn(len(ways))]; t.Compared {
		t.For = own
	} else {
		t.For = []int{way}
	}
	t.References = r.references(src, product)
	return t
}

// together is the turn of a case that all targets are asked about.
func (r *Roster) together(t rosterTurn, src *rng.Source) rosterTurn {
	for i, m := range r.members {
		if !m.Reference {
			t.For = append(t.For, i)
		}
	}
	t.References = slices.DeleteFunc(r.references(src, ""), func(i int) bool { return slices.Contains(t.For, i) })
	return t
}

// references draws who is asked beside a product: of each kind one, those of other kinds than the product's first.
func (r *Roster) references(src *rng.Source, product string) (out []int) {
	var all []int
	kind := ""
	for i, m := range r.members {
		if m.Product == product {
			kind = m.Kind
		} else if m.Configuration == "" {
			all = append(all, i)
		}
	}
	src.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	asked := func(k string) bool {
		return slices.ContainsFunc(out, func(i int) bool { return r.members[i].Kind == k })
	}
	for _, same := range []bool{false, true} {
		for _, i := range all {
			if k := r.members[i].Kind; (k == kind) == same && !asked(k) && len(out) < mostReferences {
				out = append(out, i)
			}
		}
	}
	return out
}
