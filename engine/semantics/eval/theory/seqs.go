package theory

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// sequences computes the sequences of z3 and cvc5.
func sequences(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	sort := c.Arena.Sort(t)
	switch op {
	case smt.OpSeqEmpty:
		return value.Seq(sort, nil)
	case smt.OpSeqUnit:
		return value.Seq(sort, []value.Value{args[0]})
	case smt.OpSeqConcat:
		var all []value.Value
		for i := range args {
			if all = append(all, args[i].Items()...); len(all) > c.Length {
				return value.TooLarge(op.String(), "a sequence longer than the limit")
			}
		}
		return value.Seq(sort, all)
	}
	s := args[0].Items()
	switch op {
	case smt.OpSeqLen:
		return value.Int64(int64(len(s)))
	case smt.OpSeqExtract:
		return value.Seq(sort, part(s, args[1], args[2]))
	case smt.OpSeqAt:
		return value.Seq(sort, part(s, args[1], value.Int64(1)))
	case smt.OpSeqRev:
		return value.Seq(sort, reversed(s))
	case smt.OpSeqUpdate:
		return value.Seq(sort, overwrite(s, args[1], args[2].Items()))
	case smt.OpSeqNth:
		if i, ok := value.SmallIndex(args[1], len(s)); ok {
			return s[i]
		}
		return c.Partial(t, op, args, "an index out of range")
	}
	for i := range args {
		if args[i].Kind() == value.KindSeq && args[i].Opaque() {
			return value.NoValue(op.String(), "elements that cannot be compared")
		}
	}
	unsure := false
	l := list[value.Value]{func(x, y value.Value) bool {
		r := c.Equal(x, y)
		unsure = unsure || r == value.Unknown
		return r == value.True
	}}
	v := seqSearch(c, sort, op, l, s, args)
	// A comparison with unknown outcome could change the position or the result.
	if unsure {
		return value.NoValue(op.String(), "elements that cannot be compared")
	}
	return v
}

func seqSearch(c *Context, sort smt.Sort, op smt.Op, l list[value.Value], s []value.Value, args []value.Value) value.Value {
	x := args[1].Items()
	switch op {
	case smt.OpSeqContains:
		return value.Bool(l.index(s, x, 0) >= 0)
	case smt.OpSeqIndexOf:
		if len(args) == 2 {
			return value.Int64(int64(l.index(s, x, 0)))
		}
		return l.indexFrom(s, x, args[2])
	case smt.OpSeqLastIndexOf:
		return value.Int64(int64(l.lastIndex(s, x)))
	case smt.OpSeqReplace:
		return value.Seq(sort, slices.Clone(l.replace(s, x, args[2].Items())))
	case smt.OpSeqReplaceAll:
		out, ok := l.replaceAll(s, x, args[2].Items(), c.Length)
		if !ok {
			return value.TooLarge(op.String(), "a sequence longer than the limit")
		}
		return value.Seq(sort, out)
	case smt.OpSeqPrefixOf:
		return value.Bool(len(s) <= len(x) && l.equal(s, x[:len(s)]))
	case smt.OpSeqSuffixOf:
		return value.Bool(len(s) <= len(x) && l.equal(s, x[len(x)-len(s):]))
	}
	return value.NoValue(op.String(), "not defined on sequences")
}
