package eval

import (
	"github.com/smtlark/smtlark/engine/smt"
)

// maxTabulated is the size up to which an array over a finite domain is computed index by index.
const maxTabulated = 1 << 10

// lambda makes a value of a lambda term: a table where it can be one, else the term with its environment.
func (e *Evaluator) lambda(t smt.Term) Value {
	e.analyse(t)
	c := &closure{vars: append([]smt.Term(nil), e.a.BoundVars(t)...), body: e.a.Body(t)}
	for _, v := range e.free[t] {
		i, ok := e.scope[v]
		if !ok {
			return unknown(e.a.VarName(v), "the variable is free")
		}
		if e.binds[i].val.unknown() {
			return e.binds[i].val
		}
		c.env = append(c.env, binding{v, e.binds[i].val})
	}
	return e.tabulate(e.a.Sort(t), c)
}

// tabulate turns an array given by a term into a table if it is one. That is so if its index is from a small domain,
// and if the term looks at its first variable only in equalities with values that do not depend on the variables:
// then all indices but those values are alike.
func (e *Evaluator) tabulate(sort smt.Sort, c *closure) Value {
	v := Value{sort: sort, kind: kClosure, ref: c}
	dom := e.domains.of(e.a.SortArgs(sort)[0])
	size, finite := dom.Size()
	var keys []Value
	rest := true // there are indices beside the keys
	limit := e.tableLimit(sort, c)
	if finite && size <= limit {
		for i := range size {
			keys = append(keys, dom.At(i))
		}
		rest = false
	} else {
		var ok bool
		if keys, ok = e.comparedWith(c); !ok {
			return v
		}
		if finite && uint64(len(keys)) >= size {
			return v
		}
	}
	var def Value
	if rest {
		k, ok := fresh(dom, keys)
		if !ok {
			return v
		}
		def = e.at(v, k)
	} else {
		def = e.at(v, keys[0])
	}
	if def.unknown() {
		return v
	}
	t := newTable(dom, def)
	for _, k := range keys {
		x := e.at(v, k)
		if x.unknown() {
			return v
		}
		t = t.put(k, x)
	}
	return tableValue(sort, t)
}

// maxFunction is the size up to which a function over a finite domain is computed for all arguments: functions are mostly
// applied to a few, and have several arguments more often than arrays have several indices.
const maxFunction = 1 << 8

// tableLimit is the size of the first domain up to which a table is worth its while, that of all domains together being
// what counts.
func (e *Evaluator) tableLimit(sort smt.Sort, c *closure) uint64 {
	limit := uint64(maxTabulated)
	if e.a.SortKind(sort) == smt.KindFunc {
		limit = maxFunction
	}
	for _, v := range c.vars[min(1, len(c.vars)):] {
		n, ok := e.domains.of(e.a.Sort(v)).Size()
		if !ok || n > limit {
			return 0
		}
		limit /= max(n, 1)
	}
	return limit
}

// comparedWith returns the values with which the closure's body compares its first variable; ok is false if the body
// uses that variable in any other way.
func (e *Evaluator) comparedWith(c *closure) (keys []Value, ok bool) {
	if c.vars == nil {
		return nil, false
	}
	e.analyse(c.body)
	a, x := e.a, c.vars[0]
	seen := map[smt.Term]bool{}
	stack := []smt.Term{c.body}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] || !e.occursFree(x, t) {
			continue
		}
		seen[t] = true
		if t == x {
			return nil, false
		}
		args := a.Args(t)[len(a.BoundVars(t)):]
		if a.Op(t) == smt.OpEq && len(args) == 2 && (args[0] == x || args[1] == x) {
			other := args[0]
			if other == x {
				other = args[1]
			}
			k, ok := e.constantIn(c, other)
			if !ok {
				return nil, false
			}
			keys = append(keys, k)
			continue
		}
		stack = append(stack, args...)
	}
	return keys, true
}

// constantIn returns the value of a term that needs only the environment of the closure.
func (e *Evaluator) constantIn(c *closure, t smt.Term) (Value, bool) {
	for _, v := range e.free[t] {
		found := false
		for _, b := range c.env {
			found = found || b.v == v
		}
		for _, w := range c.vars {
			found = found && w != v
		}
		if !found {
			return Value{}, false
		}
	}
	v := e.applyBody(nil, t, c.env, nil)
	return v, !v.unknown() && !v.opaque()
}

func (e *Evaluator) occursFree(x, t smt.Term) bool {
	for _, v := range e.free[t] {
		if v == x {
			return true
		}
	}
	return false
}

// fresh returns a value of the domain that is not among the keys.
func fresh(dom *Domain, keys []Value) (Value, bool) {
	taken := trie{}
	for _, k := range keys {
		taken = taken.set(k, BoolValue(true))
	}
	for i := uint64(0); ; i++ {
		v, ok := dom.Some(i)
		if !ok {
			return Value{}, false
		}
		if _, used := taken.get(v); !used {
			return v, true
		}
	}
}
