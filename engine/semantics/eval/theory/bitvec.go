package theory

import (
	"math/big"
	"math/bits"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// bitVectors computes the theory FixedSizeBitVectors of SMT-LIB 2.7 and what solvers add to it. All of it is total:
// bvudiv by zero is all ones, bvurem by zero its first argument.
func bitVectors(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	a := c.Arena
	sort := a.Sort(t)
	w := a.Width(args[0].Sort())
	switch op {
	case smt.OpBVIte:
		return args[2-args[0].Bits()]
	case smt.OpUbvToInt:
		if w <= 63 {
			return value.Int64(int64(args[0].Bits()))
		}
		return value.Int(args[0].BigBitVec())
	case smt.OpSbvToInt:
		return value.Int(value.Signed(args[0].BigBitVec(), w))
	}
	if len(args) > 2 { // the left-associative ones
		acc := args[0]
		for i := range args[1:] {
			acc = bitVectors(c, t, op, []value.Value{acc, args[i+1]})
		}
		return acc
	}
	if w <= 64 && a.Width(sort) <= 64 {
		if v := wordOperation(c, t, op, sort, w, args); v.Kind() != value.KindNone {
			return v
		}
	}
	return bigBinary(c, t, op, sort, w, args)
}

func intToBV(c *Context, t smt.Term, _ smt.Op, args []value.Value) value.Value {
	sort, v := c.Arena.Sort(t), args[0]
	w := c.Arena.Width(sort)
	if v.Kind() == value.KindInt && w <= 64 {
		return value.Word(sort, v.Bits()&value.Mask(w))
	}
	return value.BitVecOf(sort, w, new(big.Int).And(v.BigInt(), value.Ones(w)))
}

func concat(c *Context, t smt.Term, _ smt.Op, args []value.Value) value.Value {
	sort := c.Arena.Sort(t)
	a := c.Arena
	w := a.Width(sort)
	if w <= 64 {
		x := uint64(0)
		for i := range args {
			x = x<<uint(a.Width(args[i].Sort())) | args[i].Bits()
		}
		return value.Word(sort, x)
	}
	x := new(big.Int)
	for i := range args {
		x.Lsh(x, uint(a.Width(args[i].Sort())))
		x.Or(x, args[i].BigBitVec())
	}
	return value.BigBitVec(sort, x)
}

// wordOperation computes on machine words; the zero Value means that the general case is needed.
func wordOperation(c *Context, t smt.Term, op smt.Op, sort smt.Sort, w int, args []value.Value) value.Value {
	x := args[0].Bits()
	m := value.Mask(w)
	word := func(r uint64) value.Value { return value.Word(sort, r&m) }
	if len(args) == 1 {
		return wordUnary(c, t, op, sort, w, x)
	}
	y := args[1].Bits()
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
			// Division by zero is defined since SMT-LIB 2.6: all ones, and the dividend as the remainder.
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
		return value.Word(sort, value.Bit(x == y))
	case smt.OpBVUlt:
		return value.Bool(x < y)
	case smt.OpBVUle:
		return value.Bool(x <= y)
	case smt.OpBVUgt:
		return value.Bool(x > y)
	case smt.OpBVUge:
		return value.Bool(x >= y)
	case smt.OpBVSlt:
		return value.Bool(sx < sy)
	case smt.OpBVSle:
		return value.Bool(sx <= sy)
	case smt.OpBVSgt:
		return value.Bool(sx > sy)
	case smt.OpBVSge:
		return value.Bool(sx >= sy)
	case smt.OpBVUltBV:
		return value.Word(sort, value.Bit(x < y))
	case smt.OpBVSltBV:
		return value.Word(sort, value.Bit(sx < sy))
	case smt.OpBVUaddo:
		// The operands are shifted to the upper end of the word, where the carry of w bits is the carry of 64.
		_, carry := bits.Add64(x<<shift, y<<shift, 0)
		return value.Bool(carry == 1)
	case smt.OpBVUsubo:
		return value.Bool(x < y)
	case smt.OpBVUmulo, smt.OpBVUmulNoOvfl:
		hi, lo := bits.Mul64(x, y)
		return value.Bool((hi != 0 || lo > m) == (op == smt.OpBVUmulo))
	}
	return value.Value{}
}

