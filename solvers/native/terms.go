package native

import (
	"github.com/smtlark/smtlark/engine/smt"
)

// scope is a binder whose body is translated. Variables are made anew for each binder, because some libraries let a
// variable be bound only once, and terms that contain them belong to the scope.
type scope struct {
	vars  []smt.Term
	saved []int // depthOf of the variables before
	terms map[smt.Term]ref
}

type walkFrame struct {
	t    smt.Term
	next int
}

func (s *session) leaveScopes() {
	s.scopes = s.scopes[:0]
	s.walk = s.walk[:0]
	clear(s.depthOf)
}

// sort returns the library's object for a sort.
func (s *session) sort(so smt.Sort) ref {
	if int(so) < len(s.sorts) && s.sorts[so] != 0 {
		return s.sorts[so]
	}
	r := s.lend(func(p *session) ref {
		if int(so) < len(p.sorts) {
			return p.sorts[so]
		}
		return 0
	})
	if r == 0 {
		r = s.api.sort(s, so)
	}
	for int(so) >= len(s.sorts) {
		s.sorts = append(s.sorts, make([]ref, 64)...)
	}
	s.sorts[so] = r
	return r
}

// sortList returns the objects for several sorts.
func (s *session) sortList(sos []smt.Sort) []ref {
	out := make([]ref, len(sos))
	for i, so := range sos {
		out[i] = s.sort(so)
	}
	return out
}

// symbol returns the object of a declared constant or function.
func (s *session) symbol(f smt.Symbol) ref {
	if r, ok := s.funs[f]; ok {
		return r
	}
	r := ref(0)
	if s.a.SymbolInfo(f).Kind == smt.SymDeclared {
		r = s.lend(func(p *session) ref { return p.funs[f] })
	}
	switch {
	case r != 0:
	case len(s.a.SymbolInfo(f).Params) == 0:
		r = s.api.constant(s, f)
	default:
		r = s.api.function(s, f)
	}
	s.funs[f] = r
	return r
}

// freeVars returns the variables that occur free in a term.
func (s *session) freeVars(t smt.Term) []smt.Term {
	if v, ok := s.free[t]; ok {
		return v
	}
	// All terms below that have no entry get one: the children of a term come before it.
	s.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if _, ok := s.free[x]; ok {
			return
		}
		if s.a.Op(x) == smt.OpVar {
			s.free[x] = []smt.Term{x}
			return
		}
		var out []smt.Term
		bound := s.a.BoundVars(x)
		for _, y := range s.a.Args(x)[len(bound):] {
			for _, v := range s.free[y] {
				if !containsTerm(bound, v) && !containsTerm(out, v) {
					out = append(out, v)
				}
			}
		}
		s.free[x] = out
	})
	return s.free[t]
}

func containsTerm(ts []smt.Term, t smt.Term) bool {
	for _, x := range ts {
		if x == t {
			return true
		}
	}
	return false
}

// home returns the number of the scope that a term belongs to: 0 is outside of all binders.
func (s *session) home(t smt.Term) int {
	if len(s.scopes) == 0 {
		return 0
	}
	depth := 0
	for _, v := range s.freeVars(t) {
		depth = max(depth, s.depthOf[v])
	}
	return depth
}

// known returns the object of a term if there is one, and where a new one belongs.
func (s *session) known(t smt.Term) (r ref, home int) {
	home = s.home(t)
	if home > 0 {
		return s.scopes[home-1].terms[t], home
	}
	if int(t) < len(s.terms) {
		return s.terms[t], 0
	}
	return 0, 0
}

func (s *session) keep(t smt.Term, home int, r ref) {
	if home > 0 {
		s.scopes[home-1].terms[t] = r
		return
	}
	for int(t) >= len(s.terms) {
		s.terms = append(s.terms, make([]ref, len(s.terms)+256)...)
	}
	s.terms[t] = r
}

// term returns the library's object for a term, and makes what is missing.
func (s *session) term(root smt.Term) ref {
	if r, _ := s.known(root); r != 0 {
		return r
	}
	base := len(s.walk)
	s.walk = append(s.walk, walkFrame{t: root})
	var args []ref
	for len(s.walk) > base {
		f := &s.walk[len(s.walk)-1]
		t := f.t
		r, home := s.known(t)
		if r != 0 {
			s.walk = s.walk[:len(s.walk)-1]
			continue
		}
		op := s.a.Op(t)
		n := s.a.NumArgs(t)
		switch {
		case op == smt.OpMatch, op == smt.OpHOApply, op.IsBinder():
			n = 0 // looks after its arguments itself
		case op == smt.OpAnnot:
			n = 1
		case op == smt.OpApply && s.expands(t):
			n = 0
		}
		if f.next < n {
			x := s.a.Arg(t, f.next)
			f.next++
			if have, _ := s.known(x); have == 0 {
				s.walk = append(s.walk, walkFrame{t: x})
			}
			continue
		}
		args = args[:0]
		for i := range n {
			have, _ := s.known(s.a.Arg(t, i))
			args = append(args, have)
		}
		s.walk = s.walk[:len(s.walk)-1]
		r = s.make(t, op, args)
		if r == 0 {
			panic(unsupported("%s gave no object for %s", s.api.lib().kind, s.a.Brief(t)))
		}
		s.keep(t, home, r)
	}
	r, _ := s.known(root)
	return r
}

// expands reports whether an application stands for a body.
func (s *session) expands(t smt.Term) bool {
	info := s.a.SymbolInfo(s.a.SymbolOf(t))
	return (info.Kind == smt.SymDefined || info.Kind == smt.SymNamed) && !info.Recursive && info.Body != 0
}

