package eval

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// callCache remembers calls of functions with a body, so that recursive definitions are not evaluated again and
// again for the same arguments.
type callCache struct {
	calls map[uint64][]call
	n     int
	words int64 // of large arguments and values
}

type call struct {
	f    smt.Symbol
	args []Value
	val  Value
}

const (
	maxCachedCalls = 1 << 16
	maxCachedWords = 1 << 22
)

func (c *callCache) clear() { c.calls, c.n, c.words = nil, 0, 0 }

func callHash(f smt.Symbol, args []Value) uint64 { return mix64(hashArgs(args) + uint64(f)) }

func (c *callCache) get(f smt.Symbol, args []Value) (Value, bool) {
	if c.n == 0 {
		return Value{}, false
	}
	for _, x := range c.calls[callHash(f, args)] {
		if x.f == f && equalLists(x.args, args) == True {
			return x.val, true
		}
	}
	return Value{}, false
}

func (c *callCache) put(f smt.Symbol, args []Value, val Value) {
	if c.n >= maxCachedCalls || c.words >= maxCachedWords {
		c.clear()
	}
	if c.calls == nil {
		c.calls = map[uint64][]call{}
	}
	h := callHash(f, args)
	c.calls[h] = append(c.calls[h], call{f, slices.Clone(args), val})
	c.n++
	c.words += val.words()
	for i := range args {
		c.words += args[i].words()
	}
}

func comparable(args []Value) bool {
	for i := range args {
		if args[i].opaque() || args[i].unknown() {
			return false
		}
	}
	return true
}

// applySymbol applies a declared or defined function, a constructor or a selector.
func (e *Evaluator) applySymbol(f *frame, args []Value) Value {
	sym := e.a.SymbolOf(f.t)
	info := e.a.SymbolInfo(sym)
	switch info.Kind {
	case smt.SymConstructor:
		if v, bad := firstUnknown(args); bad {
			return v
		}
		return DataValue(e.a.Sort(f.t), info.Ctor, slices.Clone(args)...)
	case smt.SymSelector:
		return e.selector(f, sym, info, args)
	case smt.SymDefined, smt.SymNamed:
		if info.Body == 0 {
			return unknown(info.Name, "the definition has no body")
		}
		return e.call(f, sym, info.Vars, info.Body, nil, args)
	}
	fn := e.m.funcs[sym]
	if fn == nil {
		if v, ok := e.m.consts[sym]; ok && len(args) == 0 {
			return v
		}
		if e.complete {
			return e.Default(e.a.Sort(f.t))
		}
		return missing(info.Name, "the model gives no interpretation of the function")
	}
	return e.callFunc(f, sym, fn, args, info.Name)
}

// callFunc applies an interpretation of the model. A body needs values for its variables only where it looks at
// them, so unknown arguments are passed on.
func (e *Evaluator) callFunc(f *frame, sym smt.Symbol, fn *Func, args []Value, name string) Value {
	if fn.Body != 0 {
		return e.call(f, sym, fn.Vars, fn.Body, nil, args)
	}
	if v, bad := firstUnknown(args); bad {
		if len(fn.order) == 0 && fn.Default.IsValue() {
			return fn.Default
		}
		return v
	}
	if v := fn.Get(args); v.kind != kNone {
		return v
	}
	if e.complete {
		return e.Default(e.a.Sort(f.t))
	}
	return missing(name, "the model's table does not list these arguments")
}

// call runs the body of a function in the frame. sym is 0 for a lambda.
func (e *Evaluator) call(f *frame, sym smt.Symbol, vars []smt.Term, body smt.Term, env []binding, args []Value) Value {
	if sym != 0 && len(args) > 0 && comparable(args) {
		if v, ok := e.calls.get(sym, args); ok {
			return v
		}
	}
	if len(vars) == 0 && len(env) == 0 {
		e.runBody(f, body)
		return Value{}
	}
	if len(e.binds) > e.Limits.Calls {
		return tooLarge(e.a.Op(f.t).String(), fmt.Sprintf("calls within one another bind more than %d variables", e.Limits.Calls))
	}
	e.analyse(body)
	mark := int32(len(e.binds))
	for _, b := range env {
		e.bind(b.v, b.val)
	}
	for i, v := range vars {
		e.bind(v, args[i])
	}
	f.body, f.mark = true, mark
	e.want(body)
	return Value{}
}

// finishCall leaves the scope of a call that gave v.
func (e *Evaluator) finishCall(f *frame, v Value) Value {
	e.unbind(int(f.mark))
	if f.op != smt.OpApply || v.unknown() {
		return v
	}
	if e.loose && v.sort != e.a.Sort(f.t) {
		return unknown(e.a.SymbolName(e.a.SymbolOf(f.t)), "a body of unknown sort")
	}
	if args := e.vals[f.base : f.base+f.n]; comparable(args) && len(args) > 0 {
		e.calls.put(e.a.SymbolOf(f.t), args, v)
	}
	return v
}

func firstUnknown(args []Value) (Value, bool) {
	for i := range args {
		if args[i].unknown() {
			return args[i], true
		}
	}
	return Value{}, false
}

// partial is the value of a partial operator where the standard leaves it open: what the model says, or unknown.
func (e *Evaluator) partial(t smt.Term, op smt.Op, args []Value, why string) Value {
	sort := e.a.Sort(t)
	fn := e.m.partial[op]
	switch {
	case fn == nil && e.complete && !fixed(op):
		return e.Default(sort)
	case fn == nil:
		return missing(op.String(), why+" has no interpretation in the model")
	case fn.Body != 0:
		return e.partialBody(sort, op, fn, args)
	}
	if v := fn.Get(args); v.kind != kNone {
		return v
	}
	if e.complete {
		return e.Default(sort)
	}
	return missing(op.String(), why+" has no interpretation in the model for these arguments")
}

// partialBody applies what the model defines for a partial operator: a function of all its arguments, or of the first
// ones, as older z3 prints div0.
func (e *Evaluator) partialBody(sort smt.Sort, op smt.Op, fn *Func, args []Value) Value {
	fits := len(fn.Vars) <= len(args) && e.a.Sort(fn.Body) == sort
	for i := range fn.Vars {
		fits = fits && e.a.Sort(fn.Vars[i]) == args[i].sort
	}
	if !fits {
		return unknown(op.String(), "the model's interpretation has another rank")
	}
	return e.applyBody(fn.Vars, fn.Body, nil, args[:len(fn.Vars)])
}

// applyBody computes a function's body by a nested run.
func (e *Evaluator) applyBody(vars []smt.Term, body smt.Term, env []binding, args []Value) Value {
	e.analyse(body)
	mark := len(e.binds)
	for _, b := range env {
		e.bind(b.v, b.val)
	}
	for i, v := range vars {
		e.bind(v, args[i])
	}
	v := e.run(body)
	e.unbind(mark)
	return v
}
