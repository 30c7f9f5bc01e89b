package eval

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/smt"
)

// A set is a table to Bool: finite with default false, the complement of a finite one with default true.

func (e *Evaluator) sets(t smt.Term, op smt.Op, args []Value) Value {
	a := e.a
	sort := a.Sort(t)
	switch op {
	case smt.OpSetEmpty, smt.OpSetUniverse:
		return tableValue(sort, newTable(e.domains.of(a.SortArgs(sort)[0]), BoolValue(op == smt.OpSetUniverse)))
	case smt.OpSetSingleton:
		if !args[0].comparable() {
			return unknown(op.String(), elementsNotCompared)
		}
		return tableValue(sort, newTable(e.domains.of(a.SortArgs(sort)[0]), BoolValue(false)).put(args[0], BoolValue(true)))
	case smt.OpSetMember:
		return e.selectTable(args[1].table(), args[0])
	case smt.OpSetInsert:
		set := args[len(args)-1].table()
		for i := range args[:len(args)-1] {
			if !args[i].comparable() {
				return unknown(op.String(), elementsNotCompared)
			}
			set = set.put(args[i], BoolValue(true))
		}
		return tableValue(sort, set)
	case smt.OpSetUnion, smt.OpSetInter, smt.OpSetMinus:
		acc := args[0].table()
		for i := range args[1:] {
			acc = combine(acc, args[i+1].table(), func(x, y Value) Value { return setOp(op, x, y) })
		}
		return tableValue(sort, acc)
	case smt.OpSetComplement:
		u := args[0].table()
		return tableValue(sort, combine(u, u, func(x, _ Value) Value { return BoolValue(x.bits == 0) }))
	case smt.OpSetSubset:
		rest := combine(args[0].table(), args[1].table(), func(x, y Value) Value { return setOp(smt.OpSetMinus, x, y) })
		return e.setIsEmpty(t, op, rest)
	case smt.OpSetIsEmpty:
		return e.setIsEmpty(t, op, args[0].table())
	case smt.OpSetCard, smt.OpSetIsSingleton:
		n, ok := cardinality(args[0].table())
		switch {
		case !ok && op == smt.OpSetIsSingleton && args[0].table().dom.hasMoreThan(uint64(args[0].table().entries.n)+1) == True:
			return BoolValue(false)
		case !ok:
			return unknown(op.String(), "the set is infinite or its sort has an unknown size")
		case op == smt.OpSetCard:
			return intValue(n)
		}
		return BoolValue(n.Cmp(bigOne) == 0)
	}
	u := args[0].table() // set.choose
	if n, ok := cardinality(u); ok && n.Cmp(bigOne) == 0 {
		return theMember(u)
	}
	return e.partial(t, op, args, "the choice from a set that is no singleton")
}

func setOp(op smt.Op, x, y Value) Value {
	switch op {
	case smt.OpSetUnion:
		return BoolValue(x.bits|y.bits == 1)
	case smt.OpSetInter:
		return BoolValue(x.bits&y.bits == 1)
	}
	return BoolValue(x.bits == 1 && y.bits == 0)
}

// combine applies f place by place.
func combine(t, u *table, f func(x, y Value) Value) *table {
	out := newTable(t.dom, f(t.def, u.def))
	t.entries.each(func(k, v Value) bool {
		out = out.put(k, f(v, u.get(k)))
		return true
	})
	u.entries.each(func(k, v Value) bool {
		if _, ok := t.entries.get(k); !ok {
			out = out.put(k, f(t.def, v))
		}
		return true
	})
	return out
}

// cardinality returns the number of members of a set.
func cardinality(t *table) (*big.Int, bool) {
	n := int64(t.entries.n)
	if t.def.isFalse() {
		return big.NewInt(n), true
	}
	size, ok := t.dom.Size()
	if !ok {
		return nil, false
	}
	return big.NewInt(int64(size) - n), true
}

func theMember(t *table) Value {
	var out Value
	if t.def.isFalse() {
		t.entries.each(func(k, _ Value) bool { out = k; return false })
		return out
	}
	size, _ := t.dom.Size()
	for i := range size {
		if k := t.dom.At(i); t.get(k).isTrue() {
			return k
		}
	}
	return out
}

func (e *Evaluator) setIsEmpty(t smt.Term, op smt.Op, u *table) Value {
	if u.def.isFalse() {
		return BoolValue(u.entries.n == 0)
	}
	return e.truthValue(t, op, u.dom.hasMoreThan(uint64(u.entries.n)).not())
}

const elementsNotCompared = "the elements are or contain values that cannot always be compared"

