package fusion

import (
	"errors"
	"fmt"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/template"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
)

const exampleInputs = "x, y = smt.const(\"x\", smt.Int), smt.const(\"y\", smt.Int)\n"

// composition returns the builtins with which a script composes fusion functions itself.
func composition() []registry.Builtin {
	return []registry.Builtin{
		{Name: "function", Doc: `Defines a fusion function z = f(inputs): by terms with their inverses, or by a tree of operators.
Terms: apply gives the term, with an inverse for each input. The function is proven before it is returned: by evaluation on all values, or on 4096, then
by solvers. A wrong inverse is an error with a counterexample; an inverse that no solver proves is an error, too. Constants that are not inputs are
symbolic: the proof holds for all their values.
A tree (fusion.node) needs neither inverses nor a proof: both follow from its operators.`,
			Ret: "fusion_function", Needs: "z3",
			Example: exampleInputs + "f = fusion.function([x, y], lambda x, y: x - y, [lambda z, x, y: z + y, lambda z, x, y: x - z], by = solver(\"z3\"))\nf.inverses  # -> ((+ z!0 y), (- x z!0))",
			Do:      registry.Into(newFunction)},
		{Name: "node", Doc: "An operator applied to inputs, constants and other nodes. Nodes form the trees of functions (fusion.function), whose inverses follow from the inverses of the operators. It is an error if the sorts do not fit: see table.fitting.",
			Ret: "fusion_node", Example: exampleOps + exampleInputs + "fusion.function([x, y], fusion.node(add, [x, fusion.node(add, [y, 7])])).f  # -> (+ x (+ y 7))", Do: registry.Into(newNode)},
	}
}

// node is a tree in a script.
type node struct {
	registry.Object[*node]

	st    *value.TermStore
	tree  *engine.Tree
	op    *OperatorValue
	check workspace.TermRef
}

func (n *node) String() string { return "<node " + n.op.Op.Name + ">" }

// Freeze implements starlark.Value.
func (n *node) Freeze() { n.st.Freeze() }

// Attr implements starlark.HasAttrs.
func (n *node) Attr(name string) (starlark.Value, error) { return nodeType.Attr(n, name) }

