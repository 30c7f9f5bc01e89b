// Package solving is the Starlark modules solver and oracle, and the values around solvers: a solver with its options
// and profile, its runs, and the oracles and verdicts that judge them.
package solving
