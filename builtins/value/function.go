package value

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// functionValue is a function that a case declares or defines, as scripts see it. It is called with terms.
type functionValue struct {
	registry.Object[*functionValue]

	st    *TermStore
	check workspace.TermRef // lives as long as the case
	f     smt.Symbol
}

var _ starlark.Callable = (*functionValue)(nil)

func (f *functionValue) String() string { return "<function " + f.Name() + ">" }

// Name implements starlark.Callable.
func (f *functionValue) Name() string {
	if _, err := f.check.ID(); err != nil {
		return "of an earlier case"
	}
	return f.st.Arena.SymbolName(f.f)
}

// Freeze implements starlark.Value.
func (f *functionValue) Freeze() { f.st.Freeze() }

// Hash implements starlark.Value.
func (f *functionValue) Hash() (uint32, error) { return starlark.String(f.Name()).Hash() }

// Attr implements starlark.HasAttrs.
func (f *functionValue) Attr(name string) (starlark.Value, error) { return FunctionType.Attr(f, name) }

// CallInternal implements starlark.Callable: the function applied to terms, or to what can be lifted.
func (f *functionValue) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if _, err := f.check.ID(); err != nil {
		return nil, err
	}
	info := f.st.Arena.SymbolInfo(f.f)
	if len(kwargs) > 0 || len(args) != len(info.Params) {
		return nil, fmt.Errorf("%s takes %d arguments, got %d", f.Name(), len(info.Params), len(args)+len(kwargs))
	}
	terms := make([]smt.Term, len(args))
	for i, v := range args {
		var err error
		if terms[i], err = Lift(f.st, v, info.Params[i]); err != nil {
			return nil, fmt.Errorf("%s: argument %d: %w", f.Name(), i+1, err)
		}
	}
	t, err := f.st.Arena.Apply(f.f, terms...)
	if err != nil {
		return nil, err
	}
	return NewTerm(f.st, t), nil
}

func functionAttr(get func(st *TermStore, info *smt.SymbolInfo) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		f := v.(*functionValue)
		if _, err := f.check.ID(); err != nil {
			return nil, err
		}
		return get(f.st, f.st.Arena.SymbolInfo(f.f)), nil
	}
}

const exampleFunctions = `c = smt.case("(declare-const x Int)(declare-fun f (Int Int) Bool)(assert (f x x))(check-sat)")
`

// FunctionType describes the attributes of functions of a case.
var FunctionType = registry.NewType[*functionValue]("declared_function", "A function that a case declares or defines; call it to apply it. See case.functions.", []registry.Builtin{
	{Name: "name", Doc: "Its name.", Ret: "str", Example: exampleFunctions + "c.functions[0].name  # -> \"f\"",
		Get: functionAttr(func(_ *TermStore, info *smt.SymbolInfo) starlark.Value { return starlark.String(info.Name) })},
	{Name: "params", Doc: "The sorts of its arguments.", Ret: "tuple[sort, ...]", Example: exampleFunctions + "c.functions[0].params  # -> (Int, Int)",
		Get: functionAttr(func(st *TermStore, info *smt.SymbolInfo) starlark.Value {
			out := starlark.Tuple{}
			for _, s := range info.Params {
				out = append(out, NewSort(st, s))
			}
			return out
		})},
	{Name: "result", Doc: "The sort of its result.", Ret: "sort", Example: exampleFunctions + "c.functions[0].result  # -> Bool",
		Get: functionAttr(func(st *TermStore, info *smt.SymbolInfo) starlark.Value { return NewSort(st, info.Result) })},
})

// functionsOf lists the functions with arguments that the script declares or defines, each once.
func functionsOf(c Case) (starlark.Value, error) {
	out := starlark.Tuple{}
	st := c.Store().Writable()
	seen := map[smt.Symbol]bool{}
	for _, x := range c.Engine().Script.Commands {
		if !x.Kind.IsDeclaration() {
			continue
		}
		for _, f := range x.Symbols {
			info := c.Store().Arena.SymbolInfo(f)
			if len(info.Params) == 0 || info.Datatype != 0 || seen[f] {
				continue
			}
			seen[f] = true
			if st != c.Store() {
				if info.Kind != smt.SymDeclared {
					continue // its body belongs to the other arena
				}
				params := make([]smt.Sort, len(info.Params))
				for i, s := range info.Params {
					var err error
					if params[i], err = st.ImportSort(c.Store(), s); err != nil {
						return nil, err
					}
				}
				result, err := st.ImportSort(c.Store(), info.Result)
				if err != nil {
					return nil, err
				}
				f = st.Arena.Declare(info.Name, params, result)
			}
			out = append(out, &functionValue{st: st, check: st.Newest(), f: f})
		}
	}
	return out, nil
}

// sortsOf lists the sorts and datatypes without parameters that the script declares, each once.
func sortsOf(c Case) (starlark.Value, error) {
	out := starlark.Tuple{}
	st := c.Store().Writable()
	a := c.Store().Arena
	seen := map[smt.SortSymbol]bool{}
	for _, x := range c.Engine().Script.Commands {
		if x.Kind != smtlib.CmdDeclareSort && x.Kind != smtlib.CmdDeclareDatatype && x.Kind != smtlib.CmdDeclareDatatypes {
			continue
		}
		for _, d := range x.Sorts {
			if dt := a.Datatype(d); seen[d] || dt != nil && len(dt.Params) > 0 {
				continue
			}
			if _, arity := a.SortSymbolName(d); arity > 0 {
				continue
			}
			seen[d] = true
			s, err := a.SortApp(d)
			if err != nil {
				return nil, err
			}
			if s, err = st.ImportSort(c.Store(), s); err != nil {
				return nil, err
			}
			out = append(out, NewSort(st, s))
		}
	}
	return out, nil
}
