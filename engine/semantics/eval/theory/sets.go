package theory

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A set is a table to Bool: finite with default false, the complement of a finite one with default true.

func setTheory(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	a := c.Arena
	sort := a.Sort(t)
	switch op {
	case smt.OpSetEmpty:
		return value.OfTable(sort, value.NewTable(c.Domains.Of(a.SortArgs(sort)[0]), value.Bool(false)))
	case smt.OpSetUniverse, smt.OpSetComplement:
		return value.NoValue(op.String(), "cvc5 takes the universe for what is in the sets of the problem, not for all of the sort")
	case smt.OpSetSingleton:
		if !args[0].Comparable() {
			return value.NoValue(op.String(), elementsNotCompared)
		}
		return value.OfTable(sort, value.NewTable(c.Domains.Of(a.SortArgs(sort)[0]), value.Bool(false)).Put(args[0], value.Bool(true)))
	case smt.OpSetMember:
		return args[1].AsTable().LookUp(args[0])
	case smt.OpSetInsert:
		set := args[len(args)-1].AsTable()
		for i := range args[:len(args)-1] {
			if !args[i].Comparable() {
				return value.NoValue(op.String(), elementsNotCompared)
			}
			set = set.Put(args[i], value.Bool(true))
		}
		return value.OfTable(sort, set)
	case smt.OpSetUnion, smt.OpSetInter, smt.OpSetMinus:
		acc := args[0].AsTable()
		for i := range args[1:] {
			acc = combine(acc, args[i+1].AsTable(), func(x, y value.Value) value.Value { return setOp(op, x, y) })
		}
		return value.OfTable(sort, acc)
	case smt.OpSetSubset:
		rest := combine(args[0].AsTable(), args[1].AsTable(), func(x, y value.Value) value.Value { return setOp(smt.OpSetMinus, x, y) })
		return setIsEmpty(c, t, op, rest)
	case smt.OpSetIsEmpty:
		return setIsEmpty(c, t, op, args[0].AsTable())
	case smt.OpSetCard, smt.OpSetIsSingleton:
		n, ok := cardinality(args[0].AsTable())
		switch {
		case !ok && op == smt.OpSetIsSingleton && args[0].AsTable().Domain().HasMoreThan(uint64(args[0].AsTable().Entries().Len())+1) == value.True:
			// A complement whose sort has at least two more elements than are listed: all of these are members.
			return value.Bool(false)
		case !ok:
			return value.NoValue(op.String(), "the set is infinite or its sort has an unknown size")
		case op == smt.OpSetCard:
			return value.Int(n)
		}
		return value.Bool(n.Cmp(value.BigOne) == 0)
	}
	u := args[0].AsTable() // set.choose
	if n, ok := cardinality(u); ok && n.Cmp(value.BigOne) == 0 {
		return theMember(u)
	}
	return c.Partial(t, op, args, "the choice from a set that is no singleton")
}

func setOp(op smt.Op, x, y value.Value) value.Value {
	switch op {
	case smt.OpSetUnion:
		return value.Bool(x.Bits()|y.Bits() == 1)
	case smt.OpSetInter:
		return value.Bool(x.Bits()&y.Bits() == 1)
	}
	return value.Bool(x.Bits() == 1 && y.Bits() == 0)
}

// combine applies f entry by entry.
func combine(t, u *value.Mapping, f func(x, y value.Value) value.Value) *value.Mapping {
	out := value.NewTable(t.Domain(), f(t.Default(), u.Default()))
	t.Entries().Each(func(k, v value.Value) bool {
		out = out.Put(k, f(v, u.Get(k)))
		return true
	})
	u.Entries().Each(func(k, v value.Value) bool {
		if _, ok := t.Entries().Get(k); !ok {
			out = out.Put(k, f(t.Default(), v))
		}
		return true
	})
	return out
}

// cardinality returns the number of members of a set.
func cardinality(t *value.Mapping) (*big.Int, bool) {
	n := int64(t.Entries().Len())
	if t.Default().IsFalse() {
		return big.NewInt(n), true
	}
	size, ok := t.Domain().Size()
	if !ok {
		return nil, false
	}
	return big.NewInt(int64(size) - n), true
}

func theMember(t *value.Mapping) value.Value {
	var out value.Value
	if t.Default().IsFalse() {
		t.Entries().Each(func(k, _ value.Value) bool { out = k; return false })
		return out
	}
	size, _ := t.Domain().Size()
	for i := range size {
		if k := t.Domain().At(i); t.Get(k).IsTrue() {
			return k
		}
	}
	return out
}

