package eval

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// selectClosure applies an array or function given by a term to an index, in the frame of the select; if the frame is
// nil, in a separate run.
func (e functionValues) selectClosure(f *frame, array, key value.Value) value.Value {
	c := array.AsClosure()
	if !key.IsValue() {
		return key
	}
	if c.Over.Len() > 0 {
		if key.Opaque() {
			return value.NoValue("select", "the index is an array given by a term")
		}
		if v, ok := c.Over.Get(key); ok {
			return v
		}
	}
	switch {
	case c.Vars == nil:
		return functionCalls(e).applyFunction(c.Sym, []value.Value{key})
	case len(c.Vars) > 1:
		return e.applyFirst(array.Sort(), c, key)
	case f == nil:
		return functionCalls(e).applyBody(c.Vars, c.Body, c.Env, []value.Value{key})
	}
	return functionCalls(e).runFunction(f, 0, c.Vars, c.Body, c.Env, []value.Value{key})
}

// applyArray applies an array value to an index by a nested run.
func (e functionValues) applyArray(array, key value.Value) value.Value {
	if array.Kind() == value.KindTable {
		return array.AsTable().LookUp(key)
	}
	return e.selectClosure(nil, array, key)
}

// applyFirst gives a lambda of several variables, of an array or function sort, its first argument.
func (e functionValues) applyFirst(sort smt.Sort, c *value.Closure, key value.Value) value.Value {
	rest := c.Vars[1:]
	elem, _ := e.a.Applied(sort)
	env := append(c.Env[:len(c.Env):len(c.Env)], value.Binding{Var: c.Vars[0], Value: key})
	return e.tabulate(elem, &value.Closure{Vars: rest, Body: c.Body, Env: env})
}

// applyFunction applies a function symbol to values by a nested run.
func (e functionCalls) applyFunction(sym smt.Symbol, args []value.Value) value.Value {
	info := e.a.SymbolInfo(sym)
	if info.Body != 0 {
		return e.applyBody(info.Vars, info.Body, nil, args)
	}
	fn := e.m.Func(sym)
	switch {
	case fn == nil && e.complete:
		return e.domains.Default(info.Result)
	case fn == nil:
		return value.NoValueInModel(info.Name, "the model gives no interpretation of the function")
	case fn.Body != 0:
		return e.applyBody(fn.Vars, fn.Body, nil, args)
	}
	if v := fn.Get(args); v.Kind() != value.KindNone {
		return v
	}
	if e.complete {
		return e.domains.Default(info.Result)
	}
	return value.NoValueInModel(info.Name, "the model's table does not list these arguments")
}

// equal compares values; where arrays given by terms are involved it tries all indices of a small domain and some of
// a large one.
func (e operators) equal(v, w value.Value) value.Truth {
	r := value.Equal(v, w)
	if r == value.Unknown && v.Kind() == value.KindRegex {
		e.theory.GaveUp = true
	}
	if r != value.Unknown || v.Kind() != value.KindClosure && w.Kind() != value.KindClosure || !v.IsValue() || !w.IsValue() {
		return r
	}
	if k := e.a.SortKind(v.Sort()); k != smt.KindArray && k != smt.KindFunc {
		return value.Unknown
	}
	index := e.a.SortArgs(v.Sort())[0]
	dom := e.domains.Of(index)
	if n, ok := dom.Size(); ok && n <= maxTabulated {
		result := value.True
		for i := range n {
			k := dom.At(i)
			switch e.equal((functionValues(e)).applyArray(v, k), (functionValues(e)).applyArray(w, k)) {
			case value.False:
				return value.False
			case value.Unknown:
				result = value.Unknown
			}
		}
		return result
	}
	for _, k := range e.probeIndices(index, v, w) {
		if e.equal((functionValues(e)).applyArray(v, k), (functionValues(e)).applyArray(w, k)) == value.False {
			return value.False
		}
	}
	return value.Unknown
}

// probeIndices returns indices where two arrays may differ.
func (e operators) probeIndices(index smt.Sort, arrays ...value.Value) []value.Value {
	out := e.sampleValues(index)
	for _, v := range arrays {
		over := value.Map{}
		if v.Kind() == value.KindTable {
			over = v.AsTable().Entries()
		} else if v.Kind() == value.KindClosure {
			over = v.AsClosure().Over
		}
		over.Each(func(k, _ value.Value) bool {
			out = append(out, k)
			return len(out) < 1000
		})
	}
	return out
}
