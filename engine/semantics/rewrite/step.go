package rewrite

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// step makes the entries of one direction of a law, as a single step that need not make a term lighter.
func (l *source) step(to way, back bool, rules []*law.Rule, at []*smt.Bindings) {
	x := &ruled{Law: l.Law, number: l.number, back: back, letters: l.Letters()}
	from, other := x.sides(rules[0])
	if !speaksOf(from, rules[0].When) || hasReplaced(from) || !x.inferNumbers(rules, at) {
		return
	}
	x.narrows = narrows(from, other)
	has, _ := weigh(from)
	puts, _ := weigh(other)
	for p := range l.Parameters {
		if puts.times[p] > 0 && has.times[p] == 0 || binds(other, p) && !binds(from, p) {
			x.fresh = append(x.fresh, p)
		}
	}
	for _, shape := range x.shape.Variants() {
		op, _ := shape.Head()
		l.entries[to] = append(l.entries[to], headed{op, newEntry(x, shape)})
	}
}

// binds reports whether a quantifier of a side binds the variables that a parameter stands for.
func binds(side *template.Template, parameter int) bool {
	nodes, _ := side.Nodes()
	return slices.ContainsFunc(nodes, func(n template.Node) bool { return n.Binds == parameter })
}

// hasReplaced reports whether terms are put for the variables of a formula in a side: that is not found in terms.
func hasReplaced(side *template.Template) bool {
	nodes, _ := side.Nodes()
	return slices.ContainsFunc(nodes, func(n template.Node) bool { return n.Replaced })
}

// newVariable returns a variable that is not free in the term that is rewritten. It has the sort of an argument of
// that, or Bool.
func (s *Stepper) newVariable() smt.Term {
	sort := smt.SortBool
	if args := s.a.Args(s.term); len(args) > 0 {
		x := args[s.r.Intn(len(args))]
		switch s.a.SortKind(s.a.Sort(x)) {
		case smt.KindRegLan, smt.KindFunc, smt.KindInvalid: // no solver quantifies over these, or not all do
		default:
			sort = s.a.Sort(x)
		}
	}
	free := s.a.FreeVars(s.term)
	for k := 0; ; k++ {
		name := fmt.Sprintf("v%d", k)
		if !slices.ContainsFunc(free, func(v smt.Term) bool { return s.a.VarName(v) == name }) {
			return s.a.Var(name, sort)
		}
	}
}

// Operators lists the operators that laws are used at, or that are on the other side of one.
func (r *Rules) Operators() []smt.Op { return r.operators }

// Stepper rewrites terms of one arena by laws chosen at random, in both directions.
type Stepper struct {
	application
	r *rng.Source
	// fill returns a term of a sort for a parameter that does not occur in the matched term; 0 if there is none.
	fill   func(smt.Sort) smt.Term
	accept func() bool
}

// NewStepper returns a stepper.
func NewStepper(a *smt.Arena, r *Rules) *Stepper {
	s := &Stepper{application: applicationIn(a, r)}
	s.accept = s.put
	return s
}

// maxStepTries bounds the laws that are tried on one term.
const maxStepTries = 24

// maxWidth bounds widths that a step chooses.
const maxWidth = 16

// Direction is the relation of the result of a step to the formula.
type Direction uint8

const (
	Same     Direction = iota // a term that has the same value
	Weaker                    // a formula that it implies
	Stronger                  // a formula that implies it
)

// Step returns a term that has the same value as t under every interpretation, or for another direction a formula that
// t implies or that implies t, and the name of the law by which it was made; 0 if none of the laws that were tried
// applies. fill provides the terms for parameters of the other side that do not occur in t.
func (s *Stepper) Step(t smt.Term, to Direction, r *rng.Source, fill func(smt.Sort) smt.Term) (smt.Term, string) {
	s.r, s.fill = r, fill
	by := [...]way{Same: toEqual, Weaker: toWeaker, Stronger: toStronger}[to]
	op, args := s.a.Look(t)
	heads, others := s.entries(op, by), s.entries(smt.OpInvalid, by)
	have := s.features(args)
	for range maxStepTries {
		// Many laws match any term, so most of the tries go to the laws for the head.
		list := others
		if len(heads) > 0 && (len(others) == 0 || r.Chance(0.7)) {
			list = heads
		}
		if len(list) == 0 {
			return 0, ""
		}
		e := &list[r.Intn(len(list))]
		if !e.suits(&have) {
			continue
		}
		s.entry, s.term, s.result = e, t, 0
		if s.match.Match(e.shape, t, len(e.law.Parameters), s.accept); s.result != 0 && s.result != t {
			return s.result, e.law.Name
		}
	}
	return 0, ""
}

// put stores the other side of a law for the current match. If a law matches at several places of a list of arguments,
// one of the first is taken.
func (s *Stepper) put() bool {
	l, b := s.entry.law, &s.bindings
	if !s.bind(l, s.term) || !s.choose(l, b) {
		return false
	}
	r, err := s.rules.instance(l, b)
	s.noteError(err)
	if r == nil {
		return false
	}
	x := s.other(l, r, s.term)
	if x == 0 {
		return false
	}
	s.result = x
	return !s.entry.more || s.r.Bool()
}

// choose gives values to open numbers, and terms to parameters that do not occur in the matched term.
func (s *Stepper) choose(l *ruled, b *smt.Bindings) bool {
	m := &s.match
	for _, v := range l.open {
		n := 1 + int64(s.r.Intn(maxWidth))
		if i := slices.IndexFunc(l.Index, func(x template.IndexRange) bool { return x.Letter == v }); i >= 0 {
			low, ok1 := l.Index[i].Low.Big(b)
			high, ok2 := l.Index[i].High.Big(b)
			if !ok1 || !ok2 || low.Cmp(high) > 0 || !low.IsInt64() || !high.IsInt64() {
				return false
			}
			n = low.Int64() + int64(s.r.Intn(int(min(high.Int64()-low.Int64(), 1<<30)+1)))
		}
		b.BindNumber(v, n)
	}
	for _, i := range l.fresh {
		// A variable that the term lacks must be a new one: one of the script could be captured.
		if l.Parameters[i].Variables {
			v := s.newVariable()
			m.Vars[i] = []smt.Term{v}
			if !l.Parameters[i].Sort.Match(s.a, s.a.Sort(v), b) {
				return false
			}
			continue
		}
		sort := l.Parameters[i].Sort.Build(s.a, b)
		if sort == 0 {
			return false
		}
		times := 1
		if l.Parameters[i].List {
			times = s.r.Intn(3)
		}
		for range times {
			x := s.fill(sort)
			switch {
			// A list may stay shorter; a single argument has to be there.
			case x == 0 && l.Parameters[i].List:
			case x == 0:
				return false
			case l.Parameters[i].List:
				m.Lists[i] = append(m.Lists[i], x)
			default:
				m.Args[i] = x
			}
		}
	}
	return true
}
