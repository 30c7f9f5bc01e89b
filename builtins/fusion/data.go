package fusion

import (
	"github.com/smtlark/smtlark/engine/language/template"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// dataFnArgs are the arguments of fusion.data.
type dataFnArgs struct {
	Fields []starlark.Value `type:"list | tuple"`
}

// dataFn applies the constructor of an operator's datatype.
func dataFn(c *registry.Call, a *dataFnArgs) (starlark.Value, error) {
	vals := a.Fields
	var st *value.TermStore
	for _, v := range vals {
		if t, ok := v.(value.Term); ok && st == nil {
			st = t.Store()
		}
	}
	if st == nil {
		return nil, c.Errorf(&a.Fields, "want a list of the fields, among them terms that the function of the operator is given")
	}
	k, sort, err := template.Data(st.Arena)
	if err != nil {
		return nil, err
	}
	if len(vals) != len(k.Selectors) {
		return nil, c.Errorf(&a.Fields, "there are %d fields, given %d", len(k.Selectors), len(vals))
	}
	args := make([]smt.Term, len(vals))
	for i, v := range vals {
		if args[i], err = value.Lift(st, v, st.Arena.SymbolInfo(k.Selectors[i]).Result); err != nil {
			return nil, c.Errorf(&a.Fields, "element %d: %v", i, err)
		}
	}
	t, err := st.Arena.ApplyAs(k.Symbol, sort, args...)
	return value.NewTerm(st, t), err
}

// ofData returns the constructor of an operator's datatype and a term of that sort.
func ofData(c *registry.Call, field *value.Term) (*value.TermStore, *smt.Constructor, smt.Term, error) {
	v := *field
	st := v.Store()
	k, sort, err := template.Data(st.Arena)
	if err != nil {
		return nil, nil, 0, err
	}
	t, err := v.ID()
	if err == nil && st.Arena.Sort(t) != sort {
		err = c.Errorf(field, "got sort %s, want the operator's datatype", st.Arena.SortString(st.Arena.Sort(t)))
	}
	return st, k, t, err
}

// fieldFnArgs are the arguments of fusion.field.
type fieldFnArgs struct {
	Term value.Term
	I    int `type:"count"`
}

func fieldFn(c *registry.Call, a *fieldFnArgs) (starlark.Value, error) {
	st, k, t, err := ofData(c, &a.Term)
	if err != nil {
		return nil, err
	}
	i := a.I
	if i < 0 || i >= len(k.Selectors) {
		return nil, c.Errorf(&a.I, "%d is not between 0 and %d", i, len(k.Selectors)-1)
	}
	r, err := st.Arena.Apply(k.Selectors[i], t)
	return value.NewTerm(st, r), err
}

// isDataFnArgs are the arguments of fusion.is_data.
type isDataFnArgs struct{ Term value.Term }

func isDataFn(c *registry.Call, a *isDataFnArgs) (starlark.Value, error) {
	st, k, t, err := ofData(c, &a.Term)
	if err != nil {
		return nil, err
	}
	r, err := st.Arena.Is(k.Symbol, t)
	return value.NewTerm(st, r), err
}
