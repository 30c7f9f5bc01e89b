package eval

import (
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
)

// Terms of unknown sort fit everywhere, so once one of them has a value, the sorts of arguments must be looked at
// before an operator computes. What is not certain to fit has an unknown value.

// fitsSorts reports whether the values are of the sorts that the frame's operator takes.
func (e functionCalls) fitsSorts(f *frame, args []value.Value) bool {
	a := e.a
	loose := a.Sort(f.t) == smt.SortUnknown
	for i := range args {
		loose = loose || a.Sort(a.Arg(f.t, i)) == smt.SortUnknown
	}
	if !loose || f.n == 0 {
		return true
	}
	switch {
	case f.op == smt.OpOpaque, f.op == smt.OpAnnot:
		return true
	case f.op == smt.OpEq, f.op == smt.OpDistinct:
		return sameSorts(args)
	case a.Sort(f.t) == smt.SortUnknown:
		return false
	case f.op == smt.OpIte:
		return args[0].Sort() == smt.SortBool && args[1].Sort() == args[2].Sort()
	case f.op == smt.OpApply:
		params := a.SymbolInfo(a.SymbolOf(f.t)).Params
		for i := range args {
			if args[i].Sort() != params[i] {
				return false
			}
		}
		return true
	case f.op <= smt.OpXor && f.op >= smt.OpNot:
		return sameSorts(args) && args[0].Sort() == smt.SortBool
	case f.op == smt.OpToInt, f.op == smt.OpIsInt, f.op == smt.OpDiv:
		return sameSorts(args) && args[0].Sort() == smt.SortReal
	case f.op == smt.OpIntDiv, f.op == smt.OpMod, f.op == smt.OpDivisible, f.op == smt.OpToReal:
		return sameSorts(args) && args[0].Sort() == smt.SortInt
	case f.op >= smt.OpSub && f.op <= smt.OpGt:
		return sameSorts(args) && (args[0].Sort() == smt.SortInt || args[0].Sort() == smt.SortReal)
	}
	return false
}

func sameSorts(args []value.Value) bool {
	for i := range args {
		if args[i].Sort() != args[0].Sort() {
			return false
		}
	}
	return true
}
