package registry

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// TypeExpr is a parsed type expression. Exactly one of Name, Literal and Union is set.
type TypeExpr struct {
	Name    string      // "int", "list", "term"
	Args    []*TypeExpr // element types of list, tuple, dict, iterable, set
	Many    bool        // a tuple of any length: tuple[term, ...]
	Literal string      // one permitted string
	Union   []*TypeExpr // alternatives
	Func    *FuncType   // of a callable whose parameters are known

	amount *amount // that the name stands for; nil for other types. It is found once, since every argument of every call is checked
}

// FuncType is the type of a function: callable(case, rng) -> case.
type FuncType struct {
	Params []*TypeExpr
	Names  []string // what messages call the parameters; the type's name where none was given
	Result *TypeExpr
}

// Names every type expression may use besides registered types:
//
//	any None bool int bigint float number str operator bytes list tuple dict set
//	iterable callable function module range never T
//	duration size probability weight count
//
// int is a whole number of 64 bits, bigint one of any size, number an int or a
// float, str a string, operator a string that names an operator or a function of a
// case, callable any function, never the result of what does not return. list, tuple, set, iterable and
// dict take element types in brackets; tuple[term, ...] has any length. T stands for
// one type wherever it occurs in an entry: iterable[T] -> T. A duration is a string such as
// "90s" or "8h" or a number of seconds, a size bytes or a string such as "2GB", a
// probability a number from 0 to 1, a weight one from 0 up, a count a whole number
// from 0 up. callable(case, rng) ->
// case says what a function is called with and returns; callable(seeds: corpus, rng)
// names a parameter otherwise than by its type.
var primitives = map[string]string{ // name -> spelling in a .pyi stub
	"any": "Any", "T": "_T", "never": "NoReturn", "operator": "str", "None": "None", "bool": "bool", "int": "int", "bigint": "int", "float": "float",
	"number": "int | float", "str": "str", "bytes": "bytes", "list": "list", "tuple": "tuple", "dict": "dict",
	"set": "set", "iterable": "Iterable", "callable": "Callable[..., Any]", "function": "Callable[..., Any]",
	"module": "Any", "range": "range",
}

