package registry

import (
	"cmp"
	"fmt"
	"math/big"
	"reflect"
	"runtime/debug"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// Call is one call of a builtin, its arguments checked against the declared types. The arguments are in the fields of a
// struct, see [Into].
type Call struct {
	Thread *starlark.Thread
	Recv   starlark.Value // the receiver of a method, else nil
	b      *Builtin
	args   []starlark.Value
	buf    [6]starlark.Value
	into   reflect.Value // the struct that the arguments were put into, if there is one
	fields []field
}

func intOf(v starlark.Value) int {
	if v, ok := v.(starlark.Int); ok {
		n, _ := v.Int64()
		return int(n)
	}
	return 0
}

// Uint64 returns a whole number modulo 2^64, as seeds and keys are given; 0 for anything else.
func Uint64(v starlark.Value) uint64 {
	if v, ok := v.(starlark.Int); ok {
		if n, ok := v.Uint64(); ok {
			return n
		}
		return new(big.Int).And(v.BigInt(), maxUint64).Uint64()
	}
	return 0
}

var maxUint64 = new(big.Int).SetUint64(1<<64 - 1)

// Values returns the arguments in the order of the parameters, with the arguments of *name one by one. Builtins whose
// parameters are made from a table use it.
func (c *Call) Values() []starlark.Value {
	var out []starlark.Value
	s := c.b.signature()
	for i := range s.params {
		switch p := &s.params[i]; {
		case i == s.rest:
			out = append(out, c.args[i].(starlark.Tuple)...)
		case p.plain:
			out = append(out, c.args[i])
		}
	}
	return out
}

// Elements returns the elements of a list, a tuple, a set or another iterable; nil for anything else. The caller must
// not modify the slice.
func Elements(v starlark.Value) []starlark.Value {
	switch v := v.(type) {
	case starlark.Tuple:
		if v == nil {
			return []starlark.Value{}
		}
		return v
	case starlark.Iterable:
		it := v.Iterate()
		defer it.Done()
		out := make([]starlark.Value, 0, max(0, starlark.Len(v)))
		var x starlark.Value
		for it.Next(&x) {
			out = append(out, x)
		}
		return out
	}
	return nil
}

// Invoke calls a function that the script gave, on the same thread.
func (c *Call) Invoke(f starlark.Callable, args ...starlark.Value) (starlark.Value, error) {
	return Invoke(c.Thread, f, args...)
}

// argErrorf is an error about the value of parameter i.
func (c *Call) argErrorf(i int, format string, args ...any) error {
	return fmt.Errorf("for parameter %s: %s", strings.TrimLeft(c.b.Parameters()[i].Name, "*"), fmt.Sprintf(format, args...))
}

// signature is the compiled form of []Param.
type signature struct {
	params   []param
	byName   map[string]int
	names    []string
	npos     int // parameters that positional arguments may fill
	rest     int // index of *name, or -1
	kwrest   int // index of **name, or -1
	required int // for messages: the number of required positional parameters
}

type param struct {
	name     string
	typ      *TypeExpr
	def      starlark.Value // nil: required
	optional bool           // None is accepted because it is the default
	plain    bool           // neither separator nor rest
}

func compileParams(ps []Param) (*signature, error) {
	s := &signature{byName: map[string]int{}, rest: -1, kwrest: -1}
	kwonly, seenDefault := false, false
	for i, p := range ps {
		typ, err := ParseType(p.Type)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		q := param{name: strings.TrimLeft(p.Name, "*"), typ: typ}
		switch {
		case p.Name == "*":
			kwonly = true
		case strings.HasPrefix(p.Name, "**"):
			s.kwrest = i
		case strings.HasPrefix(p.Name, "*"):
			s.rest, kwonly = i, true
		default:
			q.plain = true
			if s.kwrest >= 0 {
				return nil, fmt.Errorf("parameter %s follows **%s", p.Name, ps[s.kwrest].Name)
			}
			if p.Default != "" {
				q.def, err = starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "default", p.Default, nil)
				if err != nil {
					return nil, fmt.Errorf("parameter %s: default %q: %w", p.Name, p.Default, err)
				}
				// One value for all calls: none of them may change it.
				q.def.Freeze()
				// A default of None means that no argument is given, whether or not the type allows None.
				q.optional = q.def == starlark.None
				if msg := typ.check(q.def); msg != "" && !q.optional {
					return nil, fmt.Errorf("parameter %s: default: %s", p.Name, msg)
				}
				seenDefault = true
			} else if !kwonly {
				if seenDefault {
					return nil, fmt.Errorf("required parameter %s follows an optional one", p.Name)
				}
				s.required++
			}
			if !isIdentifier(p.Name) {
				return nil, fmt.Errorf("parameter %q cannot be written in a campaign file", p.Name)
			}
			if _, dup := s.byName[p.Name]; dup {
				return nil, fmt.Errorf("parameter %s appears twice", p.Name)
			}
			s.byName[p.Name] = i
			s.names = append(s.names, p.Name)
			if !kwonly {
				s.npos++
			}
		}
		s.params = append(s.params, q)
	}
	return s, nil
}

