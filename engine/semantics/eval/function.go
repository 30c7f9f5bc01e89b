package eval

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// functionValue computes a function symbol that stands for its value, of a function sort or, as z3's as-array, of an
// array sort. Values of function sorts are tables as those of arrays are: from the first argument to the function of
// the rest.
func (e functionValues) functionValue(t smt.Term) value.Value {
	sym, sort := e.a.SymbolOf(t), e.a.Sort(t)
	info := e.a.SymbolInfo(sym)
	if info.Kind != smt.SymDeclared && info.Kind != smt.SymDefined {
		return value.NoValue(info.Name, "a constructor or selector is no value")
	}
	if info.Body != 0 {
		return e.definedFunction(sort, info.Vars, info.Body)
	}
	fn := e.m.Func(sym)
	switch {
	case fn == nil && e.complete:
		return e.domains.Default(sort)
	case fn == nil:
		return value.NoValueInModel(info.Name, "the model gives no interpretation of the function")
	case fn.Body != 0:
		return e.definedFunction(sort, fn.Vars, fn.Body)
	}
	def := fn.Default
	switch {
	case def.Kind() == value.KindNone && !e.complete:
		return value.NoValueInModel(info.Name, "the model's table does not list all arguments")
	case def.Kind() == value.KindNone:
		def = e.domains.Default(info.Result)
	}
	if !def.IsValue() {
		return def
	}
	v := e.constantTable(sort, def)
	for _, row := range fn.Unsorted() {
		if !row.Value.IsValue() {
			return row.Value
		}
		v = putRow(v, row.Args, row.Value)
	}
	return v
}

// definedFunction makes a value of a body over variables.
func (e functionValues) definedFunction(sort smt.Sort, vars []smt.Term, body smt.Term) value.Value {
	e.findFreeVars(body)
	return e.tabulate(sort, &value.Closure{Vars: vars, Body: body})
}

// putRow changes a nested table at one list of arguments.
func putRow(v value.Value, args []value.Value, val value.Value) value.Value {
	if len(args) == 0 {
		return val
	}
	t := v.AsTable()
	return value.OfTable(v.Sort(), t.Put(args[0], putRow(t.Get(args[0]), args[1:], val)))
}

// mapArrays computes z3's (_ map f): f of the defaults, and of the elements wherever one of the arrays has an entry.
// With an array given by a term, the result is one, too.
func (e functionValues) mapArrays(t smt.Term, args []value.Value) value.Value {
	sym, sort := e.a.SymbolOf(t), e.a.Sort(t)
	tables := true
	for _, v := range args {
		tables = tables && v.Kind() == value.KindTable
	}
	if !tables {
		return e.mapClosures(sym, sort, args)
	}
	elems := make([]value.Value, len(args))
	for i, v := range args {
		elems[i] = v.AsTable().Default()
	}
	def := functionCalls(e).applyFunction(sym, elems)
	if !def.IsValue() {
		return def
	}
	out := value.NewTable(e.domains.Of(e.a.SortArgs(sort)[0]), def)
	seen := value.Map{}
	for _, v := range args {
		for _, entry := range v.AsTable().Sorted() {
			if _, done := seen.Get(entry.Key); done {
				continue
			}
			seen = seen.Set(entry.Key, value.Bool(true))
			elems := make([]value.Value, len(args))
			for i, w := range args {
				elems[i] = w.AsTable().Get(entry.Key)
			}
			x := functionCalls(e).applyFunction(sym, elems)
			if !x.IsValue() {
				return x
			}
			out = out.Put(entry.Key, x)
		}
	}
	return value.OfTable(sort, out)
}

// mapClosures is mapArrays where an array is given by a term: the array (lambda (i) (f (select a1 i) ...)).
func (e functionValues) mapClosures(sym smt.Symbol, sort smt.Sort, args []value.Value) value.Value {
	a := e.a
	i := a.Var("i!map", a.SortArgs(sort)[0])
	c := &value.Closure{Vars: []smt.Term{i}}
	var elems []smt.Term
	for k, v := range args {
		x := a.Var(fmt.Sprintf("a!map%d", k), v.Sort())
		c.Env = append(c.Env, value.Binding{Var: x, Value: v})
		elems = append(elems, a.MustApp(smt.OpSelect, x, i))
	}
	body, err := a.Apply(sym, elems...)
	if err != nil {
		return value.NoValue("map", err.Error())
	}
	c.Body = body
	e.findFreeVars(body)
	return e.tabulate(sort, c)
}
