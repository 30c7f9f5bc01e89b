package search

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// downBV propagates a value through operators on bit vectors: by inverses where they exist, else by a likely value.
func (s inversion) downBV(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	i, ok := s.pick(t, nil)
	if !ok {
		return step{}
	}
	x := a.Arg(t, i)
	sort := a.Sort(x)
	w := a.Width(sort)
	to := func(n *big.Int) step {
		if n == nil {
			n = s.bits(w)
		}
		return step{t: x, v: value.BitVecOf(sort, w, n)}
	}
	if op == smt.OpBVIte && i > 0 { // of any sort
		return step{t: x, v: v}
	}
	if op == smt.OpBVIte {
		return to(nil)
	}
	if sort == smt.SortUnknown { // below a head that nobody knows
		return step{}
	}
	if a.Sort(t) == smt.SortBool {
		return s.downBVPredicate(t, op, v.IsTrue(), i, to)
	}
	switch op {
	case smt.OpIntToBV:
		// Any integer with these low bits will do.
		n := new(big.Int).Lsh(s.integer(), uint(a.Width(a.Sort(t))))
		return step{t: x, v: value.Int(n.Add(n, v.BigBitVec()))}
	case smt.OpUbvToInt, smt.OpSbvToInt:
		if n := v.BigInt(); n != nil {
			return to(n)
		}
		return step{}
	case smt.OpConcat:
		shift := 0
		for j := i + 1; j < a.NumArgs(t); j++ {
			shift += a.Width(a.Sort(a.Arg(t, j)))
		}
		return to(new(big.Int).And(new(big.Int).Rsh(v.BigBitVec(), uint(shift)), value.Ones(w)))
	}
	have := s.value(x)
	if have.Kind() != value.KindBitVec && have.Kind() != value.KindBigBitVec {
		return to(nil)
	}
	if a.NumArgs(t) == 1 {
		return to(s.invertUnary(t, op, w, v.BigBitVec(), have.BigBitVec()))
	}
	if a.NumArgs(t) == 2 {
		other := s.value(a.Arg(t, 1-i))
		if other.Kind() == value.KindBitVec || other.Kind() == value.KindBigBitVec {
			return to(s.invertBinary(op, w, i, v.BigBitVec(), other.BigBitVec()))
		}
		return to(nil)
	}
	acc := new(big.Int).Set(v.BigBitVec()) // the associative ones that invert each other
	for j := range a.NumArgs(t) {
		y, ok := s.value(a.Arg(t, j)).BV()
		if j == i {
			continue
		}
		switch {
		case ok && op == smt.OpBVAdd:
			acc.Sub(acc, y)
		case ok && op == smt.OpBVXor:
			acc.Xor(acc, y)
		case !ok || op != smt.OpBVAnd && op != smt.OpBVOr:
			return to(nil)
		}
	}
	return to(acc)
}

// invertUnary returns an argument for which the result is want, and keeps as much as possible of the current argument.
func (s inversion) invertUnary(t smt.Term, op smt.Op, w int, want, have *big.Int) *big.Int {
	a := s.a
	z := new(big.Int)
	index := func(i int) uint64 { k, _ := a.IndexUint(a.Indices(t)[i]); return k }
	switch op {
	case smt.OpExtract:
		lo, n := uint(index(1)), int(index(0)-index(1))+1
		hole := new(big.Int).Lsh(value.Ones(n), lo)
		return z.Or(z.AndNot(have, hole), new(big.Int).Lsh(want, lo))
	case smt.OpBVNot:
		return z.Not(want)
	case smt.OpBVNeg:
		return z.Neg(want)
	case smt.OpBVInc:
		return z.Sub(want, value.BigOne)
	case smt.OpBVDec:
		return z.Add(want, value.BigOne)
	case smt.OpZeroExtend, smt.OpSignExtend, smt.OpRepeat:
		return z.And(want, value.Ones(w))
	case smt.OpRotateLeft:
		return value.Rotated(want, uint((uint64(w)-index(0)%uint64(w))%uint64(w)), w)
	case smt.OpRotateRight:
		return value.Rotated(want, uint(index(0)%uint64(w)), w)
	case smt.OpBVRedor:
		if want.Sign() == 0 {
			return z
		}
	case smt.OpBVRedand:
		if want.Sign() != 0 {
			return value.Ones(w)
		}
	}
	return nil
}

