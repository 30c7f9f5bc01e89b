package reduce

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/reduce/weight"
)

// smallerLiterals returns smaller literals than a literal: numbers are halved, bits of vectors cleared, strings cut.
func smallerLiterals(a *smt.Arena, t smt.Term) []smt.Term {
	switch a.Op(t) {
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return each(smallerInts(n), a.IntVal)
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		return each(smallerInts(n), func(x *big.Int) smt.Term { return a.FFVal(a.Sort(t), x) })
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return each(fewerBits(n), func(x *big.Int) smt.Term { return a.BV(a.Width(a.Sort(t)), x) })
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		whole := new(big.Int).Quo(r.Num(), r.Denom())
		if !r.IsInt() {
			return []smt.Term{a.RealVal(new(big.Rat).SetInt(whole))}
		}
		return each(smallerInts(whole), func(x *big.Int) smt.Term { return a.RealVal(new(big.Rat).SetInt(x)) })
	case smt.OpStringLit:
		str, _ := a.StrOf(t)
		var out []smt.Term
		for _, x := range smallerStrings(str) {
			out = append(out, a.Str(x))
		}
		return out
	}
	return nil
}

func each(ns []*big.Int, f func(*big.Int) smt.Term) []smt.Term {
	var out []smt.Term
	for _, n := range ns {
		out = append(out, f(n))
	}
	return out
}

// smallerInts returns 2 and n shifted right by half its bits, by two and by one.
func smallerInts(n *big.Int) []*big.Int {
	k := n.BitLen()
	if k < 2 {
		return nil
	}
	var out []*big.Int
	for _, shift := range []int{k / 2, 2, 1} {
		if x := new(big.Int).Rsh(n, uint(shift)); x.Sign() > 0 && shift > 0 {
			out = append(out, x)
		}
	}
	if k > 2 {
		out = append(out, big.NewInt(2))
	}
	return out
}

// fewerBits clears the upper half of the bits that are set, the lower half, the highest, the lowest.
func fewerBits(n *big.Int) []*big.Int {
	var set []int
	for i := range n.BitLen() {
		if n.Bit(i) == 1 {
			set = append(set, i)
		}
	}
	if len(set) < 2 {
		return nil
	}
	keep := func(bits []int) *big.Int {
		x := new(big.Int)
		for _, b := range bits {
			x.SetBit(x, b, 1)
		}
		return x
	}
	half := len(set) / 2
	out := []*big.Int{keep(set[:half]), keep(set[half:])}
	if len(set) > 2 {
		out = append(out, keep(set[:len(set)-1]), keep(set[1:]))
	}
	return out
}

// smallerStrings returns the halves, the string without its first and its last character, and plainer letters.
func smallerStrings(s []rune) [][]rune {
	n := len(s)
	if n == 0 {
		return nil
	}
	var out [][]rune
	if n > 1 {
		out = append(out, s[:n/2], s[n/2:], s[1:], s[:n-1])
	}
	plain := make([]rune, n)
	differs := false
	for i, r := range s {
		plain[i] = 'a'
		differs = differs || r != 'a'
	}
	if differs {
		out = append(out, plain)
	}
	for i, r := range s {
		if weight.Rune(r) > 1 && n > 1 && i < 8 {
			x := append([]rune(nil), s...)
			x[i] = 'a'
			out = append(out, x)
		}
	}
	return out
}
