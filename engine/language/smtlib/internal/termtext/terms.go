package termtext

import "github.com/smtlark/smtlark/engine/language/smt"

// Terms writes terms. It keeps its working memory between uses; the zero value is ready. It is not safe for concurrent
// use.
type Terms struct {
	// Standard selects the operator names of SMT-LIB 2.7. By default, names are written that older versions of solvers
	// know too, such as bv2nat for ubv_to_int.
	Standard bool

	planner
	b     []byte
	names map[smt.Symbol]string // of constants that are written by the names of others
	left  int                   // of maxUnshared: how many more nodes direct writes without let
	writer
}

// planner determines which terms let binds and which variables are renamed, before a term is written.
type planner struct {
	// Unshared terms are written without let, if that is not too long.
	Unshared bool

	a *smt.Arena
	plan
}
