package smtlib

import "github.com/smtlark/smtlark/engine/smt"

// Parse reads a script into the arena. An error is an *Error.
func Parse(name string, src []byte, a *smt.Arena) (*Script, error) {
	return nil, &Error{File: name, Line: 1, Col: 1, Msg: "not read"}
}

// Scope resolves names as they are visible at the end of a script.
type Scope struct {
	script *Script
	// Lenient makes an unknown constant an opaque term where it would be an error.
	Lenient bool
}

// Scope returns the names that are visible at the end of the script.
func (s *Script) Scope() *Scope { return &Scope{script: s} }

// BindVar makes a bound variable (an OpVar term) visible under its name.
func (sc *Scope) BindVar(v smt.Term) {}

// BindSymbol makes a symbol visible under its name.
func (sc *Scope) BindSymbol(f smt.Symbol) {}

// Term reads a term. An error is an *Error.
func (sc *Scope) Term(text string) (smt.Term, error) { return 0, &Error{File: "term", Line: 1, Col: 1} }

// Sort reads a sort. An error is an *Error.
func (sc *Scope) Sort(text string) (smt.Sort, error) { return 0, &Error{File: "sort", Line: 1, Col: 1} }

// ParseTerm reads a term with the names that are visible at the end of the script, which may be nil.
func ParseTerm(a *smt.Arena, scope *Script, text string) (smt.Term, error) {
	if scope == nil {
		scope = &Script{Arena: a}
	}
	return scope.Scope().Term(text)
}

// ParseSort reads a sort with the names that are visible at the end of the script, which may be nil.
func ParseSort(a *smt.Arena, scope *Script, text string) (smt.Sort, error) {
	if scope == nil {
		scope = &Script{Arena: a}
	}
	return scope.Scope().Sort(text)
}
