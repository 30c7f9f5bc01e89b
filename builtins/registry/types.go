package registry

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// TypeExpr is a parsed type expression. Exactly one of Name, Literal and Union is set.
type TypeExpr struct {
	Name    string      // "int", "list", "term"
	Args    []*TypeExpr // element types of list, tuple, dict, iterable, set
	Literal string      // one permitted string
	Union   []*TypeExpr // alternatives
}

// Names every type expression may use besides registered types:
//
//	any None bool int bigint float number str bytes list tuple dict set
//	iterable callable function module duration range
//
// int is a whole number of 64 bits, bigint one of any size, number an int or a
// float, str a string, duration a string such as "90s" or "8h" or a number of
// seconds, callable any function. list, tuple, set, iterable and dict take element
// types in brackets.
var primitives = map[string]string{ // name -> spelling in a .pyi stub
	"any": "Any", "None": "None", "bool": "bool", "int": "int", "bigint": "int", "float": "float",
	"number": "int | float", "str": "str", "bytes": "bytes", "list": "list", "tuple": "tuple", "dict": "dict",
	"set": "set", "iterable": "Iterable", "callable": "Callable[..., Any]", "function": "Callable[..., Any]",
	"module": "Any", "duration": "str | int | float", "range": "range",
}

func isPrimitive(name string) bool { _, ok := primitives[name]; return ok }

// ParseType parses a type expression: NAME, NAME[T, ...], "literal", A | B. The empty
// expression is any.
func ParseType(s string) (*TypeExpr, error) {
	if strings.TrimSpace(s) == "" {
		return &TypeExpr{Name: "any"}, nil
	}
	p := &typeParser{src: s, rest: s}
	t, err := p.union()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.rest != "" {
		return nil, p.errorf("unexpected %q", p.rest)
	}
	return t, nil
}

type typeParser struct{ src, rest string }

func (p *typeParser) errorf(format string, args ...any) error {
	return fmt.Errorf("type expression %q: %s", p.src, fmt.Sprintf(format, args...))
}

