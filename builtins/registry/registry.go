// Package registry describes everything a campaign file can call. One entry
// ([Builtin]) per function, method or attribute is the only source of argument
// unpacking, error messages, help(), docs/reference.md, the .pyi stubs and the
// test that runs every example.
//
// A module package (builtins/<module>) exports func Module() registry.Module and keeps no mutable package state. It
// gets data of the running campaign from the thread, through a [Key].
package registry

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// Builtin is one callable, attribute or constant of the script API.
// Exactly one of Do, Fn, Get and Value is set.
type Builtin struct {
	Module  string // set by the registry: the module's name, "" for predeclared functions
	Recv    string // set by the registry: the type's name for methods and attributes
	Name    string
	SMTLIB  string            // what SMT-LIB calls it, which help takes, too; ""
	Group   string            // heading in the reference for modules with many members, or ""
	Doc     string            // first sentence is the summary
	Example string            // Starlark, run by a test; see [RunExample] for the "# ->" notation
	Needs   string            // a solver the example needs ("z3"), or ""
	Params  []Param           // of Fn and Value; Do says its own
	Words   map[string]string // what stands for {name} in the types and texts of the parameters of Do
	Ret     string            // a type expression; "" means None

	Do    Implementation                                    // a function or method whose arguments are the fields of a struct
	Fn    func(c *Call) (starlark.Value, error)             // one that takes none, or whose parameters are made from a table
	Get   func(recv starlark.Value) (starlark.Value, error) // an attribute of a type
	Value starlark.Value                                    // a constant, or a function implemented elsewhere
	Fast  func(th *starlark.Thread, recv starlark.Value, args starlark.Tuple) (starlark.Value, error)
	// Fast, if set, is tried first for calls without keyword arguments. It handles
	// the common argument types by hand and returns (nil, nil) for everything else,
	// which then takes the checked way through Do or Fn.

	read *reading
	impl *starlark.Builtin
}

// FullName is the name used in messages and documents: "smt.and_", "term.args", "expect".
func (b *Builtin) FullName() string {
	switch {
	case b.Recv != "":
		return b.Recv + "." + b.Name
	case b.Module != "":
		return b.Module + "." + b.Name
	}
	return b.Name
}

// Summary is the first sentence of the documentation.
func (b *Builtin) Summary() string { return firstSentence(b.Doc) }

// IsCall reports whether the entry is called with arguments (not an attribute or constant).
func (b *Builtin) IsCall() bool {
	if b.Do != nil || b.Fn != nil {
		return true
	}
	_, callable := b.Value.(starlark.Callable)
	return callable && b.Get == nil && b.Params != nil
}

// Module is one Starlark module: its functions, constants and the types it introduces.
type Module struct {
	Name    string // "" for a set of predeclared functions
	Doc     string
	Members []Builtin
	Call    *Builtin // set when the module itself is callable: solver("z3")
	Types   []*Type
}

// Type is a kind of value with attributes and methods. Make it once with [NewType], next to the Go type of its values.
type Type struct {
	Name      string
	Doc       string
	Members   []Builtin
	Operators []OperatorDoc
	// Elsewhere maps the names that members have in other languages and libraries to their names here, for error
	// messages.
	Elsewhere map[string]string

	byName map[string]*Builtin
	names  []string
}

// NewType makes the Type of the values of a Go type, see [Object]. It panics on a malformed entry, since that is a
// mistake in this program which every test finds.
func NewType[V any](name, doc string, members []Builtin) *Type {
	t := &Type{Name: name, Doc: doc, Members: members, byName: make(map[string]*Builtin, len(members))}
	for i := range t.Members {
		b := &t.Members[i]
		b.Recv = name
		if err := b.prepare(); err != nil {
			panic(err)
		}
		if t.byName[b.Name] != nil {
			panic(fmt.Sprintf("registry: %s is registered twice", b.FullName()))
		}
		t.byName[b.Name] = b
		t.names = append(t.names, b.Name)
	}
	slices.Sort(t.names)
	typesOfValues.Store(reflect.TypeFor[V](), t)
	return t
}

