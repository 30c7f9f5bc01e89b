package eval

import (
	"math/big"
	"math/bits"

	"github.com/smtlark/smtlark/engine/eval/softfp"
	"github.com/smtlark/smtlark/engine/smt"
)

// kind says how a Value is represented. Representations are canonical: equal values of one sort have one kind.
type kind uint8

const (
	kNone    kind = iota // the zero Value: no value
	kUnknown             // ref is a *Reason
	kBool                // bits is 0 or 1
	kInt                 // bits is an int64
	kBigInt              // ref is a *big.Int that does not fit an int64
	kReal                // bits is an int64, the value an integer
	kRat                 // ref is a *big.Rat that is no kReal
	kBV                  // bits; the width is at most 64
	kBigBV               // ref is a *big.Int from 0 to 2^width-1; the width is above 64
	kFP                  // bits in the interchange format with one NaN; eb+sb is at most 64
	kBigFP               // ref is a *softfp.Float
	kRM                  // bits is a softfp.Rounding
	kFF                  // ref is a *big.Int from 0 to p-1
	kString              // ref is a *stringValue
	kRegex               // ref is a regular language
	kSeq                 // ref is a *seqValue
	kData                // ref is a *dataValue
	kTable               // an array, a set or a bag; ref is a *table
	kClosure             // an array or function given by a term; ref is a *closure
	kUser                // bits is the number of the element in the sort's universe
)

// Value is an immutable value of any sort of one Arena. The zero Value is no value.
type Value struct {
	sort smt.Sort
	kind kind
	bits uint64
	ref  any
}

type stringValue struct{ runes []rune }

// seqValue, dataValue and table know whether a closure is inside, because such values cannot always be compared.
type seqValue struct {
	elems  []Value
	opaque bool
}

type dataValue struct {
	ctor   int // number of the constructor in its datatype
	fields []Value
	hash   uint64
	opaque bool
}

// words returns how much memory a large value has for itself, in units of 8 bytes; 0 for small ones and for those that share
// nearly all of theirs with others.
func (v Value) words() int64 {
	switch v.kind {
	case kBigInt, kBigBV, kFF:
		return int64(len(v.ref.(*big.Int).Bits()))
	case kRat:
		r := v.ref.(*big.Rat)
		return int64(len(r.Num().Bits()) + len(r.Denom().Bits()))
	case kString:
		return int64(len(v.runes()) / 2)
	case kSeq:
		return int64(len(v.elems())) * 5
	}
	return 0
}

// Sort returns the sort of the value.
func (v Value) Sort() smt.Sort { return v.sort }

// IsValue reports whether v is a value: neither the zero Value nor an unknown one.
func (v Value) IsValue() bool { return v.kind > kUnknown }

// BoolValue returns a truth value.
func BoolValue(b bool) Value {
	if b {
		return Value{sort: smt.SortBool, kind: kBool, bits: 1}
	}
	return Value{sort: smt.SortBool, kind: kBool}
}

// int64Value returns a small Int.
func int64Value(n int64) Value { return Value{sort: smt.SortInt, kind: kInt, bits: uint64(n)} }

// intValue returns an Int. It keeps n, which must not be changed afterwards.
func intValue(n *big.Int) Value {
	if n.IsInt64() {
		return int64Value(n.Int64())
	}
	return Value{sort: smt.SortInt, kind: kBigInt, ref: n}
}

// realValue returns a Real. It keeps r, which must not be changed afterwards.
func realValue(r *big.Rat) Value {
	if r.IsInt() && r.Num().IsInt64() {
		return real64(r.Num().Int64())
	}
	return Value{sort: smt.SortReal, kind: kRat, ref: r}
}

func real64(n int64) Value { return Value{sort: smt.SortReal, kind: kReal, bits: uint64(n)} }

// BVValue returns n modulo 2^width in the bit-vector sort of that width. It keeps n.
func BVValue(a *smt.Arena, width int, n *big.Int) Value {
	return bvValue(a.BitVec(width), width, n)
}

// bV64Value is BVValue for a width of at most 64.
func bV64Value(a *smt.Arena, width int, n uint64) Value {
	return Value{sort: a.BitVec(width), kind: kBV, bits: n & mask(width)}
}

