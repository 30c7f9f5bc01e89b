package reduce

import (
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/rewrite"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Without returns a case in which the outermost terms for which is holds are replaced by their values: those under the
// witness, or the values of terms without declared symbols. The known facts about its answers stay true. It returns nil
// if no term has a value.
func Without(c *testcase.Case, is func(t smt.Term) bool) *testcase.Case {
	a := c.Script.Arena
	ev := eval.New(a, c.Witness)
	repl := map[smt.Term]smt.Term{}
	var roots []smt.Term
	for i := range c.Script.Commands {
		roots = append(roots, c.Script.Commands[i].Terms...)
	}
	a.PostOrder(roots, func(t smt.Term) {
		if a.NumArgs(t) == 0 || !is(t) || len(a.FreeVars(t)) > 0 || c.Witness == nil && hasDeclared(a, t) {
			return
		}
		if a.IsExchange(t) { // it means the terms below it
			repl[t] = a.Arg(t, 0)
			return
		}
		v, err := ev.Eval(t)
		if err != nil || !v.IsValue() {
			return
		}
		if by, err := value.ToTerm(a, v); err == nil && by != t && a.Sort(by) == a.Sort(t) {
			repl[t] = by
		}
	})
	if len(repl) == 0 {
		return nil
	}
	var w rewrite.Rewriter
	w.Reset(a, repl)
	commands, changed := w.Commands(c.Script.Commands, false)
	if !changed {
		return nil
	}
	out := *c
	out.Script = c.Script.WithCommands(commands)
	return &out
}

// hasDeclared reports whether a term has a symbol whose value a model chooses.
func hasDeclared(a *smt.Arena, t smt.Term) (has bool) {
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		has = has || a.Op(x) == smt.OpApply && a.SymbolInfo(a.SymbolOf(x)).Kind == smt.SymDeclared
	})
	return has
}
