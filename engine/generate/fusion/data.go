package fusion

import (
	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Operators over datatypes are defined once for all datatypes that have a constructor with a certain number of fields:
// they use only that constructor, its selectors and its tester. A proof of one is a proof for all these datatypes,
// since it uses only facts that hold for every constructor.

// constructorSorts lists the sorts of datatypes that an arena has without parameters, one entry a constructor with
// fields.
func (e *Env) constructorSorts() []smt.Sort {
	if !e.looked {
		e.looked = true
		a := e.Arena
		for f := 1; f < a.NumSymbols(); f++ {
			if info := a.SymbolInfo(smt.Symbol(f)); info.Kind == smt.SymConstructor && len(info.Params) > 0 && !a.HasParams(info.Result) {
				e.datatypes = append(e.datatypes, info.Result)
			}
		}
	}
	return e.datatypes
}

// settleData binds the datatype of an operator to one that the scripts declare, if the arguments have not bound it. It
// returns true if there is nothing to bind.
func (g *generator) settleData(o *operator.Operator, b *smt.Bindings) bool {
	if o.Datatype() == nil || b.Constructor != 0 {
		return true
	}
	all := g.e.constructorSorts()
	for range min(len(all), 8) {
		if s := all[g.e.Rng.Intn(len(all))]; o.Datatype().Match(g.e.Arena, s, b) {
			return true
		}
	}
	return false
}
