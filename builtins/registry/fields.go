package registry

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"
)

// Implementation is the implementation of a builtin, with its arguments in the fields of a struct; see [Into] and
// [Method].
type Implementation interface {
	// params returns the parameters that the struct declares; see [Builtin.Words].
	params(words map[string]string) ([]Param, error)
	// bind prepares the setters of the fields; s is the compiled form of the parameters.
	bind(s *signature) error
	call(c *Call) (starlark.Value, error)
}

// Into makes a builtin of a function whose arguments land in the fields of A, a struct that declares the parameters:
// one for each exported field, in their order. A field _ of the type [KeywordOnly] starts those that are given by name
// alone; the fields of an embedded struct stand for parameters that several builtins have. MaxBytes is the parameter
// max_bytes. Tags say the rest:
//
//	name     the name, where it is another: "*paths", "**named"
//	type     the type expression, where the Go type does not say it
//	default  a Starlark expression; without it the argument is required
//	shown    what documents show as the default
//	doc      one line about it
//
// The declared type of a parameter determines which types its field may have; the first one of a line needs no tag:
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
//	dict                   *starlark.Dict
//	list, tuple, iterable  a slice of any of these, or of a type of values
//	T | list[T], T         a slice, too: a single T is a list of one
//	term, case, …          the Go type of these values
//	anything               starlark.Value
//
// None is nil, and the empty string; a bool or a number that can be None has a pointer as its field.
func Into[A any](f func(c *Call, a *A) (starlark.Value, error)) Implementation {
	return &function[A]{do: f}
}

// Method is [Into] for a method of the type R.
func Method[R starlark.Value, A any](f func(c *Call, recv R, a *A) (starlark.Value, error)) Implementation {
	return &function[A]{do: func(c *Call, a *A) (starlark.Value, error) { return f(c, c.Recv.(R), a) }}
}

type function[A any] struct {
	do func(c *Call, a *A) (starlark.Value, error)

	// Several registries may share a function, so each part is made only once.
	declare, connect  sync.Once
	list              []declaration
	fields            []field
	declared, fitting error
}

// field locates the struct field that takes the value of a parameter.
type field struct {
	param int
	index []int // in the struct
	set   setter
}

// setter puts a value, which has the declared type or is None, into a field.
type setter func(to reflect.Value, v starlark.Value)

func (f *function[A]) params(words map[string]string) (out []Param, err error) {
	f.declare.Do(func() { f.list, f.declared = argumentsOf(reflect.TypeFor[A](), words) })
	for i := range f.list {
		out = append(out, f.list[i].Param)
	}
	return out, f.declared
}

func (f *function[A]) bind(s *signature) error {
	f.connect.Do(func() { f.fitting = f.bindFields(s) })
	return f.fitting
}

func (f *function[A]) bindFields(s *signature) error {
	for i := range f.list {
		x := &f.list[i]
		if x.Name == "*" {
			continue
		}
		set, err := setterOf(&x.Param, s.params[i].typ, x.field.Type)
		if err != nil {
			return fmt.Errorf("parameter %s: %s.%s: %w", x.Name, reflect.TypeFor[A](), x.field.Name, err)
		}
		f.fields = append(f.fields, field{param: i, index: x.field.Index, set: set})
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

// Errorf returns an error about the value of a parameter: "rng.int: for parameter hi: ...". The parameter is given by
// the address of its field.
func (c *Call) Errorf(field any, format string, args ...any) error {
	return c.argErrorf(c.parameterOf(field), format, args...)
}

// Given returns the argument, or the default, from which a field was set. The field is given by its address.
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

var (
	valueType    = reflect.TypeFor[starlark.Value]()
	bigIntType   = reflect.TypeFor[*big.Int]()
	durationType = reflect.TypeFor[time.Duration]()
)

// setterOf returns a setter for a field of the Go type to, for a parameter of a declared type.
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

// setterFor returns a setter for a field of the Go type to, for values of a declared type; optional reports whether the
// field can represent None.
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

// sliceSetter is setterFor for lists. If the declared type allows both a list and a single value, a single value
// becomes a list of one.
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
			// If the type also allows a single value, that value becomes a list of one.
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

// allNamed returns an error if the type has an alternative with another name. "" allows literals; None is always
// allowed.
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
