package eval

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// quantifierValue decides forall and exists where that is exact: all values of finite sorts are tried, and so are those
// that bounds and equalities in the formula leave over, as x in (=> (and (<= 0 x) (< x 10)) ...), or values that stand
// for all others (see regions.go). Failing that, a counterexample decides forall and a witness decides exists.
//
// One that spends the budget is unknown, and so are all that come after it; what stands beside them is not.
func (e *Evaluator) quantifierValue(t smt.Term) value.Value {
	v := e.decideQuantifier(t)
	if e.aborted != nil && len(e.binds) == 0 {
		v = value.NoValueFor(e.aborted)
		e.aborted, e.steps, e.spent = nil, 0, true
	}
	return v
}

func (e *Evaluator) decideQuantifier(t smt.Term) value.Value {
	e.findFreeVars(t)
	a := e.a
	q := quantified{e: e, forall: a.Op(t) == smt.OpForall, body: a.Body(t), left: e.Limits.Instances}
	for _, v := range a.BoundVars(t) {
		if e.occursFree(v, q.body) { // no sort is empty, so the others do not matter
			q.vars = append(q.vars, v)
		}
	}
	if len(q.vars) == 0 {
		return e.runTerm(q.body)
	}
	q.collectFacts(q.body, !q.forall)
	// If there are many values, a few of them are usually enough to decide, and trying all of them may take more than
	// the budget.
	best, size, domain := q.chooseVariable()
	if size > maxSamples && size <= q.left {
		if q.decidesBySamples() {
			return value.Bool(!q.forall)
		}
		q.left = e.Limits.Instances
	}
	switch r := q.tryValues(best, size, domain); {
	case e.aborted != nil:
		return value.NoValueFor(e.aborted)
	case r != value.Unknown:
		return value.Bool(r == value.True)
	}
	if q.decidesBySamples() {
		return value.Bool(!q.forall)
	}
	if q.reason.Kind() == value.KindUnknown {
		return q.reason
	}
	return value.NoValue(a.Op(t).String(), q.why)
}

const (
	maxSamples     = 400 // instances tried where not all can be
	samplesPerVar  = 24
	maxGroundTerms = 64
)

type quantified struct {
	e      *Evaluator
	forall bool
	vars   []smt.Term // not yet bound
	body   smt.Term
	facts  []fact
	left   uint64      // instances that may still be tried
	reason value.Value // of the first instance with unknown value
	why    string      // why not all instances were tried
}

// fact is a literal that holds of every instance that can decide: a witness of exists, a counterexample of forall.
type fact struct {
	t    smt.Term
	true bool
}

// collectFacts gathers the facts that follow from t having the truth value.
func (q *quantified) collectFacts(t smt.Term, value bool) {
	a := q.e.a
	switch op := a.Op(t); {
	case op == smt.OpAnnot:
		q.collectFacts(a.Arg(t, 0), value)
	case op == smt.OpNot:
		q.collectFacts(a.Arg(t, 0), !value)
	case op == smt.OpAnd && value, op == smt.OpOr && !value:
		for _, x := range a.Args(t) {
			q.collectFacts(x, value)
		}
	case op == smt.OpImplies && !value:
		n := a.NumArgs(t)
		for i, x := range a.Args(t) {
			q.collectFacts(x, i < n-1)
		}
	default:
		q.facts = append(q.facts, fact{t, value})
	}
}

// tryInstances tries all instances: True, False, or Unknown where it cannot or where an instance is unknown.
func (q *quantified) tryInstances() value.Truth {
	e := q.e
	if len(q.vars) == 0 {
		if q.left == 0 {
			q.why = "too large: more instances than the limit"
			return value.Unknown
		}
		q.left--
		v := e.runTerm(q.body)
		if v.Kind() == value.KindBool {
			return value.TruthOf(v.IsTrue())
		}
		if q.reason.Kind() == value.KindNone {
			q.reason = v
		}
		return value.Unknown
	}
	return q.tryValues(q.chooseVariable())
}

