package registry

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"
)

// Function is what a builtin calls, with its arguments in the fields of a struct; see [Into] and [Method].
type Function interface {
	// bind finds the field of each parameter; s is their compiled form.
	bind(params []Param, s *signature) error
	call(c *Call) (starlark.Value, error)
}

// Into makes a builtin of a function whose arguments land in the fields of A, a struct. It has one exported field for each
// parameter, named as the parameter is: MaxBytes is that of max_bytes, Paths that of *paths. What the type of a field can be
// follows from the declared type of the parameter:
//
//	int                    int, uint64 (modulo 2^64, for seeds), *int
//	bigint                 *big.Int
//	count                  int, *int
//	number, float          float64, *float64
//	probability, weight    float64, *float64
//	size                   int64, *int64
//	bool                   bool, *bool
//	str, operator, "…"     string, *string
//	duration               time.Duration, *time.Duration
//	callable               starlark.Callable
//	list, tuple, iterable  a slice of any of these, or of a type of values
//	T | list[T], T         a slice, too: a single T is a list of one
//	term, case, …          the Go type of these values
//	anything               starlark.Value
//
// Parameters that several builtins have can be the fields of an embedded struct. None is nil, and the empty string; a bool or a
// number that can be None has a pointer as its field.
func Into[A any](f func(c *Call, a *A) (starlark.Value, error)) Function {
	return &function[A]{do: f}
}

// Method is [Into] for a method of the type R.
func Method[R starlark.Value, A any](f func(c *Call, recv R, a *A) (starlark.Value, error)) Function {
	return &function[A]{do: func(c *Call, a *A) (starlark.Value, error) { return f(c, c.Recv.(R), a) }}
}

type function[A any] struct {
	do     func(c *Call, a *A) (starlark.Value, error)
	once   sync.Once // registries share a function
	err    error
	fields []field
}

// field is where the value of a parameter goes.
type field struct {
	param int
	index []int // in the struct
	set   setter
}

// setter puts a value, which has the declared type or is None, into a field.
type setter func(to reflect.Value, v starlark.Value)

func (f *function[A]) bind(params []Param, s *signature) error {
	f.once.Do(func() { f.err = f.bindFields(params, s) })
	return f.err
}

func (f *function[A]) bindFields(params []Param, s *signature) error {
	typ := reflect.TypeFor[A]()
	if typ.Kind() != reflect.Struct {
		return fmt.Errorf("arguments go into a struct, not into %s", typ)
	}
	for i := range params {
		p := &params[i]
		if p.Name == "*" {
			continue
		}
		at, ok := fieldOf(typ, p.Name)
		if !ok {
			return fmt.Errorf("%s has no field for the parameter %s", typ, p.Name)
		}
		set, err := setterOf(p, s.params[i].typ, at.Type)
		if err != nil {
			return fmt.Errorf("parameter %s: %s.%s: %w", p.Name, typ, at.Name, err)
		}
		f.fields = append(f.fields, field{param: i, index: at.Index, set: set})
	}
	own := slices.DeleteFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool { return f.Anonymous })
	if len(own) != len(f.fields) {
		return fmt.Errorf("%s has %d fields for %d parameters", typ, len(own), len(f.fields))
	}
	return nil
}

func (f *function[A]) call(c *Call) (starlark.Value, error) {
	a := new(A)
	into := reflect.ValueOf(a).Elem()
	for i := range f.fields {
		x := &f.fields[i]
		x.set(into.FieldByIndex(x.index), c.args[x.param])
	}
	c.into, c.fields = into, f.fields
	return f.do(c, a)
}

// Errorf is an error about the value of a parameter, given by the address of its field: "rng.int: for parameter hi: ...".
func (c *Call) Errorf(field any, format string, args ...any) error {
	return c.argErrorf(c.parameterOf(field), format, args...)
}

// Given is the argument, or the default, that a field was set from, given by the address of the field.
func (c *Call) Given(field any) starlark.Value { return c.args[c.parameterOf(field)] }

func (c *Call) parameterOf(field any) int {
	p := reflect.ValueOf(field).Pointer()
	for i := range c.fields {
		if c.into.FieldByIndex(c.fields[i].index).Addr().Pointer() == p {
			return c.fields[i].param
		}
	}
	panic(fmt.Sprintf("registry: %s: not the address of a field of its arguments", c.b.FullName()))
}

// fieldOf returns the field of a parameter.
func fieldOf(typ reflect.Type, param string) (reflect.StructField, bool) {
	name := strings.ReplaceAll(strings.TrimLeft(param, "*"), "_", "")
	return typ.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
}

var (
	valueType    = reflect.TypeFor[starlark.Value]()
	bigIntType   = reflect.TypeFor[*big.Int]()
	durationType = reflect.TypeFor[time.Duration]()
)

// setterOf returns what sets a field of the Go type to from the arguments of a parameter of a declared type.
func setterOf(p *Param, typ *TypeExpr, to reflect.Type) (setter, error) {
	if strings.HasPrefix(p.Name, "*") && !strings.HasPrefix(p.Name, "**") {
		typ = &TypeExpr{Name: "list", Args: []*TypeExpr{typ}}
	}
	set, optional, err := setterFor(typ, to)
	if err == nil && p.Default == "None" && !optional {
		err = fmt.Errorf("the default is None, want *%s", to)
	}
	return set, err
}

