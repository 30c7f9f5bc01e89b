package rewrite

import (
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/rewrite"
)

// Script returns the script with simplified assertions and definitions, and with a logic that has the operators of the
// result. The script's terms must be in the simplifier's arena. Terms that commands print stay unchanged.
func (s *Simplifier) Script(script *smtlib.Script) *smtlib.Script {
	a := s.a
	images := map[smt.Term]smt.Term{}
	var roots []smt.Term
	for i := range script.Commands {
		c := script.Commands[i]
		switch {
		case c.Kind == smtlib.CmdAssert:
			roots = append(roots, c.Terms...)
		case c.Kind.IsDefinition():
			for _, f := range c.Symbols {
				if b := a.SymbolInfo(f).Body; b != 0 {
					roots = append(roots, b)
				}
			}
		}
	}
	own := logic.OfTerms(a, roots)
	for i, t := range roots {
		if roots[i] = s.Term(t); roots[i] != t {
			images[t] = roots[i]
		}
	}
	if len(images) == 0 {
		return script
	}
	var w rewrite.Rewriter
	w.Reset(a, images)
	cmds, changed := w.Commands(script.Commands, false)
	if !changed {
		return script
	}
	to := script.WithCommands(cmds)
	if name := logic.Fit(script.Logic(), logic.OfTerms(a, roots)&^own); name != script.Logic() {
		return to.WithLogic(name)
	}
	return to
}