var nodeType = registry.NewType[*node]("fusion_node", "An operator applied to inputs and constants, in the tree of a fusion function; see fusion.node.", []registry.Builtin{
	{Name: "operator", Doc: "The operator.", Ret: "fusion_operator", Example: exampleOps + exampleInputs + "fusion.node(add, [x, y]).operator.name  # -> \"int.add\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return v.(*node).op, nil }},
	{Name: "sort", Doc: "The sort of the result.", Ret: "sort", Example: exampleOps + exampleInputs + "fusion.node(add, [x, y]).sort  # -> Int",
		Get: func(v starlark.Value) (starlark.Value, error) {
			n := v.(*node)
			if _, err := n.check.ID(); err != nil {
				return nil, err
			}
			return value.NewSort(n.st, n.tree.Sort), nil
		}},
})

// newNodeArgs are the arguments of fusion.node.
type newNodeArgs struct {
	Operator *OperatorValue
	Args     []starlark.Value `type:"list | tuple" doc:"inputs, constants, terms without symbols, or other nodes; ints and other plain values if the operator determines their sort; None: a symbolic constant of that sort"`
	_        registry.KeywordOnly
	Result   *value.Sort `type:"sort | None" default:"None" doc:"the sort of the result, if the arguments do not determine it"`
	Variant  int         `default:"0" doc:"which index an operator gets, for example the distance of a rotation: 0 is the least, 1 the greatest, larger numbers are others"`
}

func newNode(c *registry.Call, given *newNodeArgs) (starlark.Value, error) {
	op := given.Operator
	if err := op.proven(c.Thread); err != nil {
		return nil, err
	}
	vals := given.Args
	st, err := homeOf(c.Thread, vals)
	if err != nil {
		return nil, err
	}
	a := st.Arena
	if len(vals) != len(op.Op.Args) {
		return nil, c.Errorf(&given.Args, "operator %s (%s) takes %d arguments, got %d", op.Op.Name, op.Op.Signature(), len(op.Op.Args), len(vals))
	}
	var args []*engine.Tree
	var known smt.Bindings // for the sorts of ints and the like
	for i, v := range vals {
		switch v := v.(type) {
		case *node:
			if v.st != st {
				return nil, c.Errorf(&given.Args, "element %d: the node is one of another case", i)
			}
			if _, err := v.check.ID(); err != nil {
				return nil, err
			}
			args = append(args, v.tree)
		default:
			want := smt.Sort(0)
			if _, ok := v.(value.Term); !ok {
				want = op.Op.Args[i].Build(a, &known)
			}
			if v == starlark.None {
				if want == 0 {
					return nil, c.Errorf(&given.Args, "element %d: the sort of the constant does not follow from the arguments before it", i)
				}
				// A stand-in: the function that is made of the tree declares a constant of its own.
				v = value.NewTerm(st, a.Const(a.Declare(fmt.Sprintf("constant!%d", i), nil, want)))
			}
			t, err := value.Lift(st, v, want)
			if err != nil {
				return nil, c.Errorf(&given.Args, "element %d: %v", i, err)
			}
			args = append(args, engine.NewLeaf(a, t))
		}
		op.Op.Args[i].Match(a, args[i].Sort, &known)
	}
	result := smt.Sort(0)
	if s := given.Result; s != nil {
		if result, err = s.In(st); err != nil {
			return nil, err
		}
	}
	if given.Variant < 0 {
		return nil, c.Errorf(&given.Variant, "%d is below 0", given.Variant)
	}
	t, err := engine.NewTree(c.Thread, a, op.Op, args, result, given.Variant)
	if err != nil {
		return nil, err
	}
	return &node{st: st, tree: t, op: op, check: st.Newest()}, nil
}

// homeOf is the store of terms and nodes.
func homeOf(th *starlark.Thread, vals []starlark.Value) (*value.TermStore, error) {
	terms := vals
	for i, v := range vals {
		if n, ok := v.(*node); ok {
			if &terms[0] == &vals[0] {
				terms = slices.Clone(vals)
			}
			terms[i] = value.Term{TermRef: n.check}
		}
	}
	return value.Home(value.SessionOf(th), terms...)
}

// constants reads different constants from the field of an argument, in the store they belong to.
func constants(c *registry.Call, field *[]starlark.Value) (*value.TermStore, []smt.Term, error) {
	vals := *field
	st, err := value.Home(value.SessionOf(c.Thread), vals...)
	if err != nil {
		return nil, nil, err
	}
	a := st.Arena
	var out []smt.Term
	names := map[string]bool{}
	for k, v := range vals {
		t, ok := v.(value.Term)
		if !ok {
			return nil, nil, c.Errorf(field, "element %d: got %s, want a constant", k, v.Type())
		}
		id, err := t.In(st)
		if err != nil {
			return nil, nil, err
		}
		if a.Op(id) != smt.OpApply || a.NumArgs(id) > 0 || names[a.SymbolName(a.SymbolOf(id))] {
			return nil, nil, c.Errorf(field, "element %d: %s is no constant, or there twice", k, a.Brief(id))
		}
		names[a.SymbolName(a.SymbolOf(id))] = true
		out = append(out, id)
	}
	if len(out) == 0 {
		return nil, nil, c.Errorf(field, "want at least one constant")
	}
	return st, out, nil
}

// newFunctionArgs are the arguments of fusion.function.
type newFunctionArgs struct {
	Inputs  []starlark.Value `type:"list | tuple" doc:"different constants"`
	Apply   starlark.Value   `type:"callable | term | fusion_node" doc:"a term or a node, or a function of the inputs that returns one"`
	Inverse starlark.Value   `type:"callable | list | tuple | None" default:"None" doc:"for each input a function of z and the inputs that returns a term equal to the input, as in fusion.operator; or one function of (i, z, inputs) for all inputs, with i from 0"`
	_       registry.KeywordOnly
	By      starlark.Value `type:"solver | None" default:"None" doc:"the solver that proves the inverses if evaluation does not; None: z3, then cvc5, if they are installed"`
	Proven  bool           `default:"False" doc:"use the function without a proof: it is only evaluated on boundary values"`
}

func newFunction(c *registry.Call, given *newFunctionArgs) (starlark.Value, error) {
	st, inputs, err := constants(c, &given.Inputs)
	if err != nil {
		return nil, err
	}
	body := given.Apply
	if f, ok := body.(starlark.Callable); ok {
		if body, err = c.Invoke(f, given.Inputs...); err != nil {
			return nil, err
		}
	}
	var tree *engine.Tree
	switch v := body.(type) {
	case *node:
		if v.st != st {
			return nil, c.Errorf(&given.Apply, "the node is one of another case")
		}
		if _, err := v.check.ID(); err != nil {
			return nil, err
		}
		if given.Inverse != starlark.None {
			return nil, c.Errorf(&given.Inverse, "the inverses of a tree follow from its operators")
		}
		tree = v.tree
	case value.Term:
		if id, err := v.In(st); err == nil && slices.Contains(inputs, id) && given.Inverse == starlark.None {
			tree = engine.NewLeaf(st.Arena, id)
		} else if tree, err = ofTerms(c, given, st, inputs, v); err != nil {
			return nil, err
		}
	default:
		return nil, c.Errorf(&given.Apply, "it returned %s, want a term or a node", body.Type())
	}
	e := environmentOf(c.Thread, st, func() *engine.Env {
		taken := map[string]bool{}
		for _, x := range inputs {
			// Constants that the function declares must not be taken for its inputs.
			taken[st.Arena.SymbolName(st.Arena.SymbolOf(x))] = true
		}
		return &engine.Env{Arena: st.Arena, Make: c.Thread, Name: engine.Namer(func(n string) bool { return taken[n] })}
	})
	f, err := engine.Compose(e, inputs, tree)
	if err != nil {
		return nil, err
	}
	return &function{st: st, f: f, check: st.Newest()}, nil
}

// ofTerms makes the operator of a body and its inverses, has it proven, and returns the tree of it.
func ofTerms(c *registry.Call, given *newFunctionArgs, st *value.TermStore, inputs []smt.Term, body value.Term) (*engine.Tree, error) {
	a := st.Arena
	f, err := body.In(st)
	if err != nil {
		return nil, err
	}
	z := a.Const(a.Declare(template.ResultName, nil, a.Sort(f)))
	inverse, err := inverses(c, given, st, inputs, z)
	if err != nil {
		return nil, err
	}
	args := slices.Clone(inputs)
	for _, s := range a.Symbols(append(slices.Clone(inverse), f)...) {
		info := a.SymbolInfo(s)
		if info.Datatype != 0 {
			continue
		}
		if info.Kind != smt.SymDeclared || len(info.Params) > 0 {
			return nil, fmt.Errorf("%s cannot occur in a fusion function: only its inputs and constants can", info.Name)
		}
		if x := a.Const(s); x != z && !slices.Contains(args, x) {
			args = append(args, x)
		}
	}
	// Constants have no inverse, because their occurrences are not replaced.
	inverse = append(inverse, make([]smt.Term, len(args)-len(inputs))...)
	op, err := operator.Of("function", a, args, z, f, inverse)
	if err != nil {
		var wrong *operator.RefutedError
		if errors.As(err, &wrong) {
			return nil, c.Errorf(&given.Inverse, "inverse %d is wrong: it does not give %s back where %s", wrong.Arg+1, a.Brief(args[wrong.Arg]), wrong.Counterexample)
		}
		return nil, err
	}
	if !given.Proven {
		if err := prove(c, given, op); err != nil {
			return nil, err
		}
	}
	leaves := make([]*engine.Tree, len(args))
	for i, x := range args {
		leaves[i] = engine.NewLeaf(a, x)
	}
	return engine.NewTree(c.Thread, a, op, leaves, 0, 0)
}

// inverses calls the functions that give the inputs back.
func inverses(c *registry.Call, given *newFunctionArgs, st *value.TermStore, inputs []smt.Term, z smt.Term) ([]smt.Term, error) {
	vals := given.Inputs
	var each []starlark.Value
	one, single := given.Inverse.(starlark.Callable)
	if !single {
		if each = registry.Elements(given.Inverse); len(each) != len(inputs) {
			return nil, c.Errorf(&given.Inverse, "there are %d inverses for %d inputs", len(each), len(inputs))
		}
	}
	var out []smt.Term
	for i, x := range inputs {
		var v starlark.Value
		var err error
		if single {
			v, err = c.Invoke(one, starlark.MakeInt(i), value.NewTerm(st, z), starlark.NewList(slices.Clone(vals)))
		} else {
			f, ok := each[i].(starlark.Callable)
			if !ok {
				return nil, c.Errorf(&given.Inverse, "element %d: got %s, want a function", i, each[i].Type())
			}
			v, err = c.Invoke(f, append([]starlark.Value{value.NewTerm(st, z)}, vals...)...)
		}
		if err != nil {
			return nil, err
		}
		t, err := value.Lift(st, v, st.Arena.Sort(x))
		if err != nil {
			return nil, c.Errorf(&given.Inverse, "inverse %d: %v", i+1, err)
		}
		out = append(out, t)
	}
	return out, nil
}
