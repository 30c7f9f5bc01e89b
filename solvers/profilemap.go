package solvers

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/solvers/rule"
)

// profileField describes one keyword of a profile, for documentation and completion.
type profileField struct {
	Name string // keyword
	Type string // "string", "bool", "list of strings", "list of rules", "list of actions" or "dict of strings"
	Doc  string
}

// ProfileFields returns the keywords of profile() in the order of the struct, "base" first.
func ProfileFields() []profileField {
	fields := []profileField{{"base", "string", "name of a profile loaded before; its values hold where this one gives none"}}
	for _, f := range keywordFields() {
		name := f.Tag.Get("star")
		fields = append(fields, profileField{name, fieldType(f.Type), f.Tag.Get("doc")})
	}
	return fields
}

// keywordFields are the fields of Profile and its parts that are keywords of profile(), in the order of the structs.
var keywordFields = sync.OnceValue(func() []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[Profile]()), func(f reflect.StructField) bool {
		return f.Tag.Get("star") == ""
	})
})

func fieldType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Slice:
		switch t.Elem() {
		case reflect.TypeFor[Action]():
			return "list of actions"
		case reflect.TypeFor[string]():
			return "list of strings"
		}
		return "list of rules"
	case reflect.Map:
		return "dict of strings"
	}
	return "string"
}

// ProfileFromMap makes a profile from keyword arguments: strings, bools, lists of strings ([]string or []any) and dicts
// of strings (map[string]string or map[string]any), named as in ProfileFields; lists of rules hold elements of the
// package rule, or are slices of them. A map with "base" starts from that profile among known. Fields that neither the
// map nor the base gives get the defaults for an SMT-LIB solver. The profile is validated; errors name the field, what
// was given and what is wanted.
func ProfileFromMap(m map[string]any, known ...*Profile) (*Profile, error) {
	p := &Profile{}
	name, _ := m["name"].(string)
	if base, ok := m["base"]; ok {
		b, err := findBase(name, base, known)
		if err != nil {
			return nil, err
		}
		copyFields(p, b)
		p.Binaries, p.DebugBinaries, p.Doc = nil, nil, ""
	}
	v := reflect.ValueOf(p).Elem()
	byName := map[string]reflect.StructField{"base": {}}
	for _, f := range keywordFields() {
		byName[f.Tag.Get("star")] = f
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k == "base" {
			continue
		}
		field, ok := byName[k]
		if !ok {
			return nil, fmt.Errorf("solver profile %s: no field %q%s", name, k,
				spelling.HintOrAll(k, slices.Sorted(maps.Keys(byName))))
		}
		if err := setField(v.FieldByIndex(field.Index), m[k], field.Tag.Get("of")); err != nil {
			return nil, fmt.Errorf("solver profile %s: %s: %w", name, k, err)
		}
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

func findBase(name string, base any, known []*Profile) (*Profile, error) {
	want, ok := base.(string)
	if !ok {
		return nil, fmt.Errorf("solver profile %s: base: got %s, want the name of a profile", name, typeName(base))
	}
	var names []string
	for _, k := range known {
		if k.Name == want {
			return k, nil
		}
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("solver profile %s: base: no profile %q%s", name, want, spelling.HintOrAll(want, names))
}

func copyFields(dst, src *Profile) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	for _, f := range keywordFields() {
		d.FieldByIndex(f.Index).Set(s.FieldByIndex(f.Index))
	}
}

// setField sets a field to a value; maker is the function of campaign files that makes the elements of a list.
func setField(f reflect.Value, value any, maker string) error {
	switch f.Kind() {
	case reflect.String:
		s, ok := value.(string)
		if !ok {
			return fmt.Errorf("got %s, want a string", typeName(value))
		}
		f.SetString(s)
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("got %s, want True or False", typeName(value))
		}
		f.SetBool(b)
	case reflect.Slice:
		if maker != "" {
			return setMade(f, value, maker)
		}
		list, err := stringList(value)
		if err != nil {
			return err
		}
		f.Set(reflect.ValueOf(list))
	case reflect.Map:
		dict, err := stringDict(value)
		if err != nil {
			return err
		}
		f.Set(reflect.ValueOf(dict))
	}
	return nil
}

// setMade sets a list of actions or rules, whose elements the campaign file function maker makes.
func setMade(f reflect.Value, value any, maker string) error {
	if reflect.TypeOf(value) == f.Type() {
		f.Set(reflect.ValueOf(value))
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		return fmt.Errorf("got %s, want a list of %s(...)", typeName(value), maker)
	}
	made := reflect.MakeSlice(f.Type(), 0, len(list))
	for i, e := range list {
		if reflect.TypeOf(e) != f.Type().Elem() {
			return fmt.Errorf("element %d is %s, want %s(...)", i, typeName(e), maker)
		}
		made = reflect.Append(made, reflect.ValueOf(e))
	}
	f.Set(made)
	return nil
}

func stringList(value any) ([]string, error) {
	switch x := value.(type) {
	case []string:
		return append([]string{}, x...), nil
	case []any:
		list := make([]string, len(x))
		for i, e := range x {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("element %d is %s, want a string", i, typeName(e))
			}
			list[i] = s
		}
		return list, nil
	}
	return nil, fmt.Errorf("got %s, want a list of strings", typeName(value))
}

func stringDict(value any) (map[string]string, error) {
	dict := map[string]string{}
	switch x := value.(type) {
	case map[string]string:
		for k, v := range x {
			dict[k] = v
		}
		return dict, nil
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			s, ok := x[k].(string)
			if !ok {
				return nil, fmt.Errorf("value of %q is %s, want a string", k, typeName(x[k]))
			}
			dict[k] = s
		}
		return dict, nil
	}
	return nil, fmt.Errorf("got %s, want a dict of strings", typeName(value))
}

func typeName(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case string:
		return "a string"
	case bool:
		return "a bool"
	case []any, []string:
		return "a list"
	case map[string]any, map[string]string:
		return "a dict"
	case rule.Element:
		return x.Call()
	}
	return fmt.Sprintf("a %T", v)
}
