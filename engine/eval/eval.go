package eval

import (
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/strre"
	"github.com/smtlark/smtlark/engine/eval/theory"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
)

// Limits bounds what an evaluation may cost. What goes beyond is unknown.
type Limits struct {
	// Steps is the number of nodes that one Eval may visit inside functions, quantifiers and lambdas.
	Steps int64
	// Instances is the number of values or tuples that one quantifier may run through.
	Instances uint64
	// Calls is the number of variables that may be bound at once by function calls within one another.
	Calls int
	// Bits is the size of an integer, of a numerator or of a denominator.
	Bits int
	// Length is the length of a string or of a sequence.
	Length int
	// Words is what large values take together, in units of 8 bytes; 0 means that of DefaultLimits.
	Words int64
}

// DefaultLimits are the limits of a new Evaluator.
func DefaultLimits() Limits {
	return Limits{Steps: 1 << 24, Instances: 1 << 17, Calls: 1 << 20, Bits: 1 << 20, Length: 1 << 22, Words: maxWords}
}

const maxWords = 1 << 25

// words returns the limit of that name.
func (l *Limits) words() int64 {
	if l.Words == 0 {
		return maxWords
	}
	return l.Words
}

// Evaluator computes values of terms in a model and remembers them by term. It follows Release of its arena: values
// of terms older than the evaluator (or its last Pin) stay, others are dropped. It is not safe for concurrent use.
type Evaluator struct {
	Limits Limits

	a       *smt.Arena
	m       *model.Model
	domains value.Domains
	theory  theory.Context

	pages [][]slot
	base  uint32 // stamp of the values of closed terms
	next  uint32 // the next stamp
	epoch uint64
	pin   int

	binds []bound
	scope map[smt.Term]int // where in binds a variable has its value
	free  map[smt.Term][]smt.Term

	stack    []frame
	vals     []value.Value
	calls    callCache
	depth    int // nested runs
	steps    int64
	held     int64 // words of large values since values were last dropped
	visited  int64 // nodes since the evaluator was made, by weight
	aborted  *value.Reason
	spent    bool // the budget, by a quantifier before
	loose    bool // a term of unknown sort has had a value: see fits
	sampled  map[smt.Sort][]value.Value
	complete bool // default values stand for what the model does not interpret
}

// slot is what is remembered of a term.
type slot struct {
	val   value.Value
	stamp uint32
	state openness
}

type openness uint8

const (
	notAnalysed openness = iota
	isClosed
	isOpen // has free variables
)

const (
	pageBits = 9
	pageMask = 1<<pageBits - 1
)

type bound struct {
	v    smt.Term
	val  value.Value
	gen  uint32
	prev int // the binding of v that this one hides, or -1
}

// frame is a term whose value is being computed; the values of its arguments lie in vals from base on.
type frame struct {
	t    smt.Term
	next int32 // argument to evaluate next
	n    int32 // number of arguments
	base int32
	mark int32 // length of binds to go back to, where a body is running
	op   smt.Op
	body bool // the value to come is that of a body, and with it of the term
}

// New returns an evaluator of the arena's terms in the model; nil stands for a model that interprets nothing. The
// model must not be changed without a Reset.
func New(a *smt.Arena, m *model.Model) *Evaluator {
	e := &Evaluator{Limits: DefaultLimits(), a: a, scope: map[smt.Term]int{}, free: map[smt.Term][]smt.Term{}}
	e.domains = value.NewDomains(a, m)
	e.theory = theory.Context{Arena: a, Domains: &e.domains, Partial: e.partial, Equal: e.equal}
	e.epoch = a.Epoch()
	e.Pin()
	e.Reset(m)
	return e
}

// Reset makes the evaluator forget every value, in constant time, and go on with another or a changed model.
func (e *Evaluator) Reset(m *model.Model) {
	if m == nil {
		m = model.New(e.a)
	}
	e.m = m
	e.domains.SetUniverses(m)
	e.forget()
	if e.next > 1<<31 { // stamps must never come round
		for _, p := range e.pages {
			for i := range p {
				p[i].stamp = 0
			}
		}
		e.next = 0
	}
	e.next++
	e.base = e.next
}

