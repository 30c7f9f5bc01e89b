// Package smtml reads and writes the text format of Smt.ml (https://github.com/formalsec/smtml), .smtml: declarations
// with let-const, assertions over operators that carry their type in their name, such as i32.add, check-sat, get-model,
// push and pop.
//
// The format says less than SMT-LIB: types bool, int, real, str, i8, i32, i64, f32 and f64, no function with arguments,
// no array, no quantifier, no let. Write says the rest by what the format has where that means the same (n-ary
// operators, implications, shifts over bytes), and refuses what is left with the operator. Operators are taken to mean
// what the solvers below Smt.ml are asked by them, not what its own evaluator computes, which differs (shifts of
// constants are taken modulo the width there, for one).
//
// Models are read and written as SMT-LIB and as JSON and scfg in the form that Smt.ml gives them, exactly, and with
// what it lacks: functions, arrays, datatypes, elements of declared sorts.
package smtml