func isPrimitive(name string) bool { return primitives[name] != "" || amounts[name] != nil }

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
	if p.eat('(') {
		t, err := p.union()
		if err == nil && !p.eat(')') {
			err = p.errorf("want ) before %q", p.rest)
		}
		return t, err
	}
	if p.eat('"') {
		lit, rest, ok := strings.Cut(p.rest, `"`)
		if !ok {
			return nil, p.errorf("missing closing quote")
		}
		p.rest = rest
		return &TypeExpr{Literal: lit}, nil
	}
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	t := &TypeExpr{Name: name, amount: amounts[name]}
	// Only a callable may have a parameter list; a parenthesis after another name belongs to the surrounding text.
	if name == "callable" && strings.HasPrefix(p.rest, "(") {
		t.Func, err = p.function()
		return t, err
	}
	if !p.eat('[') {
		return t, nil
	}
	for {
		if p.skip(); len(t.Args) > 0 && strings.HasPrefix(p.rest, "...") {
			if p.rest, t.Many = p.rest[len("..."):], true; !p.eat(']') {
				return nil, p.errorf("want ] before %q", p.rest)
			}
			return t, nil
		}
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

func (p *typeParser) name() (string, error) {
	p.skip()
	n := 0
	for n < len(p.rest) && (p.rest[n] == '_' || p.rest[n] == '.' || isAlnum(p.rest[n])) {
		n++
	}
	if n == 0 {
		return "", p.errorf("a type name is missing before %q", p.rest)
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name, nil
}

// function parses what follows "callable": (case, runs: list[run]) -> case.
func (p *typeParser) function() (*FuncType, error) {
	f := &FuncType{Result: &TypeExpr{Name: "any"}}
	p.eat('(')
	for !p.eat(')') {
		if len(f.Params) > 0 && !p.eat(',') {
			return nil, p.errorf("want , or ) before %q", p.rest)
		}
		name := ""
		if before, after, ok := strings.Cut(p.rest, ":"); ok && isIdentifier(strings.TrimSpace(before)) {
			name, p.rest = strings.TrimSpace(before), after
		}
		t, err := p.union()
		if err != nil {
			return nil, err
		}
		if name == "" {
			name = t.Name
		}
		f.Params, f.Names = append(f.Params, t), append(f.Names, name)
	}
	if p.skip(); strings.HasPrefix(p.rest, "->") {
		p.rest = p.rest[len("->"):]
		var err error
		if f.Result, err = p.one(); err != nil {
			return nil, err
		}
	}
	return f, nil
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
	if t.Func != nil {
		for _, a := range t.Func.Params {
			a.walk(f)
		}
		t.Func.Result.walk(f)
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
	switch name {
	case "bigint":
		name = "int"
	case "operator":
		name = "str"
	}
	if t.Func != nil {
		return t.Func.String()
	}
	if len(t.Args) == 0 {
		return name
	}
	return name + "[" + t.elements((*TypeExpr).String) + "]"
}

// elements joins the element types, each spelt by a function.
func (t *TypeExpr) elements(spell func(*TypeExpr) string) string {
	var parts []string
	for _, a := range t.Args {
		parts = append(parts, spell(a))
	}
	if t.Many {
		parts = append(parts, "...")
	}
	return strings.Join(parts, ", ")
}

// String is "(case, rng) -> case", with the types of parameters that are not named by their type.
func (f *FuncType) String() string {
	var parts []string
	for i, p := range f.Params {
		part := f.Names[i]
		if part != p.Name {
			part += ": " + p.String()
		}
		parts = append(parts, part)
	}
	result := f.Result.String()
	if f.Result.Union != nil {
		result = "(" + result + ")"
	}
	return "callable(" + strings.Join(parts, ", ") + ") -> " + result
}

// want is the phrase of error messages: "int or None".
func (t *TypeExpr) want() string {
	if t.Union == nil {
		return t.phrase()
	}
	parts := make([]string, len(t.Union))
	for i, u := range t.Union {
		parts[i] = u.phrase()
	}
	n := len(parts) - 1
	return strings.Join(parts[:n], ", ") + " or " + parts[n]
}

func (t *TypeExpr) phrase() string {
	if t.amount != nil {
		return t.amount.phrase
	}
	switch t.Name {
	case "iterable":
		if len(t.Args) == 0 || t.Args[0].Name == "T" {
			return "an iterable, such as a list"
		}
	case "list":
		if len(t.Args) == 1 {
			if t.Args[0].Name == "T" {
				return "a list"
			}
			if of := t.Args[0].want(); strings.Contains(of, " or ") {
				return "a list (of " + of + ")"
			} else {
				return "a list of " + of
			}
		}
	case "dict":
		if len(t.Args) == 2 && t.Args[0].Name == "T" {
			return "a dict"
		} else if len(t.Args) == 2 {
			return "a dict (" + t.Args[0].want() + ": " + t.Args[1].want() + ")"
		}
	}
	if t.Func != nil {
		return t.Func.phrase()
	}
	return t.String()
}

// fromText says how to make a value that users often give as plain text.
var fromText = map[string]string{"corpus": "corpus.files(%s)", "stop_condition": "stop.after(%s)", "solver": "solver(%s)", "sort": "smt.Sort(%s)"}

// textHint suggests how to make the wanted value from the text that was given instead.
func (t *TypeExpr) textHint(v starlark.Value) string {
	all := append([]*TypeExpr{t}, t.Union...)
	for _, u := range all {
		if u.Name == "list" && len(u.Args) == 1 && !isList(v) && u.Args[0].check(v) == "" {
			if s, ok := v.(starlark.String); ok && len(s) <= 40 {
				return fmt.Sprintf("; is [%s] meant?", s.String())
			}
			return "; put it into a list: [...]"
		}
	}
	s, ok := v.(starlark.String)
	for _, u := range all {
		if u.Func != nil && slices.Equal(u.Func.Names, []string{"seeds", "rng"}) {
			if isList(v) {
				return "; techniques take turns in mix({a: 1, b: 1})"
			}
			return `; a technique is a function, such as storm(), of load("@std//storm.star", "storm")`
		}
	}
	if !ok {
		return t.otherHint(v)
	}
	for _, u := range all {
		if u.Name == "oracle" && slices.Contains([]string{"crash", "known_answer", "agree", "model"}, string(s)) {
			return fmt.Sprintf("; is oracle.%s() meant?", string(s))
		}
		if make := fromText[u.Name]; make != "" {
			return fmt.Sprintf("; is %s meant?", fmt.Sprintf(make, s.String()))
		}
	}
	return ""
}

// otherHint suggests how to make the wanted value from a given value that is not text.
func (t *TypeExpr) otherHint(v starlark.Value) string {
	for _, u := range append([]*TypeExpr{t}, t.Union...) {
		builtin, isBuiltin := v.(*starlark.Builtin)
		switch {
		case isBuiltin && u.Func == nil:
			return fmt.Sprintf("; is %s(...) meant?", builtin.Name())
		case u.Name == "stop_condition" && isList(v):
			return "; the first of several: stop.any(a, b)"
		case u.Name == "profile" && isList(v):
			return `; a list has one solver(...) for each: [solver("z3"), solver("cvc5")]`
		case u.Name == "dict" && len(u.Args) == 2 && u.Args[0].Func != nil && isList(v):
			return "; write a weight for each: {a: 1, b: 1}"
		case u.Name == "iterable" && !isList(v) && (len(u.Args) == 0 || u.Args[0].check(v) == ""):
			return "; put it into a list: [...]"
		}
	}
	return ""
}

func isList(v starlark.Value) bool {
	switch v.(type) {
	case *starlark.List, starlark.Tuple:
		return true
	}
	return false
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
		if u.accepts(v) { // the outside fits, an element or the amount does not: the better message
			inner = msg
		}
	}
	if inner != "" {
		return inner
	}
	if s, ok := v.(starlark.String); ok {
		if hint := spelling.Nearest(string(s), t.literals()); len(t.literals()) > 0 {
			msg := fmt.Sprintf("got %s, want %s", s.String(), t.want())
			if hint != "" {
				msg += fmt.Sprintf(" (did you mean %q?)", hint)
			}
			return msg
		}
	}
	return fmt.Sprintf("got %s, want %s%s", describe(v), t.want(), t.textHint(v))
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
	if t.amount != nil {
		return t.amount.check(v)
	}
	if !t.accepts(v) {
		if i, ok := v.(starlark.Int); ok && t.Name == "int" {
			return fmt.Sprintf("%s is out of range (64 bits)", abbreviate(i.String()))
		}
		if t.Name == "" {
			return fmt.Sprintf("got %s, want %s", v.String(), t.String())
		}
		return fmt.Sprintf("got %s, want %s%s", describe(v), t.phrase(), t.textHint(v))
	}
	if t.Func != nil {
		return t.Func.check(v)
	}
	for _, a := range t.Args {
		if a.Name != "any" && a.Name != "T" {
			return t.checkElements(v)
		}
	}
	if t.Name == "tuple" && len(t.Args) > 0 {
		return t.checkElements(v)
	}
	return ""
}

// accepts checks only the outermost type; for an amount it checks whether the value is a text or a number.
func (t *TypeExpr) accepts(v starlark.Value) bool {
	if t.amount != nil {
		return t.amount.fits(v)
	}
	switch t.Name {
	case "":
		s, ok := v.(starlark.String)
		return ok && string(s) == t.Literal
	case "any", "T":
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
	case "str", "operator":
		_, ok := v.(starlark.String)
		return ok
	case "iterable":
		_, ok := v.(starlark.Iterable)
		return ok
	case "callable", "function":
		_, ok := v.(starlark.Callable)
		return ok
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
	if tup, ok := v.(starlark.Tuple); ok && t.Name == "tuple" && !t.Many {
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
	if t.amount != nil {
		name = t.amount.stub
	} else if !prim {
		name = typeClass(t.Name)
	}
	if t.Func != nil {
		var params []string
		for _, p := range t.Func.Params {
			params = append(params, p.stub())
		}
		return fmt.Sprintf("Callable[[%s], %s]", strings.Join(params, ", "), t.Func.Result.stub())
	}
	if len(t.Args) == 0 {
		return name
	}
	return name + "[" + t.elements((*TypeExpr).stub) + "]"
}

// typeClass is the class name of a registered type in stubs: "term" becomes "Term".
func typeClass(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