// Model returns the model that terms are evaluated in.
func (e *Evaluator) Model() *model.Model { return e.m }

// Arena returns the arena whose terms are evaluated.
func (e *Evaluator) Arena() *smt.Arena { return e.a }

// Pin declares that no Release will drop the terms that exist now, so that their values survive Releases.
func (e *Evaluator) Pin() { e.pin = e.a.Len() }

// SetCompletion makes default values stand for what the model does not interpret: zero, false, the empty string, the
// first constructor. Partial operators are then zero, too, where the standard leaves them open.
func (e *Evaluator) SetCompletion(on bool) {
	if e.complete != on {
		e.complete = on
		e.Reset(e.m)
	}
}

// Domains returns the sets of values of sorts under the model.
func (e *Evaluator) Domains() *value.Domains { return &e.domains }

// Visited returns how many nodes have been visited since the evaluator was made, by weight: what evaluation has cost.
func (e *Evaluator) Visited() int64 { return e.visited }

// Languages returns the builder of the regular languages among the values; nil if there are none.
func (e *Evaluator) Languages() *strre.Builder { return e.theory.Languages }

// Eval returns the value of a term. An error wraps ErrUnknown and is a *Reason.
func (e *Evaluator) Eval(t smt.Term) (value.Value, error) {
	v := e.Value(t)
	if err := v.Err(); err != nil {
		return value.Value{}, err
	}
	return v, nil
}

// Holds returns the truth value of a Bool term; known is false if there is none.
func (e *Evaluator) Holds(t smt.Term) (holds, known bool) {
	v := e.Value(t)
	return v.IsTrue(), v.Kind() == value.KindBool
}

// Truth is Holds with one result.
func (e *Evaluator) Truth(t smt.Term) value.Truth {
	v := e.Value(t)
	if v.Kind() != value.KindBool {
		return value.Unknown
	}
	return value.TruthOf(v.IsTrue())
}

// AllTrue returns whether all terms are true: false if one is, unknown if one has no value and none is false. Unlike CheckTerms it
// takes nothing for what the model lacks.
func (e *Evaluator) AllTrue(terms []smt.Term) value.Truth {
	out := value.True
	for _, t := range terms {
		switch e.Truth(t) {
		case value.False:
			return value.False
		case value.Unknown:
			out = value.Unknown
		}
	}
	return out
}

// EvalWith returns the value of a term whose free variables have values: vars are OpVar terms.
func (e *Evaluator) EvalWith(t smt.Term, vars []smt.Term, vals []value.Value) (value.Value, error) {
	e.begin()
	mark := len(e.binds)
	e.analyse(t)
	for i, v := range vars {
		e.bind(v, vals[i])
	}
	v := e.run(t)
	e.unbind(mark)
	return v, v.Err()
}

// Value returns the value of a term, or why it has none.
func (e *Evaluator) Value(t smt.Term) value.Value {
	e.begin()
	return e.run(t)
}

// begin prepares a call from outside: it drops what a Release dropped and fills up the budget.
func (e *Evaluator) begin() {
	if e.epoch != e.a.Epoch() {
		e.epoch = e.a.Epoch()
		e.dropAbove(min(e.pin, e.a.Len()))
	}
	if e.next > 1<<31 || e.held > e.Limits.words()/2 {
		e.Reset(e.m)
	}
	e.freshRegexes()
	e.theory.Bits, e.theory.Length = e.Limits.Bits, e.Limits.Length
	e.steps, e.aborted, e.spent, e.depth = e.Limits.Steps, nil, false, 0
	e.stack, e.vals = e.stack[:0], e.vals[:0]
	e.unbind(0)
}

