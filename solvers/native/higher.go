package native

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// applier is a library with functions that are values.
type applier interface {
	// applyValue applies a function to its first arguments, at least one.
	applyValue(s *session, f smt.Term, fun ref, args []ref) ref
}

// applyValue applies a function value: (@ (@ f x) y) is one application to two arguments, as libraries have kinds for those.
func (s *session) applyValue(t smt.Term) ref {
	lib, ok := s.api.(applier)
	if !ok {
		panic(unsupported("%s has no functions that are values", s.api.lib().kind))
	}
	var terms []smt.Term
	f := t
	for ; s.a.Op(f) == smt.OpHOApply; f = s.a.Arg(f, 0) {
		terms = append(terms, s.a.Arg(f, 1))
	}
	slices.Reverse(terms)
	fun := s.term(f)
	args := make([]ref, len(terms))
	for i, x := range terms {
		args[i] = s.term(x)
	}
	return lib.applyValue(s, f, fun, args)
}

// functionValue makes a function symbol that stands for its value: of a definition that is a lambda, as applications of it
// are expanded.
func (s *session) functionValue(t smt.Term) ref {
	a := s.a
	f := a.SymbolOf(t)
	info := a.SymbolInfo(f)
	array := a.SortKind(a.Sort(t)) == smt.KindArray
	switch {
	case info.Kind == smt.SymDefined && !info.Recursive && info.Body != 0:
		l, err := a.Lambda(info.Vars, info.Body, array)
		if err != nil {
			panic(unsupported("%s cannot be a value: %v", info.Name, err))
		}
		return s.term(l)
	case info.Kind != smt.SymDeclared && info.Kind != smt.SymDefined:
		panic(unsupported("the constructor or selector %s cannot be a value", info.Name))
	case array:
		return s.api.app(s, t, nil)
	}
	return s.symbol(f)
}

// applyValue applies a function by one of cvc5's kinds: HO_APPLY takes one argument, APPLY_UF all.
func (c *cvc5) applyValue(s *session, f smt.Term, fun ref, args []ref) ref {
	op := s.a.Op(f)
	symbol := op == smt.OpVar || op == smt.OpFunction || op == smt.OpApply && s.a.NumArgs(f) == 0
	if symbol && len(args)+1 == len(s.a.SortArgs(s.a.Sort(f))) && s.pick(2) == 1 {
		return c.term(s, "APPLY_UF", nil, append([]ref{fun}, args...)...)
	}
	for _, x := range args {
		fun = c.term(s, "HO_APPLY", nil, fun, x)
	}
	return fun
}

// applyValue applies a function to all its arguments, as bitwuzla wants it.
func (b *bitwuzla) applyValue(s *session, f smt.Term, fun ref, args []ref) ref {
	if len(args)+1 != len(s.a.SortArgs(s.a.Sort(f))) {
		panic(unsupported("bitwuzla has no partial application"))
	}
	return b.term(s, "APPLY", nil, append([]ref{fun}, args...)...)
}

// z3AsArray makes an array of a function.
func z3AsArray(z *z3, s *session, t smt.Term, _ []ref) ref {
	return z.ast("mk_as_array", s.symbol(s.a.SymbolOf(t)))
}

// z3Map applies a function to arrays, index by index.
func z3Map(z *z3, s *session, t smt.Term, args []ref) ref {
	f := s.a.SymbolOf(t)
	if info := s.a.SymbolInfo(f); info.Kind != smt.SymDeclared && !info.Recursive {
		panic(unsupported("z3 maps declared functions, not the definition %s", info.Name))
	}
	return z.ast("mk_map", s.symbol(f), uintptr(len(args)), z.l.refs(args))
}