// call is the entry point of every registered function.
func (b *Builtin) call(th *starlark.Thread, impl *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (v starlark.Value, err error) {
	// Turn a panic into an error here and not at the top, since only here the script's stack is still intact.
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, &Panic{Where: b.FullName(), Value: r, GoStack: debug.Stack()}
		}
	}()
	recv := impl.Receiver()
	if _, function := recv.(entry); function {
		recv = nil
	}
	if b.Fast != nil && len(kwargs) == 0 {
		if v, err := b.Fast(th, recv, args); err != nil {
			return nil, b.wrap(err)
		} else if v != nil {
			return v, nil
		}
	}
	return b.callSlow(th, recv, args, kwargs)
}

func (b *Builtin) callSlow(th *starlark.Thread, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	c := &Call{Thread: th, Recv: recv, b: b}
	if err := c.unpack(args, kwargs); err != nil {
		return nil, b.wrap(err)
	}
	run := b.Fn
	if b.Do != nil {
		run = b.Do.call
	}
	v, err := run(c)
	if err != nil {
		return nil, b.wrap(err)
	}
	if v == nil {
		return starlark.None, nil
	}
	return v, nil
}

// wrap adds the name of the failed builtin to the error, unless the error already has its position.
func (b *Builtin) wrap(err error) error {
	if isForeign(err) {
		return err
	}
	return fmt.Errorf("%s: %w", b.FullName(), err)
}

func (c *Call) unpack(args starlark.Tuple, kwargs []starlark.Tuple) error {
	s := c.b.signature()
	if n := len(s.params); n <= len(c.buf) {
		c.args = c.buf[:n]
	} else {
		c.args = make([]starlark.Value, n)
	}
	if err := c.positional(s, args); err != nil {
		return err
	}
	if err := c.keywords(s, kwargs); err != nil {
		return err
	}
	for i := range s.params {
		p := &s.params[i]
		if c.args[i] == nil {
			switch {
			case !p.plain:
				c.args[i] = starlark.None
				continue
			case p.def == nil:
				return fmt.Errorf("missing argument for %s%s", p.name, c.b.usage())
			}
			c.args[i] = p.def
			continue
		}
		if !p.plain || p.optional && c.args[i] == starlark.None {
			continue
		}
		if msg := p.typ.check(c.args[i]); msg != "" {
			return c.argErrorf(i, "%s", msg)
		}
	}
	return nil
}

