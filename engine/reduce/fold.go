package reduce

import (
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// isGround reports whether a term is made of literals and operators of the theories only, and is not too large.
func isGround(a *smt.Arena, t smt.Term) bool {
	stack, n := []smt.Term{t}, 0
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n++; n > 64 || a.Op(x).Structural() && !a.IsLiteral(x) {
			return false
		}
		stack = append(stack, a.Args(x)...)
	}
	return true
}

// foldGround is the value of a ground term as a term, or the term itself if its value is not known.
func foldGround(a *smt.Arena, t smt.Term) smt.Term {
	ev := eval.New(a, model.New(a))
	ev.Limits = claim.WitnessLimits()
	ev.SetCompletion(false)
	v, err := ev.Eval(t)
	if err != nil {
		return t
	}
	by, err := value.ToTerm(a, v)
	if err != nil || a.Sort(by) != a.Sort(t) {
		return t
	}
	return by
}
