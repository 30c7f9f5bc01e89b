package smt

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

func builders() []registry.Builtin {
	binder := func(name, doc, example string, op smt.Op) registry.Builtin {
		return registry.Builtin{Name: name, Doc: doc, Example: example, Ret: "term",
			Params: []registry.Param{{Name: "vars", Type: "list[term] | tuple", Doc: "variables (smt.var) of different names"}, {Name: "body", Type: "term | bool"}},
			Fn:     func(c *registry.Call) (starlark.Value, error) { return bind(c, op) }}
	}
	return []registry.Builtin{
		{Name: "const", Doc: "The constant of that name and sort. A case that uses it declares it, unless it does so already.",
			Params: []registry.Param{{Name: "name", Type: "str"}, {Name: "sort", Type: "sort"}}, Ret: "term", Example: "smt.const(\"x\", smt.Int) + 1  # -> (+ x 1)",
			Fn: func(c *registry.Call) (starlark.Value, error) {
				st := store(c)
				s, err := c.Arg(1).(value.Sort).In(st)
				if err != nil {
					return nil, err
				}
				return st.Term(st.Arena.Const(st.Arena.Declare(c.String(0), nil, s))), nil
			}},
		{Name: "apply", Doc: "A declared function applied to arguments: (name args). The sorts of the arguments and of the result say which function is meant; a case that uses it declares it, unless it does so already.",
			Params: []registry.Param{{Name: "name", Type: "str"}, {Name: "args", Type: "list[term] | tuple"}, {Name: "result", Type: "sort"}}, Ret: "term",
			Example: "smt.apply(\"f\", [smt.int(1)], smt.Bool)  # -> (f 1)", Fn: applyFunction},
		{Name: "var", Doc: "A variable for quantifiers. Variables of one name and sort are the same.",
			Params: []registry.Param{{Name: "name", Type: "str"}, {Name: "sort", Type: "sort"}}, Ret: "term", Example: "smt.var(\"i\", smt.Int)  # -> i",
			Fn: func(c *registry.Call) (starlark.Value, error) {
				st := store(c)
				s, err := c.Arg(1).(value.Sort).In(st)
				if err != nil {
					return nil, err
				}
				return st.Term(st.Arena.Var(c.String(0), s)), nil
			}},
		binder("forall", "(forall vars body).", "i = smt.var(\"i\", smt.Int)\nsmt.forall([i], smt.gt(i, 0))  # -> (forall ((i Int)) (> i 0))", smt.OpForall),
		binder("exists", "(exists vars body).", "i = smt.var(\"i\", smt.Int)\nsmt.exists([i], smt.gt(i, 0))  # -> (exists ((i Int)) (> i 0))", smt.OpExists),
		{Name: "app", Doc: "Any operator by its name in SMT-LIB, with its indices. A name that the operator table does not know becomes an application that solvers may know.",
			Params: []registry.Param{
				{Name: "name", Type: "str"},
				{Name: "args", Type: "list | tuple", Default: "()", Doc: "terms; an int, bool or str where its sort is clear"},
				{Name: "indices", Type: "list | tuple", Default: "()", Doc: "ints, and strings for symbols"},
				{Name: "sort", Type: "sort | None", Default: "None", Doc: "the sort, for an unknown name and for (as name sort)"},
			},
			Ret: "term", Example: "smt.app(\"extract\", [smt.bv(5, 8)], [3, 0])  # -> ((_ extract 3 0) #x05)", Fn: app},
		{Name: "is_", Doc: "The tester ((_ is constructor) t) of a datatype.",
			Params: []registry.Param{{Name: "constructor", Type: "str"}, {Name: "t", Type: "term"}}, Ret: "term",
			Example: "c = smt.case(\"(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const l L)(assert ((_ is nil) l))\")\nsmt.is_(\"cons\", c.constants[0])  # -> ((_ is cons) l)",
			Fn:      is},
		{Name: "parse", Doc: "Reads a term that uses no declarations. Terms with the names of a case: case.parse.",
			Params: []registry.Param{{Name: "text", Type: "str"}}, Ret: "term", Example: "smt.parse(\"(+ 1 2)\")  # -> (+ 1 2)",
			Fn: func(c *registry.Call) (starlark.Value, error) {
				st := store(c)
				t, err := smtlib.ParseTerm(st.Arena, nil, c.String(0))
				if err != nil {
					return nil, err
				}
				return st.Term(t), nil
			}},
	}
}

