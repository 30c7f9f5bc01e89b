package eval

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// selector applies a selector. Where the argument is of another constructor, the model says what it is.
func (e *Evaluator) selector(f *frame, sym smt.Symbol, info *smt.SymbolInfo, args []Value) Value {
	if args[0].unknown() {
		return args[0]
	}
	d := args[0].data()
	if d.ctor == info.Ctor {
		return d.fields[info.Field]
	}
	if fn := e.m.funcs[sym]; fn != nil {
		return e.callFunc(f, sym, fn, args, info.Name)
	}
	if e.complete {
		return e.Default(e.a.Sort(f.t))
	}
	return missing(info.Name, "a selector of another constructor has no interpretation in the model")
}

// update replaces a field if the value is of the selector's constructor, and is the value itself otherwise (cvc5's
// documentation of datatypes).
func (e *Evaluator) update(t smt.Term, args []Value) Value {
	info := e.a.SymbolInfo(e.a.SymbolOf(t))
	d := args[0].data()
	if d.ctor != info.Ctor {
		return args[0]
	}
	fields := slices.Clone(d.fields)
	fields[info.Field] = args[1]
	return DataValue(args[0].sort, d.ctor, fields...)
}

// match picks the first case whose pattern fits and runs it with the pattern's variables bound.
func (e *Evaluator) match(f *frame, v Value) Value {
	if v.unknown() {
		return v
	}
	e.analyse(f.t)
	d := v.data()
	for _, c := range e.a.Args(f.t)[1:] {
		ctor := e.a.SymbolOf(c)
		if ctor != 0 && e.a.SymbolInfo(ctor).Ctor != d.ctor {
			continue
		}
		vars := e.a.BoundVars(c)
		mark := int32(len(e.binds))
		if ctor == 0 {
			e.bind(vars[0], v)
		} else {
			for i, x := range vars {
				e.bind(x, d.fields[i])
			}
		}
		f.body, f.mark = true, mark
		e.want(e.a.Body(c))
		return Value{}
	}
	return unknown("match", "no pattern fits")
}
