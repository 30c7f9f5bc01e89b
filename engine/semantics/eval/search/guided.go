package search

import (
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// GuidedModel looks for a model of the script by local search: it starts from a random model and, again and again,
// picks an assertion that does not hold and changes the value of one constant or the entry of one function so that it
// may hold, on a path from the root down through inverses of the operators (path propagation: Niemetz, Preiner and
// Biere, "Precise and complete propagation based local search for satisfiability modulo theories", CAV 2016). It
// takes at most that many steps, and visits at most 2,048 nodes for each on average, so that quantifiers that are
// costly to decide end the search early. It returns the best model found, and whether it satisfies the script.
func GuidedModel(script *smtlib.Script, r *rng.Source, steps int) (*model.Model, value.Truth) {
	return GuidedModelWithin(nil, script, r, steps)
}

// GuidedModelWithin is GuidedModel with an allowance: it takes its steps from the allowance and stops when nothing is
// left, unless the allowance is nil.
func GuidedModelWithin(all *eval.Allowance, script *smtlib.Script, r *rng.Source, steps int) (*model.Model, value.Truth) {
	g := newGenerator(script, r)
	for _, f := range g.symbols {
		g.assign(f)
	}
	s := newSearch(g, script.Asserts())
	if all == nil {
		return s.run(steps)
	}
	// A step of a search copies the model and evaluates what has changed: it costs more than the nodes that it visits.
	const workPerStep = 3
	s.most = max(1, all.Left()/workPerStep)
	m, holds := s.run(steps)
	all.Take(s.ev.Visited() * workPerStep)
	return m, holds
}

// searchLimits keep a step cheap.
var searchLimits = eval.Limits{Steps: 1 << 14, Instances: 1 << 9, Calls: 1 << 14, Bits: 1 << 14, Length: 1 << 14}

const (
	searchWork = 1 << 11 // nodes visited for each step of a search, on average
	checkWork  = 1 << 22 // nodes visited to tell whether the best model satisfies everything
)

// localSearch is a local search over the model of a generator.
type localSearch struct {
	*Generator
	ev      *eval.Evaluator
	goals   []smt.Term
	movable map[smt.Term]bool // terms with a declared symbol below them
	work    int64             // nodes that may be visited
	last    int64             // nodes that may be visited to tell whether the best model satisfies everything
	most    int64             // the same, for the whole search; 0: what its steps give
}

func newSearch(g *Generator, asserts []smt.Term) *localSearch {
	s := &localSearch{Generator: g, ev: eval.New(g.a, g.m), movable: map[smt.Term]bool{}}
	s.ev.Limits = searchLimits
	s.goals = conjuncts(g.a, asserts)
	s.findMovable(s.goals)
	return s
}

// conjuncts takes top-level conjunctions apart.
func conjuncts(a *smt.Arena, asserts []smt.Term) []smt.Term {
	var out []smt.Term
	stack := slices.Clone(asserts)
	slices.Reverse(stack)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch a.Op(t) {
		case smt.OpAnd:
			args := a.CopyArgs(t)
			slices.Reverse(args)
			stack = append(stack, args...)
		case smt.OpAnnot:
			stack = append(stack, a.Arg(t, 0))
		default:
			out = append(out, t)
		}
	}
	return out
}

// findMovable marks the terms whose value depends on the model.
func (s *localSearch) findMovable(roots []smt.Term) {
	a := s.a
	for len(roots) > 0 {
		var bodies []smt.Term
		a.PostOrder(roots, func(t smt.Term) {
			if _, known := s.movable[t]; known {
				return
			}
			moves := false
			if f := a.SymbolOf(t); f != 0 && a.Op(t) == smt.OpApply {
				info := a.SymbolInfo(f)
				moves = info.Kind == smt.SymDeclared
				if info.Body != 0 {
					moves = true // the body is examined when a path reaches it
					if _, known := s.movable[info.Body]; !known {
						bodies = append(bodies, info.Body)
					}
				}
			}
			for _, x := range a.Args(t) {
				moves = moves || s.movable[x]
			}
			s.movable[t] = moves
		})
		roots = bodies
	}
}

// run searches for at most that many steps.
func (s *localSearch) run(steps int) (*model.Model, value.Truth) {
	s.work, s.last = int64(steps)*searchWork, checkWork
	if s.most > 0 {
		s.work, s.last = min(s.work, s.most/2), min(s.last, s.most/2)
	}
	open := s.open()
	best, bestOpen := s.m.Clone(), len(open)
	stale := 0
	for range steps {
		if len(open) == 0 || s.ev.Visited() > s.work {
			break
		}
		// After a dozen steps without progress every step is kept, also a bad one: the search has to leave the place.
		var undo *model.Model
		if stale < 12 {
			undo = s.m.Clone()
		}
		goal := open[s.r.Intn(len(open))]
		if !s.force(goal, value.Bool(true)) || s.r.Intn(24) == 0 {
			s.shake(goal)
		}
		s.ev.Reset(s.m)
		now := s.open()
		switch {
		case len(now) < bestOpen:
			best, bestOpen, stale = s.m.Clone(), len(now), 0
		case len(now) > len(open) && undo != nil && s.r.Intn(8) != 0:
			s.back(undo)
			stale++
			continue
		default:
			stale++
		}
		if stale > 40 { // start again from near the best
			s.back(best)
			for range 1 + s.r.Intn(3) {
				s.shake(s.goals[s.r.Intn(len(s.goals))])
			}
			s.ev.Reset(s.m)
			now, stale = s.open(), 0
		}
		open = now
	}
	result := value.True
	s.back(best)
	s.ev.Limits = eval.DefaultLimits()
	s.ev.Limits.Steps, s.ev.Limits.Bits = s.last/4, 1<<16
	s.ev.Reset(s.m)
	limit := s.ev.Visited() + s.last
	for _, t := range s.goals {
		if s.ev.Visited() > limit {
			return best, value.Both(result, value.Unknown)
		}
		result = value.Both(result, s.ev.Truth(t))
	}
	return best, result
}

