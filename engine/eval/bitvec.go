package eval

import (
	"math/big"
	"math/bits"

	"github.com/smtlark/smtlark/engine/smt"
)

// bitvec computes the theory FixedSizeBitVectors of SMT-LIB 2.7 and what solvers add to it. All of it is total:
// bvudiv by zero is all ones, bvurem by zero its first argument.
func (e *Evaluator) bitvec(t smt.Term, op smt.Op, args []Value) Value {
	a := e.a
	sort := a.Sort(t)
	if op == smt.OpIntToBV {
		return e.intToBV(sort, args[0])
	}
	w := a.Width(args[0].sort)
	switch op {
	case smt.OpConcat:
		return e.concat(sort, args)
	case smt.OpBVIte:
		return args[2-args[0].bits]
	case smt.OpUbvToInt:
		if w <= 63 {
			return int64Value(int64(args[0].bits))
		}
		return intValue(args[0].bv())
	case smt.OpSbvToInt:
		return intValue(signedBig(args[0].bv(), w))
	}
	if len(args) > 2 { // the left-associative ones
		acc := args[0]
		for i := range args[1:] {
			acc = e.bitvec(t, op, []Value{acc, args[i+1]})
		}
		return acc
	}
	if w <= 64 && a.Width(sort) <= 64 {
		if v := e.smallBV(t, op, sort, w, args); v.kind != kNone {
			return v
		}
	}
	return e.bigBV(t, op, sort, w, args)
}

func signedBig(n *big.Int, w int) *big.Int {
	if n.Bit(w-1) == 0 {
		return n
	}
	return new(big.Int).Sub(n, new(big.Int).Lsh(bigOne, uint(w)))
}

func (e *Evaluator) intToBV(sort smt.Sort, v Value) Value {
	w := e.a.Width(sort)
	if v.kind == kInt && w <= 64 {
		return Value{sort: sort, kind: kBV, bits: v.bits & mask(w)}
	}
	return bvValue(sort, w, new(big.Int).And(v.big(), ones(w)))
}

