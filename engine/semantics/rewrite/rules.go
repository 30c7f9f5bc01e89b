package rewrite

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// Rules are laws compiled to rules, for any number of simplifiers. The patterns of a law are computed when a term with
// the head of one of its sides is first seen, since most runs need only a small part of a large book.
type Rules struct {
	laws      []*source // in their order
	byName    map[string]int
	operators []smt.Op              // of all laws
	sources   [smt.NumOps][]*source // by the heads of their sides, in their order; OpInvalid is that of sides that any term may be
	at        [smt.NumOps]atomic.Pointer[entries]

	mu  sync.Mutex // laws are made for further numbers by one thread of a script at a time
	env any
}

// source is a law with the entries that are made of it.
type source struct {
	*law.Law
	number  int
	made    bool
	err     error
	lighter *ruled // the direction in which it simplifies; nil if there is none
	entries [ways][]headed
}

// headed is an entry with the head that terms must have; OpInvalid for any.
type headed struct {
	op smt.Op
	entry
}

// way is the effect of a law on a term.
type way int

const (
	toLighter  way = iota // lighter terms with the same value
	toEqual               // terms with the same value: both directions of laws that state an equality
	toWeaker              // a formula that it implies
	toStronger            // a formula that implies it
	ways
)

// entries are the candidates for the terms of a head, in the order of the laws.
type entries struct {
	by  [ways][]entry
	err error // of a law that could not be made, and is left out
}

// ruled is a law that is used from one of its sides to the other.
type ruled struct {
	*law.Law
	number int             // among the laws of the rules
	back   bool            // from the right side to the left
	shape  *template.Shape // of the side that is looked for
	infer  []inference

	letters     []byte // of its numbers
	conditional bool
	open        []byte // numbers that do not follow from a term: a step chooses them
	fresh       []int  // parameters of the side that is put which the other one lacks
	narrows     bool   // fewer solvers have the operators of the side that is put
}

// sides returns the sides of a rule in the order in which the law is used.
func (l *ruled) sides(r *law.Rule) (from, to *template.Template) {
	if l.back {
		return r.Right, r.Left
	}
	return r.Left, r.Right
}

// inference says how a number of a law follows from one in a term.
type inference struct {
	letter byte
	slot   int
	form   form
	offset int64
}

type form uint8

const (
	plain form = iota // the number is that of the slot, less an offset
	power             // the slot is two to the power of the number
	mask              // the slot is less by one than that
	width             // the number is the width of the slot
)

// number returns the number that the letter stands for.
func (x *inference) number(s *template.Slot) (int64, bool) {
	switch x.form {
	case width:
		return int64(s.Width), s.Width > 0
	case plain:
		return int64(s.Value) - x.offset, s.Known && s.Value < 1<<40
	}
	value := s.Value
	if x.form == mask {
		value++
	}
	if !s.Known || value == 0 || value&(value-1) != 0 {
		return 0, false
	}
	n := int64(0)
	for value > 1 {
		value >>= 1
		n++
	}
	return n, true
}

// suits reports whether a term may have the shape, by a quick look at its arguments.
func (e *entry) suits(g *glance) bool {
	return e.need&^g.have == 0 && g.args >= e.least && g.args <= e.most &&
		(e.heads[0] == 0 || e.heads[0] == g.heads[0]) && (e.heads[1] == 0 || e.heads[1] == g.heads[1])
}

// entry is a shape of a law under the head that terms must have.
type entry struct {
	need        features
	least, most int       // number of arguments
	heads       [2]smt.Op // of the first arguments, where these are the first of the shape; 0 for any
	more        bool      // there is a list among the arguments
	pair        bool      // two of many arguments
	law         *ruled
	shape       *template.Shape
}

// newEntry returns the entry of a shape.
func newEntry(l *ruled, shape *template.Shape) entry {
	least, more := shape.Arity()
	e := entry{law: l, shape: shape, least: least, most: least, more: more}
	_, hasHead := shape.Head()
	if more || !hasHead {
		e.most = math.MaxInt32
	}
	if !hasHead {
		return e
	}
	e.need = featuresOf(shape)
	if !more {
		for i, c := range shape.Children() {
			if i < len(e.heads) {
				e.heads[i] = c.Op
			}
		}
	}
	return e
}

// asPair returns the entry for two of many arguments of an associative and commutative operator.
func (e entry) asPair() entry {
	pair := e
	pair.pair, pair.heads = true, [2]smt.Op{}
	pair.least, pair.most = e.least+1, math.MaxInt32
	return pair
}

