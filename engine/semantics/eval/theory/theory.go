// Package theory computes the operators of the theories, those of SMT-LIB and those that solvers add, from the known
// values of their arguments: one file a theory. If an operator needs more than its arguments' values (the model where
// the standard leaves a result open, or arrays that are given by terms), it asks its Context. The evaluator handles the
// structural operators, Core and function application.
package theory

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Context has the inputs of operators besides the values of their arguments.
type Context struct {
	Arena   *smt.Arena
	Domains *value.Domains
	// Bits is the greatest size of an integer, of a numerator or of a denominator, Length that of a string or of a
	// sequence. Results beyond are unknown.
	Bits, Length int
	// Partial returns the value of an operator where the standard leaves it open: the model's value, or unknown. why
	// names the case.
	Partial func(t smt.Term, op smt.Op, args []value.Value, why string) value.Value
	// Equal compares two values, also arrays that are given by terms.
	Equal func(v, w value.Value) value.Truth
	// Languages makes the regular languages among the values; nil as long as there are none.
	Languages *strre.Builder
	// GaveUp is set when Languages gave up on an expression: it will give up on all others too.
	GaveUp bool
}

// operation computes an operator; all arguments are known values of the right sorts.
type operation func(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value

// operations has the operation of each operator of a theory.
var operations = func() (table [smt.NumOps]operation) {
	op := smt.OpIte + 1 // operators are numbered theory by theory, after Core
	for _, theory := range []struct {
		last    smt.Op
		compute operation
	}{
		{smt.OpEuler, arithmetic},
		{smt.OpBVSmodTotal, bitVectors},
		{smt.OpFPToSbvTotal, floatingPoint},
		{smt.OpEqRange, arrayTheory},
		{smt.OpSeqSuffixOf, sequences},
		{smt.OpSetIsSingleton, setTheory},
		{smt.OpBagToSet, bagTheory},
		{smt.OpFFBitsum, finiteFields},
		{smt.NumOps - 1, stringTheory},
	} {
		for ; op <= theory.last; op++ {
			table[op] = theory.compute
		}
	}
	for op := smt.OpStrToRe; op <= smt.OpReLoop; op++ {
		table[op] = regularLanguage
	}
	table[smt.OpReLoopArgs] = regularLanguage
	for _, op := range []smt.Op{smt.OpStrInRe, smt.OpStrReplaceRe, smt.OpStrReplaceReAll, smt.OpStrIndexOfRe} {
		table[op] = languageSearch
	}
	for op := smt.OpRNE; op <= smt.OpRTZ; op++ {
		table[op] = roundingMode
	}
	table[smt.OpIntToBV] = intToBV
	table[smt.OpConcat] = concat
	return table
}()

// Apply computes an operator of a theory from the values of its arguments, all of which must be known.
func (c *Context) Apply(t smt.Term, op smt.Op, args []value.Value) value.Value {
	return operations[op](c, t, op, args)
}

// TruthValue converts a truth to a value; unknown means that values cannot be compared.
func TruthValue(a *smt.Arena, t smt.Term, op smt.Op, x value.Truth) value.Value {
	if x == value.Unknown {
		return value.NoValue(op.String(), "values of sort "+a.SortString(a.Sort(a.Arg(t, 0)))+" that cannot be compared")
	}
	return value.Bool(x == value.True)
}
