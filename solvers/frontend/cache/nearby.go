package cache

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// nearby has the known facts about sets of conjuncts of one arena, in one context. Sets are sorted, so that equal ones
// are equal lists.
type nearby struct {
	known map[uint64][]knownSet
	sets  int
	cores map[smt.Term][][]smt.Term // by their greatest term
	count int
	// computed are the conjuncts for which it is known whether they are false in every interpretation; one that is
	// false is a core by itself.
	computed map[smt.Term]bool
}

type knownSet struct {
	set   []smt.Term
	entry Entry
}

// Bounds of the numbers of known sets and cores. When a bound is exceeded, all of them are dropped.
const (
	maxSets  = 1 << 12
	maxCores = 1 << 12
)

func newNearby() *nearby {
	return &nearby{known: map[uint64][]knownSet{}, cores: map[smt.Term][][]smt.Term{}, computed: map[smt.Term]bool{}}
}

// hashOf is a hash of a list of terms.
func hashOf(set []smt.Term) uint64 {
	h := uint64(len(set))
	for _, t := range set {
		h = (h ^ uint64(t)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// repeated returns the answer to a set that was asked before.
func (n *nearby) repeated(set []smt.Term) (Entry, bool) {
	for _, x := range n.known[hashOf(set)] {
		if slices.Equal(x.set, set) {
			e := x.entry
			e.Kind = Repeated
			return e, true
		}
	}
	return Entry{}, false
}

// note remembers the answer to a set.
func (n *nearby) note(set []smt.Term, e Entry) {
	if n.sets++; n.sets > maxSets {
		clear(n.known)
		n.sets = 1
	}
	h := hashOf(set)
	n.known[h] = append(n.known[h], knownSet{set, e})
}

// addCore remembers an unsatisfiable set, and drops the known sets that contain it.
func (n *nearby) addCore(set []smt.Term) {
	if len(set) == 0 || n.coreIn(set) != nil {
		return
	}
	if n.count++; n.count > maxCores {
		clear(n.cores)
		n.count = 1
	}
	top := set[len(set)-1]
	n.cores[top] = append(n.cores[top], set)
}

// coreIn returns an unsatisfiable set that is a part of this one; nil if none is known.
func (n *nearby) coreIn(set []smt.Term) []smt.Term {
	for i := len(set) - 1; i >= 0; i-- { // new terms are the last ones
		for _, core := range n.cores[set[i]] {
			if isSubset(core, set[:i+1]) {
				return core
			}
		}
	}
	return nil
}

// isSubset reports whether a sorted list has all terms of another one.
func isSubset(part, whole []smt.Term) bool {
	if len(part) > len(whole) {
		return false
	}
	k := len(whole) - 1
	for i := len(part) - 1; i >= 0; i-- {
		for k >= 0 && whole[k] > part[i] {
			k--
		}
		if k < 0 || whole[k] != part[i] {
			return false
		}
		k--
	}
	return true
}

// models are those of earlier queries of one arena, the latest used first.
type models struct {
	a        *smt.Arena
	list     []*earlier
	repairer *search.Repairer // nil: none was needed yet
	// spare is an evaluator to use again, or nil. Its tables for terms are reused, because they are much larger than
	// one query needs.
	spare *eval.Evaluator
}

// earlier is a model of an earlier query.
type earlier struct {
	model *model.Model
	set   []smt.Term // that the model satisfies
	ev    *eval.Evaluator
}

// maxModels is the number of models kept. The first maxTried are evaluated on any query, the others only if their set
// contains the query.
const (
	maxModels = 64
	maxTried  = 12
)

// Bounds of the work of trying a model, which must cost less than asking a solver.
const (
	trySteps     = 1 << 14
	tryInstances = 1 << 8
	maxRepaired  = 1 << 7 // conjuncts of a query for which a model is repaired
	maxOpen      = 4      // conjuncts that the model may make false
	repairSteps  = 24
)

// evaluator returns an evaluator that has not seen a model yet.
func (m *models) evaluator(x *model.Model) *eval.Evaluator {
	ev := m.spare
	if m.spare = nil; ev != nil {
		ev.Limits = eval.DefaultLimits()
		ev.Reset(x)
		return ev
	}
	ev = eval.New(m.a, x)
	ev.SetCompletion(true)
	return ev
}

// retire takes away the evaluator of the first model beyond maxTried, since the tables of an evaluator grow with the
// arena.
func (m *models) retire() {
	if len(m.list) > maxTried && m.list[maxTried].ev != nil {
		m.spare, m.list[maxTried].ev = m.list[maxTried].ev, nil
	}
}

// add remembers a model that satisfies a set, with an evaluator that has seen it.
func (m *models) add(x *model.Model, set []smt.Term, ev *eval.Evaluator) {
	ev.Limits.Steps, ev.Limits.Instances = trySteps, tryInstances
	m.list = slices.Insert(m.list, 0, &earlier{model: x, set: set, ev: ev})
	if len(m.list) > maxModels {
		m.list = m.list[:maxModels]
	}
	m.retire()
}

// satisfying returns a model that makes all terms of a set true, nil if none is found. Values of earlier terms are
// remembered, so a query that extends another one costs only its new terms.
func (m *models) satisfying(set []smt.Term) *model.Model {
	for i, x := range m.list {
		if i >= maxTried && !isSubset(set, x.set) {
			continue
		}
		if x.ev == nil {
			x.ev = m.evaluator(x.model)
			x.ev.Limits.Steps, x.ev.Limits.Instances = trySteps, tryInstances
		}
		if !holdsAll(x.ev, set) {
			continue
		}
		copy(m.list[1:i+1], m.list[:i])
		m.list[0] = x
		m.retire()
		return x.model
	}
	return nil
}

// repaired returns a model that makes all terms of a set true, made of the earlier model that makes most of them
// true; nil if none is found.
func (m *models) repaired(set []smt.Term) *model.Model {
	var best *model.Model
	least := maxOpen + 1
	for _, x := range m.list[:min(len(m.list), maxTried)] {
		if open := openIn(x.ev, set, least); open < least {
			best, least = x.model, open
		}
	}
	if best == nil || len(set) > maxRepaired {
		return nil
	}
	if m.repairer == nil {
		m.repairer = search.NewRepairer(m.a, 1)
	}
	x := m.repairer.Repair(best, set, repairSteps)
	if x == nil || m.confirm(x, set) != value.True {
		return nil
	}
	return x
}

// openIn returns how many terms are not true, up to a limit.
func openIn(ev *eval.Evaluator, set []smt.Term, limit int) (open int) {
	for i := len(set) - 1; i >= 0 && open < limit; i-- {
		if ev.Truth(set[i]) != value.True {
			open++
		}
	}
	return open
}

// holdsAll reports whether all terms are true. It begins with the last ones, which are new and more likely to be false.
func holdsAll(ev *eval.Evaluator, set []smt.Term) bool {
	for i := len(set) - 1; i >= 0; i-- {
		if ev.Truth(set[i]) != value.True {
			return false
		}
	}
	return true
}