// freshRegexes forgets all regular languages where the builder has grown large or gave up.
func (e *Evaluator) freshRegexes() {
	const keep = 1 << 19
	if e.theory.Languages == nil {
		return
	}
	if e.theory.GaveUp || e.theory.Languages.Len() > keep {
		e.theory.Languages.Reset()
		e.theory.GaveUp = false
		e.Reset(e.m)
	}
}

func (e *Evaluator) dropAbove(n int) {
	for p := n >> pageBits; p < len(e.pages); p++ {
		if from := n - p<<pageBits; from > 0 && e.pages[p] != nil {
			clear(e.pages[p][from:])
		} else {
			e.pages[p] = nil
		}
	}
	for t := range e.free {
		if int(t) >= n {
			delete(e.free, t)
		}
	}
	e.forget()
}

// forget drops what is remembered by sort or symbol.
func (e *Evaluator) forget() {
	e.domains.Forget()
	clear(e.sampled)
	e.calls.clear()
}

func (e *Evaluator) slot(t smt.Term) *slot {
	p := int(t) >> pageBits
	if p >= len(e.pages) {
		e.pages = append(e.pages, make([][]slot, p+1+p/4-len(e.pages))...)
	}
	if e.pages[p] == nil {
		e.pages[p] = make([]slot, 1<<pageBits)
	}
	return &e.pages[p][t&pageMask]
}

// bind gives a variable a value until unbind.
func (e *Evaluator) bind(v smt.Term, val value.Value) {
	prev, ok := e.scope[v]
	if !ok {
		prev = -1
	}
	e.next++
	e.scope[v] = len(e.binds)
	e.binds = append(e.binds, bound{v: v, val: val, gen: e.next, prev: prev})
}

func (e *Evaluator) unbind(mark int) {
	for i := len(e.binds) - 1; i >= mark; i-- {
		if b := &e.binds[i]; b.prev < 0 {
			delete(e.scope, b.v)
		} else {
			e.scope[b.v] = b.prev
		}
	}
	e.binds = e.binds[:mark]
}

// rebind gives a variable that was bound last another value.
func (e *Evaluator) rebind(i int, val value.Value) {
	e.next++
	e.binds[i].val, e.binds[i].gen = val, e.next
}

// analyse finds the free variables of every term below t; it must run before a term under a binder is evaluated.
func (e *Evaluator) analyse(root smt.Term) {
	if e.slot(root).state != notAnalysed {
		return
	}
	a := e.a
	var stack []smt.Term
	stack = append(stack, root)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if e.slot(t).state != notAnalysed {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		for _, x := range a.Args(t) {
			if e.slot(x).state == notAnalysed {
				stack = append(stack, x)
			}
		}
		if len(stack) > before {
			continue
		}
		stack = stack[:len(stack)-1]
		var free []smt.Term
		if a.Op(t) == smt.OpVar {
			free = []smt.Term{t}
		} else {
			vars := a.BoundVars(t)
			for _, x := range a.Args(t)[len(vars):] {
				free = union(free, e.free[x], vars)
			}
		}
		s := e.slot(t)
		s.state = isClosed
		if free != nil {
			s.state = isOpen
			e.free[t] = free
		}
	}
}

func union(out, more, except []smt.Term) []smt.Term {
next:
	for _, v := range more {
		for _, w := range except {
			if v == w {
				continue next
			}
		}
		for _, w := range out {
			if v == w {
				continue next
			}
		}
		out = append(out[:len(out):len(out)], v)
	}
	return out
}

// stamp returns the stamp that the value of t must have to be valid in the present scope; 0 if a variable is not
// bound. Bindings nest and their generations grow, so the youngest one that t depends on determines all the others.
func (e *Evaluator) stamp(t smt.Term, s *slot) uint32 {
	if s.state != isOpen {
		return e.base
	}
	g := e.base
	for _, v := range e.free[t] {
		i, ok := e.scope[v]
		if !ok {
			return 0
		}
		g = max(g, e.binds[i].gen)
	}
	return g
}