// tryValues is tryInstances for the values of a variable that is yet to be bound; see chooseVariable.
func (q *quantified) tryValues(best int, size uint64, domain candidates) value.Truth {
	e := q.e
	if best < 0 {
		q.why = "a quantifier over " + e.a.SortString(e.a.Sort(q.vars[0])) + " that no bounds limit"
		return value.Unknown
	}
	if size > q.left {
		q.why = "too large: more instances than the limit"
		return value.Unknown
	}
	v := q.vars[best]
	rest := make([]smt.Term, 0, len(q.vars))
	rest = append(append(rest, q.vars[:best]...), q.vars[best+1:]...)
	old := q.vars
	q.vars = rest
	defer func() { q.vars = old }()
	mark := len(e.binds)
	e.bindVar(v, value.Value{})
	defer e.unbindTo(mark)
	decisive := value.TruthOf(!q.forall)
	result := decisive.Not()
	for i := range size {
		e.rebindVar(mark, domain(i))
		switch r := q.tryInstances(); {
		case r == decisive:
			return r
		case r == value.Unknown:
			// A later instance may still decide. But where candidates are missing, they are missing in the next instances, too.
			result = value.Unknown
			if q.why != "" || e.aborted != nil {
				return value.Unknown
			}
		}
	}
	return result
}

// chooseVariable returns the variable with the fewest candidates, -1 if none has any: once it has a value, facts in
// which it occurs may bound the others.
func (q *quantified) chooseVariable() (best int, size uint64, domain candidates) {
	best = -1
	q.e.charge(smt.OpForall, int64(len(q.facts)*len(q.vars)/4))
	ranges := q.findIntervals()
	for i := range q.vars {
		c, n, ok := q.candidateValues(q.vars[i], &ranges[i])
		if ok && (best < 0 || n < size) {
			best, size, domain = i, n, c
		}
	}
	return best, size, domain
}

// candidates enumerates the values that a variable can have in an instance that decides.
type candidates func(i uint64) value.Value

// candidateValues returns the values to try for a variable, from facts whose other side has a value now, or else all
// values of its sort.
func (q *quantified) candidateValues(v smt.Term, r *interval) (c candidates, n uint64, ok bool) {
	e := q.e
	sort := e.a.Sort(v)
	for _, f := range q.facts {
		if list, ok := q.equalTo(v, f); ok {
			return func(i uint64) value.Value { return list[i] }, uint64(len(list)), true
		}
	}
	if c, n, ok := r.allValues(); ok {
		return c, n, true
	}
	dom := e.domains.Of(sort)
	size, ok := dom.Size()
	if ok && size <= q.left {
		return dom.At, size, true
	}
	if list, ok := q.regionValues(v); ok {
		return func(i uint64) value.Value { return list[i] }, uint64(len(list)), true
	}
	return dom.At, size, ok
}

// otherSide returns the side of a binary literal that is not v, evaluated; ok is false if v is no side of it or the
// other side depends on variables that have no value yet.
func (q *quantified) otherSide(v, t smt.Term) (x value.Value, left, ok bool) {
	a := q.e.a
	if a.NumArgs(t) != 2 {
		return x, false, false
	}
	l, r := a.Arg(t, 0), a.Arg(t, 1)
	if r == v {
		l, r = r, l
	} else {
		left = true
	}
	if l != v {
		return x, false, false
	}
	for _, w := range q.vars {
		if q.e.occursFree(w, r) {
			return x, left, false
		}
	}
	x = q.e.runTerm(r)
	return x, left, x.IsValue()
}

// equalTo returns the values that a fact allows for v: one, or one for each disjunct.
func (q *quantified) equalTo(v smt.Term, f fact) ([]value.Value, bool) {
	a := q.e.a
	switch op := a.Op(f.t); {
	case op == smt.OpEq && f.true, op == smt.OpDistinct && !f.true:
		x, _, ok := q.otherSide(v, f.t)
		return []value.Value{x}, ok
	case f.t == v:
		return []value.Value{value.Bool(f.true)}, true
	case op == smt.OpOr && f.true:
		var all []value.Value
		for _, d := range a.CopyArgs(f.t) {
			x, ok := q.equalTo(v, fact{d, true})
			if !ok {
				return nil, false
			}
			all = append(all, x...)
		}
		return all, true
	}
	return nil, false
}

// interval bounds the values of an integer or an unsigned bit vector.
type interval struct {
	e      *Evaluator
	sort   smt.Sort
	lo, hi *big.Int
}

