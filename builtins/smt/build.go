package smt

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func builders() []registry.Builtin {
	binder := func(name, doc, example string, op smt.Op) registry.Builtin {
		return registry.Builtin{Name: name, Doc: doc, Example: example, Ret: "term",
			Do: registry.Into(func(c *registry.Call, a *bindArgs) (starlark.Value, error) { return bind(c, op, a) })}
	}
	return []registry.Builtin{
		{Name: "const", Doc: "The constant of that name and sort. A case that uses it declares it, unless it does so already.",
			Ret: "term", Example: "smt.const(\"x\", smt.Int) + 1  # -> (+ x 1)",
			Do: registry.Into(func(c *registry.Call, a *smtConstArgs) (starlark.Value, error) {
				if err := value.CheckSymbol(c, &a.Name, a.Name); err != nil {
					return nil, err
				}
				st := store(c)
				s, err := a.Sort.In(st)
				if err != nil {
					return nil, err
				}
				return value.NewTerm(st, st.Arena.Const(st.Arena.Declare(a.Name, nil, s))), nil
			})},
		{Name: "apply", Doc: "A declared function applied to arguments: (name args). The sorts of the arguments and of the result say which function is meant; a case that uses it declares it, unless it does so already.",
			Ret:     "term",
			Example: "smt.apply(\"f\", [smt.int(1)], smt.Bool)  # -> (f 1)", Do: registry.Into(applyFunction)},
		{Name: "var", Doc: "A variable for quantifiers. Variables of one name and sort are the same.",
			Ret: "term", Example: "smt.var(\"i\", smt.Int)  # -> i",
			Do: registry.Into(func(c *registry.Call, a *smtVarArgs) (starlark.Value, error) {
				if err := value.CheckSymbol(c, &a.Name, a.Name); err != nil {
					return nil, err
				}
				st := store(c)
				s, err := a.Sort.In(st)
				if err != nil {
					return nil, err
				}
				return value.NewTerm(st, st.Arena.Var(a.Name, s)), nil
			})},
		binder("forall", "(forall vars body).", "i = smt.var(\"i\", smt.Int)\nsmt.forall([i], smt.gt(i, 0))  # -> (forall ((i Int)) (> i 0))", smt.OpForall),
		binder("exists", "(exists vars body).", "i = smt.var(\"i\", smt.Int)\nsmt.exists([i], smt.gt(i, 0))  # -> (exists ((i Int)) (> i 0))", smt.OpExists),
		{Name: "app", Doc: "Any operator by its name in SMT-LIB, with its indices. A name that the operator table does not know becomes an application that solvers may know.",
			Ret: "term", Example: "smt.app(\"extract\", [smt.bv(5, 8)], [3, 0])  # -> ((_ extract 3 0) #x05)", Do: registry.Into(app)},
		{Name: "is_", Doc: "The tester ((_ is constructor) t) of a datatype.",
			Ret:     "term",
			Example: "c = smt.case(\"(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const l L)(assert ((_ is nil) l))\")\nsmt.is_(\"cons\", c.constants[0])  # -> ((_ is cons) l)",
			Do:      registry.Into(is)},
		{Name: "parse", Doc: "Reads a term that uses no declarations. Terms with the names of a case: case.parse.",
			Ret: "term", Example: "smt.parse(\"(+ 1 2)\")  # -> (+ 1 2)",
			Do: registry.Into(func(c *registry.Call, a *smtParseArgs) (starlark.Value, error) {
				st := store(c)
				t, err := smtlib.ParseTerm(st.Arena, nil, a.Text)
				if err != nil {
					return nil, err
				}
				return value.NewTerm(st, t), nil
			})},
	}
}

// parseSortArgs are the arguments of smt.Sort.
type parseSortArgs struct{ Text string }

func parseSort(c *registry.Call, a *parseSortArgs) (starlark.Value, error) {
	st := store(c)
	text := a.Text
	s, err := smtlib.ParseSort(st.Arena, nil, text)
	if err != nil {
		if !smt.SimpleSymbol(text) {
			return nil, err
		}
		if s, err = st.Arena.SortApp(st.Arena.DeclareSort(text, 0)); err != nil {
			return nil, err
		}
	}
	return value.NewSort(st, s), nil
}

