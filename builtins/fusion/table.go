package fusion

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// TableValue is a table of operators in a script.
type TableValue struct {
	registry.Object[*TableValue]

	t   *engine.Table
	ops []*OperatorValue
}

func (t *TableValue) String() string {
	if len(t.ops) == 1 {
		return "<table of 1 operator>"
	}
	return fmt.Sprintf("<table of %d operators>", len(t.ops))
}

// Freeze implements starlark.Value.
func (t *TableValue) Freeze() {
	for _, o := range t.ops {
		o.Freeze()
	}
}

// Attr implements starlark.HasAttrs.
func (t *TableValue) Attr(name string) (starlark.Value, error) { return tableType.Attr(t, name) }

var tableType = registry.NewType[*TableValue]("fusion_table", "Operators from which fusion functions are generated.", []registry.Builtin{
	{Name: "function", Doc: "The built-in generator: returns a random fusion function z = f(inputs) with an inverse for each input. It draws the arities of the tree's nodes, then the leaves that are inputs, then operators that fit. If no operators join the inputs, it returns None in a generator of joint.fuse; elsewhere this is an error.",
		Ret: "fusion_function", Example: exampleOps + "f = fusion.table([add]).function(rng(1), [smt.const(\"x\", smt.Int), smt.const(\"y\", smt.Int)], size = 5)\nf.inverses  # -> ((- z!0 y), (- z!0 x))",
		Do: registry.Method(tableFunction)},
	{Name: "fitting", Doc: "The operators that can be applied to arguments of the given sorts and have inverses for them, in the order of the table.",
		Ret: "list[fusion_operator]", Example: exampleOps + "fusion.table([add]).fitting([smt.Int, None])  # -> [<operator int.add: Int Int -> Int>]", Do: registry.Method(fitting)},
	{Name: "operators", Doc: "The operators of the table.", Ret: "list[fusion_operator]", Example: exampleOps + "fusion.table([add]).operators  # -> [<operator int.add: Int Int -> Int>]",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, o := range v.(*TableValue).ops {
				out = append(out, o)
			}
			return starlark.NewList(out), nil
		}},
})

// newTableArgs are the arguments of fusion.table.
type newTableArgs struct {
	Operators []starlark.Value `type:"iterable" doc:"operators, or lists of them"`
}

func newTable(c *registry.Call, a *newTableArgs) (starlark.Value, error) {
	t := &TableValue{}
	var add func(vals []starlark.Value) error
	add = func(vals []starlark.Value) error {
		for i, v := range vals {
			switch v := v.(type) {
			case *OperatorValue:
				t.ops = append(t.ops, v)
			case starlark.Iterable:
				if err := add(elements(v)); err != nil {
					return err
				}
			default:
				return c.Errorf(&a.Operators, "element %d: got %s, want an operator", i, v.Type())
			}
		}
		return nil
	}
	if err := add(a.Operators); err != nil {
		return nil, err
	}
	var ops []*operator.Operator
	for _, o := range t.ops {
		if err := o.proven(c.Thread); err != nil {
			return nil, err
		}
		ops = append(ops, o.Op)
	}
	var err error
	t.t, err = engine.NewTable(c.Thread, ops)
	return t, err
}

func elements(v starlark.Iterable) []starlark.Value {
	it := v.Iterate()
	defer it.Done()
	var out []starlark.Value
	var x starlark.Value
	for it.Next(&x) {
		out = append(out, x)
	}
	return out
}

// tableFunctionArgs are the arguments of fusion_table.function.
type tableFunctionArgs struct {
	Rng    *value.Rng
	Inputs []starlark.Value `type:"list | tuple" doc:"different constants of any sorts"`
	_      registry.KeywordOnly
	functionArgs
}

// tableFunction generates a function whose inputs need belong to no joint script.
func tableFunction(c *registry.Call, recv *TableValue, a *tableFunctionArgs) (starlark.Value, error) {
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	st, inputs, err := constants(c, &a.Inputs)
	if err != nil {
		return nil, err
	}
	e := *environmentOf(c.Thread, st, func() *engine.Env {
		names := map[string]bool{}
		for _, x := range inputs {
			names[st.Arena.SymbolName(st.Arena.SymbolOf(x))] = true
		}
		return &engine.Env{Arena: st.Arena, Make: c.Thread, Name: engine.Namer(func(n string) bool { return names[n] })}
	})
	e.Rng, e.Literal = src, a.Literal
	f, err := recv.t.Generate(&e, inputs, engine.Size{Nodes: a.Size, Leaves: a.Leaves})
	if errors.Is(err, engine.ErrNoFunction) && inGenerator(c.Thread) {
		return starlark.None, nil // as a generator says it
	}
	if err != nil {
		return nil, err
	}
	return &function{st: st, f: f, check: st.Newest()}, nil
}

// fittingArgs are the arguments of fusion_table.fitting.
type fittingArgs struct {
	Args []starlark.Value `type:"list | tuple" doc:"for each argument its sort, or a term or a node of that sort; None: a constant that the operator chooses"`
}

// fitting lists the operators that can be applied to arguments of some sorts.
func fitting(c *registry.Call, recv *TableValue, given *fittingArgs) (starlark.Value, error) {
	vals := given.Args
	// Sorts can be compared within one arena only: that of a term or node, if there is one.
	st := workspace.NewStore(smt.NewArena(), "")
	for _, v := range vals {
		if t, ok := v.(value.Term); ok {
			st = t.Store()
		} else if n, ok := v.(*node); ok {
			st = n.st
		}
	}
	a := st.Arena
	sorts := make([]smt.Sort, len(vals))
	for i, v := range vals {
		switch v := v.(type) {
		case value.Sort:
			s, err := v.In(st)
			if err != nil {
				return nil, err
			}
			sorts[i] = s
		case value.Term:
			t, err := v.In(st)
			if err != nil {
				return nil, err
			}
			sorts[i] = a.Sort(t)
		case *node:
			sorts[i] = v.tree.Sort
		default:
			if v != starlark.None {
				return nil, c.Errorf(&given.Args, "element %d: got %s, want a sort, a term, a node or None", i, v.Type())
			}
		}
	}
	var out []starlark.Value
	for _, o := range recv.ops {
		if len(o.Op.Args) != len(sorts) {
			continue
		}
		ok, err := o.Op.Takes(c.Thread, a, sorts)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, o)
		}
	}
	return starlark.NewList(out), nil
}

// Engine returns the engine's table.
func (t *TableValue) Engine() *engine.Table { return t.t }