// make makes the object of a term from those of its arguments.
func (s *session) make(t smt.Term, op smt.Op, args []ref) ref {
	a := s.a
	switch op {
	case smt.OpIntLit, smt.OpRealLit, smt.OpBVLit, smt.OpStringLit, smt.OpFFLit, smt.OpTrue, smt.OpFalse:
		return s.api.value(s, t)
	case smt.OpVar:
		return s.api.variable(s, t)
	case smt.OpForall, smt.OpExists, smt.OpLambda:
		return s.bind(t)
	case smt.OpMatch:
		return s.term(s.matchToIte(t))
	case smt.OpAnnot:
		return args[0]
	case smt.OpIs:
		return s.api.test(s, t, a.SymbolOf(t), args[0])
	case smt.OpHOApply:
		return s.applyValue(t)
	case smt.OpFunction:
		return s.functionValue(t)
	case smt.OpUpdate:
		return s.api.update(s, t, a.SymbolOf(t), args[0], args[1])
	case smt.OpApply:
		f := a.SymbolOf(t)
		info := a.SymbolInfo(f)
		switch {
		case info.Kind == smt.SymConstructor:
			return s.api.construct(s, t, f, args)
		case info.Kind == smt.SymSelector:
			return s.api.choose(s, t, f, args[0])
		case s.expands(t):
			return s.term(s.expand(t))
		case len(info.Params) == 0:
			return s.symbol(f)
		}
		return s.api.apply(s, t, f, s.symbol(f), args)
	case smt.OpOpaque:
		head, _ := a.OpaqueHead(t)
		panic(unsupported("smtlark does not know the operator %s", head))
	case smt.OpCase, smt.OpInvalid:
		panic(unsupported("a %s cannot stand alone", op))
	}
	return s.api.app(s, t, args)
}

// expand puts the arguments of a defined function into its body.
func (s *session) expand(t smt.Term) smt.Term {
	info := s.a.SymbolInfo(s.a.SymbolOf(t))
	if len(info.Vars) == 0 {
		return info.Body
	}
	m := make(map[smt.Term]smt.Term, len(info.Vars))
	for i, v := range info.Vars {
		m[v] = s.a.Arg(t, i)
	}
	body, err := s.a.Subst(info.Body, m)
	if err != nil {
		panic(unsupported("%s cannot be expanded: %v", info.Name, err))
	}
	return body
}

// bind makes a quantifier or lambda: its variables and, over them, its body.
func (s *session) bind(t smt.Term) (r ref) {
	s.within(s.a.BoundVars(t), func(vars []ref) { r = s.api.binder(s, t, vars, s.term(s.a.Body(t))) })
	return r
}

// inScope makes new variables and a body over them.
func (s *session) inScope(vars []smt.Term, body smt.Term) (refs []ref, r ref) {
	s.within(vars, func(made []ref) { refs, r = made, s.term(body) })
	return refs, r
}

// within runs f in a scope with new objects for the variables.
func (s *session) within(bound []smt.Term, f func(vars []ref)) {
	vars := append([]smt.Term(nil), bound...)
	sc := scope{vars: vars, terms: map[smt.Term]ref{}}
	depth := len(s.scopes) + 1
	for _, v := range vars {
		sc.saved = append(sc.saved, s.depthOf[v])
	}
	s.scopes = append(s.scopes, sc)
	refs := make([]ref, len(vars))
	for i, v := range vars {
		s.depthOf[v] = depth
		refs[i] = s.api.variable(s, v)
		sc.terms[v] = refs[i]
	}
	f(refs)
	for i, v := range vars {
		if sc.saved[i] == 0 {
			delete(s.depthOf, v)
		} else {
			s.depthOf[v] = sc.saved[i]
		}
	}
	s.scopes = s.scopes[:depth-1]
}

// matchToIte writes a match as nested ite over testers and selectors (SMT-LIB 2.7, section 3.6.1), which every library
// with datatypes has.
func (s *session) matchToIte(t smt.Term) smt.Term {
	a := s.a
	args := a.CopyArgs(t)
	over := args[0]
	out := smt.Term(0)
	for i := len(args) - 1; i >= 1; i-- {
		c := args[i]
		ctor := a.SymbolOf(c)
		vars := append([]smt.Term(nil), a.BoundVars(c)...)
		m := map[smt.Term]smt.Term{}
		for j, v := range vars {
			if ctor == 0 {
				m[v] = over
				continue
			}
			info := a.SymbolInfo(ctor)
			sel := a.Datatype(info.Datatype).Constructors[info.Ctor].Selectors[j]
			field, err := a.Apply(sel, over)
			if err != nil {
				panic(unsupported("match: %v", err))
			}
			m[v] = field
		}
		body, err := a.Subst(a.Body(c), m)
		if err != nil {
			panic(unsupported("match: %v", err))
		}
		if out == 0 || ctor == 0 {
			out = body
			continue
		}
		is, err := a.Is(ctor, over)
		if err != nil {
			panic(unsupported("match: %v", err))
		}
		out = a.MustApp(smt.OpIte, is, body, out)
	}
	return out
}

// indices returns the numerals of the head of a term.
func (s *session) indices(t smt.Term) []uint64 {
	idx := s.a.Indices(t)
	out := make([]uint64, len(idx))
	for i, x := range idx {
		n, ok := s.a.IndexUint(x)
		if !ok {
			panic(unsupported("the indices of %s are too large for a C library", s.a.Brief(t)))
		}
		out[i] = n
	}
	return out
}
