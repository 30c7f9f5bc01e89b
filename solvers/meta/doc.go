// Package meta has decorators for sessions: one writes what it is told as SMT-LIB or as a trace (Recorder, Tee), one
// asks several solvers and takes a vote (Cross), and one checks what a solver returns besides its answer (Checked).
// Each passes every call on, options and extensions included.
package meta

// sessionProblem is something wrong that a meta session has seen.
type sessionProblem struct {
	Kind    string // disagreement, invalid-model, invalid-value, invalid-core, or a class of errors such as crash
	Solver  int    // number of the solver that is to blame, from 0; -1 for none in particular
	Message string
}
