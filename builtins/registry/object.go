package registry

import (
	"fmt"
	"reflect"
	"sync"

	"go.starlark.net/starlark"
)

// Object gives the Go type of a kind of values what all such values have in common: a type embeds an Object of itself,
//
//	type corpus struct {
//		registry.Object[*corpus]
//		...
//	}
//
// and is described by NewType[*corpus]. It writes the methods anew in which it differs: values that are equal without
// being the same have a Hash, those that can be changed a Freeze. Attr it has to have, since it is the value that
// members are found for.
type Object[V any] struct{}

// typesOfValues maps Go types of values to their types. The types are made while packages are initialised.
var typesOfValues sync.Map

func typeOf[V any]() *Type {
	if t, ok := typesOfValues.Load(reflect.TypeFor[V]()); ok {
		return t.(*Type)
	}
	panic(fmt.Sprintf("registry: no NewType describes %v", reflect.TypeFor[V]()))
}

// Type implements starlark.Value: the name of the type.
func (Object[V]) Type() string { return typeOf[V]().Name }

// AttrNames implements starlark.HasAttrs: the names of all members.
func (Object[V]) AttrNames() []string { return typeOf[V]().AttrNames() }

// String implements starlark.Value, for values that are all alike.
func (o Object[V]) String() string { return "<" + o.Type() + ">" }

// Freeze implements starlark.Value, for values that nothing changes.
func (Object[V]) Freeze() {}

// Truth implements starlark.Value.
func (Object[V]) Truth() starlark.Bool { return true }

// Hash implements starlark.Value: such a value is no key of a dict.
func (o Object[V]) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: %s", o.Type()) }
