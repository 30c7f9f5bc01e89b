package registry

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"
	"unicode"

	"go.starlark.net/starlark"
)

// Param is one parameter of a builtin.
//
// Name "*" starts the keyword-only parameters, "*name" takes the remaining
// positional arguments, "**name" the remaining keyword arguments.
type Param struct {
	Name    string
	Type    string // a type expression, see [ParseType]; "" means any
	Default string // a Starlark expression; "" means the argument is required
	Shown   string // what documents show as the default; "": Default
	Doc     string // one line
}

// KeywordOnly is the type of a field named _ in a struct of arguments: the parameters behind it are given by name.
type KeywordOnly struct{}

// declaration is a parameter and the field that its value goes into.
type declaration struct {
	Param
	field reflect.StructField // Index is in the struct of all arguments
}

// argumentsOf returns the parameters that a struct of arguments declares: see [Into]. Words stand for names in braces
// in their types and texts.
func argumentsOf(typ reflect.Type, words map[string]string) (list []declaration, err error) {
	var oldnew []string
	for name, text := range words {
		oldnew = append(oldnew, "{"+name+"}", text)
	}
	fill := strings.NewReplacer(oldnew...)
	var add func(typ reflect.Type, index []int) error
	add = func(typ reflect.Type, index []int) error {
		for i := range typ.NumField() {
			f := typ.Field(i)
			f.Index = append(index[:len(index):len(index)], i)
			switch {
			case f.Anonymous:
				if err := add(f.Type, f.Index); err != nil {
					return err
				}
				continue
			case f.Type == reflect.TypeFor[KeywordOnly]():
				list = append(list, declaration{Param: Param{Name: "*"}})
				continue
			}
			p := Param{Name: f.Tag.Get("name"), Default: f.Tag.Get("default"), Shown: f.Tag.Get("shown"), Doc: fill.Replace(f.Tag.Get("doc"))}
			if p.Name == "" {
				p.Name = parameterName(f.Name)
			}
			if given, ok := f.Tag.Lookup("type"); ok {
				p.Type = fill.Replace(given)
			} else if p.Type, ok = typeExpression(f.Type, &p); !ok {
				return fmt.Errorf("parameter %s: %s.%s: the type %s needs a tag that says its values", p.Name, typ, f.Name, f.Type)
			}
			list = append(list, declaration{Param: p, field: f})
		}
		return nil
	}
	if typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments go into a struct, not into %s", typ)
	}
	err = add(typ, nil)
	return list, err
}

// parameterName is the name of a parameter by that of its field: max_bytes for MaxBytes.
func parameterName(field string) string {
	var b strings.Builder
	last := ' '
	for _, r := range field {
		if unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

// goTypes are the type expressions of Go types whose values are not of a [Type].
var goTypes = map[reflect.Type]string{
	reflect.TypeFor[string](): "str", reflect.TypeFor[bool](): "bool", reflect.TypeFor[int](): "int", reflect.TypeFor[float64](): "number",
	reflect.TypeFor[int64](): "size", reflect.TypeFor[time.Duration](): "duration", reflect.TypeFor[*big.Int](): "bigint",
	reflect.TypeFor[starlark.Value](): "", reflect.TypeFor[*starlark.Dict](): "dict",
}

// typeExpression returns the type expression of a parameter whose field has a Go type. A parameter whose default is
// None accepts None.
func typeExpression(typ reflect.Type, p *Param) (text string, ok bool) {
	if strings.HasPrefix(p.Name, "*") && typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	text, ok = elementExpression(typ)
	if !ok && typ.Kind() == reflect.Pointer && p.Default == "None" {
		text, ok = elementExpression(typ.Elem())
	}
	if text != "" && p.Default == "None" {
		text += " | None"
	}
	return text, ok
}

func elementExpression(typ reflect.Type) (text string, ok bool) {
	if text, ok = goTypes[typ]; ok {
		return text, true
	}
	if t, ok := typesOfValues.Load(typ); ok {
		return t.(*Type).Name, true
	}
	if typ.Kind() == reflect.Slice {
		of, ok := elementExpression(typ.Elem())
		return "list[" + of + "]", ok && of != ""
	}
	return "", false
}
