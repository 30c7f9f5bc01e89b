package value

import (
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
)

// Domain is the set of all values of a sort.
type Domain struct {
	size size
	at   func(i uint64) Value // also of infinite and huge domains, where not nil
}

// size is the number of values of a sort as far as it matters: exact below 2^62, else huge or infinite, or not
// known.
type size struct {
	n    uint64
	kind sizeKind
}

type sizeKind uint8

const (
	sizeExact sizeKind = iota
	sizeHuge           // finite, at least 2^62
	sizeInfinite
	sizeUnknown
)

// HugeSize is the number of values from which on sizes of finite sorts are not distinguished.
const HugeSize = 1 << 62

func exactly(n uint64) size {
	if n >= HugeSize {
		return size{kind: sizeHuge}
	}
	return size{n: n}
}

// Size returns the number of values; ok is false unless it is finite and below 2^62.
func (d *Domain) Size() (n uint64, ok bool) { return d.size.n, d.size.kind == sizeExact }

// Infinite reports whether the sort certainly has infinitely many values.
func (d *Domain) Infinite() bool { return d.size.kind == sizeInfinite }

// At returns value number i of a domain whose Size is known. Different numbers give different values.
func (d *Domain) At(i uint64) Value { return d.at(i) }

// Some returns the first values of any domain that can be counted; ok is false at its end. Different numbers give
// different values.
func (d *Domain) Some(i uint64) (v Value, ok bool) {
	if d.at == nil || d.size.kind == sizeExact && i >= d.size.n || i >= HugeSize {
		return Value{}, false
	}
	v = d.at(i)
	return v, v.IsValue()
}

// HasMoreThan reports whether the sort has more than n values.
func (d *Domain) HasMoreThan(n uint64) Truth {
	switch d.size.kind {
	case sizeExact:
		return TruthOf(d.size.n > n)
	case sizeUnknown:
		return Unknown
	}
	return True
}

func (s size) times(t size) size {
	switch {
	case s.kind == sizeExact && s.n == 0 || t.kind == sizeExact && t.n == 0:
		return size{}
	case s.kind == sizeUnknown || t.kind == sizeUnknown:
		return size{kind: sizeUnknown}
	case s.kind == sizeInfinite || t.kind == sizeInfinite:
		return size{kind: sizeInfinite}
	case s.kind == sizeHuge || t.kind == sizeHuge:
		return size{kind: sizeHuge}
	}
	if hi, lo := bits.Mul64(s.n, t.n); hi == 0 && lo < HugeSize {
		return size{n: lo}
	}
	return size{kind: sizeHuge}
}

func (s size) plus(t size) size {
	if s.kind == sizeExact && t.kind == sizeExact {
		return exactly(s.n + t.n)
	}
	return size{kind: max(s.kind, t.kind)}
}

// power is s to the t: the number of functions from t to s.
func (s size) power(t size) size {
	switch {
	case s.kind == sizeUnknown || t.kind == sizeUnknown:
		return size{kind: sizeUnknown}
	case s.kind == sizeExact && s.n == 1:
		return s
	case s.kind == sizeInfinite || t.kind == sizeInfinite:
		return size{kind: sizeInfinite}
	case s.kind == sizeHuge || t.kind == sizeHuge || t.n > 62:
		return size{kind: sizeHuge}
	}
	r := size{n: 1}
	for range t.n {
		r = r.times(s)
	}
	return r
}

// Universes knows the number of elements of uninterpreted sorts, as models do; ok is false where it does not.
type Universes interface {
	Universe(s smt.Sort) (n uint64, ok bool)
}

// Domains makes and keeps the domains of sorts.
type Domains struct {
	arena  *smt.Arena
	sizes  Universes
	known  map[smt.Sort]*Domain
	least  map[smt.Sort]depth // of datatypes, which no model changes
	inside int                // calls of nested that are active
	making []*smt.Datatype    // the datatypes whose domains are being made, each inside the one before
	made   int                // of them, since the outermost began
	parts  int                // of the default value that is being made
}

// NewDomains returns the domains of the sorts of an arena. Uninterpreted sorts take their size from a model.
func NewDomains(a *smt.Arena, sizes Universes) Domains { return Domains{arena: a, sizes: sizes} }

// SetUniverses changes where uninterpreted sorts take their size from; the known facts about domains must be forgotten
// then.
func (d *Domains) SetUniverses(sizes Universes) { d.sizes = sizes }

// Forget drops the domains that were made.
func (d *Domains) Forget() { clear(d.known) }

// Of returns the domain of a sort.
func (d *Domains) Of(s smt.Sort) *Domain {
	if dom, ok := d.known[s]; ok {
		return dom
	}
	if d.known == nil {
		d.known = make(map[smt.Sort]*Domain)
	}
	// A sort inside its own domain can only be a recursive datatype, which is infinite.
	d.known[s] = &Domain{size: size{kind: sizeInfinite}}
	dom := d.make(s)
	d.known[s] = dom
	return dom
}