func (r *interval) allValues() (c candidates, n uint64, ok bool) {
	lo, hi := r.lo, r.hi
	if w := r.e.a.Width(r.sort); w > 0 {
		if lo == nil && hi == nil {
			return nil, 0, false
		}
		if lo == nil {
			lo = new(big.Int)
		}
		if hi == nil {
			hi = value.Ones(w)
		}
	}
	if lo == nil || hi == nil {
		return nil, 0, false
	}
	span := new(big.Int).Sub(hi, lo)
	if span.Sign() < 0 {
		return nil, 0, true
	}
	if !span.IsInt64() || span.Int64() >= value.HugeSize {
		return nil, 0, false
	}
	return func(i uint64) value.Value {
		x := new(big.Int).Add(lo, new(big.Int).SetUint64(i))
		if r.sort == smt.SortInt {
			return value.Int(x)
		}
		return value.BitVecOf(r.sort, r.e.a.Width(r.sort), x)
	}, span.Uint64() + 1, true
}

// comparisons of integers and of unsigned bit vectors: v op x bounds v from above or below, strictly or not.
var comparisons = map[smt.Op]struct{ less, strict bool }{
	smt.OpLe: {true, false}, smt.OpLt: {true, true}, smt.OpGe: {false, false}, smt.OpGt: {false, true},
	smt.OpBVUle: {true, false}, smt.OpBVUlt: {true, true}, smt.OpBVUge: {false, false}, smt.OpBVUgt: {false, true},
}

// findIntervals returns the bounds that the facts give for each variable, also by way of bounds of other variables.
func (q *quantified) findIntervals() []interval {
	ranges := make([]interval, len(q.vars))
	for i, v := range q.vars {
		ranges[i] = interval{e: q.e, sort: q.e.a.Sort(v)}
	}
	for range q.vars {
		for i, v := range q.vars {
			if s := ranges[i].sort; s != smt.SortInt && q.e.a.Width(s) == 0 {
				continue
			}
			for _, f := range q.facts {
				if c, ok := comparisons[q.e.a.Op(f.t)]; ok {
					q.tightenInterval(v, f, c.less, c.strict, i, ranges)
				}
			}
		}
	}
	return ranges
}

// tightenInterval tightens the interval of v by a fact that compares it with a value or with another variable.
func (q *quantified) tightenInterval(v smt.Term, f fact, less, strict bool, i int, ranges []interval) {
	r := &ranges[i]
	var n *big.Int
	x, left, ok := q.otherSide(v, f.t)
	less = less == left
	if !f.true {
		less, strict = !less, !strict
	}
	if ok {
		n, _ = value.Integer(x)
	} else if w := q.otherVar(v, f.t); w >= 0 && less {
		n = ranges[w].hi
	} else if w >= 0 {
		n = ranges[w].lo
	}
	if n == nil {
		return
	}
	if strict && less {
		n = new(big.Int).Sub(n, value.BigOne)
	} else if strict {
		n = new(big.Int).Add(n, value.BigOne)
	}
	if less && (r.hi == nil || n.Cmp(r.hi) < 0) {
		r.hi = n
	}
	if !less && (r.lo == nil || n.Cmp(r.lo) > 0) {
		r.lo = n
	}
}

// otherVar returns which variable without value a binary literal compares v with, or -1.
func (q *quantified) otherVar(v, t smt.Term) int {
	if q.e.a.NumArgs(t) != 2 {
		return -1
	}
	l, r := q.e.a.Arg(t, 0), q.e.a.Arg(t, 1)
	if r == v {
		l, r = r, l
	}
	if l != v || r == v {
		return -1
	}
	return slices.Index(q.vars, r)
}

// decidesBySamples looks for one decisive instance among values of ground terms in the body and other likely ones.
func (q *quantified) decidesBySamples() bool {
	e := q.e
	q.left = min(maxSamples, e.Limits.Instances)
	if e.aborted != nil {
		return false
	}
	lists := make([][]value.Value, len(q.vars))
	for i, v := range q.vars {
		sort := e.a.Sort(v)
		// Values of ground terms come first, since the list is cut: the terms that the body compares with decide most
		// often.
		lists[i] = append(q.groundValues(sort), e.sampleValues(sort)...)
		if len(lists[i]) == 0 {
			return false
		}
		lists[i] = lists[i][:min(len(lists[i]), samplesPerVar)]
	}
	mark := len(e.binds)
	for _, v := range q.vars {
		e.bindVar(v, value.Value{})
	}
	defer e.unbindTo(mark)
	at := make([]int, len(lists))
	for ; q.left > 0; q.left-- {
		for i := range at {
			e.rebindVar(mark+i, lists[i][at[i]])
		}
		if v := e.runTerm(q.body); v.Kind() == value.KindBool && v.IsTrue() != q.forall {
			return true
		}
		if e.aborted != nil {
			return false
		}
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(lists[i]) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return false
		}
	}
	return false
}

