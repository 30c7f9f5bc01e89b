// Package meta has decorators for sessions: two write the calls as SMT-LIB or as a trace (Recorder, Tee), one asks
// several solvers and takes a vote (Cross), and one checks a solver's replies other than its answer (Checked). Each
// forwards every call, including options and extensions.
package meta

// sessionProblem is a fault that a meta session has found.
type sessionProblem struct {
	Kind    string // disagreement, invalid-model, invalid-value, invalid-core, or a class of errors such as crash
	Solver  int    // number of the solver that is to blame, from 0; -1 for none in particular
	Message string
}
