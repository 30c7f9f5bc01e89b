package smt

import (
	"math"
	"math/big"
)

func ratOf(n *big.Int) *big.Rat { return new(big.Rat).SetInt(n) }

// literals makes and reads terms that are values.
type literals struct {
	symbolTable
	indexPool
	termTable
	trueTerm, falseTerm Term
}

// True returns the term true.
func (a *literals) True() Term { return a.trueTerm }

// False returns the term false.
func (a *literals) False() Term { return a.falseTerm }

// BoolVal returns true or false.
func (a *literals) BoolVal(b bool) Term {
	if b {
		return a.trueTerm
	}
	return a.falseTerm
}

// IntVal returns the term for an integer: a numeral, or its negation.
func (a *literals) IntVal(n *big.Int) Term {
	if n.Sign() < 0 {
		return a.internNode(OpSub, SortInt, nil, []Term{a.IntVal(new(big.Int).Neg(n))})
	}
	return a.internNode(OpIntLit, SortInt, []Index{a.BigIndex(n)}, nil)
}

// Int64 is IntVal for a small number.
func (a *literals) Int64(n int64) Term {
	if n >= 0 && n < int64(pooled) {
		return a.internNode(OpIntLit, SortInt, []Index{Index(n)}, nil)
	}
	return a.IntVal(big.NewInt(n))
}

// RealVal returns the term for a rational: a decimal where there is a finite one, else a quotient of decimals; with
// a minus in front if it is negative.
func (a *literals) RealVal(r *big.Rat) Term {
	if r.Sign() < 0 {
		return a.internNode(OpSub, SortReal, nil, []Term{a.RealVal(new(big.Rat).Neg(r))})
	}
	if !finiteDecimal(r.Denom()) {
		return a.internNode(OpDiv, SortReal, nil, []Term{a.RealVal(ratOf(r.Num())), a.RealVal(ratOf(r.Denom()))})
	}
	var i Index
	if r.IsInt() {
		i = a.BigIndex(r.Num())
	} else {
		a.key = append(append(a.key[:0], 'q'), r.RatString()...)
		i = a.poolAdd(a.key, func() poolEntry { return poolEntry{rat: new(big.Rat).Set(r)} })
	}
	return a.internNode(OpRealLit, SortReal, []Index{i}, nil)
}

// RealInt is RealVal for a small integer.
func (a *literals) RealInt(n int64) Term {
	if n >= 0 && n < int64(pooled) {
		return a.internNode(OpRealLit, SortReal, []Index{Index(n)}, nil)
	}
	return a.RealVal(new(big.Rat).SetInt64(n))
}

// finiteDecimal reports whether 1/d has finitely many decimals: d has no prime factor but 2 and 5.
func finiteDecimal(d *big.Int) bool {
	if d.IsUint64() && d.Uint64() == 1 {
		return true
	}
	d = new(big.Int).Rsh(d, d.TrailingZeroBits())
	// At most one power of five has a given number of bits: 5^n has floor(n*log2(5))+1 bits.
	n := int64(float64(d.BitLen()-1) / math.Log2(5))
	for k := max(n-1, 0); k <= n+1; k++ {
		if new(big.Int).Exp(big.NewInt(5), big.NewInt(k), nil).Cmp(d) == 0 {
			return true
		}
	}
	return false
}

// BV returns the bit-vector literal of the width whose value is v modulo 2^width; width from 1 to MaxWidth.
func (a *literals) BV(width int, v *big.Int) Term {
	s := a.BitVec(width)
	if v.Sign() < 0 || v.BitLen() > width {
		v = new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
	}
	return a.internNode(OpBVLit, s, []Index{a.BigIndex(v)}, nil)
}

// BVUint is BV for a small value.
func (a *literals) BVUint(width int, v uint64) Term {
	if width < 64 {
		v &= 1<<uint(width) - 1
	}
	return a.internNode(OpBVLit, a.BitVec(width), []Index{a.NumIndex(v)}, nil)
}

// Str returns the string literal with these code points, each from 0 to 0x2FFFF.
func (a *literals) Str(s []rune) Term {
	a.key = append(a.key[:0], 't')
	for _, r := range s {
		a.key = append(a.key, byte(r>>16), byte(r>>8), byte(r))
	}
	i := a.poolAdd(a.key, func() poolEntry { return poolEntry{text: append([]rune{}, s...)} })
	return a.internNode(OpStringLit, SortString, []Index{i}, nil)
}

// FFVal returns the literal of a finite field for v modulo the field's size.
func (a *literals) FFVal(field Sort, v *big.Int) Term {
	v = new(big.Int).Mod(v, a.Modulus(field))
	return a.internNode(OpFFLit, field, []Index{a.BigIndex(v)}, nil)
}

// IntOf returns the value of an integer numeral; ok is false for any other term.
func (a *literals) IntOf(t Term) (n *big.Int, ok bool) {
	if a.Op(t) != OpIntLit {
		return nil, false
	}
	return a.IndexNum(a.Indices(t)[0])
}

// RatOf returns the value of a decimal; ok is false for any other term.
func (a *literals) RatOf(t Term) (r *big.Rat, ok bool) {
	if a.Op(t) != OpRealLit {
		return nil, false
	}
	i := a.Indices(t)[0]
	if i&pooled != 0 && a.pool[i&^pooled].rat != nil {
		return a.pool[i&^pooled].rat, true
	}
	n, _ := a.IndexNum(i)
	return ratOf(n), true
}

// BVOf returns the value of a bit-vector literal, from 0 to 2^width-1; ok is false for any other term.
func (a *literals) BVOf(t Term) (n *big.Int, ok bool) {
	if a.Op(t) != OpBVLit {
		return nil, false
	}
	return a.IndexNum(a.Indices(t)[0])
}

// BVSmall is BVOf for values that fit 64 bits.
func (a *literals) BVSmall(t Term) (n uint64, ok bool) {
	if a.Op(t) != OpBVLit {
		return 0, false
	}
	return a.IndexUint(a.Indices(t)[0])
}

// StrOf returns the code points of a string literal, not to be modified; ok is false for any other term.
func (a *literals) StrOf(t Term) (s []rune, ok bool) {
	if a.Op(t) != OpStringLit {
		return nil, false
	}
	return a.pool[a.Indices(t)[0]&^pooled].text, true
}

// FFOf returns the value of a finite field literal, from 0 to p-1; ok is false for any other term.
func (a *literals) FFOf(t Term) (n *big.Int, ok bool) {
	if a.Op(t) != OpFFLit {
		return nil, false
	}
	return a.IndexNum(a.Indices(t)[0])
}

// IsLiteral reports whether the term is a literal or a truth value.
func (a *literals) IsLiteral(t Term) bool {
	op := a.Op(t)
	return op >= OpIntLit && op <= OpFFLit || op == OpTrue || op == OpFalse
}
