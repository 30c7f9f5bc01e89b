package value

import (
	"math/big"
	"math/bits"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
)

// Representation says how a Value is represented. Representations are canonical: equal values of one sort have one
// kind.
type Representation uint8

const (
	KindNone        Representation = iota // the zero Value: no value
	KindUnknown                           // ref is a *Reason
	KindBool                              // bits is 0 or 1
	KindInt                               // bits is an int64
	KindBigInt                            // ref is a *big.Int that does not fit an int64
	KindReal                              // bits is an int64, the value an integer
	KindRat                               // ref is a *big.Rat that is no kReal
	KindBitVec                            // bits; the width is at most 64
	KindBigBitVec                         // ref is a *big.Int from 0 to 2^width-1; the width is above 64
	KindFloat                             // bits in the interchange format with one NaN; eb+sb is at most 64
	KindBigFloat                          // ref is a *softfp.Float
	KindRounding                          // bits is a softfp.Rounding
	KindFiniteField                       // ref is a *big.Int from 0 to p-1
	KindString                            // ref is a *stringValue
	KindRegex                             // ref is a regular language
	KindSeq                               // ref is a *seqValue
	KindData                              // ref is a *dataValue
	KindTable                             // an array, a set or a bag; ref is a *table
	KindClosure                           // an array or function given by a term; ref is a *closure
	KindElement                           // bits is the number of the element in the sort's universe
)