func (e *Evaluator) concat(sort smt.Sort, args []Value) Value {
	a := e.a
	w := a.Width(sort)
	if w <= 64 {
		x := uint64(0)
		for i := range args {
			x = x<<uint(a.Width(args[i].sort)) | args[i].bits
		}
		return Value{sort: sort, kind: kBV, bits: x}
	}
	x := new(big.Int)
	for i := range args {
		x.Lsh(x, uint(a.Width(args[i].sort)))
		x.Or(x, args[i].bv())
	}
	return Value{sort: sort, kind: kBigBV, ref: x}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// smallBV computes on machine words; the zero Value says that the general way is needed.
func (e *Evaluator) smallBV(t smt.Term, op smt.Op, sort smt.Sort, w int, args []Value) Value {
	x := args[0].bits
	m := mask(w)
	word := func(r uint64) Value { return Value{sort: sort, kind: kBV, bits: r & m} }
	if len(args) == 1 {
		return e.smallUnary(t, op, sort, w, x)
	}
	y := args[1].bits
	shift := uint(64 - w)
	sx, sy := int64(x<<shift)>>shift, int64(y<<shift)>>shift
	switch op {
	case smt.OpBVAnd:
		return word(x & y)
	case smt.OpBVOr:
		return word(x | y)
	case smt.OpBVXor:
		return word(x ^ y)
	case smt.OpBVNand:
		return word(^(x & y))
	case smt.OpBVNor:
		return word(^(x | y))
	case smt.OpBVXnor:
		return word(^(x ^ y))
	case smt.OpBVAdd:
		return word(x + y)
	case smt.OpBVSub:
		return word(x - y)
	case smt.OpBVMul:
		return word(x * y)
	case smt.OpBVUdiv, smt.OpBVUdivTotal:
		if y == 0 {
			return word(m)
		}
		return word(x / y)
	case smt.OpBVUrem, smt.OpBVUremTotal:
		if y == 0 {
			return word(x)
		}
		return word(x % y)
	case smt.OpBVShl:
		if y >= uint64(w) {
			return word(0)
		}
		return word(x << y)
	case smt.OpBVLshr:
		if y >= uint64(w) {
			return word(0)
		}
		return word(x >> y)
	case smt.OpBVAshr:
		return word(uint64(sx >> min(y, 63)))
	case smt.OpBVComp:
		return Value{sort: sort, kind: kBV, bits: bit(x == y)}
	case smt.OpBVUlt:
		return BoolValue(x < y)
	case smt.OpBVUle:
		return BoolValue(x <= y)
	case smt.OpBVUgt:
		return BoolValue(x > y)
	case smt.OpBVUge:
		return BoolValue(x >= y)
	case smt.OpBVSlt:
		return BoolValue(sx < sy)
	case smt.OpBVSle:
		return BoolValue(sx <= sy)
	case smt.OpBVSgt:
		return BoolValue(sx > sy)
	case smt.OpBVSge:
		return BoolValue(sx >= sy)
	case smt.OpBVUltBV:
		return Value{sort: sort, kind: kBV, bits: bit(x < y)}
	case smt.OpBVSltBV:
		return Value{sort: sort, kind: kBV, bits: bit(sx < sy)}
	case smt.OpBVUaddo:
		_, carry := bits.Add64(x<<shift, y<<shift, 0)
		return BoolValue(carry == 1)
	case smt.OpBVUsubo:
		return BoolValue(x < y)
	case smt.OpBVUmulo, smt.OpBVUmulNoOvfl:
		hi, lo := bits.Mul64(x, y)
		return BoolValue((hi != 0 || lo > m) == (op == smt.OpBVUmulo))
	}
	return Value{}
}

func (e *Evaluator) smallUnary(t smt.Term, op smt.Op, sort smt.Sort, w int, x uint64) Value {
	m := mask(w)
	idx := e.a.Indices(t)
	word := func(r uint64) Value { return Value{sort: sort, kind: kBV, bits: r} }
	switch op {
	case smt.OpExtract:
		return word(x >> uint64(idx[1]) & mask(int(idx[0]-idx[1])+1))
	case smt.OpBVNot:
		return word(^x & m)
	case smt.OpBVNeg:
		return word(-x & m)
	case smt.OpBVInc:
		return word((x + 1) & m)
	case smt.OpBVDec:
		return word((x - 1) & m)
	case smt.OpZeroExtend:
		return word(x)
	case smt.OpSignExtend:
		shift := uint(64 - w)
		return word(uint64(int64(x<<shift)>>shift) & mask(w+int(idx[0])))
	case smt.OpBVNego:
		return BoolValue(x == 1<<uint(w-1))
	case smt.OpBVRedor:
		return word(bit(x != 0))
	case smt.OpBVRedand:
		return word(bit(x == m))
	case smt.OpBVRedxor:
		return word(uint64(bits.OnesCount64(x) & 1))
	case smt.OpBit2Bool:
		return BoolValue(x>>uint64(idx[0])&1 == 1)
	}
	return Value{}
}

// bigBV computes bit vectors of any width.
func (e *Evaluator) bigBV(t smt.Term, op smt.Op, sort smt.Sort, w int, args []Value) Value {
	x := args[0].bv()
	n := func(r *big.Int) Value { return bvValue(sort, e.a.Width(sort), r) }
	if len(args) == 1 {
		return e.bigUnary(t, op, n, w, x)
	}
	y := args[1].bv()
	z := new(big.Int)
	switch op {
	case smt.OpBVAnd:
		return n(z.And(x, y))
	case smt.OpBVOr:
		return n(z.Or(x, y))
	case smt.OpBVXor:
		return n(z.Xor(x, y))
	case smt.OpBVNand:
		return n(z.Not(z.And(x, y)))
	case smt.OpBVNor:
		return n(z.Not(z.Or(x, y)))
	case smt.OpBVXnor:
		return n(z.Not(z.Xor(x, y)))
	case smt.OpBVAdd:
		return n(z.Add(x, y))
	case smt.OpBVSub:
		return n(z.Sub(x, y))
	case smt.OpBVMul:
		return n(z.Mul(x, y))
	case smt.OpBVUdiv, smt.OpBVUdivTotal, smt.OpBVUrem, smt.OpBVUremTotal:
		q, r := udivrem(x, y, w)
		if op == smt.OpBVUdiv || op == smt.OpBVUdivTotal {
			return n(q)
		}
		return n(r)
	case smt.OpBVSdiv, smt.OpBVSrem, smt.OpBVSmod, smt.OpBVSdivTotal, smt.OpBVSremTotal, smt.OpBVSmodTotal:
		return n(signedDivision(op, x, y, w))
	case smt.OpBVShl, smt.OpBVLshr, smt.OpBVAshr:
		return n(shifted(op, x, y, w))
	case smt.OpBVRol, smt.OpBVRor, smt.OpExtRotateLeft, smt.OpExtRotateRight:
		k := uint(z.Mod(y, big.NewInt(int64(w))).Uint64())
		if op == smt.OpBVRor || op == smt.OpExtRotateRight {
			k = (uint(w) - k) % uint(w)
		}
		return n(rotated(x, k, w))
	case smt.OpBVComp:
		return n(big.NewInt(int64(bit(x.Cmp(y) == 0))))
	case smt.OpBVUltBV:
		return n(big.NewInt(int64(bit(x.Cmp(y) < 0))))
	case smt.OpBVUlt:
		return BoolValue(x.Cmp(y) < 0)
	case smt.OpBVUle:
		return BoolValue(x.Cmp(y) <= 0)
	case smt.OpBVUgt:
		return BoolValue(x.Cmp(y) > 0)
	case smt.OpBVUge:
		return BoolValue(x.Cmp(y) >= 0)
	}
	return e.bigSigned(op, n, w, x, y)
}

// bigSigned computes the comparisons of signed numbers and the overflow predicates (SMT-LIB 2.7, theory
// FixedSizeBitVectors).
func (e *Evaluator) bigSigned(op smt.Op, n func(*big.Int) Value, w int, x, y *big.Int) Value {
	sx, sy := signedBig(x, w), signedBig(y, w)
	z := new(big.Int)
	switch op {
	case smt.OpBVSltBV:
		return n(big.NewInt(int64(bit(sx.Cmp(sy) < 0))))
	case smt.OpBVSlt:
		return BoolValue(sx.Cmp(sy) < 0)
	case smt.OpBVSle:
		return BoolValue(sx.Cmp(sy) <= 0)
	case smt.OpBVSgt:
		return BoolValue(sx.Cmp(sy) > 0)
	case smt.OpBVSge:
		return BoolValue(sx.Cmp(sy) >= 0)
	case smt.OpBVUaddo:
		return BoolValue(z.Add(x, y).BitLen() > w)
	case smt.OpBVUsubo:
		return BoolValue(x.Cmp(y) < 0)
	case smt.OpBVUmulo:
		return BoolValue(z.Mul(x, y).BitLen() > w)
	case smt.OpBVUmulNoOvfl:
		return BoolValue(z.Mul(x, y).BitLen() <= w)
	case smt.OpBVSaddo:
		return BoolValue(!fitsSigned(z.Add(sx, sy), w))
	case smt.OpBVSsubo:
		return BoolValue(!fitsSigned(z.Sub(sx, sy), w))
	case smt.OpBVSmulo:
		return BoolValue(!fitsSigned(z.Mul(sx, sy), w))
	case smt.OpBVSmulNoOvfl: // z3: the product is not above the greatest number
		z.Mul(sx, sy)
		return BoolValue(z.Sign() < 0 || fitsSigned(z, w))
	case smt.OpBVSmulNoUdfl: // z3: the product is not below the least number
		z.Mul(sx, sy)
		return BoolValue(z.Sign() >= 0 || fitsSigned(z, w))
	case smt.OpBVSdivo:
		least := new(big.Int).Lsh(bigOne, uint(w-1))
		return BoolValue(x.Cmp(least) == 0 && y.Cmp(ones(w)) == 0)
	}
	return unknown(op.String(), "not defined on bit vectors")
}

func fitsSigned(n *big.Int, w int) bool {
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < w
}

func udivrem(x, y *big.Int, w int) (q, r *big.Int) {
	if y.Sign() == 0 {
		return ones(w), x
	}
	return new(big.Int).QuoRem(x, y, new(big.Int))
}

// signedDivision follows the definitions of bvsdiv, bvsrem and bvsmod by bvudiv and bvurem of magnitudes.
func signedDivision(op smt.Op, x, y *big.Int, w int) *big.Int {
	sx, sy := signedBig(x, w), signedBig(y, w)
	q, r := udivrem(new(big.Int).Abs(sx), new(big.Int).Abs(sy), w)
	switch op {
	case smt.OpBVSdiv, smt.OpBVSdivTotal:
		if (sx.Sign() < 0) != (sy.Sign() < 0) {
			q = new(big.Int).Neg(q)
		}
		return q
	case smt.OpBVSrem, smt.OpBVSremTotal:
		if sx.Sign() < 0 {
			r = new(big.Int).Neg(r)
		}
		return r
	}
	switch {
	case r.Sign() == 0:
	case sx.Sign() < 0 && sy.Sign() < 0:
		r = new(big.Int).Neg(r)
	case sx.Sign() < 0:
		r = new(big.Int).Sub(sy, r)
	case sy.Sign() < 0:
		r = new(big.Int).Add(sy, r)
	}
	return r
}

func shifted(op smt.Op, x, y *big.Int, w int) *big.Int {
	k := uint(w)
	if y.IsUint64() && y.Uint64() < uint64(w) {
		k = uint(y.Uint64())
	}
	switch op {
	case smt.OpBVShl:
		if k == uint(w) {
			return new(big.Int)
		}
		return new(big.Int).Lsh(x, k)
	case smt.OpBVLshr:
		return new(big.Int).Rsh(x, k)
	}
	return new(big.Int).Rsh(signedBig(x, w), k)
}

// rotated rotates left by k < w.
func rotated(x *big.Int, k uint, w int) *big.Int {
	z := new(big.Int).Lsh(x, k)
	return z.Or(z.And(z, ones(w)), new(big.Int).Rsh(x, uint(w)-k))
}

func (e *Evaluator) bigUnary(t smt.Term, op smt.Op, n func(*big.Int) Value, w int, x *big.Int) Value {
	z := new(big.Int)
	idx := e.a.Indices(t)
	index := func(i int) uint64 {
		k, _ := e.a.IndexUint(idx[i])
		return k
	}
	switch op {
	case smt.OpExtract:
		return n(z.And(z.Rsh(x, uint(index(1))), ones(int(index(0)-index(1))+1)))
	case smt.OpBVNot:
		return n(z.Not(x))
	case smt.OpBVNeg:
		return n(z.Neg(x))
	case smt.OpBVInc:
		return n(z.Add(x, bigOne))
	case smt.OpBVDec:
		return n(z.Sub(x, bigOne))
	case smt.OpZeroExtend:
		return n(x)
	case smt.OpSignExtend:
		return n(signedBig(x, w))
	case smt.OpRepeat:
		for range index(0) {
			z.Or(z.Lsh(z, uint(w)), x)
		}
		return n(z)
	case smt.OpRotateLeft:
		return n(rotated(x, uint(index(0)%uint64(w)), w))
	case smt.OpRotateRight:
		return n(rotated(x, uint((uint64(w)-index(0)%uint64(w))%uint64(w)), w))
	case smt.OpBVNego:
		return BoolValue(x.Cmp(new(big.Int).Lsh(bigOne, uint(w-1))) == 0)
	case smt.OpBVRedor:
		return n(big.NewInt(int64(bit(x.Sign() != 0))))
	case smt.OpBVRedand:
		return n(big.NewInt(int64(bit(x.Cmp(ones(w)) == 0))))
	case smt.OpBVRedxor:
		count := 0
		for _, word := range x.Bits() {
			count += bits.OnesCount(uint(word))
		}
		return n(big.NewInt(int64(count & 1)))
	case smt.OpBit2Bool:
		return BoolValue(x.Bit(int(index(0))) == 1)
	}
	return unknown(op.String(), "not defined on bit vectors")
}
