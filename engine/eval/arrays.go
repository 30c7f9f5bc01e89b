package eval

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/smt"
)

// arrays computes the theory ArraysEx and what solvers add to it. select of an array given by a term is a call, which
// the caller handles.
func (e *Evaluator) arrays(t smt.Term, op smt.Op, args []Value) Value {
	sort := e.a.Sort(t)
	switch op {
	case smt.OpSelect:
		return e.selectTable(args[0].table(), args[1])
	case smt.OpStore:
		return e.store(args[0], args[1], args[2])
	case smt.OpConstArray:
		return tableValue(sort, newTable(e.domains.of(e.a.SortArgs(sort)[0]), args[0]))
	case smt.OpArrayDefault:
		return e.partial(t, op, args, "the default of an array")
	}
	return e.eqRange(t, args)
}

func (e *Evaluator) selectTable(t *table, key Value) Value {
	if t.entries.n == 0 {
		return t.def
	}
	if key.opaque() {
		return unknown("select", "the index is an array given by a term")
	}
	if t.dom.size.kind == sizeUnknown || key.kind == kRegex {
		return e.selectSlowly(t, key)
	}
	return t.get(key)
}

// selectSlowly looks a key up whose equality with others may not be known.
func (e *Evaluator) selectSlowly(t *table, key Value) Value {
	v := t.def
	bad := false
	t.entries.each(func(k, x Value) bool {
		switch Equal(k, key) {
		case True:
			v, bad = x, false
			return false
		case Unknown:
			bad = true
		}
		return true
	})
	if bad {
		return unknown("select", "indices that cannot be compared")
	}
	return v
}

func (e *Evaluator) store(array, key, val Value) Value {
	if !key.comparable() {
		return unknown("store", "the index is an array given by a term")
	}
	if array.kind == kClosure {
		c := *array.ref.(*closure)
		c.over = c.over.set(key, val)
		return Value{sort: array.sort, kind: kClosure, ref: &c}
	}
	return tableValue(array.sort, array.table().put(key, val))
}

// selectClosure applies an array or function given by a term to an index, in the frame of the select.
func (e *Evaluator) selectClosure(f *frame, array, key Value) Value {
	c := array.ref.(*closure)
	if key.unknown() {
		return key
	}
	if c.over.n > 0 {
		if key.opaque() {
			return unknown("select", "the index is an array given by a term")
		}
		if v, ok := c.over.get(key); ok {
			return v
		}
	}
	switch {
	case c.vars == nil:
		return e.applyFunction(c.sym, []Value{key})
	case len(c.vars) > 1:
		return e.partly(array.sort, c, key)
	}
	return e.call(f, 0, c.vars, c.body, c.env, []Value{key})
}

// at applies an array value to an index by a nested run.
func (e *Evaluator) at(array, key Value) Value {
	if array.kind == kTable {
		return e.selectTable(array.table(), key)
	}
	c := array.ref.(*closure)
	if c.over.n > 0 {
		if key.opaque() {
			return unknown("select", "the index is an array given by a term")
		}
		if v, ok := c.over.get(key); ok {
			return v
		}
	}
	switch {
	case c.vars == nil:
		return e.applyFunction(c.sym, []Value{key})
	case len(c.vars) > 1:
		return e.partly(array.sort, c, key)
	}
	return e.applyBody(c.vars, c.body, c.env, []Value{key})
}

// partly gives a lambda of several variables, of an array or function sort, its first argument.
func (e *Evaluator) partly(sort smt.Sort, c *closure, key Value) Value {
	rest := c.vars[1:]
	elem, _ := e.a.Applied(sort)
	env := append(c.env[:len(c.env):len(c.env)], binding{c.vars[0], key})
	return e.tabulate(elem, &closure{vars: rest, body: c.body, env: env})
}

