// Package frontend is a solver that is made of solvers. It keeps the problem on a stack of its own (package stack) and
// brings the solvers below, its members, up to date when one is asked. A member that crashes, hangs or runs out of
// memory is replaced, and the problem is sent again. The caller always gets an answer, at worst unknown with the
// reason. In a portfolio, several members race. With Options.Check, an answer counts only if it is confirmed: sat by a
// model that our evaluator accepts, unsat by a second solver.
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
