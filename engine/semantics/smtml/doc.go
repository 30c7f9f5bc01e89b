// Package smtml reads and writes the text format of Smt.ml (https://github.com/formalsec/smtml), .smtml: declarations
// with let-const, assertions over operators that carry their type in their name, such as i32.add, check-sat, get-model,
// push and pop.
//
// The format is less expressive than SMT-LIB: it has the types bool, int, real, str, i8, i32, i64, f32 and f64, no
// function with arguments, no array, no quantifier, no let. Write translates other constructs to equivalent ones of the
// format (n-ary operators, implications, shifts over bytes), and else returns an error with the operator. Operators
// have the meaning of the queries that Smt.ml sends to solvers, not of its own evaluator, which differs (for example,
// it takes shifts of constants modulo the width).
//
// Models are read and written exactly, as SMT-LIB and in Smt.ml's forms of JSON and scfg, extended by functions,
// arrays, datatypes and elements of declared sorts, which Smt.ml lacks.
package smtml
