package eval

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
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
	args []value.Value
	val  value.Value
}

const (
	maxCachedCalls = 1 << 16
	maxCachedWords = 1 << 22
)

func (c *callCache) clear() { c.calls, c.n, c.words = nil, 0, 0 }

func callHash(f smt.Symbol, args []value.Value) uint64 {
	return value.HashAll(args) + uint64(f)*0x9E3779B97F4A7C15
}

func (c *callCache) get(f smt.Symbol, args []value.Value) (value.Value, bool) {
	if c.n == 0 {
		return value.Value{}, false
	}
	for _, x := range c.calls[callHash(f, args)] {
		if x.f == f && value.EqualLists(x.args, args) == value.True {
			return x.val, true
		}
	}
	return value.Value{}, false
}

func (c *callCache) put(f smt.Symbol, args []value.Value, val value.Value) {
	if c.n >= maxCachedCalls || c.words >= maxCachedWords {
		c.clear()
	}
	if c.calls == nil {
		c.calls = map[uint64][]call{}
	}
	h := callHash(f, args)
	c.calls[h] = append(c.calls[h], call{f, slices.Clone(args), val})
	c.n++
	c.words += val.Words()
	for i := range args {
		c.words += args[i].Words()
	}
}

// functionCalls applies function symbols: it evaluates bodies with variables bound.
type functionCalls struct{ *Evaluator }

// applySymbol applies a declared or defined function, a constructor or a selector.
func (e functionCalls) applySymbol(f *frame, args []value.Value) value.Value {
	sym := e.a.SymbolOf(f.t)
	info := e.a.SymbolInfo(sym)
	switch info.Kind {
	case smt.SymConstructor:
		if v, bad := firstUnknown(args); bad {
			return v
		}
		return value.Data(e.a.Sort(f.t), info.Ctor, slices.Clone(args)...)
	case smt.SymSelector:
		return e.applySelector(f, sym, info, args)
	case smt.SymDefined, smt.SymNamed:
		if info.Body == 0 {
			return value.NoValue(info.Name, "the definition has no body")
		}
		return e.runFunction(f, sym, info.Vars, info.Body, nil, args)
	}
	fn := e.m.Func(sym)
	if fn == nil {
		if v, ok := e.m.Value(sym); ok && len(args) == 0 {
			return v
		}
		if e.complete {
			return e.domains.Default(e.a.Sort(f.t))
		}
		return value.NoValueInModel(info.Name, "the model gives no interpretation of the function")
	}
	return e.callFunc(f, sym, fn, args, info.Name)
}

// callFunc applies an interpretation of the model. A body needs values for its variables only where it looks at
// them, so unknown arguments are passed on.
func (e functionCalls) callFunc(f *frame, sym smt.Symbol, fn *model.Func, args []value.Value, name string) value.Value {
	if fn.Body != 0 {
		return e.runFunction(f, sym, fn.Vars, fn.Body, nil, args)
	}
	if v, bad := firstUnknown(args); bad {
		if len(fn.Unsorted()) == 0 && fn.Default.IsValue() {
			return fn.Default
		}
		return v
	}
	if v := fn.Get(args); v.Kind() != value.KindNone {
		return v
	}
	if e.complete {
		return e.domains.Default(e.a.Sort(f.t))
	}
	return value.NoValueInModel(name, "the model's table does not list these arguments")
}

// runFunction runs the body of a function in the frame. sym is 0 for a lambda.
func (e functionCalls) runFunction(f *frame, sym smt.Symbol, vars []smt.Term, body smt.Term, env []value.Binding, args []value.Value) value.Value {
	if sym != 0 && len(args) > 0 && value.AllComparable(args) {
		if v, ok := e.calls.get(sym, args); ok {
			return v
		}
	}
	if len(vars) == 0 && len(env) == 0 {
		e.runBody(f, body)
		return value.Value{}
	}
	if len(e.binds) > e.Limits.Calls {
		return value.TooLarge(e.a.Op(f.t).String(), fmt.Sprintf("calls within one another bind more than %d variables", e.Limits.Calls))
	}
	e.findFreeVars(body)
	mark := int32(len(e.binds))
	for _, b := range env {
		e.bindVar(b.Var, b.Value)
	}
	for i, v := range vars {
		e.bindVar(v, args[i])
	}
	f.body, f.mark = true, mark
	e.wantValue(body)
	return value.Value{}
}

// finishCall leaves the scope of a call that gave v.
func (e functionCalls) finishCall(f *frame, v value.Value) value.Value {
	e.unbindTo(int(f.mark))
	if f.op != smt.OpApply || !v.IsValue() {
		return v
	}
	if args := e.vals[f.base : f.base+f.n]; value.AllComparable(args) && len(args) > 0 {
		e.calls.put(e.a.SymbolOf(f.t), args, v)
	}
	return v
}

func firstUnknown(args []value.Value) (value.Value, bool) {
	for i := range args {
		if !args[i].IsValue() {
			return args[i], true
		}
	}
	return value.Value{}, false
}

// openValue is the value of a partial operator where the standard leaves it open: the one given by the model, or
// unknown.
func (e functionCalls) openValue(t smt.Term, op smt.Op, args []value.Value, why string) value.Value {
	sort := e.a.Sort(t)
	fn := e.m.Partial(op)
	switch {
	case fn == nil && e.complete && !isFixedBySolvers(op):
		return e.domains.Default(sort)
	case fn == nil:
		return value.NoValueInModel(op.String(), why+" has no interpretation in the model")
	case fn.Body != 0:
		return e.partialBody(sort, op, fn, args)
	}
	if v := fn.Get(args); v.Kind() != value.KindNone {
		return v
	}
	if e.complete {
		return e.domains.Default(sort)
	}
	return value.NoValueInModel(op.String(), why+" has no interpretation in the model for these arguments")
}

// partialBody applies the model's definition of a partial operator: a function of all its arguments, or of the first
// ones, as older z3 prints div0.
func (e functionCalls) partialBody(sort smt.Sort, op smt.Op, fn *model.Func, args []value.Value) value.Value {
	fits := len(fn.Vars) <= len(args) && e.a.Sort(fn.Body) == sort
	for i := range fn.Vars {
		fits = fits && e.a.Sort(fn.Vars[i]) == args[i].Sort()
	}
	if !fits {
		return value.NoValue(op.String(), "the model's interpretation has another rank")
	}
	return e.applyBody(fn.Vars, fn.Body, nil, args[:len(fn.Vars)])
}

// applyBody computes a function's body by a nested run.
func (e functionCalls) applyBody(vars []smt.Term, body smt.Term, env []value.Binding, args []value.Value) value.Value {
	e.findFreeVars(body)
	mark := len(e.binds)
	for _, b := range env {
		e.bindVar(b.Var, b.Value)
	}
	for i, v := range vars {
		e.bindVar(v, args[i])
	}
	v := e.runTerm(body)
	e.unbindTo(mark)
	return v
}

// isFixedBySolvers reports whether solvers agree on more about a partial operator than that it is some function, so
// that no value may stand for its result: NaN has the bits of a NaN, and cvc5 takes 0^0 for 1.
func isFixedBySolvers(op smt.Op) bool {
	return op == smt.OpFPToIeeeBV || op == smt.OpPow || op == smt.OpSqrt || op == smt.OpArrayDefault
}