func (c *Call) positional(s *signature, args starlark.Tuple) error {
	n := min(len(args), s.npos)
	copy(c.args, args[:n])
	if s.rest >= 0 {
		rest := args[n:]
		for i, v := range rest {
			if msg := s.params[s.rest].typ.check(v); msg != "" {
				return fmt.Errorf("argument %d: %s", n+i+1, msg)
			}
		}
		c.args[s.rest] = rest
		return nil
	}
	if len(args) > s.npos {
		most := "at most "
		if s.required == s.npos {
			most = ""
		}
		return fmt.Errorf("got %s, want %s%d%s", plural(len(args), "positional argument"), most, s.npos, c.b.usage())
	}
	return nil
}

func (c *Call) keywords(s *signature, kwargs []starlark.Tuple) error {
	var rest *starlark.Dict
	if s.kwrest >= 0 {
		rest = starlark.NewDict(len(kwargs))
		c.args[s.kwrest] = rest
	}
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		i, ok := s.byName[name]
		switch {
		case ok && c.args[i] != nil:
			return fmt.Errorf("got two values for parameter %s", name)
		case ok:
			c.args[i] = kv[1]
		case rest != nil:
			if msg := s.params[s.kwrest].typ.check(kv[1]); msg != "" {
				return fmt.Errorf("for keyword %s: %s", name, msg)
			}
			if err := rest.SetKey(kv[0], kv[1]); err != nil {
				return err
			}
		default:
			msg := fmt.Sprintf("unexpected keyword argument '%s'", name)
			if hint := spelling.Nearest(name, s.names); hint != "" {
				return fmt.Errorf("%s (did you mean '%s'?)", msg, hint)
			}
			return fmt.Errorf("%s%s", msg, c.b.usage())
		}
	}
	return nil
}

// usage returns the end of an error message about the number or the names of arguments.
func (b *Builtin) usage() string { return "; usage: " + b.Signature() }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *Param) shown() string { return cmp.Or(p.Shown, p.Default) }

// Signature is the entry as it is called: "rng.int(lo, hi)", "skip(reason = \"\")".
func (b *Builtin) Signature() string {
	if !b.IsCall() {
		return b.FullName()
	}
	parts := make([]string, len(b.Parameters()))
	for i, p := range b.Parameters() {
		parts[i] = p.Name
		if p.Default != "" {
			parts[i] += " = " + p.shown()
		}
	}
	return b.FullName() + "(" + strings.Join(parts, ", ") + ")"
}

// ParamAt returns the parameter that an argument is bound to: by its name or, if name is empty, by its position from 0;
// nil if there is none.
func (b *Builtin) ParamAt(positional int, name string) *Param {
	if name != "" {
		if i, ok := b.signature().byName[name]; ok {
			return &b.Parameters()[i]
		}
		return nil
	}
	if positional < b.signature().npos {
		return &b.Parameters()[positional]
	}
	return nil
}

// CheckShape reports, without looking at values, whether a call with this many positional arguments and these keywords
// fits the parameters. It returns "" if it does, and otherwise the error.
func (b *Builtin) CheckShape(positional int, keywords []string) string {
	s := b.signature()
	given := map[int]bool{}
	for i := range min(positional, s.npos) {
		given[i] = true
	}
	if positional > s.npos && s.rest < 0 {
		return fmt.Sprintf("got %s, want at most %d%s", plural(positional, "positional argument"), s.npos, b.usage())
	}
	for _, k := range keywords {
		i, ok := s.byName[k]
		switch {
		case ok && given[i]:
			return fmt.Sprintf("got two values for parameter %s", k)
		case ok:
			given[i] = true
		case s.kwrest < 0:
			if hint := spelling.Nearest(k, s.names); hint != "" {
				return fmt.Sprintf("unexpected keyword argument '%s' (did you mean '%s'?)", k, hint)
			}
			return fmt.Sprintf("unexpected keyword argument '%s'%s", k, b.usage())
		}
	}
	for i, p := range s.params {
		if p.plain && p.def == nil && !given[i] {
			return fmt.Sprintf("missing argument for %s%s", p.name, b.usage())
		}
	}
	return ""
}
