// Package meta makes sessions of sessions: one that writes what it is told as SMT-LIB or as a trace (Writer, Tee), one that
// asks several solvers and votes (Cross), and one that checks what a solver gives besides its answer (Checked). Each
// forwards every call, options and extensions included: relay has all interfaces of sessions, and each kind of meta
// session is one function of it.
package meta

// Problem is something wrong that a meta session has seen.
type Problem struct {
	Kind    string // disagreement, invalid-model, invalid-value, invalid-core, or a class of errors such as crash
	Solver  int    // number of the solver that is to blame, from 0; -1 for none in particular
	Message string
}