func (d *Domains) make(s smt.Sort) *Domain {
	a := d.arena
	infinite := func(at func(i uint64) Value) *Domain { return &Domain{size{kind: sizeInfinite}, at} }
	switch a.SortKind(s) {
	case smt.KindBool:
		return &Domain{exactly(2), func(i uint64) Value { return Bool(i == 1) }}
	case smt.KindRoundingMode:
		return &Domain{exactly(5), func(i uint64) Value { return Rounding(softfp.Rounding(i)) }}
	case smt.KindInt:
		return infinite(func(i uint64) Value { return Int64(int64(i)) })
	case smt.KindReal:
		return infinite(func(i uint64) Value { return Real64(int64(i)) })
	case smt.KindRegLan:
		// Two expressions may be one language, so they are not enumerated.
		return infinite(nil)
	case smt.KindString:
		return infinite(func(i uint64) Value { return String([]rune(strconv.FormatUint(i, 2))) })
	case smt.KindSeq, smt.KindBag:
		return infinite(d.infinite(s))
	case smt.KindBitVec:
		w := a.Width(s)
		if w >= 62 {
			return &Domain{size{kind: sizeHuge}, func(i uint64) Value { return BitVecOf(s, w, new(big.Int).SetUint64(i)) }}
		}
		return &Domain{exactly(1 << w), func(i uint64) Value { return Word(s, i) }}
	case smt.KindFloat:
		return d.float(s)
	case smt.KindFiniteField:
		p := a.Modulus(s)
		size := size{kind: sizeHuge}
		if p.BitLen() <= 62 {
			size = exactly(p.Uint64())
		}
		return &Domain{size, func(i uint64) Value { return FieldElement(s, new(big.Int).SetUint64(i)) }}
	case smt.KindArray, smt.KindFunc:
		r, _ := a.Applied(s)
		return d.array(s, a.SortArgs(s)[0], d.Of(r))
	case smt.KindSet:
		return d.array(s, a.SortArgs(s)[0], d.Of(smt.SortBool))
	case smt.KindTuple:
		return product(s, 0, d.all(a.SortArgs(s)))
	case smt.KindNullable:
		return d.nullable(s)
	case smt.KindDatatype:
		return d.datatype(s)
	case smt.KindUser:
		if n, ok := d.sizes.Universe(s); ok {
			return &Domain{exactly(n), func(i uint64) Value { return Element(s, i) }}
		}
	}
	return &Domain{size: size{kind: sizeUnknown}}
}

func (d *Domains) all(sorts []smt.Sort) []*Domain {
	out := make([]*Domain, len(sorts))
	for i, s := range sorts {
		out[i] = d.Of(s)
	}
	return out
}

// float enumerates a format: NaN last, else by the interchange encoding without the NaN patterns.
func (d *Domains) float(s smt.Sort) *Domain {
	f, err := FloatFormat(d.arena, s)
	if err != nil {
		return &Domain{size: size{kind: sizeHuge}}
	}
	if f.Width() >= 62 {
		return &Domain{size{kind: sizeHuge}, func(i uint64) Value {
			if f.SB() < 48 { // integers would be rounded to the same number
				return Float(s, f.FromBits(new(big.Int).SetUint64(i)))
			}
			return Float(s, f.FromInt64(softfp.RNE, int64(i)))
		}}
	}
	half := (uint64(1)<<f.EB()-1)<<(f.SB()-1) + 1 // from zero to infinity
	return &Domain{exactly(2*half + 1), func(i uint64) Value {
		switch {
		case i == 2*half:
			return Float(s, f.NaN())
		case i >= half:
			return Float(s, f.FromBits64(i-half|1<<(f.Width()-1)))
		}
		return Float(s, f.FromBits64(i))
	}}
}

// array enumerates the functions from index to element: digit k of the number is the element at index k.
func (d *Domains) array(s, index smt.Sort, elem *Domain) *Domain {
	idx := d.Of(index)
	dom := &Domain{size: elem.size.power(idx.size)}
	dom.at = func(i uint64) Value {
		zero, ok := elem.Some(0)
		if !ok {
			return Value{}
		}
		t := NewTable(idx, zero)
		n, ok := elem.Size()
		if _, few := idx.Size(); !ok || !few {
			return d.arrayWith(s, t, idx, elem, i)
		}
		if n == 1 {
			return OfTable(s, t)
		}
		for k := uint64(0); i > 0; k++ {
			t = t.Put(idx.At(k), elem.At(i%n))
			i /= n
		}
		return OfTable(s, t)
	}
	return dom
}

// arrayWith returns array number i of infinitely many: element i at the first index, or, where elements are few, the
// second element at index i.
func (d *Domains) arrayWith(s smt.Sort, t *Mapping, idx, elem *Domain, i uint64) Value {
	if i == 0 {
		return OfTable(s, t)
	}
	k, ok1 := idx.Some(0)
	v, ok2 := elem.Some(i)
	if _, few := elem.Size(); few {
		k, ok1 = idx.Some(i)
		v, ok2 = elem.Some(1)
	}
	if !ok1 || !ok2 {
		return Value{}
	}
	return OfTable(s, t.Put(k, v))
}