func wordUnary(c *Context, t smt.Term, op smt.Op, sort smt.Sort, w int, x uint64) value.Value {
	m := value.Mask(w)
	idx := c.Arena.Indices(t)
	word := func(r uint64) value.Value { return value.Word(sort, r) }
	switch op {
	case smt.OpExtract:
		return word(x >> uint64(idx[1]) & value.Mask(int(idx[0]-idx[1])+1))
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
		return word(uint64(int64(x<<shift)>>shift) & value.Mask(w+int(idx[0])))
	case smt.OpBVNego:
		return value.Bool(x == 1<<uint(w-1))
	case smt.OpBVRedor:
		return word(value.Bit(x != 0))
	case smt.OpBVRedand:
		return word(value.Bit(x == m))
	case smt.OpBVRedxor:
		return word(uint64(bits.OnesCount64(x) & 1))
	case smt.OpBit2Bool:
		return value.Bool(x>>uint64(idx[0])&1 == 1)
	}
	return value.Value{}
}

// bigBinary computes bit vectors of any width.
func bigBinary(c *Context, t smt.Term, op smt.Op, sort smt.Sort, w int, args []value.Value) value.Value {
	x := args[0].BigBitVec()
	// Results are taken modulo 2^w here, so operations below may leave negative or longer numbers.
	n := func(r *big.Int) value.Value { return value.BitVecOf(sort, c.Arena.Width(sort), r) }
	if len(args) == 1 {
		return bigUnary(c, t, op, n, w, x)
	}
	y := args[1].BigBitVec()
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
		return n(value.Rotated(x, k, w))
	case smt.OpBVComp:
		return n(big.NewInt(int64(value.Bit(x.Cmp(y) == 0))))
	case smt.OpBVUltBV:
		return n(big.NewInt(int64(value.Bit(x.Cmp(y) < 0))))
	case smt.OpBVUlt:
		return value.Bool(x.Cmp(y) < 0)
	case smt.OpBVUle:
		return value.Bool(x.Cmp(y) <= 0)
	case smt.OpBVUgt:
		return value.Bool(x.Cmp(y) > 0)
	case smt.OpBVUge:
		return value.Bool(x.Cmp(y) >= 0)
	}
	return bigSigned(c, op, n, w, x, y)
}

// bigSigned computes the comparisons of signed numbers and the overflow predicates (SMT-LIB 2.7, theory
// FixedSizeBitVectors).
func bigSigned(c *Context, op smt.Op, n func(*big.Int) value.Value, w int, x, y *big.Int) value.Value {
	sx, sy := value.Signed(x, w), value.Signed(y, w)
	z := new(big.Int)
	switch op {
	case smt.OpBVSltBV:
		return n(big.NewInt(int64(value.Bit(sx.Cmp(sy) < 0))))
	case smt.OpBVSlt:
		return value.Bool(sx.Cmp(sy) < 0)
	case smt.OpBVSle:
		return value.Bool(sx.Cmp(sy) <= 0)
	case smt.OpBVSgt:
		return value.Bool(sx.Cmp(sy) > 0)
	case smt.OpBVSge:
		return value.Bool(sx.Cmp(sy) >= 0)
	case smt.OpBVUaddo:
		return value.Bool(z.Add(x, y).BitLen() > w)
	case smt.OpBVUsubo:
		return value.Bool(x.Cmp(y) < 0)
	case smt.OpBVUmulo:
		return value.Bool(z.Mul(x, y).BitLen() > w)
	case smt.OpBVUmulNoOvfl:
		return value.Bool(z.Mul(x, y).BitLen() <= w)
	case smt.OpBVSaddo:
		return value.Bool(!fitsSigned(z.Add(sx, sy), w))
	case smt.OpBVSsubo:
		return value.Bool(!fitsSigned(z.Sub(sx, sy), w))
	case smt.OpBVSmulo:
		return value.Bool(!fitsSigned(z.Mul(sx, sy), w))
	case smt.OpBVSmulNoOvfl: // z3: the product is not above the greatest number
		z.Mul(sx, sy)
		return value.Bool(z.Sign() < 0 || fitsSigned(z, w))
	case smt.OpBVSmulNoUdfl: // z3: the product is not below the least number
		z.Mul(sx, sy)
		return value.Bool(z.Sign() >= 0 || fitsSigned(z, w))
	case smt.OpBVSdivo:
		least := new(big.Int).Lsh(value.BigOne, uint(w-1))
		return value.Bool(x.Cmp(least) == 0 && y.Cmp(value.Ones(w)) == 0)
	}
	return value.NoValue(op.String(), "not defined on bit vectors")
}

