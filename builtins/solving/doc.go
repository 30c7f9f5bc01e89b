// Package solving has the Starlark values around solvers: a solver with its options, its runs, and the oracles and verdicts
// that judge them.
package solving
