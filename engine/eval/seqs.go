package eval

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// seqs computes the sequences of z3 and cvc5.
func (e *Evaluator) seqs(t smt.Term, op smt.Op, args []Value) Value {
	sort := e.a.Sort(t)
	switch op {
	case smt.OpSeqEmpty:
		return SeqValue(sort, nil)
	case smt.OpSeqUnit:
		return SeqValue(sort, []Value{args[0]})
	case smt.OpSeqConcat:
		var all []Value
		for i := range args {
			if all = append(all, args[i].elems()...); len(all) > e.Limits.Length {
				return tooLarge(op.String(), "a sequence longer than the limit")
			}
		}
		return SeqValue(sort, all)
	}
	s := args[0].elems()
	switch op {
	case smt.OpSeqLen:
		return int64Value(int64(len(s)))
	case smt.OpSeqExtract:
		return SeqValue(sort, part(s, args[1], args[2]))
	case smt.OpSeqAt:
		return SeqValue(sort, part(s, args[1], int64Value(1)))
	case smt.OpSeqRev:
		return SeqValue(sort, reversed(s))
	case smt.OpSeqUpdate:
		return SeqValue(sort, overwrite(s, args[1], args[2].elems()))
	case smt.OpSeqNth:
		if i, ok := smallIndex(args[1], len(s)); ok {
			return s[i]
		}
		return e.partial(t, op, args, "an index out of range")
	}
	for i := range args {
		if args[i].kind == kSeq && args[i].ref.(*seqValue).opaque {
			return unknown(op.String(), "elements that cannot be compared")
		}
	}
	unsure := false
	l := list[Value]{func(x, y Value) bool {
		r := e.equal(x, y)
		unsure = unsure || r == Unknown
		return r == True
	}}
	v := e.seqSearch(sort, op, l, s, args)
	if unsure {
		return unknown(op.String(), "elements that cannot be compared")
	}
	return v
}

func (e *Evaluator) seqSearch(sort smt.Sort, op smt.Op, l list[Value], s []Value, args []Value) Value {
	x := args[1].elems()
	switch op {
	case smt.OpSeqContains:
		return BoolValue(l.index(s, x, 0) >= 0)
	case smt.OpSeqIndexOf:
		if len(args) == 2 {
			return int64Value(int64(l.index(s, x, 0)))
		}
		return l.indexFrom(s, x, args[2])
	case smt.OpSeqLastIndexOf:
		return int64Value(int64(l.lastIndex(s, x)))
	case smt.OpSeqReplace:
		return SeqValue(sort, slices.Clone(l.replace(s, x, args[2].elems())))
	case smt.OpSeqReplaceAll:
		out, ok := l.replaceAll(s, x, args[2].elems(), e.Limits.Length)
		if !ok {
			return tooLarge(op.String(), "a sequence longer than the limit")
		}
		return SeqValue(sort, out)
	case smt.OpSeqPrefixOf:
		return BoolValue(len(s) <= len(x) && l.equal(s, x[:len(s)]))
	case smt.OpSeqSuffixOf:
		return BoolValue(len(s) <= len(x) && l.equal(s, x[len(x)-len(s):]))
	}
	return unknown(op.String(), "not defined on sequences")
}
