package eval

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/theory"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// operators computes the operators of the table, and equality.
type operators struct{ *Evaluator }

// applyOperator computes an operator of the table from the values of its arguments.
func (e operators) applyOperator(t smt.Term, op smt.Op, args []value.Value) value.Value {
	for i := range args {
		if !args[i].IsValue() {
			return e.applyUnknown(t, op, args)
		}
	}
	if op <= smt.OpIte {
		return e.applyCore(t, op, args)
	}
	if e.chargeNumbers(op, args); e.aborted != nil {
		return value.NoValueFor(e.aborted)
	}
	return e.theory.Apply(t, op, args)
}

// applyCore computes the structural heads that get here and the theory Core.
func (e operators) applyCore(t smt.Term, op smt.Op, args []value.Value) value.Value {
	switch op {
	case smt.OpTrue, smt.OpFalse:
		return value.Bool(op == smt.OpTrue)
	case smt.OpNot:
		return value.Bool(args[0].Bits() == 0)
	case smt.OpImplies:
		// Right associative: false only where all premises hold and the conclusion does not.
		for i := range args[:len(args)-1] {
			if args[i].Bits() == 0 {
				return value.Bool(true)
			}
		}
		return args[len(args)-1]
	case smt.OpAnd:
		for i := range args {
			if args[i].Bits() == 0 {
				return args[i]
			}
		}
		return value.Bool(true)
	case smt.OpOr:
		for i := range args {
			if args[i].Bits() == 1 {
				return args[i]
			}
		}
		return value.Bool(false)
	case smt.OpXor:
		// Left associative, which comes to parity.
		x := uint64(0)
		for i := range args {
			x ^= args[i].Bits()
		}
		return value.Bool(x == 1)
	case smt.OpEq:
		return theory.TruthValue(e.a, t, op, e.equalAll(args))
	case smt.OpDistinct:
		return theory.TruthValue(e.a, t, op, e.distinct(args))
	case smt.OpIte:
		if args[0].Bits() == 1 {
			return args[1]
		}
		return args[2]
	case smt.OpIs:
		return value.Bool(args[0].Constructor() == e.a.SymbolInfo(e.a.SymbolOf(t)).Ctor)
	case smt.OpUpdate:
		return e.updateField(t, args)
	case smt.OpHOApply:
		return args[0].AsTable().LookUp(args[1])
	case smt.OpFunction:
		return functionValues(e).functionValue(t)
	case smt.OpMapArrays:
		return functionValues(e).mapArrays(t, args)
	case smt.OpOpaque:
		return e.opaqueTerm(t, args)
	}
	return value.NoValue(op.String(), "has no value of its own")
}

// opaqueTerm knows the tuples of cvc5, its collections, and our own names for elements of uninterpreted sorts.
func (e operators) opaqueTerm(t smt.Term, args []value.Value) value.Value {
	a := e.a
	head, idx := a.OpaqueHead(t)
	if s := a.Sort(t); a.SortKind(s) == smt.KindUser && len(args) == 0 {
		if n, ok := value.ElementNumber(a, s, head); ok {
			return value.Element(s, n)
		}
	}
	if len(args) > 0 && (a.Sort(t) == smt.SortUnknown || a.IsQualified(t)) {
		return value.NoValue(head, notInTable)
	}
	if v, ok := collections(e).apply(t, head, idx, args); ok {
		return v
	}
	return value.NoValue(head, notInTable)
}

const notInTable = "opaque operator: not in the operator table"

func (e operators) equalAll(args []value.Value) value.Truth {
	if len(args) == 2 {
		return e.equal(args[0], args[1])
	}
	result := value.True
	for i := range args[1:] {
		switch e.equal(args[0], args[i+1]) {
		case value.False:
			return value.False
		case value.Unknown:
			result = value.Unknown
		}
	}
	return result
}

func (e operators) distinct(args []value.Value) value.Truth {
	if len(args) == 2 {
		return e.equal(args[0], args[1]).Not()
	}
	if len(args) > 16 && value.AllComparable(args) && args[0].Kind() < value.KindRegex {
		seen := value.Map{}
		for i := range args {
			if _, dup := seen.Get(args[i]); dup {
				return value.False
			}
			seen = seen.Set(args[i], value.Bool(true))
		}
		return value.True
	}
	result := value.True
	for i := range args {
		for j := range args[:i] {
			switch e.equal(args[i], args[j]) {
			case value.True:
				return value.False
			case value.Unknown:
				result = value.Unknown
			}
		}
	}
	return result
}

// applyUnknown applies an operator if the value of an argument is unknown: the result may still be known.
func (e operators) applyUnknown(t smt.Term, op smt.Op, args []value.Value) value.Value {
	a := e.a
	bad, _ := firstUnknown(args)
	// A result is given only where every value of the unknown arguments leads to it: a wrong one would accuse a solver
	// that is right.
	switch op {
	case smt.OpAnd, smt.OpOr, smt.OpImplies:
		for i := range args {
			zero := op != smt.OpOr && !(op == smt.OpImplies && i == len(args)-1)
			if zero && args[i].IsFalse() {
				return value.Bool(op == smt.OpImplies)
			}
			if !zero && args[i].IsTrue() {
				return value.Bool(true)
			}
		}
	case smt.OpIte:
		if args[0].IsValue() {
			return args[2-args[0].Bits()]
		}
		// Whatever the condition is.
		if value.Equal(args[1], args[2]) == value.True {
			return args[1]
		}
	case smt.OpEq:
		return e.equalUnknown(t, args, bad)
	case smt.OpDistinct:
		for i := range args {
			for j := range args[:i] {
				// The same term has the same value, even if nobody knows which.
				if a.Arg(t, i) == a.Arg(t, j) || value.Equal(args[i], args[j]) == value.True {
					return value.Bool(false)
				}
			}
		}
	case smt.OpMul, smt.OpBVMul, smt.OpBVAnd:
		for i := range args {
			if (args[i].Kind() == value.KindInt || args[i].Kind() == value.KindReal || args[i].Kind() == value.KindBitVec) && args[i].Bits() == 0 {
				return args[i]
			}
		}
	case smt.OpSelect:
		// The same element at every index, also at an unknown one.
		if v := args[0]; v.Kind() == value.KindTable && v.AsTable().Entries().Len() == 0 {
			return v.AsTable().Default()
		}
	}
	return bad
}

// equalUnknown decides equality where a value is unknown: terms that are the same have the same value.
func (e operators) equalUnknown(t smt.Term, args []value.Value, bad value.Value) value.Value {
	known := -1
	same := true
	for i := range args {
		same = same && e.a.Arg(t, i) == e.a.Arg(t, 0)
		if !args[i].IsValue() {
			continue
		}
		if known >= 0 && e.equal(args[known], args[i]) == value.False {
			return value.Bool(false)
		}
		known = i
	}
	if same {
		return value.Bool(true)
	}
	return bad
}
