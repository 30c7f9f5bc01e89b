package eval

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// applySelector applies a selector. If the argument has another constructor, the model determines the value.
func (e functionCalls) applySelector(f *frame, sym smt.Symbol, info *smt.SymbolInfo, args []value.Value) value.Value {
	if !args[0].IsValue() {
		return args[0]
	}
	if args[0].Constructor() == info.Ctor {
		return args[0].Fields()[info.Field]
	}
	if fn := e.m.Func(sym); fn != nil {
		return e.callFunc(f, sym, fn, args, info.Name)
	}
	if e.complete {
		return e.domains.Default(e.a.Sort(f.t))
	}
	return value.NoValueInModel(info.Name, "a selector of another constructor has no interpretation in the model")
}

// updateField replaces a field if the value is of the selector's constructor, and is the value itself otherwise (cvc5's
// documentation of datatypes).
func (e operators) updateField(t smt.Term, args []value.Value) value.Value {
	info := e.a.SymbolInfo(e.a.SymbolOf(t))
	if args[0].Constructor() != info.Ctor {
		return args[0]
	}
	fields := slices.Clone(args[0].Fields())
	fields[info.Field] = args[1]
	return value.Data(args[0].Sort(), info.Ctor, fields...)
}

// runMatch picks the first case whose pattern fits and runs it with the pattern's variables bound.
func (e functionCalls) runMatch(f *frame, v value.Value) value.Value {
	if !v.IsValue() {
		return v
	}
	e.findFreeVars(f.t)
	for _, c := range e.a.Args(f.t)[1:] {
		ctor := e.a.SymbolOf(c)
		if ctor != 0 && e.a.SymbolInfo(ctor).Ctor != v.Constructor() {
			continue
		}
		vars := e.a.BoundVars(c)
		mark := int32(len(e.binds))
		if ctor == 0 {
			e.bindVar(vars[0], v)
		} else {
			for i, x := range vars {
				e.bindVar(x, v.Fields()[i])
			}
		}
		f.body, f.mark = true, mark
		e.wantValue(e.a.Body(c))
		return value.Value{}
	}
	return value.NoValue("match", "no pattern fits")
}