func bvValue(sort smt.Sort, width int, n *big.Int) Value {
	if n.Sign() < 0 || n.BitLen() > width {
		n = new(big.Int).And(n, ones(width))
	}
	if width <= 64 {
		return Value{sort: sort, kind: kBV, bits: n.Uint64()}
	}
	return Value{sort: sort, kind: kBigBV, ref: n}
}

func mask(width int) uint64 { return ^uint64(0) >> uint(64-width) }

func ones(width int) *big.Int {
	x := new(big.Int).Lsh(bigOne, uint(width))
	return x.Sub(x, bigOne)
}

var bigOne = big.NewInt(1)

// FPValue returns a floating-point number; sort is the sort of its format.
func FPValue(sort smt.Sort, x softfp.Float) Value {
	if x.Format().Width() <= 64 {
		return Value{sort: sort, kind: kFP, bits: x.Bits64()}
	}
	return Value{sort: sort, kind: kBigFP, ref: &x}
}

// roundingValue returns a rounding mode.
func roundingValue(m softfp.Rounding) Value {
	return Value{sort: smt.SortRoundingMode, kind: kRM, bits: uint64(m)}
}

// StringValue returns a string of code points from 0 to 0x2FFFF. It keeps s.
func StringValue(s []rune) Value {
	return Value{sort: smt.SortString, kind: kString, ref: &stringValue{s}}
}

// FFValue returns n modulo the size of the field.
func FFValue(a *smt.Arena, field smt.Sort, n *big.Int) Value {
	return Value{sort: field, kind: kFF, ref: new(big.Int).Mod(n, a.Modulus(field))}
}

// SeqValue returns a sequence. It keeps the elements.
func SeqValue(sort smt.Sort, elems []Value) Value {
	s := &seqValue{elems: elems}
	for i := range elems {
		s.opaque = s.opaque || !elems[i].comparable()
	}
	return Value{sort: sort, kind: kSeq, ref: s}
}

// DataValue returns the value of a datatype made by its constructor number ctor from the fields, which it keeps.
func DataValue(sort smt.Sort, ctor int, fields ...Value) Value {
	d := &dataValue{ctor: ctor, fields: fields, hash: mix64(uint64(kData)<<32 + uint64(ctor))}
	for i := range fields {
		d.hash = mix64(d.hash ^ fields[i].hash())
		d.opaque = d.opaque || !fields[i].comparable()
	}
	return Value{sort: sort, kind: kData, ref: d}
}

// ElementValue returns element n of the universe of an uninterpreted sort.
func ElementValue(sort smt.Sort, n uint64) Value { return Value{sort: sort, kind: kUser, bits: n} }

// Bool returns a truth value; ok is false if v is none.
func (v Value) Bool() (b, ok bool) { return v.bits == 1, v.kind == kBool }

// Int returns an Int, which must not be changed; ok is false if v is none.
func (v Value) Int() (n *big.Int, ok bool) {
	switch v.kind {
	case kInt:
		return big.NewInt(int64(v.bits)), true
	case kBigInt:
		return v.ref.(*big.Int), true
	}
	return nil, false
}

// Rat returns a Real, which must not be changed; ok is false if v is none.
func (v Value) Rat() (r *big.Rat, ok bool) {
	switch v.kind {
	case kReal:
		return new(big.Rat).SetInt64(int64(v.bits)), true
	case kRat:
		return v.ref.(*big.Rat), true
	}
	return nil, false
}

// BV returns the unsigned number of a bit vector, which must not be changed; ok is false if v is none.
func (v Value) BV() (n *big.Int, ok bool) {
	switch v.kind {
	case kBV:
		return new(big.Int).SetUint64(v.bits), true
	case kBigBV:
		return v.ref.(*big.Int), true
	}
	return nil, false
}

// FP returns a floating-point number; ok is false if v is none.
func (v Value) FP(a *smt.Arena) (x softfp.Float, ok bool) {
	switch v.kind {
	case kFP:
		f, err := format(a, v.sort)
		return f.FromBits64(v.bits), err == nil
	case kBigFP:
		return *v.ref.(*softfp.Float), true
	}
	return x, false
}

func format(a *smt.Arena, sort smt.Sort) (softfp.Format, error) {
	eb, sb := a.FloatFormat(sort)
	return softfp.NewFormat(uint(eb), uint(sb))
}

