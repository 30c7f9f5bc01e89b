// Package frontend is a solver that is made of solvers. It keeps the problem on a stack of its own (package stack)
// and brings the solvers below, its members, up to date when one is asked. A member that crashes, hangs or runs out
// of memory is replaced, and told the problem again; who asks sees an answer, and at worst unknown with the reason.
// Several members race one another in a portfolio, and with Options.Check no answer counts that nothing confirms: a
// model that our evaluator finds right, or a second solver that says unsat as well.
package frontend