// Value is an immutable value of any sort of one Arena. The zero Value is no value.
type Value struct {
	sort smt.Sort
	kind Representation
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

// Words returns how much memory a large value has for itself, in units of 8 bytes; 0 for small ones and for those that
// share nearly all of theirs with others.
func (v Value) Words() int64 {
	switch v.kind {
	case KindBigInt, KindBigBitVec, KindFiniteField:
		return int64(len(v.ref.(*big.Int).Bits()))
	case KindRat:
		r := v.ref.(*big.Rat)
		return int64(len(r.Num().Bits()) + len(r.Denom().Bits()))
	case KindString:
		return int64(len(v.CodePoints()) / 2)
	case KindSeq:
		return int64(len(v.Items())) * 5
	}
	return 0
}

// Sort returns the sort of the value.
func (v Value) Sort() smt.Sort { return v.sort }

// IsValue reports whether v is a value: neither the zero Value nor an unknown one.
func (v Value) IsValue() bool { return v.kind > KindUnknown }

// Bool returns a truth value.
func Bool(b bool) Value {
	if b {
		return Value{sort: smt.SortBool, kind: KindBool, bits: 1}
	}
	return Value{sort: smt.SortBool, kind: KindBool}
}

// Int64 returns a small Int.
func Int64(n int64) Value { return Value{sort: smt.SortInt, kind: KindInt, bits: uint64(n)} }

// Int returns an Int. It keeps n, which must not be changed afterwards.
func Int(n *big.Int) Value {
	if n.IsInt64() {
		return Int64(n.Int64())
	}
	return Value{sort: smt.SortInt, kind: KindBigInt, ref: n}
}

// Real returns a Real. It keeps r, which must not be changed afterwards.
func Real(r *big.Rat) Value {
	if r.IsInt() && r.Num().IsInt64() {
		return Real64(r.Num().Int64())
	}
	return Value{sort: smt.SortReal, kind: KindRat, ref: r}
}

// Real64 returns a Real that is a small integer.
func Real64(n int64) Value { return Value{sort: smt.SortReal, kind: KindReal, bits: uint64(n)} }

// BitVec returns n modulo 2^width in the bit-vector sort of that width. It keeps n.
func BitVec(a *smt.Arena, width int, n *big.Int) Value {
	return BitVecOf(a.BitVec(width), width, n)
}

// BitVec64 is BVValue for a width of at most 64.
func BitVec64(a *smt.Arena, width int, n uint64) Value {
	return Word(a.BitVec(width), n&Mask(width))
}

// BitVecOf is BitVec for the sort of that width.
func BitVecOf(sort smt.Sort, width int, n *big.Int) Value {
	if n.Sign() < 0 || n.BitLen() > width {
		n = new(big.Int).And(n, Ones(width))
	}
	if width <= 64 {
		return Word(sort, n.Uint64())
	}
	return BigBitVec(sort, n)
}

// Float returns a floating-point number; sort is the sort of its format.
func Float(sort smt.Sort, x softfp.Float) Value {
	if x.Format().Width() <= 64 {
		return Value{sort: sort, kind: KindFloat, bits: x.Bits64()}
	}
	return Value{sort: sort, kind: KindBigFloat, ref: &x}
}

// Rounding returns a rounding mode.
func Rounding(m softfp.Rounding) Value {
	return Value{sort: smt.SortRoundingMode, kind: KindRounding, bits: uint64(m)}
}

// String returns a string of code points from 0 to 0x2FFFF. It keeps s.
func String(s []rune) Value {
	return Value{sort: smt.SortString, kind: KindString, ref: &stringValue{s}}
}

// Word returns a bit vector of at most 64 bits; word must have no bit beyond its width.
func Word(sort smt.Sort, word uint64) Value { return Value{sort: sort, kind: KindBitVec, bits: word} }

// BigBitVec returns a bit vector of more than 64 bits. It keeps n, which must be from 0 to 2^width-1.
func BigBitVec(sort smt.Sort, n *big.Int) Value {
	return Value{sort: sort, kind: KindBigBitVec, ref: n}
}

// OfClosure returns an array or a function given by a term.
func OfClosure(sort smt.Sort, c *Closure) Value { return Value{sort: sort, kind: KindClosure, ref: c} }

// OfRegex returns a regular language as an expression of a builder. It is good for as long as the builder is not reset.
func OfRegex(b *strre.Builder, r strre.Regex) Value {
	return Value{sort: smt.SortRegLan, kind: KindRegex, bits: uint64(r), ref: b}
}

// FieldElement returns n in a finite field, where it must be from 0 to p-1. It keeps n.
func FieldElement(field smt.Sort, n *big.Int) Value {
	return Value{sort: field, kind: KindFiniteField, ref: n}
}

// FiniteField returns n modulo the size of the field.
func FiniteField(a *smt.Arena, field smt.Sort, n *big.Int) Value {
	return FieldElement(field, new(big.Int).Mod(n, a.Modulus(field)))
}

// Seq returns a sequence. It keeps the elements.
func Seq(sort smt.Sort, elems []Value) Value {
	s := &seqValue{elems: elems}
	for i := range elems {
		s.opaque = s.opaque || !elems[i].Comparable()
	}
	return Value{sort: sort, kind: KindSeq, ref: s}
}

// Data returns the value of a datatype made by its constructor number ctor from the fields, which it keeps.
func Data(sort smt.Sort, ctor int, fields ...Value) Value {
	d := &dataValue{ctor: ctor, fields: fields, hash: mix64(uint64(KindData)<<32 + uint64(ctor))}
	for i := range fields {
		d.hash = mix64(d.hash ^ fields[i].hash())
		d.opaque = d.opaque || !fields[i].Comparable()
	}
	return Value{sort: sort, kind: KindData, ref: d}
}

// Null returns the value of a sort (Nullable s) of cvc5 without an element: Data with constructor 0.
func Null(sort smt.Sort) Value { return Data(sort, 0) }

// NonNull returns the value of a sort (Nullable s) of cvc5 with an element: Data with constructor 1.
func NonNull(sort smt.Sort, x Value) Value { return Data(sort, 1, x) }

// headOfData returns the operator that writes a value of a sort which is no datatype, and whether its sort goes with
// it.
func headOfData(a *smt.Arena, v Value) (head string, qualified bool) {
	some := len(v.data().fields) > 0
	switch {
	case a.SortKind(v.sort) == smt.KindNullable && some:
		return "nullable.some", false
	case a.SortKind(v.sort) == smt.KindNullable:
		return "nullable.null", true
	case some:
		return "tuple", false
	}
	return "tuple.unit", false
}

// Element returns element n of the universe of an uninterpreted sort.
func Element(sort smt.Sort, n uint64) Value { return Value{sort: sort, kind: KindElement, bits: n} }

// Kind says how the value is represented.
func (v Value) Kind() Representation { return v.kind }

// Bits is the word of the representations that have one.
func (v Value) Bits() uint64 { return v.bits }

// Bool returns a truth value; ok is false if v is none.
func (v Value) Bool() (b, ok bool) { return v.bits == 1, v.kind == KindBool }

// Int returns an Int, which must not be changed; ok is false if v is none.
func (v Value) Int() (n *big.Int, ok bool) {
	switch v.kind {
	case KindInt:
		return big.NewInt(int64(v.bits)), true
	case KindBigInt:
		return v.ref.(*big.Int), true
	}
	return nil, false
}

// Rat returns a Real, which must not be changed; ok is false if v is none.
func (v Value) Rat() (r *big.Rat, ok bool) {
	switch v.kind {
	case KindReal:
		return new(big.Rat).SetInt64(int64(v.bits)), true
	case KindRat:
		return v.ref.(*big.Rat), true
	}
	return nil, false
}

// BV returns the unsigned number of a bit vector, which must not be changed; ok is false if v is none.
func (v Value) BV() (n *big.Int, ok bool) {
	switch v.kind {
	case KindBitVec:
		return new(big.Int).SetUint64(v.bits), true
	case KindBigBitVec:
		return v.ref.(*big.Int), true
	}
	return nil, false
}

// FP returns a floating-point number; ok is false if v is none.
func (v Value) FP(a *smt.Arena) (x softfp.Float, ok bool) {
	switch v.kind {
	case KindFloat:
		f, err := FloatFormat(a, v.sort)
		return f.FromBits64(v.bits), err == nil
	case KindBigFloat:
		return *v.ref.(*softfp.Float), true
	}
	return x, false
}

// FloatFormat returns the format of a floating-point sort; an error says that it is too large to compute with.
func FloatFormat(a *smt.Arena, sort smt.Sort) (softfp.Format, error) {
	eb, sb := a.FloatFormat(sort)
	return softfp.NewFormat(uint(eb), uint(sb))
}

// Rounding returns a rounding mode; ok is false if v is none.
func (v Value) Rounding() (m softfp.Rounding, ok bool) {
	return softfp.Rounding(v.bits), v.kind == KindRounding
}

// Runes returns the code points of a string, which must not be changed; ok is false if v is none.
func (v Value) Runes() (s []rune, ok bool) {
	if v.kind != KindString {
		return nil, false
	}
	return v.ref.(*stringValue).runes, true
}

// Elements returns the elements of a sequence, which must not be changed; ok is false if v is none.
func (v Value) Elements() (elems []Value, ok bool) {
	if v.kind != KindSeq {
		return nil, false
	}
	return v.ref.(*seqValue).elems, true
}

// Data returns constructor and fields of a value of a datatype; ok is false if v is none.
func (v Value) Data() (ctor int, fields []Value, ok bool) {
	if v.kind != KindData {
		return 0, nil, false
	}
	d := v.ref.(*dataValue)
	return d.ctor, d.fields, true
}

// Element returns the number of an element of an uninterpreted sort; ok is false if v is none.
func (v Value) Element() (n uint64, ok bool) { return v.bits, v.kind == KindElement }

// Field returns the value of an element of a finite field; ok is false if v is none.
func (v Value) Field() (n *big.Int, ok bool) {
	if v.kind != KindFiniteField {
		return nil, false
	}
	return v.ref.(*big.Int), true
}

// The methods below take for granted that the value is of their kind; an evaluator of terms with sorts knows that.

// CodePoints returns those of a string, which must not be changed.
func (v Value) CodePoints() []rune { return v.ref.(*stringValue).runes }

// Items returns the elements of a sequence, which must not be changed.
func (v Value) Items() []Value { return v.ref.(*seqValue).elems }

func (v Value) data() *dataValue { return v.ref.(*dataValue) }

// AsClosure returns an array or function that is given by a term.
func (v Value) AsClosure() *Closure { return v.ref.(*Closure) }

// AsTable returns the table that an array, a set or a bag is.
func (v Value) AsTable() *Mapping { return v.ref.(*Mapping) }

// IsTrue reports whether v is true; it is not where v is unknown.
func (v Value) IsTrue() bool { return v.kind == KindBool && v.bits == 1 }

// IsFalse reports whether v is false; it is not where v is unknown.
func (v Value) IsFalse() bool { return v.kind == KindBool && v.bits == 0 }

// BigInt returns an Int, nil for values of other sorts.
func (v Value) BigInt() *big.Int { n, _ := v.Int(); return n }

// BigRat returns a Real, nil for values of other sorts.
func (v Value) BigRat() *big.Rat { r, _ := v.Rat(); return r }

// BigBitVec returns the unsigned number of a bit vector, nil for values of other sorts.
func (v Value) BigBitVec() *big.Int { n, _ := v.BV(); return n }

// Small returns the number that the word of a KindInt or KindReal is.
func (v Value) Small() int64 { return int64(v.bits) }

// FieldInt returns an element of a finite field.
func (v Value) FieldInt() *big.Int { return v.ref.(*big.Int) }

// Constructor returns the number of the constructor of a value of a datatype.
func (v Value) Constructor() int { return v.ref.(*dataValue).ctor }

// Fields returns the fields of a value of a datatype, which must not be changed.
func (v Value) Fields() []Value { return v.ref.(*dataValue).fields }

// BigFloat returns a number of a format of more than 64 bits.
func (v Value) BigFloat() softfp.Float { return *v.ref.(*softfp.Float) }

// Regex returns the expression of a regular language.
func (v Value) Regex() strre.Regex { return strre.Regex(v.bits) }

// MadeBy reports whether a regular language is an expression of the builder.
func (v Value) MadeBy(b *strre.Builder) bool { return v.ref == b }

// IsMissing reports whether v is unknown only because the model lacks an interpretation.
func (v Value) IsMissing() bool {
	r, ok := v.ref.(*Reason)
	return ok && r.Missing
}

// Comparable reports whether it is always known if v is equal to another value: it is no closure and no regular
// language, and has none inside.
func (v Value) Comparable() bool { return v.kind != KindRegex && !v.Opaque() }

// Opaque reports whether v is a closure, or has one or a regular language inside.
func (v Value) Opaque() bool {
	switch v.kind {
	case KindClosure:
		return true
	case KindSeq:
		return v.ref.(*seqValue).opaque
	case KindData:
		return v.ref.(*dataValue).opaque
	case KindTable:
		return v.ref.(*Mapping).opaque
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
	case KindBigInt, KindBigBitVec, KindFiniteField:
		return hashBig(h, v.ref.(*big.Int))
	case KindRat:
		r := v.ref.(*big.Rat)
		return hashBig(hashBig(h, r.Num()), r.Denom())
	case KindBigFloat:
		return hashBig(h, v.ref.(*softfp.Float).Bits())
	case KindString:
		for _, r := range v.CodePoints() {
			h = bits.RotateLeft64(h, 5) ^ uint64(r)*0x9E3779B97F4A7C15
		}
		return mix64(h)
	case KindSeq:
		for _, x := range v.Items() {
			h = mix64(h ^ x.hash())
		}
		return h
	case KindData:
		return v.data().hash
	case KindTable:
		return mix64(h ^ v.AsTable().contentHash())
	case KindClosure:
		return mix64(h ^ uint64(v.ref.(*Closure).Body))
	case KindRegex: // languages are compared, not expressions
		return h
	}
	return mix64(h ^ v.bits)
}

// HashAll is the same for lists of equal values.
func HashAll(args []Value) uint64 {
	h := uint64(len(args))
	for i := range args {
		h = mix64(h ^ args[i].hash())
	}
	return h
}

// AllComparable reports whether all values are known and it is always known whether each of them is equal to another
// value.
func AllComparable(args []Value) bool {
	for i := range args {
		if args[i].Opaque() || !args[i].IsValue() {
			return false
		}
	}
	return true
}

// TermValue is a term with its value, as get-value and explanations have them. Value is unknown where it cannot be
// read.
type TermValue struct {
	Term  smt.Term
	Value Value
}
