// Package solving has the Starlark values around solvers: the solver with its options, which can be asked and of which targets
// are made, its runs, and the oracles and verdicts that judge them. What solvers are found to take is asked and remembered here.
package solving
