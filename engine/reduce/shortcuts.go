package reduce

import (
	"github.com/smtlark/smtlark/engine/language/smt"
)

// shortcuts returns lighter terms that no law gives: terms that often have the same value, relations between the
// arguments of the same function on both sides, and negations of conjunctions and disjunctions of any number of
// arguments.
func shortcuts(a *smt.Arena, t smt.Term) []smt.Term {
	args := a.CopyArgs(t)
	switch op := a.Op(t); op {
	case smt.OpImplies:
		if len(args) == 2 {
			return []smt.Term{a.Not(args[0])}
		}
	case smt.OpNot:
		if by := negationOf(a, args[0]); by != 0 {
			return []smt.Term{by}
		}
	case smt.OpStrIndexOf, smt.OpStrToInt, smt.OpStrToCode, smt.OpSeqIndexOf, smt.OpStrIndexOfRe, smt.OpStrLastIndexOf, smt.OpSeqLastIndexOf:
		// -1 is how these functions say that there is nothing.
		return []smt.Term{a.MustApp(smt.OpSub, a.Int64(1))}
	case smt.OpEq, smt.OpDistinct, smt.OpBVUlt, smt.OpBVUle, smt.OpBVUgt, smt.OpBVUge, smt.OpBVSlt, smt.OpBVSle, smt.OpBVSgt, smt.OpBVSge:
		if below := belowSameFunction(a, args); below != nil {
			if by, err := a.App(op, nil, below...); err == nil {
				return []smt.Term{by}
			}
		}
	}
	return nil
}

// negationOf returns the negation of a conjunction or of a disjunction with the negation further below; 0 for other
// terms.
func negationOf(a *smt.Arena, x smt.Term) smt.Term {
	dual := smt.OpOr
	switch a.Op(x) {
	case smt.OpAnd:
	case smt.OpOr:
		dual = smt.OpAnd
	default:
		return 0
	}
	args := a.CopyArgs(x)
	for i, y := range args {
		if args[i] = a.Not(y); a.Op(y) == smt.OpNot {
			args[i] = a.Arg(y, 0)
		}
	}
	by, err := a.App(dual, nil, args...)
	if err != nil {
		return 0
	}
	return by
}

// belowSameFunction returns the arguments of two terms that apply the same function, or extensions by different widths;
// else nil.
func belowSameFunction(a *smt.Arena, args []smt.Term) []smt.Term {
	if len(args) != 2 {
		return nil
	}
	f := a.Op(args[0])
	switch f {
	case smt.OpZeroExtend, smt.OpSignExtend, smt.OpStrToCode, smt.OpToReal, smt.OpBVNot:
	default:
		return nil
	}
	if a.Op(args[1]) != f {
		return nil
	}
	x, y := a.Arg(args[0], 0), a.Arg(args[1], 0)
	if a.Sort(x) != a.Sort(y) {
		return nil
	}
	return []smt.Term{x, y}
}
