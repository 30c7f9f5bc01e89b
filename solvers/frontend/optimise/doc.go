// Package optimise lets a front end find the greatest or least values of terms, by search, with any solvers. A value
// counts if the evaluator has found it in a model that satisfies the problem. It is an optimum if a solver has answered
// that no better value exists. If no solver can decide that, the answer is unknown, with the known bounds. Exact linear
// arithmetic proves that a term is unbounded, or that its bound is not reached.
package optimise