// setterFor returns what sets a field of the Go type to from values of a declared type; optional tells whether the field has
// a value for None.
func setterFor(typ *TypeExpr, to reflect.Type) (set setter, optional bool, err error) {
	switch {
	case to == valueType:
		return func(to reflect.Value, v starlark.Value) { to.Set(reflect.ValueOf(v)) }, true, nil
	case to == bigIntType:
		return func(to reflect.Value, v starlark.Value) {
			if n, ok := v.(starlark.Int); ok {
				to.Set(reflect.ValueOf(n.BigInt()))
			}
		}, true, typ.allNamed("int", "bigint")
	case to.Implements(valueType) && !(to.Kind() == reflect.Pointer && to.Elem().Implements(valueType)): // the type of some values, or an interface of theirs
		return func(to reflect.Value, v starlark.Value) {
			if x := reflect.ValueOf(v); x.Type().AssignableTo(to.Type()) && v != starlark.None {
				to.Set(x)
			}
		}, true, nil
	case to.Kind() == reflect.Pointer:
		one, _, err := setterFor(typ, to.Elem())
		return func(to reflect.Value, v starlark.Value) {
			if v != starlark.None {
				to.Set(reflect.New(to.Type().Elem()))
				one(to.Elem(), v)
			}
		}, true, err
	case to.Kind() == reflect.Slice:
		set, err := sliceSetter(typ, to)
		return set, true, err
	}
	set, err = scalarSetter(typ, to)
	return set, to.Kind() == reflect.String, err
}

// scalarSetter is setterFor of texts, numbers, truth values, times and sizes.
func scalarSetter(typ *TypeExpr, to reflect.Type) (setter, error) {
	switch {
	case to == durationType:
		return func(to reflect.Value, v starlark.Value) {
			d, _ := durationFrom(v)
			to.SetInt(int64(d))
		}, typ.allNamed("duration")
	case to.Kind() == reflect.String:
		return func(to reflect.Value, v starlark.Value) {
			s, _ := starlark.AsString(v)
			to.SetString(s)
		}, typ.allNamed("str", "operator", "")
	case to.Kind() == reflect.Bool:
		return func(to reflect.Value, v starlark.Value) { to.SetBool(v == starlark.True) }, typ.allNamed("bool")
	case to.Kind() == reflect.Int:
		return func(to reflect.Value, v starlark.Value) { to.SetInt(int64(intOf(v))) }, typ.allNamed("int", "count")
	case to.Kind() == reflect.Int64:
		return func(to reflect.Value, v starlark.Value) {
			n, _ := ToBytes(v)
			to.SetInt(n)
		}, typ.allNamed("size")
	case to.Kind() == reflect.Uint64:
		return func(to reflect.Value, v starlark.Value) { to.SetUint(Uint64(v)) }, typ.allNamed("int", "bigint")
	case to.Kind() == reflect.Float64:
		return func(to reflect.Value, v starlark.Value) {
			f, _ := starlark.AsFloat(v)
			to.SetFloat(f)
		}, typ.allNamed("number", "float", "int", "probability", "weight")
	}
	return nil, fmt.Errorf("no argument goes into a %s", to)
}

// sliceSetter is setterFor of lists. A value that is no list is a list of one where the declared type allows both.
func sliceSetter(typ *TypeExpr, to reflect.Type) (setter, error) {
	var of *TypeExpr
	single := false
	for _, alternative := range typ.alternatives() {
		switch alternative.Name {
		case "list", "tuple", "set", "iterable", "range":
			if len(alternative.Args) > 0 {
				of = alternative.Args[0]
			} else if of == nil {
				of = &TypeExpr{Name: "any"}
			}
		case "None":
		default:
			single = true
		}
	}
	if of == nil {
		of = typ
	}
	one, _, err := setterFor(of, to.Elem())
	if err != nil {
		return nil, err
	}
	return func(to reflect.Value, v starlark.Value) {
		list := Elements(v)
		if list == nil {
			// Where the type has a single value as well, it stands for a list of one.
			if v == starlark.None || !single {
				return
			}
			list = []starlark.Value{v}
		}
		if to.Type().Elem() == valueType {
			to.Set(reflect.ValueOf(list))
			return
		}
		out := reflect.MakeSlice(to.Type(), len(list), len(list))
		for i, x := range list {
			one(out.Index(i), x)
		}
		to.Set(out)
	}, nil
}

// alternatives are the parts of a union, or the type itself.
func (t *TypeExpr) alternatives() []*TypeExpr {
	if t.Union != nil {
		return t.Union
	}
	return []*TypeExpr{t}
}

// allNamed is the error that a type has an alternative of another name; "" allows literals, and None is one always.
func (t *TypeExpr) allNamed(names ...string) error {
	for _, alternative := range t.alternatives() {
		ok := alternative.Name == "None"
		for _, name := range names {
			ok = ok || alternative.Name == name && (name != "" || alternative.Literal != "")
		}
		if !ok {
			return fmt.Errorf("a value may be %s", alternative)
		}
	}
	return nil
}