// Compile makes rules of the laws that state an equality and have a side that is always lighter, and steps of all laws.
// The env is what laws are made with; one simplifier at a time uses it.
func Compile(env any, laws []*law.Law) (*Rules, error) {
	r := &Rules{env: env, byName: map[string]int{}}
	for _, l := range laws {
		sample, err := l.Sample(env)
		if err != nil {
			return nil, err
		}
		x := &source{Law: l, number: len(r.laws)}
		r.byName[l.Name] = x.number
		r.laws = append(r.laws, x)
		left, _ := sample.Left.Head()
		right, _ := sample.Right.Head()
		r.sources[left] = append(r.sources[left], x)
		if right != left {
			r.sources[right] = append(r.sources[right], x)
		}
		r.noteOperators(sample)
	}
	slices.Sort(r.operators)
	return r, nil
}

// of returns the entries that may match terms with a head.
func (r *Rules) of(op smt.Op) *entries {
	if x := r.at[op].Load(); x != nil {
		return x
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x := &entries{}
	for _, l := range r.sources[op] {
		if l.make(r.env); l.err != nil && x.err == nil {
			x.err = l.err
		}
		for w := range l.entries {
			for i := range l.entries[w] {
				if e := &l.entries[w][i]; e.op == op {
					x.by[w] = append(x.by[w], e.entry)
				}
			}
		}
	}
	r.at[op].Store(x)
	return x
}

// make makes the entries of a law, once. The lock of the rules is held.
func (l *source) make(env any) {
	if l.made {
		return
	}
	l.made = true
	rules, at, err := l.Samples(env)
	if err != nil {
		l.err = err
		return
	}
	if l.Kind == law.Equal {
		if l.lighter = orient(l.Law, rules, at); l.lighter != nil {
			l.lighter.number = l.number
			l.simplify(rules)
		}
	}
	for _, back := range []bool{false, true} {
		to := toEqual
		switch {
		case l.Kind == law.Implies && back:
			to = toStronger
		case l.Kind == law.Implies:
			to = toWeaker
		}
		l.step(to, back, rules, at)
	}
}

// noteOperators notes the operators that the sides of a law apply to something.
func (r *Rules) noteOperators(x *law.Rule) {
	for _, side := range []*template.Template{x.Left, x.Right} {
		for _, op := range side.Operators() {
			if len(op.Info().Signature(0).Args) > 0 && !slices.Contains(r.operators, op) {
				r.operators = append(r.operators, op)
			}
		}
	}
}

// Names returns the names of the laws that simplify, in their order.
func (r *Rules) Names() (names []string, err error) {
	for _, l := range r.laws {
		simplifies, err := r.simplifies(l)
		if err != nil {
			return nil, err
		}
		if simplifies {
			names = append(names, l.Name)
		}
	}
	return names, nil
}

// simplifies reports whether simplifiers use a law.
func (r *Rules) simplifies(l *source) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.make(r.env)
	return l.lighter != nil, l.err
}

// orient decides in which direction a law is used; nil if in none.
func orient(l *law.Law, rules []*law.Rule, at []*smt.Bindings) *ruled {
	for _, back := range []bool{false, true} {
		x := &ruled{Law: l, back: back, letters: l.Letters()}
		if from, _ := x.sides(rules[0]); !hasHead(from) {
			continue
		}
		if !slices.ContainsFunc(rules, func(r *law.Rule) bool {
			from, to := x.sides(r)
			return lighter(from, to) == 0 || !speaksOf(from, r.When) || narrows(from, to)
		}) && x.inferNumbers(rules, at) && len(x.open) == 0 {
			x.conditional = slices.ContainsFunc(rules, func(r *law.Rule) bool { return r.When != nil })
			return x
		}
	}
	return nil
}

// narrows reports whether fewer solvers have the operators of the new side of a rule than have those of the side that
// it replaces. A simplified term must stay acceptable to all solvers that accepted the original.
func narrows(from, to *template.Template) bool {
	before, after := from.Operators(), to.Operators()
	all := func(ops []smt.Op, solver string) bool {
		return !slices.ContainsFunc(ops, func(op smt.Op) bool { return !op.Info().SupportedBy(solver) })
	}
	solvers := []string{""} // an unknown solver, which supports only the standard
	for _, op := range slices.Concat(before, after) {
		solvers = append(solvers, op.Info().Solvers...)
	}
	return slices.ContainsFunc(solvers, func(solver string) bool { return all(before, solver) && !all(after, solver) })
}