func fitsSigned(n *big.Int, w int) bool {
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < w
}

func udivrem(x, y *big.Int, w int) (q, r *big.Int) {
	if y.Sign() == 0 {
		return value.Ones(w), x
	}
	return new(big.Int).QuoRem(x, y, new(big.Int))
}

// signedDivision follows the definitions of bvsdiv, bvsrem and bvsmod by bvudiv and bvurem of magnitudes.
func signedDivision(op smt.Op, x, y *big.Int, w int) *big.Int {
	sx, sy := value.Signed(x, w), value.Signed(y, w)
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
	return new(big.Int).Rsh(value.Signed(x, w), k)
}

func bigUnary(c *Context, t smt.Term, op smt.Op, n func(*big.Int) value.Value, w int, x *big.Int) value.Value {
	z := new(big.Int)
	idx := c.Arena.Indices(t)
	index := func(i int) uint64 {
		k, _ := c.Arena.IndexUint(idx[i])
		return k
	}
	switch op {
	case smt.OpExtract:
		return n(z.And(z.Rsh(x, uint(index(1))), value.Ones(int(index(0)-index(1))+1)))
	case smt.OpBVNot:
		return n(z.Not(x))
	case smt.OpBVNeg:
		return n(z.Neg(x))
	case smt.OpBVInc:
		return n(z.Add(x, value.BigOne))
	case smt.OpBVDec:
		return n(z.Sub(x, value.BigOne))
	case smt.OpZeroExtend:
		return n(x)
	case smt.OpSignExtend:
		return n(value.Signed(x, w))
	case smt.OpRepeat:
		for range index(0) {
			z.Or(z.Lsh(z, uint(w)), x)
		}
		return n(z)
	case smt.OpRotateLeft:
		return n(value.Rotated(x, uint(index(0)%uint64(w)), w))
	case smt.OpRotateRight:
		return n(value.Rotated(x, uint((uint64(w)-index(0)%uint64(w))%uint64(w)), w))
	case smt.OpBVNego:
		// Only the least number has a negation that does not fit.
		return value.Bool(x.Cmp(new(big.Int).Lsh(value.BigOne, uint(w-1))) == 0)
	case smt.OpBVRedor:
		return n(big.NewInt(int64(value.Bit(x.Sign() != 0))))
	case smt.OpBVRedand:
		return n(big.NewInt(int64(value.Bit(x.Cmp(value.Ones(w)) == 0))))
	case smt.OpBVRedxor:
		count := 0
		for _, word := range x.Bits() {
			count += bits.OnesCount(uint(word))
		}
		return n(big.NewInt(int64(count & 1)))
	case smt.OpBit2Bool:
		return value.Bool(x.Bit(int(index(0))) == 1)
	}
	return value.NoValue(op.String(), "not defined on bit vectors")
}