// groundsOf is a body and a sort, grounds what groundValues has found there.
type (
	groundsOf struct {
		body smt.Term
		sort smt.Sort
	}
	grounds struct {
		looked int64 // terms of the body
		values []value.Value
	}
)

// groundValues returns values of closed terms of the sort in the body, in order of occurrence. A nested quantifier
// wants them for each instance of the outer one: they are the same then.
func (q *quantified) groundValues(sort smt.Sort) []value.Value {
	e := q.e
	key := groundsOf{q.body, sort}
	if g, ok := e.grounds[key]; ok {
		e.charge(smt.OpForall, g.looked) // charge as if not cached: results must not depend on earlier questions
		e.visited += g.looked
		return g.values[:len(g.values):len(g.values)]
	}
	var g grounds
	var terms []smt.Term
	e.a.PostOrder([]smt.Term{q.body}, func(t smt.Term) {
		e.charge(smt.OpForall, 1)
		e.visited++
		g.looked++
		if len(terms) < maxGroundTerms && e.a.Sort(t) == sort && !e.slotOf(t).isOpen() {
			terms = append(terms, t)
		}
	})
	var out []value.Value
	seen := value.Map{}
	add := func(v value.Value) {
		if !v.IsValue() || !v.Comparable() {
			return
		}
		if _, dup := seen.Get(v); !dup {
			seen = seen.Set(v, value.Bool(true))
			out = append(out, v)
		}
	}
	for _, t := range terms {
		v := e.runTerm(t)
		add(v)
		if n, ok := v.Int(); ok {
			add(value.Int(new(big.Int).Add(n, value.BigOne)))
			add(value.Int(new(big.Int).Sub(n, value.BigOne)))
		}
	}
	if e.aborted == nil && !e.spent {
		if e.grounds == nil {
			e.grounds = map[groundsOf]grounds{}
		}
		g.values = out
		e.grounds[key] = g
	}
	return out[:len(out):len(out)] // who appends to it gets another one
}

// boundaryValues returns values of a sort at which the behaviour of operators tends to change.
func boundaryValues(a *smt.Arena, sort smt.Sort) []value.Value {
	var out []value.Value
	switch a.SortKind(sort) {
	case smt.KindBool:
		return []value.Value{value.Bool(false), value.Bool(true)}
	case smt.KindInt:
		for _, n := range []int64{0, 1, -1, 2, -2, 10, 255, -128, 1 << 31, -1 << 31} {
			out = append(out, value.Int64(n))
		}
	case smt.KindReal:
		for _, n := range []int64{0, 1, -1, 2} {
			out = append(out, value.Real64(n))
		}
		out = append(out, value.Real(big.NewRat(1, 2)), value.Real(big.NewRat(-1, 2)), value.Real(big.NewRat(1, 3)))
	case smt.KindBitVec:
		w := a.Width(sort)
		for _, n := range []*big.Int{new(big.Int), value.BigOne, value.Ones(w), value.Ones(w - 1), new(big.Int).Lsh(value.BigOne, uint(w-1)), big.NewInt(2)} {
			out = append(out, value.BitVecOf(sort, w, n))
		}
	case smt.KindFloat:
		f, err := value.FloatFormat(a, sort)
		if err != nil {
			return nil
		}
		for _, neg := range []bool{false, true} {
			out = append(out, value.Float(sort, f.Zero(neg)), value.Float(sort, f.Inf(neg)), value.Float(sort, f.Max(neg)),
				value.Float(sort, f.MinSubnormal(neg)), value.Float(sort, f.MinNormal(neg)), value.Float(sort, f.FromInt64(0, 1-2*int64(value.Bit(neg)))))
		}
		out = append(out, value.Float(sort, f.NaN()))
	case smt.KindString:
		for _, s := range []string{"", "a", "0", "1", "ab", "-1", "\x7f"} {
			out = append(out, value.String([]rune(s)))
		}
	}
	return out
}
