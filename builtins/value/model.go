package value

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// Model is a workspace.StoredModel in a script.
type Model struct {
	registry.Object[Model]
	*workspace.StoredModel
}

func (m Model) String() string { return m.StoredModel.String() }

// Freeze implements starlark.Value.
func (m Model) Freeze() { m.StoredModel.Freeze() }

// NewModel wraps a model of terms of the store. It is valid as long as the current contents of the store.
func NewModel(st *TermStore, m *model.Model) Model {
	return Model{StoredModel: workspace.NewModel(st, m)}
}

// Attr implements starlark.HasAttrs.
func (m Model) Attr(name string) (starlark.Value, error) { return ModelType.Attr(m, name) }

// Get implements starlark.Mapping: model[term] is the term's value as a literal.
func (m Model) Get(k starlark.Value) (starlark.Value, bool, error) {
	t, ok := k.(Term)
	if !ok {
		return nil, false, fmt.Errorf("a model is indexed by a term, got %s", k.Type())
	}
	v, err := m.Literal(t)
	return v, err == nil, err
}

// Literal returns the value of a term as a term. An error says why it has none.
func (m Model) Literal(t Term) (starlark.Value, error) {
	lit, err := m.StoredModel.Literal(t.TermRef)
	if err != nil {
		return nil, err
	}
	return Term{lit}, nil
}

// ModelType describes the attributes of model values.
var ModelType = registry.NewType[Model]("model", "An interpretation of the constants and functions of a case. `model[term]` is a term's value.", []registry.Builtin{
	{Name: "text", Doc: "The model as solvers print it: a list of define-funs.", Ret: "str",
		Example: "smt.case(\"(declare-const x Int)\").read_model(\"((define-fun x () Int 7))\").text.split()  # -> [\"(\", \"(define-fun\", \"x\", \"()\", \"Int\", \"7)\", \")\"]",
		Get: func(v starlark.Value) (starlark.Value, error) {
			text, err := v.(Model).Text()
			return starlark.String(text), err
		}},
})
