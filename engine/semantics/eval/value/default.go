package value

import (
	"maps"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Default returns a fixed value of the sort, the least by some measure: zero, false, the empty string, the
// constructor that needs the least depth. It is unknown for regular languages and sorts that are not known.
func (d *Domains) Default(s smt.Sort) Value {
	a := d.arena
	switch a.SortKind(s) {
	case smt.KindBool:
		return Bool(false)
	case smt.KindInt:
		return Int64(0)
	case smt.KindReal:
		return Real64(0)
	case smt.KindString:
		return String(nil)
	case smt.KindRoundingMode:
		return Rounding(0)
	case smt.KindBitVec:
		return BitVecOf(s, a.Width(s), new(big.Int))
	case smt.KindFloat:
		f, err := FloatFormat(a, s)
		if err != nil {
			return TooLarge(smt.OpFP.String(), err.Error())
		}
		return Float(s, f.Zero(false))
	case smt.KindFiniteField:
		return FieldElement(s, new(big.Int))
	case smt.KindSeq:
		return Seq(s, nil)
	case smt.KindArray, smt.KindFunc:
		r, _ := a.Applied(s)
		elem := d.Default(r)
		if !elem.IsValue() {
			return elem
		}
		return OfTable(s, NewTable(d.Of(a.SortArgs(s)[0]), elem))
	case smt.KindSet:
		return OfTable(s, NewTable(d.Of(a.SortArgs(s)[0]), Bool(false)))
	case smt.KindBag:
		return OfTable(s, NewTable(d.Of(a.SortArgs(s)[0]), Int64(0)))
	case smt.KindTuple:
		return d.defaultData(s, 0, a.SortArgs(s))
	case smt.KindNullable:
		return Null(s)
	case smt.KindDatatype:
		dt, m := a.DatatypeOf(s)
		// The first constructor may need a value of the sort itself.
		ctor, ok := d.LeastConstructor(s)
		if !ok {
			return NoValue("", "datatype "+a.SortString(s)+" has no finite value")
		}
		return d.defaultData(s, ctor, FieldSorts(a, dt, ctor, m))
	case smt.KindUser:
		return Element(s, 0)
	}
	return NoValue("", "no default value of sort "+a.SortString(s))
}

// maxParts bounds the parts of a default value. Forty datatypes, each a pair of the one before, make one of 2^40 parts.
const maxParts = 1 << 16

func (d *Domains) defaultData(s smt.Sort, ctor int, sorts []smt.Sort) Value {
	outermost := d.parts == 0
	if outermost {
		defer func() { d.parts = 0 }()
	}
	d.parts++
	fields := make([]Value, len(sorts))
	for i, x := range sorts {
		if d.parts > maxParts {
			return TooLarge("", "the default value of sort "+d.arena.SortString(s)+" has too many parts")
		}
		if fields[i] = d.Default(x); !fields[i].IsValue() {
			return fields[i]
		}
	}
	return Data(s, ctor, fields...)
}

// LeastConstructor returns the constructor that gives the value of least depth; ok is false if the datatype is not
// well-founded, or if its least value lies beyond the maxReached nearest datatypes.
func (d *Domains) LeastConstructor(s smt.Sort) (ctor int, ok bool) {
	c, known := d.least[s]
	if !known {
		c, known = d.depths(s)[s]
	}
	return c.ctor, known
}

type depth struct{ n, ctor int }

// maxReached bounds how many datatypes are looked at for the least value of one. A parametric datatype may have fields
// of ever larger instances of itself, as (par (X) ((leaf) (node (inner (Nest (Nest X)))))) has, without an end.
const maxReached = 1 << 12

// reached returns the datatypes below s, nearest first; all is false if there are more than maxReached.
func (d *Domains) reached(s smt.Sort) (order []smt.Sort, all bool) {
	a := d.arena
	seen := map[smt.Sort]bool{}
	var visit func(s smt.Sort)
	visit = func(s smt.Sort) {
		switch a.SortKind(s) {
		case smt.KindDatatype:
			if !seen[s] {
				seen[s] = true
				order = append(order, s)
			}
		case smt.KindArray, smt.KindFunc:
			// A constant array needs an element and no index. Sequences, sets and bags, which are missing here, have empty
			// values.
			visit(last(a.SortArgs(s)))
		case smt.KindTuple:
			for _, f := range a.SortArgs(s) {
				visit(f)
			}
		}
	}
	visit(s)
	for i := 0; i < len(order); i++ {
		if len(order) > maxReached {
			return order, false
		}
		dt, m := a.DatatypeOf(order[i])
		for ctor := range dt.Constructors {
			for _, f := range FieldSorts(a, dt, ctor, m) {
				visit(f)
			}
		}
	}
	return order, true
}

// depths computes the least depth of the values of every datatype below s, by iteration to a fixed point.
func (d *Domains) depths(s smt.Sort) map[smt.Sort]depth {
	a := d.arena
	order, all := d.reached(s)
	known := map[smt.Sort]depth{}
	// In the order of depth, so the constructor found first makes one of the least deep values.
	for round, changed := 1, true; changed; round++ {
		changed = false
		for _, s := range order {
			if _, done := known[s]; done {
				continue
			}
			dt, m := a.DatatypeOf(s)
			for i := range dt.Constructors {
				if d.founded(FieldSorts(a, dt, i, m), known, round) {
					known[s] = depth{round, i}
					changed = true
					break
				}
			}
		}
	}
	if d.least == nil {
		d.least = map[smt.Sort]depth{}
	}
	if all {
		maps.Copy(d.least, known)
	} else if least, ok := known[s]; ok {
		// The others may have less deep values, by datatypes that were not reached from s.
		d.least[s] = least
	}
	return known
}

// founded reports whether all these sorts have a value of depth below n.
func (d *Domains) founded(sorts []smt.Sort, known map[smt.Sort]depth, n int) bool {
	a := d.arena
	for _, s := range sorts {
		switch a.SortKind(s) {
		case smt.KindDatatype:
			if k, ok := known[s]; !ok || k.n >= n {
				return false
			}
		case smt.KindArray, smt.KindFunc:
			if !d.founded([]smt.Sort{last(a.SortArgs(s))}, known, n) {
				return false
			}
		case smt.KindTuple:
			if !d.founded(a.SortArgs(s), known, n) {
				return false
			}
		}
	}
	return true
}

func last[T any](xs []T) T { return xs[len(xs)-1] }
