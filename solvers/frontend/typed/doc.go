// Package typed is the front end for programs: terms with their sorts as Go types, and questions about them.
//
// Properties that the compiler cannot check, such as the widths of bit vectors, are checked when a term is made. An
// ill-sorted term has an error (Expression.Err), which names the operator and shows its operands. Terms made from it
// have the same error, and asserting one returns it. So a program may check for errors at the end of a long formula, or
// at each part.
//
// A Context is a problem with its solvers, for one goroutine; a Pool lends contexts to many.
package typed
