package eval

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/smt"
)

func last[T any](xs []T) T { return xs[len(xs)-1] }

// functionValue computes a function symbol that stands for its value, of a function sort or, as z3's as-array, of an array
// sort. Values of function sorts are tables as those of arrays are: from the first argument to the function of the rest.
func (e *Evaluator) functionValue(t smt.Term) Value {
	sym, sort := e.a.SymbolOf(t), e.a.Sort(t)
	info := e.a.SymbolInfo(sym)
	if info.Kind != smt.SymDeclared && info.Kind != smt.SymDefined {
		return unknown(info.Name, "a constructor or selector is no value")
	}
	if info.Body != 0 {
		return e.definedFunction(sort, info.Vars, info.Body)
	}
	fn := e.m.funcs[sym]
	switch {
	case fn == nil && e.complete:
		return e.Default(sort)
	case fn == nil:
		return missing(info.Name, "the model gives no interpretation of the function")
	case fn.Body != 0:
		return e.definedFunction(sort, fn.Vars, fn.Body)
	}
	def := fn.Default
	switch {
	case def.kind == kNone && !e.complete:
		return missing(info.Name, "the model's table does not list all arguments")
	case def.kind == kNone:
		def = e.Default(info.Result)
	}
	if def.unknown() {
		return def
	}
	v := e.constantTable(sort, def)
	for _, row := range fn.order {
		if row.Value.unknown() {
			return row.Value
		}
		v = putRow(v, row.Args, row.Value)
	}
	return v
}

// definedFunction makes a value of a body over variables.
func (e *Evaluator) definedFunction(sort smt.Sort, vars []smt.Term, body smt.Term) Value {
	e.analyse(body)
	return e.tabulate(sort, &closure{vars: vars, body: body})
}

// constantTable is the value of an array or function sort that is def everywhere.
func (e *Evaluator) constantTable(sort smt.Sort, def Value) Value {
	if sort == def.sort {
		return def
	}
	r, ok := e.a.Applied(sort)
	if !ok {
		return def
	}
	return tableValue(sort, newTable(e.domains.of(e.a.SortArgs(sort)[0]), e.constantTable(r, def)))
}

// putRow changes a nested table at one list of arguments.
func putRow(v Value, args []Value, val Value) Value {
	if len(args) == 0 {
		return val
	}
	t := v.table()
	return tableValue(v.sort, t.put(args[0], putRow(t.get(args[0]), args[1:], val)))
}

// mapArrays computes z3's (_ map f): f of the defaults, and of the elements wherever one of the arrays has an entry. With
// an array given by a term, the result is one, too.
func (e *Evaluator) mapArrays(t smt.Term, args []Value) Value {
	sym, sort := e.a.SymbolOf(t), e.a.Sort(t)
	tables := true
	for _, v := range args {
		tables = tables && v.kind == kTable
	}
	if !tables {
		return e.mapClosures(sym, sort, args)
	}
	elems := make([]Value, len(args))
	for i, v := range args {
		elems[i] = v.table().def
	}
	def := e.applyFunction(sym, elems)
	if def.unknown() {
		return def
	}
	out := newTable(e.domains.of(e.a.SortArgs(sort)[0]), def)
	seen := trie{}
	for _, v := range args {
		for _, entry := range v.table().sorted() {
			if _, done := seen.get(entry.Key); done {
				continue
			}
			seen = seen.set(entry.Key, BoolValue(true))
			elems := make([]Value, len(args))
			for i, w := range args {
				elems[i] = w.table().get(entry.Key)
			}
			x := e.applyFunction(sym, elems)
			if x.unknown() {
				return x
			}
			out = out.put(entry.Key, x)
		}
	}
	return tableValue(sort, out)
}

// mapClosures is mapArrays where an array is given by a term: the array (lambda (i) (f (select a1 i) ...)).
func (e *Evaluator) mapClosures(sym smt.Symbol, sort smt.Sort, args []Value) Value {
	a := e.a
	i := a.Var("i!map", a.SortArgs(sort)[0])
	c := &closure{vars: []smt.Term{i}}
	var elems []smt.Term
	for k, v := range args {
		x := a.Var(fmt.Sprintf("a!map%d", k), v.sort)
		c.env = append(c.env, binding{x, v})
		elems = append(elems, a.MustApp(smt.OpSelect, x, i))
	}
	body, err := a.Apply(sym, elems...)
	if err != nil {
		return unknown("map", err.Error())
	}
	c.body = body
	e.analyse(body)
	return e.tabulate(sort, c)
}

// functionTerm writes a table of a function sort as a lambda over all its arguments, with a chain of ite as its body.
func functionTerm(a *smt.Arena, v Value) (smt.Term, error) {
	var vars []smt.Term
	args := a.SortArgs(v.sort)
	for i, s := range args[:len(args)-1] {
		vars = append(vars, a.Var(fmt.Sprintf("i!%d", i), s))
	}
	body, err := functionBody(a, v, vars)
	if err != nil {
		return 0, err
	}
	return a.Lambda(vars, body, false)
}

// functionBody applies a value of a function sort to variables.
func functionBody(a *smt.Arena, v Value, vars []smt.Term) (smt.Term, error) {
	if len(vars) == 0 {
		return ToTerm(a, v)
	}
	if v.kind != kTable { // a lambda
		t, err := ToTerm(a, v)
		for _, x := range vars {
			if err == nil {
				t, err = a.HOApply(t, x)
			}
		}
		return t, err
	}
	t := v.table()
	out, err := functionBody(a, t.def, vars[1:])
	entries := t.sorted()
	for i := len(entries) - 1; err == nil && i >= 0; i-- {
		var k, x smt.Term
		if k, err = ToTerm(a, entries[i].Key); err != nil {
			break
		}
		if x, err = functionBody(a, entries[i].Value, vars[1:]); err == nil {
			out, err = a.App(smt.OpIte, nil, a.Eq(vars[0], k), x, out)
		}
	}
	return out, err
}

// appendFunction writes a table of a function sort as functionTerm does.
func appendFunction(b []byte, a *smt.Arena, v Value) []byte {
	args := a.SortArgs(v.sort)
	b = append(b, "(lambda ("...)
	for i, s := range args[:len(args)-1] {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(a.AppendSort(fmt.Appendf(b, "(i!%d ", i), s), ')')
	}
	return append(appendFunctionBody(append(b, ") "...), a, v, 0, len(args)-1), ')')
}

// appendFunctionBody writes a value applied to the variables from number i to n.
func appendFunctionBody(b []byte, a *smt.Arena, v Value, i, n int) []byte {
	if i == n {
		return v.Append(b, a)
	}
	if v.kind != kTable {
		b = v.Append(append(b, "(@ "...), a)
		for ; i < n; i++ {
			b = fmt.Appendf(b, " i!%d", i)
		}
		return append(b, ')')
	}
	entries := v.table().sorted()
	for _, x := range entries {
		b = x.Key.Append(fmt.Appendf(b, "(ite (= i!%d ", i), a)
		b = append(appendFunctionBody(append(b, ") "...), a, x.Value, i+1, n), ' ')
	}
	b = appendFunctionBody(b, a, v.table().def, i+1, n)
	for range entries {
		b = append(b, ')')
	}
	return b
}