func parseSort(c *registry.Call) (starlark.Value, error) {
	st := store(c)
	text := c.String(0)
	s, err := smtlib.ParseSort(st.Arena, nil, text)
	if err != nil {
		if !smt.SimpleSymbol(text) {
			return nil, err
		}
		if s, err = st.Arena.SortApp(st.Arena.DeclareSort(text, 0)); err != nil {
			return nil, err
		}
	}
	return st.Sort(s), nil
}

// termArgs brings terms of a call together in one store.
func termArgs(c *registry.Call, vals []starlark.Value) (*value.Store, []smt.Term, error) {
	st, err := value.Home(value.SessionOf(c.Thread), vals...)
	if err != nil {
		return nil, nil, err
	}
	out := make([]smt.Term, len(vals))
	for i, v := range vals {
		if out[i], err = value.Lift(st, v, 0); err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return st, out, nil
}

func applyFunction(c *registry.Call) (starlark.Value, error) {
	st, args, err := termArgs(c, c.List(1))
	if err != nil {
		return nil, err
	}
	result, err := c.Arg(2).(value.Sort).In(st)
	if err != nil {
		return nil, err
	}
	var params []smt.Sort
	for _, t := range args {
		params = append(params, st.Arena.Sort(t))
	}
	t, err := st.Arena.Apply(st.Arena.Declare(c.String(0), params, result), args...)
	if err != nil {
		return nil, err
	}
	return st.Term(t), nil
}

func bind(c *registry.Call, op smt.Op) (starlark.Value, error) {
	vars := c.List(0)
	st, ts, err := termArgs(c, append(append([]starlark.Value(nil), vars...), c.Arg(1)))
	if err != nil {
		return nil, err
	}
	t, err := st.Arena.Quant(op, ts[:len(vars)], ts[len(vars)])
	if err != nil {
		return nil, err
	}
	return st.Term(t), nil
}

func app(c *registry.Call) (starlark.Value, error) {
	s := value.SessionOf(c.Thread)
	name, args, idx := c.String(0), c.List(1), c.List(2)
	op, known := smt.LookupOp(name)
	switch {
	case known && op.Info().Qualified:
		if !c.Has(3) {
			return nil, c.ArgErrorf(3, "%s is written (as %s SORT): give its sort", name, name)
		}
		return value.ApplyAs(s, op, c.Arg(3).(value.Sort), args)
	case known:
		return value.Apply(s, op, idx, args)
	case !c.Has(3):
		return nil, c.ArgErrorf(3, "the operator table does not know %s: give the sort of the result", name)
	}
	return value.ApplyUnknown(s, name, c.Arg(3).(value.Sort), idx, args)
}

func is(c *registry.Call) (starlark.Value, error) {
	t := c.Arg(1).(value.Term)
	st, ts, err := termArgs(c, []starlark.Value{t})
	if err != nil {
		return nil, err
	}
	a := st.Arena
	if dt, _ := a.DatatypeOf(a.Sort(ts[0])); dt != nil {
		for _, k := range dt.Constructors {
			if k.Name == c.String(0) {
				r, err := a.Is(k.Symbol, ts[0])
				return st.Term(r), err
			}
		}
	}
	return nil, c.ArgErrorf(0, "sort %s has no constructor %s", a.SortString(a.Sort(ts[0])), c.String(0))
}
