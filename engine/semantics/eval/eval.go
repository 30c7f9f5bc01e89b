package eval

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
	"github.com/smtlark/smtlark/engine/semantics/eval/theory"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Limits bounds the cost of an evaluation. Beyond it the result is unknown.
type Limits struct {
	// Steps bounds one question, which is one Eval, CheckTerms or AllTrue: nodes inside functions, quantifiers and
	// lambdas, and whatever takes as long, such as large numbers. A step is about half a microsecond.
	Steps int64
	// Instances is the number of values or tuples that one quantifier may run through.
	Instances uint64
	// Calls is the number of variables that may be bound at once by function calls within one another.
	Calls int
	// Bits is the size of an integer, of a numerator or of a denominator.
	Bits int
	// Length is the length of a string or of a sequence.
	Length int
	// Words bounds the total size of large values, in units of 8 bytes; 0 means that of DefaultLimits.
	Words int64
	// All, if not nil, is the allowance that this and other questions share.
	All *Allowance
}

// DefaultLimits are the limits of a new Evaluator.
func DefaultLimits() Limits {
	return Limits{Steps: 1 << 22, Instances: 1 << 17, Calls: 1 << 20, Bits: 1 << 20, Length: 1 << 22, Words: maxWords}
}

const maxWords = 1 << 25

// QuickLimits are the limits for questions that are asked many times and can do without the few answers that take long.
// A question about one assertion takes at most 2 ms, while a solver takes 15 ms in all: of 2,616 models that satisfied
// what techniques made of 1,400 seeds, three needed more.
func QuickLimits() Limits {
	l := DefaultLimits()
	l.Steps, l.Instances = 1<<12, 1<<12
	return l
}

// wordLimit returns the limit of that name.
func (l *Limits) wordLimit() int64 {
	if l.Words == 0 {
		return maxWords
	}
	return l.Words
}

// Evaluator computes values of terms in a model and remembers them by term. It follows Release of its arena: values
// of terms older than the evaluator (or its last Pin) stay, others are dropped. It is not safe for concurrent use.
type Evaluator struct {
	memo
	budget
	interpretation
	epoch uint64 // of the arena, when it was last asked

	stack []frame
	vals  []value.Value
	calls callCache
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
	e := &Evaluator{memo: newMemo(a)}
	e.Limits = DefaultLimits()
	e.domains = value.NewDomains(a, m)
	e.theory = theory.Context{Arena: a, Domains: &e.domains, Partial: functionCalls{e}.openValue, Equal: operators{e}.equal}
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
	e.held = 0
	e.domains.SetUniverses(m)
	e.forgetSorts()
	e.forgetAll()
}

// Arena returns the arena whose terms are evaluated.
func (e *Evaluator) Arena() *smt.Arena { return e.a }

// SetCompletion gives symbols that the model does not interpret default values: zero, false, the empty string, the
// first constructor. Partial operators are then zero, too, where the standard leaves them open.
func (e *Evaluator) SetCompletion(on bool) {
	if e.complete != on {
		e.complete = on
		e.Reset(e.m)
	}
}

// Visited returns the weighted number of nodes visited since the evaluator was made, as a measure of cost.
func (e *budget) Visited() int64 { return e.visited }

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

// AllTrue returns whether all terms are true: false if one is, unknown if one has no value and none is false. Unlike
// CheckTerms it assumes no default values where the model lacks interpretations.
func (e *Evaluator) AllTrue(terms []smt.Term) value.Truth {
	out := value.True
	e.refill()
	for _, t := range terms {
		switch v := e.nextValue(t); {
		case v.IsFalse():
			return value.False
		case !v.IsTrue():
			out = value.Unknown
		}
	}
	return out
}

// EvalWith returns the value of a term whose free variables have values: vars are OpVar terms.
func (e *Evaluator) EvalWith(t smt.Term, vars []smt.Term, vals []value.Value) (value.Value, error) {
	e.refill()
	e.beginCall()
	mark := len(e.binds)
	e.findFreeVars(t)
	for i, v := range vars {
		e.bindVar(v, vals[i])
	}
	v := e.runTerm(t)
	e.unbindTo(mark)
	return v, v.Err()
}

// Value returns the value of a term, or why it has none.
func (e *Evaluator) Value(t smt.Term) value.Value {
	e.refill()
	return e.nextValue(t)
}

// nextValue is Value within the budget of a question that has begun.
func (e *Evaluator) nextValue(t smt.Term) value.Value {
	e.beginCall()
	return e.runTerm(t)
}

// ValueAlone is Value for an answer that must not depend on earlier questions. A question that took steps leaves
// results in memory that would make the next question cheaper, so they are forgotten.
func (e *Evaluator) ValueAlone(t smt.Term) value.Value {
	v := e.Value(t)
	if e.steps < e.Limits.Steps {
		e.Reset(e.m)
	}
	return v
}

// beginCall prepares a call from outside: it drops the values of terms that the arena has released.
func (e *Evaluator) beginCall() {
	e.unbindTo(0)
	if e.epoch != e.a.Epoch() {
		e.epoch = e.a.Epoch()
		e.dropAbove(min(e.pin, e.a.Len()))
	}
	if e.next > 1<<31 || e.held > e.Limits.wordLimit()/2 {
		e.Reset(e.m)
	}
	e.freshRegexes()
	e.theory.Bits, e.theory.Length = e.Limits.Bits, e.Limits.Length
	e.aborted, e.depth = nil, 0
	e.stack, e.vals = e.stack[:0], e.vals[:0]
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
	e.forgetFrom(n)
	e.forgetSorts()
}

// forgetSorts drops the data cached by sort or symbol.
func (e *Evaluator) forgetSorts() {
	e.domains.Forget()
	clear(e.sampled)
	clear(e.grounds)
	e.calls.clear()
}
