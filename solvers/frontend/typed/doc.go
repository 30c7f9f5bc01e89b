// Package typed is the front end for programs: terms with their sorts as Go types, and questions about them.
//
// What the compiler cannot see, such as the widths of bit vectors, is checked where a term is made: a term that
// cannot be is one with an error (Expression.Err), which names the operator and shows its operands. Terms made of it
// have the same error, and so does what asserts one of them, so a program may look at the end of a long formula, or
// at each part of it.
//
// A Context is a problem with its solvers, for one goroutine; a Pool lends contexts to many.
package typed
