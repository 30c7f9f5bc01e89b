// Package operator has the operators that fusion functions are made of: an operator or a compound expression over sorts
// with letters, with an inverse for each argument that can be computed from the result and the other arguments. A Rule
// is an operator for one choice of its numbers, compiled to templates.
//
// An inverse is right for every interpretation of values that the standard leaves open, such as division by zero.
// Rule.Obligations are the queries whose unsatisfiability proves this. Obligation.Test tries values, a Prover asks
// solvers, and Proven has the recorded proofs.
package operator
