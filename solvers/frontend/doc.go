// Package frontend is a solver that is made of solvers. It keeps the problem on a stack of its own (package stack)
// and brings the solvers below, its members, up to date when one is asked. A member that crashes, hangs or runs out
// of memory is replaced, and told the problem again; who asks sees an answer, and at worst unknown with the reason.
// Several members race one another in a portfolio, and with Options.Check no answer counts that nothing confirms: a
// model that our evaluator finds right, or a second solver that says unsat as well.
//
// The main types:
//
//   - FrontEnd is the solver: Assert, Check, Model and the other commands of SMT-LIB, for one goroutine.
//   - Options choose its Mode, its members, limits and whether answers are checked; Result is an answer with its source.
//   - Stack is the problem; a Mirror is the part of it that one session was told, an Update what it still has to hear.
//   - Experience remembers which member does best on which kind of question; MemberStats counts what each did.
//   - Packages below have the parts: cache (answers of earlier questions), optimise (objectives), dialogue (a client that
//     speaks SMT-LIB over a pipe), typed (expressions with Go types, for programs that solve problems of their own).
//
// Read solver.go first, then member.go (one solver below), race.go, recall.go (the cache) and mirror.go.
package frontend