func (p *typeParser) skip() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *typeParser) eat(c byte) bool {
	p.skip()
	if p.rest != "" && p.rest[0] == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

func (p *typeParser) union() (*TypeExpr, error) {
	first, err := p.one()
	if err != nil {
		return nil, err
	}
	u := []*TypeExpr{first}
	for p.eat('|') {
		t, err := p.one()
		if err != nil {
			return nil, err
		}
		u = append(u, t)
	}
	if len(u) == 1 {
		return first, nil
	}
	return &TypeExpr{Union: u}, nil
}

func (p *typeParser) one() (*TypeExpr, error) {
	if p.eat('"') {
		lit, rest, ok := strings.Cut(p.rest, `"`)
		if !ok {
			return nil, p.errorf("missing closing quote")
		}
		p.rest = rest
		return &TypeExpr{Literal: lit}, nil
	}
	n := 0
	for n < len(p.rest) && (p.rest[n] == '_' || p.rest[n] == '.' || isAlnum(p.rest[n])) {
		n++
	}
	if n == 0 {
		return nil, p.errorf("a type name is missing before %q", p.rest)
	}
	t := &TypeExpr{Name: p.rest[:n]}
	p.rest = p.rest[n:]
	if !p.eat('[') {
		return t, nil
	}
	for {
		a, err := p.union()
		if err != nil {
			return nil, err
		}
		t.Args = append(t.Args, a)
		if p.eat(']') {
			return t, nil
		}
		if !p.eat(',') {
			return nil, p.errorf("want , or ] before %q", p.rest)
		}
	}
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (t *TypeExpr) walk(f func(*TypeExpr)) {
	f(t)
	for _, a := range t.Args {
		a.walk(f)
	}
	for _, a := range t.Union {
		a.walk(f)
	}
}

// String is the canonical spelling, as shown in messages and documents.
func (t *TypeExpr) String() string {
	switch {
	case t.Union != nil:
		parts := make([]string, len(t.Union))
		for i, u := range t.Union {
			parts[i] = u.String()
		}
		return strings.Join(parts, " | ")
	case t.Name == "":
		return `"` + t.Literal + `"`
	}
	name := t.Name
	if name == "bigint" {
		name = "int"
	}
	if len(t.Args) == 0 {
		return name
	}
	parts := make([]string, len(t.Args))
	for i, a := range t.Args {
		parts[i] = a.String()
	}
	return name + "[" + strings.Join(parts, ", ") + "]"
}

// want is the phrase of error messages: "int or None".
func (t *TypeExpr) want() string {
	if t.Union == nil {
		return t.String()
	}
	parts := make([]string, len(t.Union))
	for i, u := range t.Union {
		parts[i] = u.String()
	}
	n := len(parts) - 1
	return strings.Join(parts[:n], ", ") + " or " + parts[n]
}

// check reports why v is not of type t: "" when it is, else "got X, want Y".
func (t *TypeExpr) check(v starlark.Value) string {
	if t.Union == nil {
		return t.checkOne(v)
	}
	inner := ""
	for _, u := range t.Union {
		msg := u.checkOne(v)
		if msg == "" {
			return ""
		}
		if u.accepts(v) { // the outside fits, an element does not: the better message
			inner = msg
		}
	}
	if inner != "" {
		return inner
	}
	if s, ok := v.(starlark.String); ok {
		if hint := Nearest(string(s), t.literals()); len(t.literals()) > 0 {
			msg := fmt.Sprintf("got %s, want %s", s.String(), t.want())
			if hint != "" {
				msg += fmt.Sprintf(" (did you mean %q?)", hint)
			}
			return msg
		}
	}
	return fmt.Sprintf("got %s, want %s", describe(v), t.want())
}

func (t *TypeExpr) literals() (lits []string) {
	for _, u := range t.Union {
		if u.Name == "" && u.Union == nil {
			lits = append(lits, u.Literal)
		}
	}
	return lits
}

// describe names the type of v, with the value when it is short enough to help.
func describe(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.NoneType:
		return "None"
	case starlark.Int, starlark.Float, starlark.Bool, starlark.String:
		if s := v.String(); len(s) <= 40 {
			return v.Type() + " " + s
		}
	}
	return v.Type()
}

func (t *TypeExpr) checkOne(v starlark.Value) string {
	if !t.accepts(v) {
		if i, ok := v.(starlark.Int); ok && t.Name == "int" {
			return fmt.Sprintf("%s is out of range (64 bits)", abbreviate(i.String()))
		}
		if t.Name == "duration" {
			return fmt.Sprintf(`got %s, want a duration: "90s", "8h" or a number of seconds`, describe(v))
		}
		if t.Name == "" {
			return fmt.Sprintf("got %s, want %s", v.String(), t.String())
		}
		return fmt.Sprintf("got %s, want %s", describe(v), t.String())
	}
	if len(t.Args) == 0 {
		return ""
	}
	return t.checkElements(v)
}

// accepts checks the outermost type only.
func (t *TypeExpr) accepts(v starlark.Value) bool {
	switch t.Name {
	case "":
		s, ok := v.(starlark.String)
		return ok && string(s) == t.Literal
	case "any":
		return true
	case "None":
		return v == starlark.None
	case "int":
		i, ok := v.(starlark.Int)
		if ok {
			_, ok = i.Int64()
		}
		return ok
	case "bigint":
		_, ok := v.(starlark.Int)
		return ok
	case "float", "number":
		switch v.(type) {
		case starlark.Int, starlark.Float:
			return true
		}
		return false
	case "str":
		_, ok := v.(starlark.String)
		return ok
	case "iterable":
		_, ok := v.(starlark.Iterable)
		return ok
	case "callable", "function":
		_, ok := v.(starlark.Callable)
		return ok
	case "duration":
		_, err := toDuration(v)
		return err == nil
	}
	return v.Type() == t.Name
}

func (t *TypeExpr) checkElements(v starlark.Value) string {
	if d, ok := v.(*starlark.Dict); ok {
		for _, kv := range d.Items() {
			if msg := t.Args[0].check(kv[0]); msg != "" {
				return fmt.Sprintf("key %s: %s", abbreviate(kv[0].String()), msg)
			}
			if len(t.Args) > 1 {
				if msg := t.Args[1].check(kv[1]); msg != "" {
					return fmt.Sprintf("value of key %s: %s", abbreviate(kv[0].String()), msg)
				}
			}
		}
		return ""
	}
	if tup, ok := v.(starlark.Tuple); ok && t.Name == "tuple" {
		if len(tup) != len(t.Args) {
			return fmt.Sprintf("got a tuple of %d, want %s", len(tup), t.String())
		}
		for i, x := range tup {
			if msg := t.Args[i].check(x); msg != "" {
				return fmt.Sprintf("element %d: %s", i, msg)
			}
		}
		return ""
	}
	it := starlark.Iterate(v)
	if it == nil {
		return ""
	}
	defer it.Done()
	var x starlark.Value
	for i := 0; it.Next(&x); i++ {
		if msg := t.Args[0].check(x); msg != "" {
			return fmt.Sprintf("element %d: %s", i, msg)
		}
	}
	return ""
}

// maxSeconds bounds durations given as a number, so that they cannot overflow.
const maxSeconds = 1e9

func toDuration(v starlark.Value) (time.Duration, error) {
	switch v := v.(type) {
	case starlark.String:
		d, err := time.ParseDuration(string(v))
		if err != nil || d < 0 {
			return 0, fmt.Errorf("%s is not a duration", v.String())
		}
		return d, nil
	case starlark.Int, starlark.Float:
		f, _ := starlark.AsFloat(v)
		if f >= 0 && f <= maxSeconds {
			return time.Duration(f * float64(time.Second)), nil
		}
	}
	return 0, fmt.Errorf("%s is not a duration", v.String())
}

func abbreviate(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// stub spells t as a Python type.
func (t *TypeExpr) stub() string {
	if t.Union != nil {
		var parts, lits []string
		for _, u := range t.Union {
			if u.Name == "" {
				lits = append(lits, fmt.Sprintf("%q", u.Literal))
				continue
			}
			parts = append(parts, u.stub())
		}
		if len(lits) > 0 {
			parts = append([]string{"Literal[" + strings.Join(lits, ", ") + "]"}, parts...)
		}
		return strings.Join(parts, " | ")
	}
	if t.Name == "" {
		return fmt.Sprintf("Literal[%q]", t.Literal)
	}
	name, prim := primitives[t.Name]
	if !prim {
		name = TypeClass(t.Name)
	}
	if len(t.Args) == 0 {
		return name
	}
	parts := make([]string, len(t.Args))
	for i, a := range t.Args {
		parts[i] = a.stub()
	}
	return name + "[" + strings.Join(parts, ", ") + "]"
}

// TypeClass is the class name of a registered type in stubs: "term" becomes "Term".
func TypeClass(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
