package literal

import (
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// OfNumber returns the literal of a number in a numeric sort. A number that a bit vector cannot hold is an error.
func OfNumber(a *smt.Arena, n *big.Int, s smt.Sort) (smt.Term, error) {
	switch a.SortKind(s) {
	case smt.KindInt:
		return a.IntVal(n), nil
	case smt.KindReal:
		return a.RealVal(new(big.Rat).SetInt(n)), nil
	case smt.KindFiniteField:
		return a.FFVal(s, n), nil
	case smt.KindBitVec:
		w := a.Width(s)
		if n.BitLen() > w || n.Sign() < 0 && new(big.Int).Neg(n).BitLen() > w {
			return 0, fmt.Errorf("%s does not fit %d bits", n, w)
		}
		return a.BV(w, n), nil
	}
	return 0, fmt.Errorf("a number is no %s", a.SortString(s))
}

// OfText returns the literal of a text.
func OfText(a *smt.Arena, s string) (smt.Term, error) {
	runes := []rune(s)
	for _, r := range runes {
		if r > 0x2FFFF {
			return 0, fmt.Errorf("SMT-LIB strings have no code point U+%X, the last is U+2FFFF", r)
		}
	}
	return a.Str(runes), nil
}
