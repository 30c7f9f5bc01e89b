// Package solvers describes SMT solvers and what they do with a case, without starting any of them for a case itself.
//
// A Profile is what is known about a kind of solver (data only, written in Starlark under stdlib/solvers); a Solver is
// one binary of that kind found on this machine (Discover); a Target runs queries on a Solver in one Mode (package
// solvers/process); a Run says what came of it. Classify turns exit status and messages into a Class.
package solvers
