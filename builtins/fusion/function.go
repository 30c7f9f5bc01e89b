package fusion

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// function is a fusion function in a script.
type function struct {
	registry.Object[*function]

	st    *value.TermStore
	f     *engine.Function
	check workspace.TermRef
}

func (f *function) String() string {
	if _, err := f.check.ID(); err != nil {
		return "<function of an earlier case>"
	}
	return fmt.Sprintf("<function %s = %s>", f.st.Arena.Brief(f.f.Z), f.st.Arena.Brief(f.f.F))
}

// Freeze implements starlark.Value.
func (f *function) Freeze() { f.st.Freeze() }

// Attr implements starlark.HasAttrs.
func (f *function) Attr(name string) (starlark.Value, error) { return functionType.Attr(f, name) }

func (f *function) terms(ts []smt.Term) starlark.Value {
	out := make(starlark.Tuple, len(ts))
	for i, t := range ts {
		out[i] = value.NewTerm(f.st, t)
	}
	return out
}

// attr adapts a function of a live function.
func attr(get func(f *function) (starlark.Value, error)) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		f := v.(*function)
		if _, err := f.check.ID(); err != nil {
			return nil, err
		}
		return get(f)
	}
}

const exampleFunction = exampleOps + "f = fusion.table([add]).function(rng(1), [smt.const(\"x\", smt.Int), smt.const(\"y\", smt.Int)], size = 5)\n"

var functionType = registry.NewType[*function]("fusion_function", "A function z = f(inputs). For each input it has a term that equals the input if the equation holds.", []registry.Builtin{
	{Name: "f", Doc: "The function's term over the inputs.", Ret: "term", Example: exampleFunction + "f.f.op  # -> \"+\"",
		Get: attr(func(f *function) (starlark.Value, error) { return value.NewTerm(f.st, f.f.F), nil })},
	{Name: "z", Doc: "The constant that equals the function.", Ret: "term", Example: exampleFunction + "f.z  # -> z!0",
		Get: attr(func(f *function) (starlark.Value, error) { return value.NewTerm(f.st, f.f.Z), nil })},
	{Name: "inputs", Doc: "The inputs.", Ret: "tuple[term, ...]", Example: exampleFunction + "f.inputs  # -> (x, y)",
		Get: attr(func(f *function) (starlark.Value, error) { return f.terms(f.f.Inputs), nil })},
	{Name: "inverses", Doc: "For each input the term that equals it.", Ret: "tuple[term, ...]", Example: exampleFunction + "len(f.inverses)  # -> 2",
		Get: attr(func(f *function) (starlark.Value, error) { return f.terms(f.f.Inverse), nil })},
	{Name: "conditions", Doc: "Conditions on functions that were declared anew for it; they are always satisfiable.", Ret: "tuple[term, ...]", Example: exampleFunction + "f.conditions  # -> ()",
		Get: attr(func(f *function) (starlark.Value, error) { return f.terms(f.f.Side), nil })},
	{Name: "text", Doc: "The function as text: a block of YinYang's configuration, a graph for Graphviz, a script that asserts the equations, infix formulas, or an operator for a campaign file.",
		Ret:     "str",
		Example: exampleFunction + "f.text(\"infix\").splitlines()[0]  # -> \"z = y + x\"",
		Do: registry.Method(func(c *registry.Call, recv *function, a *fusionFunctionTextArgs) (starlark.Value, error) {
			f := recv
			if _, err := f.check.ID(); err != nil {
				return nil, err
			}
			text, err := f.f.Text(a.Format, "generated")
			return starlark.String(text), err
		})},
})

// fusionFunctionTextArgs are the arguments of fusion_function.text.
type fusionFunctionTextArgs struct {
	Format string `type:"\"yinyang\" | \"dot\" | \"smt2\" | \"infix\" | \"star\"" default:"\"smt2\""`
}
