package fusion

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/fusion"
	"github.com/smtlark/smtlark/engine/smt"
)

// dataFn applies the constructor of an operator's datatype.
func dataFn(c *registry.Call) (starlark.Value, error) {
	vals := c.List(0)
	var st *value.Store
	for _, v := range vals {
		if t, ok := v.(value.Term); ok && st == nil {
			st = t.Store()
		}
	}
	if st == nil {
		return nil, c.ArgErrorf(0, "want the fields, terms of an operator's function")
	}
	k, sort, err := engine.Data(st.Arena)
	if err != nil {
		return nil, err
	}
	if len(vals) != len(k.Selectors) {
		return nil, c.ArgErrorf(0, "there are %d fields, given %d", len(k.Selectors), len(vals))
	}
	args := make([]smt.Term, len(vals))
	for i, v := range vals {
		if args[i], err = value.Lift(st, v, st.Arena.SymbolInfo(k.Selectors[i]).Result); err != nil {
			return nil, c.ArgErrorf(0, "element %d: %v", i, err)
		}
	}
	t, err := st.Arena.ApplyAs(k.Symbol, sort, args...)
	return st.Term(t), err
}

// ofData returns the constructor of an operator's datatype and a term of that sort.
func ofData(c *registry.Call) (*value.Store, *smt.Constructor, smt.Term, error) {
	v := c.Arg(0).(value.Term)
	st := v.Store()
	k, sort, err := engine.Data(st.Arena)
	if err != nil {
		return nil, nil, 0, err
	}
	t, err := v.ID()
	if err == nil && st.Arena.Sort(t) != sort {
		err = c.ArgErrorf(0, "got sort %s, want the operator's datatype", st.Arena.SortString(st.Arena.Sort(t)))
	}
	return st, k, t, err
}

func fieldFn(c *registry.Call) (starlark.Value, error) {
	st, k, t, err := ofData(c)
	if err != nil {
		return nil, err
	}
	i := c.Int(1)
	if i < 0 || i >= len(k.Selectors) {
		return nil, c.ArgErrorf(1, "%d is not between 0 and %d", i, len(k.Selectors)-1)
	}
	r, err := st.Arena.Apply(k.Selectors[i], t)
	return st.Term(r), err
}

func isDataFn(c *registry.Call) (starlark.Value, error) {
	st, k, t, err := ofData(c)
	if err != nil {
		return nil, err
	}
	r, err := st.Arena.Is(k.Symbol, t)
	return st.Term(r), err
}