// hasHead reports whether a side is more than a parameter.
func hasHead(side *template.Template) bool {
	nodes, root := side.Nodes()
	return nodes[root].Parameter < 0
}

// speaksOf reports whether all parameters of a condition occur in a side.
func speaksOf(side, when *template.Template) bool {
	if when == nil {
		return true
	}
	s, _ := weigh(side)
	w, _ := weigh(when)
	for p := range w.times {
		if w.times[p] > 0 && s.times[p] == 0 {
			return false
		}
	}
	return true
}

// inferNumbers finds out how the numbers of the law follow from a term that its side matches: from the sorts of what
// its parameters stand for, else from an index or a literal; others are open. It is false for laws whose sides have no
// common shape.
func (l *ruled) inferNumbers(rules []*law.Rule, at []*smt.Bindings) bool {
	var from []*template.Template
	for _, r := range rules {
		side, _ := l.sides(r)
		from = append(from, side)
	}
	if l.shape = template.NewShape(from); l.shape == nil {
		return false
	}
	s, _ := weigh(from[0])
	var known []byte // by sorts
	for i := range l.Parameters {
		if s.times[i] > 0 {
			l.Parameters[i].Sort.Variables(func(v byte) { known = append(known, v) }, func(byte) {})
		}
	}
	slots := make([][]template.Slot, len(from))
	for i, t := range from {
		slots[i] = l.shape.Slots(t)
	}
	for _, v := range l.Letters() {
		if slices.Contains(known, v) {
			continue
		}
		if x, ok := inferFrom(v, slots, at); ok {
			l.infer = append(l.infer, x)
		} else {
			l.open = append(l.open, v)
		}
	}
	return true
}

// inferFrom looks for a slot from which a number follows in all samples.
func inferFrom(letter byte, slots [][]template.Slot, at []*smt.Bindings) (inference, bool) {
	first, _ := at[0].Number(letter)
	for _, f := range []form{plain, power, mask, width} {
		for k := range slots[0] {
			x := inference{letter: letter, slot: k, form: f}
			if f == plain {
				x.offset = int64(slots[0][k].Value) - first
			}
			fits := x.offset >= -2 && x.offset <= 2
			for i := range slots {
				want, _ := at[i].Number(letter)
				n, ok := x.number(&slots[i][k])
				fits = fits && ok && n == want
			}
			if fits {
				return x, true
			}
		}
	}
	return inference{}, false
}

// simplify makes the entries by which a law simplifies.
func (l *source) simplify(rules []*law.Rule) {
	margin := 1 << 20
	for _, rule := range rules {
		margin = min(margin, lighter(l.lighter.sides(rule)))
	}
	for _, shape := range l.lighter.shape.Variants() {
		op, _ := shape.Head()
		e := newEntry(l.lighter, shape)
		l.entries[toLighter] = append(l.entries[toLighter], headed{op, e})
		// The other arguments stay under one more operator, so the replacement of the two must be lighter by more than
		// a node.
		if !e.more && e.least == 2 && template.Associative(op) && op.Info().Commutative && margin > node {
			l.entries[toLighter] = append(l.entries[toLighter], headed{op, e.asPair()})
		}
	}
}

// rule returns a law for bindings of its numbers; nil if there is none, or if it does not get lighter there.
func (r *Rules) rule(l *ruled, b *smt.Bindings) (*law.Rule, error) {
	x, err := r.instance(l, b)
	if x == nil || err != nil {
		return nil, err
	}
	if from, to := l.sides(x); lighter(from, to) == 0 {
		return nil, nil
	}
	return x, nil
}

// instance returns a law for bindings of its numbers; nil if there is none.
func (r *Rules) instance(l *ruled, b *smt.Bindings) (*law.Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, err := l.Rule(r.env, b)
	if err == template.ErrNone {
		return nil, nil
	}
	return x, err
}

// find returns the number of the law of a name, which simplifies.
func (r *Rules) find(name string) (int, error) {
	n, ok := r.byName[name]
	if ok {
		var err error
		if ok, err = r.simplifies(r.laws[n]); err != nil {
			return 0, err
		}
	}
	if !ok {
		return 0, fmt.Errorf("no rule is called %q", name)
	}
	return n, nil
}