// OperatorDoc documents an operator that values of a type have by implementing the
// interfaces of go.starlark.net (HasBinary, HasUnary, Mapping, Iterable, ...).
type OperatorDoc struct {
	Sign  string // "+", "[]", "in", "len", "for", "unary -": see operatorMethods
	Other string // type of the other operand, index or element; "" for unary ones
	Ret   string
	Doc   string // one line
}

// operatorMethods spells the operators in stubs; the second name is for the operand on
// the right.
var operatorMethods = map[string][]string{
	"+": {"__add__", "__radd__"}, "-": {"__sub__", "__rsub__"}, "*": {"__mul__", "__rmul__"}, "/": {"__truediv__", "__rtruediv__"},
	"//": {"__floordiv__", "__rfloordiv__"}, "%": {"__mod__", "__rmod__"}, "&": {"__and__", "__rand__"}, "|": {"__or__", "__ror__"},
	"^": {"__xor__", "__rxor__"}, "<<": {"__lshift__"}, ">>": {"__rshift__"}, "unary -": {"__neg__"}, "unary +": {"__pos__"},
	"unary ~": {"__invert__"}, "[]": {"__getitem__"}, "in": {"__contains__"}, "len": {"__len__"}, "for": {"__iter__"},
	"<": {"__lt__"}, "<=": {"__le__"}, ">": {"__gt__"}, ">=": {"__ge__"}, "()": {"__call__"},
}

// WithOperators adds the operators of a type and returns it. It panics on a sign it does
// not know.
func (t *Type) WithOperators(ops ...OperatorDoc) *Type {
	for _, op := range ops {
		if operatorMethods[op.Sign] == nil {
			panic(fmt.Sprintf("registry: type %s: no operator is written %q", t.Name, op.Sign))
		}
	}
	t.Operators = append(t.Operators, ops...)
	return t
}

// usage shows how the operator is written with a value x.
func (op *OperatorDoc) usage() string {
	switch {
	case op.Sign == "[]":
		return "x[i]"
	case op.Sign == "()":
		return "x(...)"
	case op.Sign == "len":
		return "len(x)"
	case op.Sign == "for":
		return "for y in x"
	case op.Sign == "in":
		return "y in x"
	case strings.HasPrefix(op.Sign, "unary "):
		return strings.TrimPrefix(op.Sign, "unary ") + "x"
	}
	return "x " + op.Sign + " y"
}

// Attr implements starlark.HasAttrs for a value v of this type.
func (t *Type) Attr(v starlark.Value, name string) (starlark.Value, error) {
	b := t.byName[name]
	if b == nil {
		return nil, t.NoMember(name)
	}
	if b.Get != nil {
		return b.Get(v)
	}
	if b.Value != nil {
		return b.Value, nil
	}
	return b.impl.BindReceiver(v), nil
}

// NoMember is the error that the type has no member of that name.
func (t *Type) NoMember(name string) error {
	hint := t.Elsewhere[name]
	if hint == "" {
		hint = spelling.Nearest(name, t.names)
	}
	return &NoAttrError{Type: t.Name, Name: name, Hint: hint, All: t.names}
}

// WithElsewhere records the names that members have elsewhere and returns the type. It panics if there is no such
// member.
func (t *Type) WithElsewhere(names map[string]string) *Type {
	for _, name := range names {
		if t.byName[name] == nil {
			panic(fmt.Sprintf("registry: type %s has no member %q", t.Name, name))
		}
	}
	t.Elsewhere = names
	return t
}

// AttrNames implements starlark.HasAttrs: the sorted names of all members.
func (t *Type) AttrNames() []string { return t.names }

// NoAttrError says that a type or module has no attribute of that name.
type NoAttrError struct {
	Type, Name string
	Hint       string // the nearest existing name, or ""
	All        []string
}

// maxListed bounds the names that an error lists.
const maxListed = 30

func (e *NoAttrError) Error() string {
	msg := fmt.Sprintf("%s has no field or method '%s'", e.Type, e.Name)
	if e.Hint != "" {
		return msg + fmt.Sprintf(" (did you mean '%s'?)", e.Hint)
	}
	if n := len(e.All); n > 0 && n <= maxListed {
		msg += "; it has " + strings.Join(e.All, ", ")
	}
	return msg
}

// Registry is the checked collection of all modules. It is immutable after [New].
type Registry struct {
	modules []Module
	types   map[string]*Type
	entries map[string]*Builtin // by full name
	predecl starlark.StringDict
}

