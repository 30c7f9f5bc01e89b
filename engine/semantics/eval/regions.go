package eval

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A variable that the body of a quantifier uses only in comparisons with values and with other variables, and as an
// argument of functions and arrays that the model gives by tables, splits its sort into the keys, that is, those
// values and the places in the tables, and the regions between them. The truth of the body depends only on the keys
// that the variables are and, for variables in one region, on their order. So all instances are decided by the keys
// and as many values of each region as there are variables. All variables of one sort that have no value yet must be
// used so, and share their keys, since they can be compared with each other.

// regionValues returns values that stand for all of the variable's sort; ok is false if the body uses the variable
// in another way.
func (q *quantified) regionValues(v smt.Term) (list []value.Value, ok bool) {
	e := q.e
	sort := e.a.Sort(v)
	n := 0 // variables that may lie in one region
	var keys []value.Value
	taken := value.Map{}
	add := func(x value.Value) bool {
		if !x.IsValue() || !x.Comparable() {
			return false
		}
		if _, dup := taken.Get(x); !dup {
			taken = taken.Set(x, x)
			keys = append(keys, x)
		}
		return len(keys) < maxKeys
	}
	for _, w := range q.vars {
		if e.a.Sort(w) == sort {
			n++
			if !q.comparedValues(w, add) {
				return nil, false
			}
		}
	}
	switch e.a.SortKind(sort) {
	case smt.KindInt, smt.KindBitVec:
		return e.integerRegions(sort, keys, n), true
	case smt.KindReal:
		return realRegions(keys, n), true
	}
	dom := e.domains.Of(sort)
	for range n {
		x, ok := freshValue(dom, keys)
		if !ok {
			return nil, false
		}
		keys = append(keys, x)
	}
	return keys, true
}

const maxKeys = 1 << 14

// comparedValues adds the values that the body compares the variable with and the places of the tables that it is
// looked up in; it reports whether the body uses the variable in no other way.
func (q *quantified) comparedValues(v smt.Term, add func(value.Value) bool) bool {
	e, a := q.e, q.e.a
	seen := map[smt.Term]bool{}
	stack := []smt.Term{q.body}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] || !e.occursFree(v, t) {
			continue
		}
		seen[t] = true
		if t == v || a.Op(t).IsBinder() || a.Op(t) == smt.OpMatch {
			return false
		}
		args := a.CopyArgs(t)
		if slices.Contains(args, v) && !q.keysOf(v, t, args, add) {
			return false
		}
		for _, x := range args {
			if x != v {
				stack = append(stack, x)
			}
		}
	}
	return true
}

// keysOf adds the keys that one use of the variable as an argument makes; it reports whether that use is allowed.
func (q *quantified) keysOf(v, t smt.Term, args []smt.Term, add func(value.Value) bool) bool {
	e, a := q.e, q.e.a
	switch op := a.Op(t); op {
	case smt.OpEq, smt.OpDistinct, smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt, smt.OpBVUle, smt.OpBVUlt, smt.OpBVUge, smt.OpBVUgt:
		for _, x := range args {
			// Comparing two variables adds no key: each region has as many representatives as there are variables.
			if slices.Contains(q.vars, x) {
				continue
			}
			if !q.isEvaluable(x) || !add(e.runTerm(x)) {
				return false
			}
		}
		return true
	case smt.OpApply:
		fn := e.m.Func(a.SymbolOf(t))
		// Only a table depends on finitely many values of its argument.
		if fn == nil || fn.Body != 0 || a.SymbolInfo(a.SymbolOf(t)).Kind != smt.SymDeclared {
			return false
		}
		for i, x := range args {
			for _, r := range fn.Unsorted() {
				if x == v && !add(r.Args[i]) {
					return false
				}
			}
		}
		return true
	case smt.OpSelect:
		if args[0] == v || !q.isEvaluable(args[0]) {
			return false
		}
		array := e.runTerm(args[0])
		if array.Kind() != value.KindTable {
			return false
		}
		ok := true
		array.AsTable().Entries().Each(func(k, _ value.Value) bool {
			ok = add(k)
			return ok
		})
		return ok
	}
	return false
}

// isEvaluable reports whether a term depends on no variable that has no value yet.
func (q *quantified) isEvaluable(t smt.Term) bool {
	for _, w := range q.vars {
		if q.e.occursFree(w, t) {
			return false
		}
	}
	return true
}

// integerRegions returns the keys and up to n integers, or bit vectors as unsigned numbers, of each region between
// them.
func (e *interpretation) integerRegions(sort smt.Sort, keys []value.Value, n int) []value.Value {
	w := e.theory.Arena.Width(sort)
	lo, hi := new(big.Int), new(big.Int) // of bit vectors
	if w > 0 {
		hi = value.Ones(w)
	}
	make := func(x *big.Int) value.Value {
		if w > 0 {
			return value.BitVecOf(sort, w, x)
		}
		return value.Int(x)
	}
	if len(keys) == 0 {
		keys = []value.Value{make(new(big.Int))}
	}
	slices.SortFunc(keys, value.Compare)
	out := slices.Clone(keys)
	for i, k := range keys {
		x, _ := value.Integer(k)
		for d := range n {
			up := new(big.Int).Add(x, big.NewInt(int64(d+1)))
			if i+1 < len(keys) {
				if next, _ := value.Integer(keys[i+1]); up.Cmp(next) >= 0 {
					break
				}
			} else if w > 0 && up.Cmp(hi) > 0 {
				break
			}
			out = append(out, make(up))
		}
		for d := range n {
			down := new(big.Int).Sub(x, big.NewInt(int64(d+1)))
			if i > 0 || w > 0 && down.Cmp(lo) < 0 {
				break
			}
			out = append(out, make(down))
		}
	}
	return out
}

// realRegions returns the keys and n numbers of each region between them.
func realRegions(keys []value.Value, n int) []value.Value {
	if len(keys) == 0 {
		keys = []value.Value{value.Real64(0)}
	}
	slices.SortFunc(keys, value.Compare)
	out := slices.Clone(keys)
	for i, k := range keys {
		x := k.BigRat()
		for d := range n {
			step := big.NewRat(int64(d+1), 1)
			if i == 0 {
				out = append(out, value.Real(new(big.Rat).Sub(x, step)))
			}
			if i+1 < len(keys) {
				step.Quo(step, big.NewRat(int64(n+1), 1))
				step.Mul(step, new(big.Rat).Sub(keys[i+1].BigRat(), x))
			}
			out = append(out, value.Real(new(big.Rat).Add(x, step)))
		}
	}
	return out
}
