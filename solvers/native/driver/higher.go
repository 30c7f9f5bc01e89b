package driver

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// applier is a library with functions that are values.
type applier interface {
	// ApplyValue applies a function to its first arguments, at least one.
	ApplyValue(s *Translation, f smt.Term, fun Ref, args []Ref) Ref
}

// applyValue applies a function value. It translates (@ (@ f x) y) as one application to two arguments, since libraries
// have term kinds for that.
func (s *Translation) applyValue(t smt.Term) Ref {
	lib, ok := s.API.(applier)
	if !ok {
		panic(Unsupported("%s has no functions that are values", s.API.Lib().kind))
	}
	var terms []smt.Term
	f := t
	for ; s.a.Op(f) == smt.OpHOApply; f = s.a.Arg(f, 0) {
		terms = append(terms, s.a.Arg(f, 1))
	}
	slices.Reverse(terms)
	fun := s.Term(f)
	args := make([]Ref, len(terms))
	for i, x := range terms {
		args[i] = s.Term(x)
	}
	return lib.ApplyValue(s, f, fun, args)
}

// functionValue makes a function symbol that stands for its value: of a definition that is a lambda, as applications
// of it are expanded.
func (s *Translation) functionValue(t smt.Term) Ref {
	a := s.a
	f := a.SymbolOf(t)
	info := a.SymbolInfo(f)
	array := a.SortKind(a.Sort(t)) == smt.KindArray
	switch {
	case info.Kind == smt.SymDefined && !info.Recursive && info.Body != 0:
		l, err := a.Lambda(info.Vars, info.Body, array)
		if err != nil {
			panic(Unsupported("%s cannot be a value: %v", info.Name, err))
		}
		return s.Term(l)
	case info.Kind != smt.SymDeclared && info.Kind != smt.SymDefined:
		panic(Unsupported("the constructor or selector %s cannot be a value", info.Name))
	case array:
		return s.API.App(s, t, nil)
	}
	return s.Symbol(f)
}
