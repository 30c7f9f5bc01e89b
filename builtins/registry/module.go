package registry

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// moduleValue is a module as scripts see it: smt, solver. Its members are fixed.
type moduleValue struct {
	name    string
	members map[string]*Builtin
	names   []string
}

// callableModule is a module that is also a function: solver("z3").
type callableModule struct {
	moduleValue
	call *Builtin
}

var (
	_ starlark.HasAttrs = (*moduleValue)(nil)
	_ starlark.Callable = (*callableModule)(nil)
)

func newModuleValue(m *Module, members map[string]*Builtin) starlark.Value {
	v := moduleValue{name: m.Name, members: members}
	for n := range members {
		v.names = append(v.names, n)
	}
	slices.Sort(v.names)
	if m.Call != nil {
		return &callableModule{v, m.Call}
	}
	return &v
}

func (m *moduleValue) Attr(name string) (starlark.Value, error) {
	if b := m.members[name]; b != nil {
		return b.value(), nil
	}
	return nil, &NoAttrError{Type: "module " + m.name, Name: name, Hint: spelling.Nearest(name, m.names)}
}

func (m *moduleValue) AttrNames() []string   { return m.names }
func (m *moduleValue) String() string        { return fmt.Sprintf("<module %s>", m.name) }
func (m *moduleValue) Type() string          { return "module" }
func (m *moduleValue) Freeze()               {} // immutable
func (m *moduleValue) Truth() starlark.Bool  { return true }
func (m *moduleValue) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: module") }

func (m *callableModule) Name() string { return m.name }

func (m *callableModule) CallInternal(th *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return m.call.call(th, m.call.impl, args, kwargs)
}