// infinite enumerates sequences and bags of one element, repeated.
func (d *Domains) infinite(s smt.Sort) func(uint64) Value {
	elem := d.Of(d.arena.SortArgs(s)[0])
	return func(i uint64) Value {
		x, ok := elem.Some(0)
		switch {
		case !ok:
			return Value{}
		case d.arena.SortKind(s) == smt.KindBag:
			return OfTable(s, NewTable(elem, Int64(0)).Put(x, Int64(int64(i))))
		case i > 1<<16:
			return Value{}
		}
		return Seq(s, slices.Repeat([]Value{x}, int(i)))
	}
}

func product(s smt.Sort, ctor int, parts []*Domain) *Domain {
	dom := &Domain{size: exactly(1)}
	for _, p := range parts {
		dom.size = dom.size.times(p.size)
	}
	dom.at = func(i uint64) Value {
		fields := make([]Value, len(parts))
		for k, p := range parts {
			n, ok := p.Size()
			if !ok {
				n = HugeSize
			}
			if n == 0 {
				return Value{}
			}
			if fields[k], ok = p.Some(i % n); !ok {
				return Value{}
			}
			i /= n
		}
		return Data(s, ctor, fields...)
	}
	return dom
}

// nullable enumerates null, and then the elements.
func (d *Domains) nullable(s smt.Sort) *Domain {
	elem := d.Of(d.arena.SortArgs(s)[0])
	return &Domain{elem.size.plus(exactly(1)), func(i uint64) Value {
		if i == 0 {
			return Null(s)
		}
		x, ok := elem.Some(i - 1)
		if !ok {
			return Value{}
		}
		return NonNull(s, x)
	}}
}

// maxWithin and maxMade bound the instances of parametric datatypes whose domains are made for the domain of one:
// maxWithin instances of one datatype inside each other, and maxMade instances in all. A datatype with fields of ever
// larger instances has no end of them.
const (
	maxWithin = 32
	maxMade   = 1 << 12
)

func (d *Domains) datatype(s smt.Sort) *Domain {
	dt, _ := d.arena.DatatypeOf(s)
	if len(dt.Params) > 0 {
		within := 0
		for _, x := range d.making {
			if x == dt {
				within++
			}
		}
		if within >= maxWithin || d.made >= maxMade {
			return &Domain{size: size{kind: sizeUnknown}}
		}
	}
	d.making = append(d.making, dt)
	d.made++
	defer func() {
		d.making = d.making[:len(d.making)-1]
		if len(d.making) == 0 {
			d.made = 0
		}
	}()
	return d.constructors(s)
}

// constructors enumerates the values of a datatype, constructor by constructor.
func (d *Domains) constructors(s smt.Sort) *Domain {
	a := d.arena
	dt, m := a.DatatypeOf(s)
	dom := &Domain{}
	var ctors []*Domain
	for i := range dt.Constructors {
		p := product(s, i, d.all(FieldSorts(a, dt, i, m)))
		ctors = append(ctors, p)
		dom.size = dom.size.plus(p.size)
	}
	if _, ok := dom.Size(); !ok {
		dom.at = func(i uint64) Value { return d.nested(s, i) }
		return dom
	}
	dom.at = func(i uint64) Value {
		for _, p := range ctors {
			n, _ := p.Size()
			if i < n {
				return p.At(i)
			}
			i -= n
		}
		return Value{}
	}
	return dom
}

// maxInside bounds how deep arrays, sequences and sets of a datatype inside itself are followed.
const maxInside = 4

// nested returns value number i of an infinite datatype: a constructor around value i-1 where one nests, or around
// value i of an infinite field.
func (d *Domains) nested(s smt.Sort, i uint64) Value {
	v := d.Default(s)
	if i == 0 {
		return v
	}
	if i > 1<<16 || !v.IsValue() || d.inside > maxInside {
		return Value{}
	}
	d.inside++
	defer func() { d.inside-- }()
	a := d.arena
	dt, m := a.DatatypeOf(s)
	for ctor := range dt.Constructors {
		sorts := FieldSorts(a, dt, ctor, m)
		for k, f := range sorts {
			base := d.defaultData(s, ctor, sorts)
			if !base.IsValue() {
				continue
			}
			if f == s {
				for range i {
					fields := slices.Clone(base.data().fields)
					fields[k] = v
					v = Data(s, ctor, fields...)
				}
				return v
			}
			// Another datatype may nest this one again, and so on for ever: it is left alone.
			if a.SortKind(f) == smt.KindDatatype || d.Of(f).size.kind == sizeExact {
				continue
			}
			if x, ok := d.Of(f).Some(i); ok {
				fields := slices.Clone(base.data().fields)
				fields[k] = x
				return Data(s, ctor, fields...)
			}
		}
	}
	return Value{}
}

// FieldSorts returns the sorts of a constructor's fields in a datatype whose parameters m instantiates.
func FieldSorts(a *smt.Arena, dt *smt.Datatype, ctor int, m map[smt.Sort]smt.Sort) []smt.Sort {
	params := a.SymbolInfo(dt.Constructors[ctor].Symbol).Params
	out := make([]smt.Sort, len(params))
	for i, p := range params {
		out[i] = a.SubstSort(p, m)
	}
	return out
}
