package theory

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// arrayTheory computes the theory ArraysEx and what solvers add to it. A select from an array that is given by a term
// is a function call, which the caller handles.
func arrayTheory(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	sort := c.Arena.Sort(t)
	switch op {
	case smt.OpSelect:
		return args[0].AsTable().LookUp(args[1])
	case smt.OpStore:
		return value.Store(args[0], args[1], args[2])
	case smt.OpConstArray:
		return value.OfTable(sort, value.NewTable(c.Domains.Of(c.Arena.SortArgs(sort)[0]), args[0]))
	case smt.OpArrayDefault:
		return c.Partial(t, op, args, "the default of an array")
	}
	return eqRange(c, t, args)
}

// eqRange is cvc5's (eqrange a b i j): a and b agree from i to j. Bit vectors are ordered as unsigned numbers.
func eqRange(c *Context, t smt.Term, args []value.Value) value.Value {
	lo, ok1 := value.Integer(args[2])
	hi, ok2 := value.Integer(args[3])
	if !ok1 || !ok2 {
		return value.NoValue("eqrange", "indices that are neither Int nor bit vectors")
	}
	if lo.Cmp(hi) > 0 {
		return value.Bool(true)
	}
	if args[0].Kind() != value.KindTable || args[1].Kind() != value.KindTable {
		return value.NoValue("eqrange", "an array given by a term")
	}
	x, y := args[0].AsTable(), args[1].AsTable()
	result, inside := value.True, int64(0)
	look := func(k value.Value) {
		if n, _ := value.Integer(k); n.Cmp(lo) >= 0 && n.Cmp(hi) <= 0 {
			inside++
			result = value.Both(result, c.Equal(x.Get(k), y.Get(k)))
		}
	}
	x.Entries().Each(func(k, _ value.Value) bool { look(k); return true })
	y.Entries().Each(func(k, _ value.Value) bool {
		if _, ok := x.Entries().Get(k); !ok {
			look(k)
		}
		return true
	})
	span := new(big.Int).Sub(hi, lo)
	if span.Cmp(big.NewInt(inside)) >= 0 { // more indices than entries
		result = value.Both(result, c.Equal(x.Default(), y.Default()))
	}
	return TruthValue(c.Arena, t, smt.OpEqRange, result)
}
