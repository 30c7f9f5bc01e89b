package eval

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/eval/strre"
	"github.com/smtlark/smtlark/engine/smt"
)

// strings computes the theory Strings of SMT-LIB 2.7 and what solvers add to it.
func (e *Evaluator) strings(t smt.Term, op smt.Op, args []Value) Value {
	if op >= smt.OpStrToRe && op <= smt.OpReLoop && op != smt.OpStrInRe || op == smt.OpReLoopArgs {
		return e.regex(t, op, args)
	}
	switch op {
	case smt.OpStrInRe, smt.OpStrReplaceRe, smt.OpStrReplaceReAll, smt.OpStrIndexOfRe:
		return e.matching(op, args)
	case smt.OpStrFromCode:
		if args[0].kind != kInt {
			return StringValue(nil)
		}
		return StringValue(strre.FromCode(args[0].signed()))
	case smt.OpStrFromInt:
		n := args[0].big()
		if n.BitLen() > e.Limits.Length {
			return tooLarge(op.String(), "a string longer than the limit")
		}
		return StringValue(strre.FromInt(n))
	case smt.OpStrFromUbv:
		return StringValue(strre.FromInt(args[0].bv()))
	case smt.OpStrFromSbv:
		return e.fromSbv(args[0])
	case smt.OpStrConcat:
		return e.strConcat(args)
	case smt.OpStrLt, smt.OpStrLe:
		return chain(args, func(v, w Value) bool {
			c := strre.Compare(v.runes(), w.runes())
			return c < 0 || c == 0 && op == smt.OpStrLe
		})
	}
	return e.stringOp(op, args[0].runes(), args)
}

// fromSbv is z3's (str.from_sbv x): the signed number in decimal with a minus sign.
func (e *Evaluator) fromSbv(v Value) Value {
	n := signedBig(v.bv(), e.a.Width(v.sort))
	s := strre.FromInt(new(big.Int).Abs(n))
	if n.Sign() < 0 {
		s = append([]rune{'-'}, s...)
	}
	return StringValue(s)
}

func (e *Evaluator) strConcat(args []Value) Value {
	parts := make([][]rune, len(args))
	n := 0
	for i := range args {
		parts[i] = args[i].runes()
		n += len(parts[i])
	}
	s, err := strre.Concat(parts...)
	if err != nil || n > e.Limits.Length {
		return tooLarge("str.++", "a string longer than the limit")
	}
	return StringValue(s)
}

// clampInt returns an Int as an int64; beyond that range positions and lengths are all alike.
func clampInt(v Value) int64 {
	if v.kind == kBigInt {
		if v.big().Sign() < 0 {
			return -1
		}
		return 1<<62 - 1
	}
	return min(v.signed(), 1<<62-1)
}

func (e *Evaluator) stringOp(op smt.Op, s []rune, args []Value) Value {
	other := func(i int) []rune { return args[i].runes() }
	switch op {
	case smt.OpStrLen:
		return int64Value(int64(len(s)))
	case smt.OpStrAt:
		return StringValue(strre.At(s, clampInt(args[1])))
	case smt.OpStrSubstr:
		return StringValue(strre.Substr(s, clampInt(args[1]), clampInt(args[2])))
	case smt.OpStrPrefixOf:
		return BoolValue(strre.PrefixOf(s, other(1)))
	case smt.OpStrSuffixOf:
		return BoolValue(strre.SuffixOf(s, other(1)))
	case smt.OpStrContains:
		return BoolValue(strre.Contains(s, other(1)))
	case smt.OpStrIndexOf:
		if len(args) == 2 {
			return int64Value(strre.IndexOf(s, other(1), 0))
		}
		return int64Value(strre.IndexOf(s, other(1), clampInt(args[2])))
	case smt.OpStrLastIndexOf:
		return int64Value(strre.LastIndexOf(s, other(1)))
	case smt.OpStrReplace:
		return StringValue(strre.Replace(s, other(1), other(2)))
	case smt.OpStrReplaceAll:
		r, err := strre.ReplaceAll(s, other(1), other(2))
		if err != nil || len(r) > e.Limits.Length {
			return tooLarge(op.String(), "a string longer than the limit")
		}
		return StringValue(r)
	case smt.OpStrIsDigit:
		return BoolValue(strre.IsDigit(s))
	case smt.OpStrToCode:
		return int64Value(strre.ToCode(s))
	case smt.OpStrToInt:
		return intValue(strre.ToInt(s))
	case smt.OpStrRev:
		return StringValue(strre.Rev(s))
	case smt.OpStrUpdate:
		return StringValue(strre.Update(s, clampInt(args[1]), other(2)))
	case smt.OpStrToLower:
		return StringValue(strre.ToLower(s))
	case smt.OpStrToUpper:
		return StringValue(strre.ToUpper(s))
	}
	return unknown(op.String(), "not defined on strings")
}