// applyFunction applies a function symbol to values by a nested run.
func (e *Evaluator) applyFunction(sym smt.Symbol, args []Value) Value {
	info := e.a.SymbolInfo(sym)
	if info.Body != 0 {
		return e.applyBody(info.Vars, info.Body, nil, args)
	}
	fn := e.m.funcs[sym]
	switch {
	case fn == nil && e.complete:
		return e.Default(info.Result)
	case fn == nil:
		return missing(info.Name, "the model gives no interpretation of the function")
	case fn.Body != 0:
		return e.applyBody(fn.Vars, fn.Body, nil, args)
	}
	if v := fn.Get(args); v.kind != kNone {
		return v
	}
	if e.complete {
		return e.Default(info.Result)
	}
	return missing(info.Name, "the model's table does not list these arguments")
}

// equal compares values; where arrays given by terms are involved it tries all indices of a small domain and some of
// a large one.
func (e *Evaluator) equal(v, w Value) Truth {
	r := Equal(v, w)
	if r == Unknown && v.kind == kRegex {
		e.reBroken = true
	}
	if r != Unknown || v.kind != kClosure && w.kind != kClosure || v.unknown() || w.unknown() {
		return r
	}
	if k := e.a.SortKind(v.sort); k != smt.KindArray && k != smt.KindFunc {
		return Unknown
	}
	index := e.a.SortArgs(v.sort)[0]
	dom := e.domains.of(index)
	if n, ok := dom.Size(); ok && n <= maxTabulated {
		result := True
		for i := range n {
			k := dom.At(i)
			switch e.equal(e.at(v, k), e.at(w, k)) {
			case False:
				return False
			case Unknown:
				result = Unknown
			}
		}
		return result
	}
	for _, k := range e.probes(index, v, w) {
		if e.equal(e.at(v, k), e.at(w, k)) == False {
			return False
		}
	}
	return Unknown
}

// probes returns indices where two arrays may differ.
func (e *Evaluator) probes(index smt.Sort, arrays ...Value) []Value {
	out := e.samples(index)
	for _, v := range arrays {
		over := trie{}
		if v.kind == kTable {
			over = v.table().entries
		} else if v.kind == kClosure {
			over = v.ref.(*closure).over
		}
		over.each(func(k, _ Value) bool {
			out = append(out, k)
			return len(out) < 1000
		})
	}
	return out
}

// eqRange is cvc5's (eqrange a b i j): a and b agree from i to j. Bit vectors are ordered as unsigned numbers.
func (e *Evaluator) eqRange(t smt.Term, args []Value) Value {
	lo, ok1 := number(args[2])
	hi, ok2 := number(args[3])
	if !ok1 || !ok2 {
		return unknown("eqrange", "indices that are neither Int nor bit vectors")
	}
	if lo.Cmp(hi) > 0 {
		return BoolValue(true)
	}
	if args[0].kind != kTable || args[1].kind != kTable {
		return unknown("eqrange", "an array given by a term")
	}
	x, y := args[0].table(), args[1].table()
	result, inside := True, int64(0)
	look := func(k Value) {
		if n, _ := number(k); n.Cmp(lo) >= 0 && n.Cmp(hi) <= 0 {
			inside++
			result = both(result, e.equal(x.get(k), y.get(k)))
		}
	}
	x.entries.each(func(k, _ Value) bool { look(k); return true })
	y.entries.each(func(k, _ Value) bool {
		if _, ok := x.entries.get(k); !ok {
			look(k)
		}
		return true
	})
	span := new(big.Int).Sub(hi, lo)
	if span.Cmp(big.NewInt(inside)) >= 0 { // more indices than entries
		result = both(result, e.equal(x.def, y.def))
	}
	return e.truthValue(t, smt.OpEqRange, result)
}

func both(x, y Truth) Truth {
	switch {
	case x == False || y == False:
		return False
	case x == Unknown || y == Unknown:
		return Unknown
	}
	return True
}

// number returns an Int or a bit vector as an integer.
func number(v Value) (*big.Int, bool) {
	if n, ok := v.Int(); ok {
		return n, true
	}
	return v.BV()
}