// back returns to another model.
func (s *localSearch) back(m *model.Model) {
	*s.m = *m.Clone()
	s.ev.Reset(s.m)
}

// open returns the goals that are not known to hold, including all goals that the search has no time left to check.
func (s *localSearch) open() []smt.Term {
	var out []smt.Term
	for _, t := range s.goals {
		if s.ev.Visited() > s.work || s.ev.Truth(t) != value.True {
			out = append(out, t)
		}
	}
	return out
}

// shake gives a random symbol below a term a random interpretation.
func (s *localSearch) shake(t smt.Term) {
	var below []smt.Symbol
	for _, f := range s.a.Symbols(t) {
		if s.a.SymbolInfo(f).Kind == smt.SymDeclared {
			below = append(below, f)
		}
	}
	if len(below) == 0 {
		below = s.symbols
	}
	if len(below) > 0 {
		s.assign(below[s.r.Intn(len(below))])
	}
}

// pick returns a random movable argument of a term; ok is false if there is none.
func (s inversion) pick(t smt.Term, ok func(i int, x smt.Term) bool) (int, bool) {
	n, chosen := 0, -1
	for i, x := range s.a.Args(t) {
		if s.movable[x] && (ok == nil || ok(i, x)) {
			if n++; s.r.Intn(n) == 0 {
				chosen = i
			}
		}
	}
	return chosen, chosen >= 0
}

// step is the value that a term must have for its parent to have the desired one; the zero Term says that there is no
// way, or, with done set, that the model has been changed.
type step struct {
	t    smt.Term
	v    value.Value
	done bool
}

const maxPath = 100_000

// force changes the model so that t may get the value v: one constant or one entry of a function. It reports
// whether it found anything to change.
func (s *localSearch) force(t smt.Term, v value.Value) bool {
	for range maxPath {
		if !v.IsValue() || !s.movable[t] {
			return false
		}
		next := inversion{s}.down(t, v)
		if next.done {
			return true
		}
		if next.t == 0 {
			return false
		}
		t, v = next.t, next.v
	}
	return false
}

// inversion finds the value that an argument must have for a term to have a given value, operator by operator.
type inversion struct{ *localSearch }

// down picks an argument of t and the value that it must have so that t has the value v.
func (s inversion) down(t smt.Term, v value.Value) step {
	a := s.a
	switch op := a.Op(t); {
	case op == smt.OpApply:
		return s.downApply(t, v)
	case op == smt.OpAnnot:
		return step{t: a.Arg(t, 0), v: v}
	case op <= smt.OpIte:
		return s.downCore(t, op, v)
	case op <= smt.OpEuler:
		return s.downArith(t, op, v)
	case op <= smt.OpBVSmodTotal:
		return s.downBV(t, op, v)
	case op <= smt.OpFPToSbvTotal:
		return s.downFloat(t, op, v)
	case op <= smt.OpEqRange:
		return s.downArray(t, op, v)
	case op <= smt.OpSeqSuffixOf:
		return s.downSeq(t, op, v)
	case op <= smt.OpSetIsSingleton:
		return s.downSet(t, op, v)
	default:
		return s.downString(t, op, v)
	}
}

func (s *localSearch) value(t smt.Term) value.Value { return s.ev.Value(t) }

// downApply ends a path at a declared symbol, or goes on into a definition, a constructor or a selector.
func (s inversion) downApply(t smt.Term, v value.Value) step {
	a := s.a
	f := a.SymbolOf(t)
	info := a.SymbolInfo(f)
	switch info.Kind {
	case smt.SymDeclared:
		if len(info.Params) == 0 {
			s.m.Set(f, v)
			return step{done: true}
		}
		args := make([]value.Value, len(info.Params))
		for i, x := range a.Args(t) {
			args[i] = s.value(x)
		}
		fn := s.m.Func(f)
		if fn == nil || fn.Body != 0 || !value.AllComparable(args) {
			return step{}
		}
		fn.Set(args, v)
		return step{done: true}
	case smt.SymDefined, smt.SymNamed:
		if len(info.Params) == 0 && info.Body != 0 {
			return step{t: info.Body, v: v}
		}
	case smt.SymConstructor:
		ctor, fields, ok := v.Data()
		if !ok || ctor != info.Ctor {
			return step{}
		}
		i, ok := s.pick(t, func(i int, x smt.Term) bool { return value.Equal(s.value(x), fields[i]) != value.True })
		if !ok {
			return step{}
		}
		return step{t: a.Arg(t, i), v: fields[i]}
	case smt.SymSelector:
		return s.downSelector(t, info, v)
	}
	return step{}
}

func (s inversion) downSelector(t smt.Term, info *smt.SymbolInfo, v value.Value) step {
	x := s.a.Arg(t, 0)
	have := s.value(x)
	if have.Kind() != value.KindData || have.Constructor() != info.Ctor {
		if have = s.ofConstructor(s.a.Sort(x), info.Ctor); !have.IsValue() {
			return step{}
		}
	}
	fields := slices.Clone(have.Fields())
	fields[info.Field] = v
	return step{t: x, v: value.Data(s.a.Sort(x), info.Ctor, fields...)}
}

// ofConstructor returns a random value of a datatype with that constructor.
func (s inversion) ofConstructor(sort smt.Sort, ctor int) value.Value {
	dt, m := s.a.DatatypeOf(sort)
	if dt == nil {
		return value.Value{}
	}
	return s.data(sort, ctor, value.FieldSorts(s.a, dt, ctor, m), 2)
}
