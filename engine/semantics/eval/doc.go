// Package eval is the exact semantics of SMT-LIB 2.7 and of the solvers' extensions: evaluation of terms in a model,
// and checking a model against a script.
//
// A result is exact or it is unknown with a reason; nothing is approximated. What the standard leaves to the model,
// such as (div x 0), follows the model where it says something and is unknown where it does not.
package eval
