package theory

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// stringTheory computes the theory Strings of SMT-LIB 2.7 and what solvers add to it.
func stringTheory(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	switch op {
	case smt.OpStrFromCode:
		if args[0].Kind() != value.KindInt {
			return value.String(nil)
		}
		return value.String(strre.FromCode(args[0].Small()))
	case smt.OpStrFromInt:
		n := args[0].BigInt()
		if n.BitLen() > c.Length {
			return value.TooLarge(op.String(), "a string longer than the limit")
		}
		return value.String(strre.FromInt(n))
	case smt.OpStrFromUbv:
		return value.String(strre.FromInt(args[0].BigBitVec()))
	case smt.OpStrFromSbv:
		return fromSbv(c, args[0])
	case smt.OpStrConcat:
		return strConcat(c, args)
	case smt.OpStrLt, smt.OpStrLe:
		return chain(args, func(v, w value.Value) bool {
			c := strre.Compare(v.CodePoints(), w.CodePoints())
			return c < 0 || c == 0 && op == smt.OpStrLe
		})
	}
	return stringFunction(c, op, args[0].CodePoints(), args)
}

// fromSbv is z3's (str.from_sbv x): the signed number in decimal with a minus sign.
func fromSbv(c *Context, v value.Value) value.Value {
	n := value.Signed(v.BigBitVec(), c.Arena.Width(v.Sort()))
	s := strre.FromInt(new(big.Int).Abs(n))
	if n.Sign() < 0 {
		s = append([]rune{'-'}, s...)
	}
	return value.String(s)
}

func strConcat(c *Context, args []value.Value) value.Value {
	parts := make([][]rune, len(args))
	n := 0
	for i := range args {
		parts[i] = args[i].CodePoints()
		n += len(parts[i])
	}
	s, err := strre.Concat(parts...)
	if err != nil || n > c.Length {
		return value.TooLarge("str.++", "a string longer than the limit")
	}
	return value.String(s)
}

func stringFunction(c *Context, op smt.Op, s []rune, args []value.Value) value.Value {
	other := func(i int) []rune { return args[i].CodePoints() }
	switch op {
	case smt.OpStrLen:
		return value.Int64(int64(len(s)))
	case smt.OpStrAt:
		// A position is any integer. Clamped ones stay out of range, which gives the same result.
		return value.String(strre.At(s, value.ClampInt(args[1])))
	case smt.OpStrSubstr:
		return value.String(strre.Substr(s, value.ClampInt(args[1]), value.ClampInt(args[2])))
	case smt.OpStrPrefixOf:
		return value.Bool(strre.PrefixOf(s, other(1)))
	case smt.OpStrSuffixOf:
		return value.Bool(strre.SuffixOf(s, other(1)))
	case smt.OpStrContains:
		return value.Bool(strre.Contains(s, other(1)))
	case smt.OpStrIndexOf:
		// z3 lets the start be left out.
		if len(args) == 2 {
			return value.Int64(strre.IndexOf(s, other(1), 0))
		}
		return value.Int64(strre.IndexOf(s, other(1), value.ClampInt(args[2])))
	case smt.OpStrLastIndexOf:
		return value.Int64(strre.LastIndexOf(s, other(1)))
	case smt.OpStrReplace:
		return value.String(strre.Replace(s, other(1), other(2)))
	case smt.OpStrReplaceAll:
		r, err := strre.ReplaceAll(s, other(1), other(2))
		if err != nil || len(r) > c.Length {
			return value.TooLarge(op.String(), "a string longer than the limit")
		}
		return value.String(r)
	case smt.OpStrIsDigit:
		return value.Bool(strre.IsDigit(s))
	case smt.OpStrToCode:
		return value.Int64(strre.ToCode(s))
	case smt.OpStrToInt:
		digits := s
		for len(digits) > 1 && digits[0] == '0' {
			digits = digits[1:]
		}
		const bitsOfDigit = 3.3219 // each digit of a number has so many
		if float64(len(digits))*bitsOfDigit > float64(c.Bits) {
			for _, r := range digits {
				if r < '0' || r > '9' {
					return value.Int64(-1)
				}
			}
			return value.TooLarge(op.String(), "an integer with more bits than the limit")
		}
		return value.Int(strre.ToInt(s))
	case smt.OpStrRev:
		return value.String(strre.Rev(s))
	case smt.OpStrUpdate:
		return value.String(strre.Update(s, value.ClampInt(args[1]), other(2)))
	case smt.OpStrToLower:
		return value.String(strre.ToLower(s))
	case smt.OpStrToUpper:
		return value.String(strre.ToUpper(s))
	}
	return value.NoValue(op.String(), "not defined on strings")
}