// New checks the modules and joins them. Its error lists every malformed entry.
func New(modules ...Module) (*Registry, error) {
	r := &Registry{types: map[string]*Type{}, entries: map[string]*Builtin{}, predecl: starlark.StringDict{}}
	var errs []error
	add := func(b *Builtin) {
		if b.Doc == "" {
			errs = append(errs, fmt.Errorf("registry: %s has no documentation", b.FullName()))
		}
		if r.entries[b.FullName()] != nil {
			errs = append(errs, fmt.Errorf("registry: %s is registered twice", b.FullName()))
		}
		r.entries[b.FullName()] = b
	}
	for _, m := range modules {
		m.Members = slices.Clone(m.Members)
		for _, t := range m.Types {
			if old := r.types[t.Name]; old != nil && old != t {
				errs = append(errs, fmt.Errorf("registry: type %s is registered twice", t.Name))
			} else if old == t {
				continue
			}
			r.types[t.Name] = t
			for i := range t.Members {
				add(&t.Members[i])
			}
		}
		errs = append(errs, r.addModule(&m, add)...)
		r.modules = append(r.modules, m)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	r.predecl["help"] = r.helpBuiltin()
	r.predecl.Freeze()
	return r, nil
}

func (r *Registry) addModule(m *Module, add func(*Builtin)) (errs []error) {
	members := make(map[string]*Builtin, len(m.Members))
	for i := range m.Members {
		b := &m.Members[i]
		b.Module = m.Name
		if err := b.prepare(); err != nil {
			errs = append(errs, err)
			continue
		}
		add(b)
		members[b.Name] = b
		if m.Name == "" {
			r.predecl[b.Name] = b.value()
		}
	}
	if m.Name == "" {
		return errs
	}
	if m.Doc == "" {
		errs = append(errs, fmt.Errorf("registry: module %s has no documentation", m.Name))
	}
	if r.predecl[m.Name] != nil {
		errs = append(errs, fmt.Errorf("registry: %s is registered twice", m.Name))
	}
	if m.Call != nil {
		call := *m.Call
		call.Name, call.Module = m.Name, ""
		if err := call.prepare(); err != nil {
			return append(errs, err)
		}
		m.Call = &call
		add(m.Call)
	}
	r.predecl[m.Name] = newModuleValue(m, members)
	return errs
}

// prepare makes the value of an entry that campaign files see. The parameters are parsed at the first call: there are
// many hundred entries, and a campaign file calls only a few. Check parses all of them.
func (b *Builtin) prepare() error {
	set := 0
	for _, is := range []bool{b.Do != nil, b.Fn != nil, b.Get != nil, b.Value != nil} {
		if is {
			set++
		}
	}
	if b.Name == "" || set != 1 {
		return fmt.Errorf("registry: %s: want a name and exactly one of Do, Fn, Get, Value", b.FullName())
	}
	if !isIdentifier(b.Name) {
		return fmt.Errorf("registry: %s: %q cannot be written in a campaign file (append _ to reserved words)", b.FullName(), b.Name)
	}
	if b.Do != nil && b.Params != nil {
		return fmt.Errorf("registry: %s: the fields of its arguments say its parameters", b.FullName())
	}
	if b.Get != nil && b.Recv == "" {
		return fmt.Errorf("registry: %s: Get is for attributes of types", b.FullName())
	}
	b.read = &reading{}
	if b.Do != nil || b.Fn != nil {
		b.impl = starlark.NewBuiltin(b.FullName(), b.call).BindReceiver(entry{b})
	}
	return nil
}

// reading caches the parsed parameters of an entry. Copies of the entry share it.
type reading struct {
	once   sync.Once
	params []Param
	sig    *signature
	err    error
}

// Parameters returns the parameters of the entry; none for an attribute or a constant.
func (b *Builtin) Parameters() []Param {
	if b.Do == nil {
		return b.Params
	}
	_ = b.signature()
	return b.read.params
}

// signature returns the parameters. It panics where they are malformed, since that is a mistake in this program which
// Check finds.
func (b *Builtin) signature() *signature {
	sig, err := b.readParams()
	if err != nil {
		panic(err)
	}
	return sig
}

func (b *Builtin) readParams() (*signature, error) {
	r := b.read
	r.once.Do(func() {
		r.params = b.Params
		if b.Do != nil {
			r.params, r.err = b.Do.params(b.Words)
		}
		if r.err == nil {
			r.sig, r.err = compileParams(r.params)
		}
		if r.err == nil && b.Do != nil {
			r.err = b.Do.bind(r.sig)
		}
		if r.err != nil {
			r.err = fmt.Errorf("registry: %s: %w", b.FullName(), r.err)
		}
	})
	return r.sig, r.err
}

// Check reads the parameters of all entries, and looks for names of types that no module registers.
func (r *Registry) Check() error {
	var errs []error
	for _, name := range r.Names() {
		if _, err := r.entries[name].readParams(); err != nil {
			errs = append(errs, err)
		}
	}
	if errs == nil { // types of parameters that cannot be read are not known
		errs = r.checkTypeNames()
	}
	return errors.Join(errs...)
}

// value returns the Starlark value of an entry, in a module or among the predeclared names.
func (b *Builtin) value() starlark.Value {
	if b.impl != nil {
		return b.impl
	}
	return b.Value
}

// checkTypeNames finds type names that no module registers (usually a typo).
func (r *Registry) checkTypeNames() (errs []error) {
	check := func(owner, expr string) {
		t, err := ParseType(expr)
		if err != nil {
			errs = append(errs, fmt.Errorf("registry: %s: %w", owner, err))
			return
		}
		t.walk(func(t *TypeExpr) {
			if t.Name != "" && !isPrimitive(t.Name) && r.types[t.Name] == nil {
				errs = append(errs, fmt.Errorf("registry: %s: no type is named %q", owner, t.Name))
			}
		})
	}
	for _, name := range r.Names() {
		b := r.entries[name]
		check(name, b.Ret)
		for _, p := range b.Parameters() {
			check(name, p.Type)
		}
	}
	for _, name := range r.typeNames() {
		for _, op := range r.types[name].Operators {
			check(name+" "+op.Sign, op.Other)
			check(name+" "+op.Sign, op.Ret)
		}
	}
	return errs
}

// Predeclared returns the names every campaign file sees. The caller must not modify it.
func (r *Registry) Predeclared() starlark.StringDict { return r.predecl }

// Names returns the full names of all entries, sorted.
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.entries))
	for n := range r.entries {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Lookup finds an entry by full name ("smt.and_", "term.args"), or nil.
func (r *Registry) Lookup(name string) *Builtin { return r.entries[name] }

// Type finds the type that a type expression names, or nil.
func (r *Registry) Type(t *TypeExpr) *Type {
	if t == nil {
		return nil
	}
	return r.types[t.Name]
}

// Member finds an attribute or a method of the type, or nil.
func (t *Type) Member(name string) *Builtin { return t.byName[name] }

// Members returns the sorted names of a module's members; nil when there is no such module.
func (r *Registry) Members(module string) []string {
	if v, ok := r.predecl[module].(starlark.HasAttrs); ok && r.module(module) != nil {
		return v.AttrNames()
	}
	return nil
}

// Modules returns the modules in the order they were given.
func (r *Registry) Modules() []Module { return r.modules }

// reserved are the words that Starlark's grammar keeps for itself or refuses.
var reserved = strings.Fields(`and as assert async await break class continue def del elif else except finally for from
	global if import in is lambda load nonlocal not or pass raise return try while with yield None True False`)

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '_' && (!isAlnum(c) || i == 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != "" && !slices.Contains(reserved, s)
}

func firstSentence(doc string) string {
	doc = strings.TrimSpace(doc)
	if i := strings.Index(doc, "\n\n"); i >= 0 {
		doc = doc[:i]
	}
	for i := 0; i < len(doc); i++ {
		if doc[i] == '.' && (i+1 == len(doc) || doc[i+1] == ' ' || doc[i+1] == '\n') &&
			!strings.HasSuffix(doc[:i], "e.g") && !strings.HasSuffix(doc[:i], "i.e") {
			return strings.Join(strings.Fields(doc[:i+1]), " ")
		}
	}
	return strings.Join(strings.Fields(doc), " ")
}