// A bag is a table to Int with default zero and no negative multiplicities.

func (e *Evaluator) bags(t smt.Term, op smt.Op, args []Value) Value {
	a := e.a
	sort := a.Sort(t)
	empty := func() *table { return newTable(e.domains.of(a.SortArgs(sort)[0]), int64Value(0)) }
	switch op {
	case smt.OpBagEmpty:
		return tableValue(sort, empty())
	case smt.OpBagMake:
		if !args[0].comparable() {
			return unknown(op.String(), elementsNotCompared)
		}
		if args[1].big().Sign() <= 0 {
			return tableValue(sort, empty())
		}
		return tableValue(sort, empty().put(args[0], args[1]))
	case smt.OpBagCount:
		return e.selectTable(args[1].table(), args[0])
	case smt.OpBagMember:
		v := e.selectTable(args[1].table(), args[0])
		if v.unknown() {
			return v
		}
		return BoolValue(v.big().Sign() > 0)
	case smt.OpBagFromSet:
		u := args[0].table()
		if u.def.isTrue() {
			return unknown(op.String(), "the set is the complement of a finite one")
		}
		out := empty()
		u.entries.each(func(k, _ Value) bool { out = out.put(k, int64Value(1)); return true })
		return tableValue(sort, out)
	case smt.OpBagToSet:
		out := newTable(e.domains.of(a.SortArgs(sort)[0]), BoolValue(false))
		args[0].table().entries.each(func(k, _ Value) bool { out = out.put(k, BoolValue(true)); return true })
		return tableValue(sort, out)
	case smt.OpBagSubbag:
		ok := true
		v := args[1].table()
		args[0].table().entries.each(func(k, n Value) bool {
			ok = n.big().Cmp(v.get(k).big()) <= 0
			return ok
		})
		return BoolValue(ok)
	case smt.OpBagCard, smt.OpBagIsSingleton, smt.OpBagChoose:
		return e.bagSize(t, op, args)
	}
	acc := args[0].table()
	if op == smt.OpBagSetof {
		return tableValue(sort, combine(acc, acc, func(x, _ Value) Value { return int64Value(int64(x.big().Sign())) }))
	}
	for i := range args[1:] {
		acc = combine(acc, args[i+1].table(), func(x, y Value) Value { return bagOp(op, x, y) })
	}
	return tableValue(sort, acc)
}

func (e *Evaluator) bagSize(t smt.Term, op smt.Op, args []Value) Value {
	n := new(big.Int)
	var some Value
	u := args[0].table()
	u.entries.each(func(k, v Value) bool {
		n.Add(n, v.big())
		some = k
		return true
	})
	switch op {
	case smt.OpBagCard:
		return e.newInt(op, n)
	case smt.OpBagIsSingleton:
		return BoolValue(n.Cmp(bigOne) == 0)
	}
	if u.entries.n == 1 {
		return some
	}
	return e.partial(t, op, args, "the choice from a bag of several elements or none")
}

func bagOp(op smt.Op, x, y Value) Value {
	m, n := x.big(), y.big()
	switch op {
	case smt.OpBagUnionMax:
		if m.Cmp(n) >= 0 {
			return x
		}
		return y
	case smt.OpBagInterMin:
		if m.Cmp(n) <= 0 {
			return x
		}
		return y
	case smt.OpBagUnionDisjoint:
		return intValue(new(big.Int).Add(m, n))
	case smt.OpBagDifferenceRemove:
		if n.Sign() > 0 {
			return int64Value(0)
		}
		return x
	}
	if m.Cmp(n) <= 0 { // difference_subtract
		return int64Value(0)
	}
	return intValue(new(big.Int).Sub(m, n))
}

// fields computes in finite fields (cvc5's theory FiniteFields).
func (e *Evaluator) fields(t smt.Term, op smt.Op, args []Value) Value {
	sort := e.a.Sort(t)
	p := e.a.Modulus(sort)
	acc := new(big.Int).Set(args[0].ffInt())
	for i := range args[1:] {
		x := args[i+1].ffInt()
		switch op {
		case smt.OpFFAdd:
			acc.Add(acc, x)
		case smt.OpFFMul:
			acc.Mod(acc.Mul(acc, x), p)
		case smt.OpFFBitsum: // the sum of 2^i times argument i
			acc.Add(acc, new(big.Int).Lsh(x, uint(i+1)))
		}
	}
	if op == smt.OpFFNeg {
		acc.Neg(acc)
	}
	return Value{sort: sort, kind: kFF, ref: acc.Mod(acc, p)}
}
