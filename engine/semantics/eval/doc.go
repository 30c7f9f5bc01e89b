// Package eval is the exact semantics of SMT-LIB 2.7 and of the solvers' extensions: evaluation of terms in a model,
// and checking a model against a script.
//
// A result is exact or it is unknown with a reason; nothing is approximated. Values that the standard leaves open, such
// as (div x 0), come from the model if it gives them, and else are unknown.
//
// The main types:
//
//   - Evaluator computes the values of terms in a model (package model), and remembers them. Value, Truth and AllTrue
//     ask; Limits bound one question, an Allowance several.
//   - value.Value is a value of any sort, value.Truth one of true, false and unknown.
//   - ModelCheck says whether a model satisfies a script, and which assertion fails with the values in it.
//   - package modelreader reads the models that solvers print; package search looks for a model.
//
// Read check.go first, which uses it all, then run.go: the loop over the terms. interpretation.go has the
// interpretation of symbols, quant.go the quantifiers, budget.go the limits. The operators are in package theory,
// floating point in softfp, regular expressions in strre.
package eval