// Rounding returns a rounding mode; ok is false if v is none.
func (v Value) Rounding() (m softfp.Rounding, ok bool) { return softfp.Rounding(v.bits), v.kind == kRM }

// Runes returns the code points of a string, which must not be changed; ok is false if v is none.
func (v Value) Runes() (s []rune, ok bool) {
	if v.kind != kString {
		return nil, false
	}
	return v.ref.(*stringValue).runes, true
}

// Elements returns the elements of a sequence, which must not be changed; ok is false if v is none.
func (v Value) Elements() (elems []Value, ok bool) {
	if v.kind != kSeq {
		return nil, false
	}
	return v.ref.(*seqValue).elems, true
}

// Data returns constructor and fields of a value of a datatype; ok is false if v is none.
func (v Value) Data() (ctor int, fields []Value, ok bool) {
	if v.kind != kData {
		return 0, nil, false
	}
	d := v.ref.(*dataValue)
	return d.ctor, d.fields, true
}

// Element returns the number of an element of an uninterpreted sort; ok is false if v is none.
func (v Value) Element() (n uint64, ok bool) { return v.bits, v.kind == kUser }

// Field returns the value of an element of a finite field; ok is false if v is none.
func (v Value) Field() (n *big.Int, ok bool) {
	if v.kind != kFF {
		return nil, false
	}
	return v.ref.(*big.Int), true
}

func (v Value) runes() []rune    { return v.ref.(*stringValue).runes }
func (v Value) elems() []Value   { return v.ref.(*seqValue).elems }
func (v Value) data() *dataValue { return v.ref.(*dataValue) }
func (v Value) table() *table    { return v.ref.(*table) }
func (v Value) isTrue() bool     { return v.kind == kBool && v.bits == 1 }
func (v Value) isFalse() bool    { return v.kind == kBool && v.bits == 0 }
func (v Value) unknown() bool    { return v.kind <= kUnknown }
func (v Value) big() *big.Int    { n, _ := v.Int(); return n }
func (v Value) rat() *big.Rat    { r, _ := v.Rat(); return r }
func (v Value) bv() *big.Int     { n, _ := v.BV(); return n }
func (v Value) signed() int64    { return int64(v.bits) }
func (v Value) ffInt() *big.Int  { return v.ref.(*big.Int) }

// comparable reports whether it is always known if v is equal to another value: it is no closure and no regular language, and has none inside.
func (v Value) comparable() bool { return v.kind != kRegex && !v.opaque() }

// opaque reports whether v is a closure, or has one or a regular language inside.
func (v Value) opaque() bool {
	switch v.kind {
	case kClosure:
		return true
	case kSeq:
		return v.ref.(*seqValue).opaque
	case kData:
		return v.ref.(*dataValue).opaque
	case kTable:
		return v.ref.(*table).opaque
	}
	return false
}

func mix64(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

func hashBig(h uint64, n *big.Int) uint64 {
	for _, w := range n.Bits() {
		h = mix64(h ^ uint64(w))
	}
	return mix64(h + uint64(n.Sign()+1))
}

// hash is the same for equal values of one sort, on every machine.
func (v Value) hash() uint64 {
	h := mix64(uint64(v.kind) + 0x9E3779B97F4A7C15)
	switch v.kind {
	case kBigInt, kBigBV, kFF:
		return hashBig(h, v.ref.(*big.Int))
	case kRat:
		r := v.ref.(*big.Rat)
		return hashBig(hashBig(h, r.Num()), r.Denom())
	case kBigFP:
		return hashBig(h, v.ref.(*softfp.Float).Bits())
	case kString:
		for _, r := range v.runes() {
			h = bits.RotateLeft64(h, 5) ^ uint64(r)*0x9E3779B97F4A7C15
		}
		return mix64(h)
	case kSeq:
		for _, x := range v.elems() {
			h = mix64(h ^ x.hash())
		}
		return h
	case kData:
		return v.data().hash
	case kTable:
		return mix64(h ^ v.table().contentHash())
	case kClosure:
		return mix64(h ^ uint64(v.ref.(*closure).body))
	case kRegex: // languages are compared, not expressions
		return h
	}
	return mix64(h ^ v.bits)
}
