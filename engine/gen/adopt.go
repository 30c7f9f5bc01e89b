package gen

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/smt"
)

// Adopt adds a term that was made elsewhere in the arena, and the terms below it. The error says why the term cannot be used: it has free
// variables or, where all symbols have to be declared, one that is not.
func (g *Gen) Adopt(t smt.Term, declared bool) error {
	if free := g.A.FreeVars(t); len(free) > 0 {
		return fmt.Errorf("%s is free in it", g.A.Brief(free[0]))
	}
	var unknown smt.Symbol
	if declared {
		g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
			if f := g.A.SymbolOf(x); f != 0 && unknown == 0 && !g.Declares(f) {
				unknown = f
			}
		})
	}
	if unknown != 0 {
		return fmt.Errorf("the walk does not declare %s: walk.manager.constant(rng, sort) does for constants", g.A.SymbolName(unknown))
	}
	g.AddTerm(t)
	return nil
}
