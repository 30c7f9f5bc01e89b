package eval

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/smt"
)

// Default returns a fixed value of the sort, the least by some measure: zero, false, the empty string, the
// constructor that needs the least depth. It is unknown for regular languages and sorts that are not known.
func (e *Evaluator) Default(s smt.Sort) Value { return e.domains.Default(s) }

// Default is Evaluator.Default.
func (d *domains) Default(s smt.Sort) Value {
	a := d.arena
	switch a.SortKind(s) {
	case smt.KindBool:
		return BoolValue(false)
	case smt.KindInt:
		return int64Value(0)
	case smt.KindReal:
		return real64(0)
	case smt.KindString:
		return StringValue(nil)
	case smt.KindRoundingMode:
		return roundingValue(0)
	case smt.KindBitVec:
		return bvValue(s, a.Width(s), new(big.Int))
	case smt.KindFloat:
		f, err := format(a, s)
		if err != nil {
			return floatError(smt.OpFP, err)
		}
		return FPValue(s, f.Zero(false))
	case smt.KindFiniteField:
		return Value{sort: s, kind: kFF, ref: new(big.Int)}
	case smt.KindSeq:
		return SeqValue(s, nil)
	case smt.KindArray, smt.KindFunc:
		r, _ := a.Applied(s)
		elem := d.Default(r)
		if elem.unknown() {
			return elem
		}
		return tableValue(s, newTable(d.of(a.SortArgs(s)[0]), elem))
	case smt.KindSet:
		return tableValue(s, newTable(d.of(a.SortArgs(s)[0]), BoolValue(false)))
	case smt.KindBag:
		return tableValue(s, newTable(d.of(a.SortArgs(s)[0]), int64Value(0)))
	case smt.KindTuple:
		return d.defaultData(s, 0, a.SortArgs(s))
	case smt.KindDatatype:
		dt, m := a.DatatypeOf(s)
		ctor, ok := d.leastConstructor(s)
		if !ok {
			return unknown("", "datatype "+a.SortString(s)+" has no finite value")
		}
		return d.defaultData(s, ctor, fieldSorts(a, dt, ctor, m))
	case smt.KindUser:
		return ElementValue(s, 0)
	}
	return unknown("", "no default value of sort "+a.SortString(s))
}

func (d *domains) defaultData(s smt.Sort, ctor int, sorts []smt.Sort) Value {
	fields := make([]Value, len(sorts))
	for i, x := range sorts {
		if fields[i] = d.Default(x); fields[i].unknown() {
			return fields[i]
		}
	}
	return DataValue(s, ctor, fields...)
}

// leastConstructor returns the constructor that gives the value of least depth; ok is false if the datatype is not
// well-founded.
func (d *domains) leastConstructor(s smt.Sort) (ctor int, ok bool) {
	c, known := d.depths(s)[s]
	return c.ctor, known
}

type depth struct{ n, ctor int }

// depths computes the least depth of the values of every datatype below s, by iteration to a fixed point.
func (d *domains) depths(s smt.Sort) map[smt.Sort]depth {
	a := d.arena
	var order []smt.Sort
	seen := map[smt.Sort]bool{}
	var visit func(s smt.Sort)
	visit = func(s smt.Sort) {
		if seen[s] {
			return
		}
		seen[s] = true
		switch a.SortKind(s) {
		case smt.KindDatatype:
			order = append(order, s)
			dt, m := a.DatatypeOf(s)
			for i := range dt.Constructors {
				for _, f := range fieldSorts(a, dt, i, m) {
					visit(f)
				}
			}
		case smt.KindArray, smt.KindFunc:
			visit(last(a.SortArgs(s)))
		case smt.KindTuple:
			for _, f := range a.SortArgs(s) {
				visit(f)
			}
		}
	}
	visit(s)
	known := map[smt.Sort]depth{}
	for round := 1; ; round++ {
		changed := false
		for _, s := range order {
			if _, done := known[s]; done {
				continue
			}
			dt, m := a.DatatypeOf(s)
			for i := range dt.Constructors {
				if d.founded(fieldSorts(a, dt, i, m), known, round) {
					known[s] = depth{round, i}
					changed = true
					break
				}
			}
		}
		if !changed {
			return known
		}
	}
}

// founded reports whether all these sorts have a value of depth below n.
func (d *domains) founded(sorts []smt.Sort, known map[smt.Sort]depth, n int) bool {
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
