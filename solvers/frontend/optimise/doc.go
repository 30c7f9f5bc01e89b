// Package optimise lets a front end find the greatest or least values of terms, by search, with any solvers. A value
// counts if the evaluator has found it in a model that satisfies the problem. It is an optimum if a solver has answered
// that there is nothing better. If no solver can decide that, the answer is unknown, with the known bounds. Exact
// linear arithmetic proves that a term has no bound, or one that it does not reach.
package optimise
