package eval

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// apply computes an operator of the table from the values of its arguments.
func (e *Evaluator) apply(t smt.Term, op smt.Op, args []Value) Value {
	for i := range args {
		if args[i].unknown() {
			return e.applyUnknown(t, op, args)
		}
	}
	switch {
	case op <= smt.OpIte:
		return e.core(t, op, args)
	case op <= smt.OpEuler:
		return e.arith(t, op, args)
	case op <= smt.OpBVSmodTotal:
		return e.bitvec(t, op, args)
	case op <= smt.OpFPToSbvTotal:
		return e.float(t, op, args)
	case op <= smt.OpEqRange:
		return e.arrays(t, op, args)
	case op <= smt.OpSeqSuffixOf:
		return e.seqs(t, op, args)
	case op <= smt.OpSetIsSingleton:
		return e.sets(t, op, args)
	case op <= smt.OpBagToSet:
		return e.bags(t, op, args)
	case op <= smt.OpFFBitsum:
		return e.fields(t, op, args)
	}
	return e.strings(t, op, args)
}

// core computes the structural heads that get here and the theory Core.
func (e *Evaluator) core(t smt.Term, op smt.Op, args []Value) Value {
	switch op {
	case smt.OpTrue, smt.OpFalse:
		return BoolValue(op == smt.OpTrue)
	case smt.OpNot:
		return BoolValue(args[0].bits == 0)
	case smt.OpImplies:
		for i := range args[:len(args)-1] {
			if args[i].bits == 0 {
				return BoolValue(true)
			}
		}
		return args[len(args)-1]
	case smt.OpAnd:
		for i := range args {
			if args[i].bits == 0 {
				return args[i]
			}
		}
		return BoolValue(true)
	case smt.OpOr:
		for i := range args {
			if args[i].bits == 1 {
				return args[i]
			}
		}
		return BoolValue(false)
	case smt.OpXor:
		x := uint64(0)
		for i := range args {
			x ^= args[i].bits
		}
		return BoolValue(x == 1)
	case smt.OpEq:
		return e.truthValue(t, op, e.equalAll(args))
	case smt.OpDistinct:
		return e.truthValue(t, op, e.distinct(args))
	case smt.OpIte:
		if args[0].bits == 1 {
			return args[1]
		}
		return args[2]
	case smt.OpIs:
		return BoolValue(args[0].data().ctor == e.a.SymbolInfo(e.a.SymbolOf(t)).Ctor)
	case smt.OpUpdate:
		return e.update(t, args)
	case smt.OpHOApply:
		return e.selectTable(args[0].table(), args[1])
	case smt.OpFunction:
		return e.functionValue(t)
	case smt.OpMapArrays:
		return e.mapArrays(t, args)
	case smt.OpOpaque:
		return e.opaqueTerm(t, args)
	}
	return unknown(op.String(), "has no value of its own")
}

// opaqueTerm knows the tuples of cvc5 and our own names for elements of uninterpreted sorts.
func (e *Evaluator) opaqueTerm(t smt.Term, args []Value) Value {
	a := e.a
	head, idx := a.OpaqueHead(t)
	if s := a.Sort(t); a.SortKind(s) == smt.KindUser && len(args) == 0 {
		if n, ok := elementNumber(a, s, head); ok {
			return ElementValue(s, n)
		}
	}
	switch {
	case head == "tuple" || head == "tuple.unit":
		e.loose = true
		sorts := make([]smt.Sort, len(args))
		for i := range args {
			sorts[i] = args[i].sort
		}
		return DataValue(a.Tuple(sorts...), 0, slices.Clone(args)...)
	case (head == "tuple.select" || head == "tuple.update") && len(idx) == 1 && len(args) > 0 && args[0].kind == kData:
		e.loose = true
		fields := args[0].data().fields
		i, ok := a.IndexUint(idx[0])
		switch {
		case !ok || i >= uint64(len(fields)):
		case head == "tuple.select" && len(args) == 1:
			return fields[i]
		case head == "tuple.update" && len(args) == 2:
			fields = slices.Clone(fields)
			fields[i] = args[1]
			return DataValue(args[0].sort, 0, fields...)
		}
	}
	return unknown(head, "opaque operator: not in the operator table")
}

// truthValue makes a truth into a value; unknown means that values cannot be compared.
func (e *Evaluator) truthValue(t smt.Term, op smt.Op, x Truth) Value {
	if x == Unknown {
		return unknown(op.String(), "values of sort "+e.a.SortString(e.a.Sort(e.a.Arg(t, 0)))+" that cannot be compared")
	}
	return BoolValue(x == True)
}

func (e *Evaluator) equalAll(args []Value) Truth {
	if len(args) == 2 {
		return e.equal(args[0], args[1])
	}
	result := True
	for i := range args[1:] {
		switch e.equal(args[0], args[i+1]) {
		case False:
			return False
		case Unknown:
			result = Unknown
		}
	}
	return result
}

func (e *Evaluator) distinct(args []Value) Truth {
	if len(args) == 2 {
		return e.equal(args[0], args[1]).not()
	}
	if len(args) > 16 && comparable(args) && args[0].kind < kRegex {
		seen := trie{}
		for i := range args {
			if _, dup := seen.get(args[i]); dup {
				return False
			}
			seen = seen.set(args[i], BoolValue(true))
		}
		return True
	}
	result := True
	for i := range args {
		for j := range args[:i] {
			switch e.equal(args[i], args[j]) {
			case True:
				return False
			case Unknown:
				result = Unknown
			}
		}
	}
	return result
}

// applyUnknown applies an operator where the value of an argument is unknown: it may be known all the same.
func (e *Evaluator) applyUnknown(t smt.Term, op smt.Op, args []Value) Value {
	a := e.a
	bad, _ := firstUnknown(args)
	switch op {
	case smt.OpAnd, smt.OpOr, smt.OpImplies:
		for i := range args {
			zero := op != smt.OpOr && !(op == smt.OpImplies && i == len(args)-1)
			if zero && args[i].isFalse() {
				return BoolValue(op == smt.OpImplies)
			}
			if !zero && args[i].isTrue() {
				return BoolValue(true)
			}
		}
	case smt.OpIte:
		if !args[0].unknown() {
			return args[2-args[0].bits]
		}
		if Equal(args[1], args[2]) == True {
			return args[1]
		}
	case smt.OpEq:
		return e.equalUnknown(t, args, bad)
	case smt.OpDistinct:
		for i := range args {
			for j := range args[:i] {
				if a.Arg(t, i) == a.Arg(t, j) || Equal(args[i], args[j]) == True {
					return BoolValue(false)
				}
			}
		}
	case smt.OpMul, smt.OpBVMul, smt.OpBVAnd:
		for i := range args {
			if (args[i].kind == kInt || args[i].kind == kReal || args[i].kind == kBV) && args[i].bits == 0 {
				return args[i]
			}
		}
	case smt.OpSelect:
		if v := args[0]; v.kind == kTable && v.table().entries.n == 0 {
			return v.table().def
		}
	}
	return bad
}

// equalUnknown decides equality where a value is unknown: terms that are the same have the same value.
func (e *Evaluator) equalUnknown(t smt.Term, args []Value, bad Value) Value {
	known := -1
	same := true
	for i := range args {
		same = same && e.a.Arg(t, i) == e.a.Arg(t, 0)
		if args[i].unknown() {
			continue
		}
		if known >= 0 && e.equal(args[known], args[i]) == False {
			return BoolValue(false)
		}
		known = i
	}
	if same {
		return BoolValue(true)
	}
	return bad
}
