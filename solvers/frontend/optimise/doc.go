// Package optimise has a front end find the greatest or least values of terms, by search over whatever solvers are
// below. A value counts once the evaluator has found it in a model that satisfies the problem, and it is an optimum
// once a solver has said that nothing is better; where nobody can say so, the answer is unknown, with what is known.
// That a term has no bound, or one that it does not reach, is proven by exact linear arithmetic.
package optimise
