// Package solving has the Starlark values around solvers: a solver with its options, which answers questions and of
// which targets are made, its runs, and the oracles and verdicts that judge them. It also asks solvers what they
// accept, and remembers their replies.
package solving