func setIsEmpty(c *Context, t smt.Term, op smt.Op, u *value.Mapping) value.Value {
	if u.Default().IsFalse() {
		return value.Bool(u.Entries().Len() == 0)
	}
	return TruthValue(c.Arena, t, op, u.Domain().HasMoreThan(uint64(u.Entries().Len())).Not())
}

const elementsNotCompared = "the elements are or contain values that cannot always be compared"

// A bag is a table to Int with default zero and no negative multiplicities.

func bagTheory(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	a := c.Arena
	sort := a.Sort(t)
	empty := func() *value.Mapping { return value.NewTable(c.Domains.Of(a.SortArgs(sort)[0]), value.Int64(0)) }
	switch op {
	case smt.OpBagEmpty:
		return value.OfTable(sort, empty())
	case smt.OpBagMake:
		if !args[0].Comparable() {
			return value.NoValue(op.String(), elementsNotCompared)
		}
		// cvc5 treats a multiplicity below one as zero.
		if args[1].BigInt().Sign() <= 0 {
			return value.OfTable(sort, empty())
		}
		return value.OfTable(sort, empty().Put(args[0], args[1]))
	case smt.OpBagCount:
		return args[1].AsTable().LookUp(args[0])
	case smt.OpBagMember:
		v := args[1].AsTable().LookUp(args[0])
		if !v.IsValue() {
			return v
		}
		return value.Bool(v.BigInt().Sign() > 0)
	case smt.OpBagFromSet:
		u := args[0].AsTable()
		if u.Default().IsTrue() {
			return value.NoValue(op.String(), "the set is the complement of a finite one")
		}
		out := empty()
		u.Entries().Each(func(k, _ value.Value) bool { out = out.Put(k, value.Int64(1)); return true })
		return value.OfTable(sort, out)
	case smt.OpBagToSet:
		out := value.NewTable(c.Domains.Of(a.SortArgs(sort)[0]), value.Bool(false))
		args[0].AsTable().Entries().Each(func(k, _ value.Value) bool { out = out.Put(k, value.Bool(true)); return true })
		return value.OfTable(sort, out)
	case smt.OpBagSubbag:
		// Elements that are not listed occur zero times, which is never too often, so the entries of the first bag suffice.
		ok := true
		v := args[1].AsTable()
		args[0].AsTable().Entries().Each(func(k, n value.Value) bool {
			ok = n.BigInt().Cmp(v.Get(k).BigInt()) <= 0
			return ok
		})
		return value.Bool(ok)
	case smt.OpBagCard, smt.OpBagIsSingleton, smt.OpBagChoose:
		return bagSize(c, t, op, args)
	}
	acc := args[0].AsTable()
	if op == smt.OpBagSetof {
		return value.OfTable(sort, combine(acc, acc, func(x, _ value.Value) value.Value { return value.Int64(int64(x.BigInt().Sign())) }))
	}
	for i := range args[1:] {
		acc = combine(acc, args[i+1].AsTable(), func(x, y value.Value) value.Value { return bagOp(op, x, y) })
	}
	return value.OfTable(sort, acc)
}

func bagSize(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	n := new(big.Int)
	var some value.Value
	u := args[0].AsTable()
	u.Entries().Each(func(k, v value.Value) bool {
		n.Add(n, v.BigInt())
		some = k
		return true
	})
	switch op {
	case smt.OpBagCard:
		return newInt(c, op, n)
	case smt.OpBagIsSingleton:
		return value.Bool(n.Cmp(value.BigOne) == 0)
	}
	if u.Entries().Len() == 1 {
		return some
	}
	return c.Partial(t, op, args, "the choice from a bag of several elements or none")
}

func bagOp(op smt.Op, x, y value.Value) value.Value {
	m, n := x.BigInt(), y.BigInt()
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
		return value.Int(new(big.Int).Add(m, n))
	case smt.OpBagDifferenceRemove:
		if n.Sign() > 0 {
			return value.Int64(0)
		}
		return x
	}
	if m.Cmp(n) <= 0 { // difference_subtract
		return value.Int64(0)
	}
	return value.Int(new(big.Int).Sub(m, n))
}

// finiteFields computes in finite fields (cvc5's theory FiniteFields).
func finiteFields(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	sort := c.Arena.Sort(t)
	p := c.Arena.Modulus(sort)
	acc := new(big.Int).Set(args[0].FieldInt())
	for i := range args[1:] {
		x := args[i+1].FieldInt()
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
	return value.FieldElement(sort, acc.Mod(acc, p))
}