// invertBinary returns argument i of (op x y) that gives want where the other argument is y.
func (s inversion) invertBinary(op smt.Op, w, i int, want, y *big.Int) *big.Int {
	z := new(big.Int)
	switch op {
	case smt.OpBVAdd:
		return z.Sub(want, y)
	case smt.OpBVSub:
		if i == 0 {
			return z.Add(want, y)
		}
		return z.Sub(y, want)
	case smt.OpBVXor:
		return z.Xor(want, y)
	case smt.OpBVXnor:
		return z.Not(z.Xor(want, y))
	case smt.OpBVAnd: // where y has ones the bits are given
		return z.Or(z.And(want, y), new(big.Int).AndNot(s.bits(w), y))
	case smt.OpBVOr:
		return z.Or(z.AndNot(want, y), z.And(s.bits(w), y))
	case smt.OpBVNand:
		return s.invertBinary(smt.OpBVAnd, w, i, z.Xor(want, value.Ones(w)), y)
	case smt.OpBVNor:
		return s.invertBinary(smt.OpBVOr, w, i, z.Xor(want, value.Ones(w)), y)
	case smt.OpBVMul:
		// Odd numbers are units modulo 2^w.
		if y.Bit(0) == 1 {
			inv := new(big.Int).ModInverse(y, new(big.Int).Lsh(value.BigOne, uint(w)))
			return z.Mul(want, inv)
		}
		if y.Sign() != 0 {
			// An even factor has no inverse: near the value is the best there is.
			return z.Quo(want, y)
		}
	case smt.OpBVUdiv:
		if i == 0 && y.Sign() != 0 {
			// The dividends with this quotient are want*y and the y-1 numbers behind it.
			z.Mul(want, y)
			return z.Add(z, new(big.Int).Mod(s.bits(w), y))
		}
		if i == 1 && want.Sign() != 0 {
			return z.Quo(y, want)
		}
	case smt.OpBVUrem:
		if i == 0 && want.Cmp(y) < 0 {
			return want
		}
	case smt.OpBVShl, smt.OpBVLshr, smt.OpBVAshr:
		if i == 1 || !y.IsUint64() || y.Uint64() >= uint64(w) {
			return big.NewInt(int64(s.r.Intn(w + 1)))
		}
		// The bits that are shifted out may be anything: random ones explore more than zeros.
		k := uint(y.Uint64())
		if op == smt.OpBVShl {
			return z.Or(z.Rsh(want, k), z.Lsh(s.bits(w), uint(w)-k))
		}
		return z.Or(z.Lsh(want, k), new(big.Int).And(s.bits(w), value.Ones(int(k)+1).Rsh(value.Ones(int(k)+1), 1)))
	case smt.OpBVComp:
		if want.Sign() != 0 {
			return y
		}
	}
	return nil
}

// downBVPredicate puts an argument on the right side of the other one.
func (s inversion) downBVPredicate(t smt.Term, op smt.Op, holds bool, i int, to func(*big.Int) step) step {
	a := s.a
	if a.NumArgs(t) != 2 {
		return to(nil)
	}
	y, ok := s.value(a.Arg(t, 1-i)).BV()
	if !ok {
		return to(nil)
	}
	w := a.Width(a.Sort(a.Arg(t, i)))
	var less, strict, signed bool
	switch op {
	case smt.OpBVUlt, smt.OpBVUle:
		less = true
	case smt.OpBVSlt, smt.OpBVSle:
		less, signed = true, true
	case smt.OpBVSgt, smt.OpBVSge:
		signed = true
	case smt.OpBVUgt, smt.OpBVUge:
	default:
		return to(nil)
	}
	strict = op == smt.OpBVUlt || op == smt.OpBVSlt || op == smt.OpBVUgt || op == smt.OpBVSgt
	if i == 1 {
		less = !less
	}
	if !holds {
		less, strict = !less, !strict
	}
	lo, hi := new(big.Int), value.Ones(w)
	bound := y
	if signed {
		bound = value.Signed(y, w)
		hi = value.Ones(w - 1)
		lo = new(big.Int).Not(hi)
	}
	// Half of the time the bound itself, and near it in a quarter: that is where constraints meet.
	off := new(big.Int)
	switch s.r.Intn(4) {
	case 0:
		off.Set(s.bits(w))
	case 1:
		off.SetInt64(int64(s.r.Intn(4)))
	}
	if strict && off.Sign() == 0 {
		off.SetInt64(1)
	}
	n := new(big.Int)
	if less {
		n.Sub(bound, off)
	} else {
		n.Add(bound, off)
	}
	// There may be no such number. The end of the range keeps the search going, and the comparison stays a goal.
	if n.Cmp(lo) < 0 {
		n = lo
	}
	if n.Cmp(hi) > 0 {
		n = hi
	}
	return to(n)
}
