package eval

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// maxTabulated is the size up to which an array over a finite domain is computed index by index.
const maxTabulated = 1 << 10

// functionValues computes functions and arrays that are given by terms or symbols, and applies them to their first
// argument.
type functionValues struct{ *Evaluator }

// lambdaValue makes a value of a lambda term: a table where it can be one, else the term with its environment.
func (e functionValues) lambdaValue(t smt.Term) value.Value {
	e.findFreeVars(t)
	c := &value.Closure{Vars: append([]smt.Term(nil), e.a.BoundVars(t)...), Body: e.a.Body(t)}
	for _, v := range e.freeIn(t) {
		f := e.free[v]
		if f.bound < 0 {
			return value.NoValue(e.a.VarName(f.v), "the variable is free")
		}
		if val := e.binds[f.bound].val; !val.IsValue() {
			return val
		}
		c.Env = append(c.Env, value.Binding{Var: f.v, Value: e.binds[f.bound].val})
	}
	return e.tabulate(e.a.Sort(t), c)
}

// tabulate turns an array given by a term into a table if it is one. That is so if its index is from a small domain,
// and if the term looks at its first variable only in equalities with values that do not depend on the variables:
// then all indices but those values are alike.
func (e functionValues) tabulate(sort smt.Sort, c *value.Closure) value.Value {
	v := value.OfClosure(sort, c)
	dom := e.domains.Of(e.a.SortArgs(sort)[0])
	size, finite := dom.Size()
	var keys []value.Value
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
		// No index is left beside the keys on which the default could be tried.
		if finite && uint64(len(keys)) >= size {
			return v
		}
	}
	var def value.Value
	if rest {
		k, ok := freshValue(dom, keys)
		if !ok {
			return v
		}
		def = e.applyArray(v, k)
	} else {
		def = e.applyArray(v, keys[0])
	}
	if !def.IsValue() {
		return v
	}
	t := value.NewTable(dom, def)
	for _, k := range keys {
		// A table has to know all its entries. The term, which stays where one is unknown, may still be applied at the
		// others.
		x := e.applyArray(v, k)
		if !x.IsValue() {
			return v
		}
		t = t.Put(k, x)
	}
	return value.OfTable(sort, t)
}

// maxFunction is the size up to which a function over a finite domain is computed for all arguments: functions are
// mostly applied to a few, and have several arguments more often than arrays have several indices.
const maxFunction = 1 << 8

// tableLimit returns the largest size of the first domain for which a table is worthwhile; what counts is the size of
// all domains together.
func (e functionValues) tableLimit(sort smt.Sort, c *value.Closure) uint64 {
	limit := uint64(maxTabulated)
	if e.a.SortKind(sort) == smt.KindFunc {
		limit = maxFunction
	}
	for _, v := range c.Vars[min(1, len(c.Vars)):] {
		n, ok := e.domains.Of(e.a.Sort(v)).Size()
		if !ok || n > limit {
			return 0
		}
		limit /= max(n, 1)
	}
	return limit
}

// comparedWith returns the values with which the closure's body compares its first variable; ok is false if the body
// uses that variable in any other way.
func (e functionValues) comparedWith(c *value.Closure) (keys []value.Value, ok bool) {
	if c.Vars == nil {
		return nil, false
	}
	e.findFreeVars(c.Body)
	a, x := e.a, c.Vars[0]
	seen := map[smt.Term]bool{}
	stack := []smt.Term{c.Body}
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
func (e functionValues) constantIn(c *value.Closure, t smt.Term) (value.Value, bool) {
	for _, num := range e.freeIn(t) {
		v := e.free[num].v
		found := false
		for _, b := range c.Env {
			found = found || b.Var == v
		}
		for _, w := range c.Vars {
			found = found && w != v
		}
		if !found {
			return value.Value{}, false
		}
	}
	v := functionCalls(e).applyBody(nil, t, c.Env, nil)
	return v, v.IsValue() && !v.Opaque()
}

// freshValue returns a value of the domain that is not among the keys.
func freshValue(dom *value.Domain, keys []value.Value) (value.Value, bool) {
	taken := value.Map{}
	for _, k := range keys {
		taken = taken.Set(k, value.Bool(true))
	}
	for i := uint64(0); ; i++ {
		v, ok := dom.Some(i)
		if !ok {
			return value.Value{}, false
		}
		if _, used := taken.Get(v); !used {
			return v, true
		}
	}
}