// termArgs brings terms of a call together in one store.
func termArgs(c *registry.Call, vals []starlark.Value) (*value.TermStore, []smt.Term, error) {
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

// applyFunctionArgs are the arguments of smt.apply.
type applyFunctionArgs struct {
	Name   string
	Args   []starlark.Value `type:"list[term] | tuple"`
	Result value.Sort
}

func applyFunction(c *registry.Call, a *applyFunctionArgs) (starlark.Value, error) {
	if err := value.CheckSymbol(c, &a.Name, a.Name); err != nil {
		return nil, err
	}
	st, args, err := termArgs(c, a.Args)
	if err != nil {
		return nil, err
	}
	result, err := a.Result.In(st)
	if err != nil {
		return nil, err
	}
	var params []smt.Sort
	for _, t := range args {
		params = append(params, st.Arena.Sort(t))
	}
	t, err := st.Arena.Apply(st.Arena.Declare(a.Name, params, result), args...)
	if err != nil {
		return nil, err
	}
	return value.NewTerm(st, t), nil
}

// bindArgs are the arguments of the quantifiers.
type bindArgs struct {
	Vars []starlark.Value `type:"list[term] | tuple" doc:"variables (smt.var) of different names"`
	Body starlark.Value   `type:"term | bool"`
}

func bind(c *registry.Call, op smt.Op, a *bindArgs) (starlark.Value, error) {
	vars := a.Vars
	st, ts, err := termArgs(c, append(slices.Clone(vars), a.Body))
	if err != nil {
		return nil, err
	}
	t, err := st.Arena.Quant(op, ts[:len(vars)], ts[len(vars)])
	if err != nil {
		return nil, err
	}
	return value.NewTerm(st, t), nil
}

// appArgs are the arguments of smt.app.
type appArgs struct {
	Name    string
	Args    []starlark.Value `type:"list | tuple" default:"()" doc:"terms; an int, bool or str where its sort is clear"`
	Indices []starlark.Value `type:"list | tuple" default:"()" doc:"ints, and strings for symbols"`
	Result  *value.Sort      `type:"sort | None" default:"None" doc:"its sort, for an unknown name and for (as name sort)"`
}

func app(c *registry.Call, a *appArgs) (starlark.Value, error) {
	s := value.SessionOf(c.Thread)
	name, args, idx := a.Name, a.Args, a.Indices
	op, known := smt.LookupOp(name)
	switch {
	case known && op.Info().Qualified:
		if a.Result == nil {
			return nil, c.Errorf(&a.Result, "%s is written (as %s SORT): give its sort", name, name)
		}
		return value.ApplyAs(s, op, *a.Result, args)
	case known:
		t, err := value.Apply(s, op, idx, args)
		if err != nil || a.Result == nil {
			return t, err
		}
		x := t.(value.Term)
		id, err := x.ID()
		if arena := x.Store().Arena; err == nil && arena.SortString(arena.Sort(id)) != a.Result.String() {
			return nil, c.Errorf(&a.Result, "got %s, but %s is of sort %s", a.Result, t, arena.SortString(arena.Sort(id)))
		}
		return t, err
	case a.Result == nil:
		hint := spelling.Hint(name, operatorNames())
		return nil, c.Errorf(&a.Result, "the operator table does not know %s%s: give the sort of the result", name, hint)
	}
	return value.ApplyUnknown(s, name, *a.Result, idx, args)
}

// operatorNames are the names of all operators in SMT-LIB.
func operatorNames() (names []string) {
	for _, op := range smt.Ops() {
		names = append(names, op.Name)
	}
	return names
}

// isArgs are the arguments of smt.is_.
type isArgs struct {
	Constructor string
	Term        value.Term
}

func is(c *registry.Call, given *isArgs) (starlark.Value, error) {
	t := given.Term
	st, ts, err := termArgs(c, []starlark.Value{t})
	if err != nil {
		return nil, err
	}
	a := st.Arena
	if dt, _ := a.DatatypeOf(a.Sort(ts[0])); dt != nil {
		for _, k := range dt.Constructors {
			if k.Name == given.Constructor {
				r, err := a.Is(k.Symbol, ts[0])
				return value.NewTerm(st, r), err
			}
		}
	}
	return nil, c.Errorf(&given.Constructor, "the sort %s of the term has no constructor %s", a.SortString(a.Sort(ts[0])), given.Constructor)
}

// smtParseArgs are the arguments of smt.parse.
type smtParseArgs struct{ Text string }

// smtVarArgs are the arguments of smt.var.
type smtVarArgs struct {
	Name string
	Sort value.Sort
}

// smtConstArgs are the arguments of smt.const.
type smtConstArgs struct {
	Name string
	Sort value.Sort
}
