package driver

import (
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Translation makes a library's objects for the sorts and terms of an arena, each once.
type Translation struct {
	a    *smt.Arena
	API  API
	Peer *Translation // of the session beside which this one was opened, nil for the first
	live bool         // the library has a solver: there are objects

	Sorts     []Ref // by sort, 0 if not made
	terms     []Ref // by term: those without bound variables
	Functions map[smt.Symbol]Ref
	scopes    []scope          // of the binders whose bodies are translated now
	depthOf   map[smt.Term]int // number of the innermost scope that binds a variable
	free      map[smt.Term][]smt.Term
	walk      []walkFrame

	choices
}

// choices picks among equivalent calls.
type choices struct{ rand uint64 } // 0: the plain ones

// forget drops all objects: the library has freed them.
func (s *Translation) forget() {
	s.Sorts, s.terms = s.Sorts[:0], s.terms[:0] // appended elements are zero
	clear(s.Functions)
	s.leaveScopes()
}

// scope is a binder whose body is translated. Variables are made anew for each binder, because some libraries let a
// variable be bound only once, and terms that contain them belong to the scope.
type scope struct {
	vars  []smt.Term
	saved []int // depthOf of the variables before
	terms map[smt.Term]Ref
}

type walkFrame struct {
	t    smt.Term
	next int
}

func (s *Translation) leaveScopes() {
	s.scopes = s.scopes[:0]
	s.walk = s.walk[:0]
	clear(s.depthOf)
}

// Sort returns the library's object for a sort.
func (s *Translation) Sort(so smt.Sort) Ref {
	if int(so) < len(s.Sorts) && s.Sorts[so] != 0 {
		return s.Sorts[so]
	}
	r := s.borrowFromPeer(func(p *Translation) Ref {
		if int(so) < len(p.Sorts) {
			return p.Sorts[so]
		}
		return 0
	})
	if r == 0 {
		r = s.API.Sort(s, so)
	}
	for int(so) >= len(s.Sorts) {
		s.Sorts = append(s.Sorts, make([]Ref, 64)...)
	}
	s.Sorts[so] = r
	return r
}

// SortList returns the objects for several sorts.
func (s *Translation) SortList(sos []smt.Sort) []Ref {
	out := make([]Ref, len(sos))
	for i, so := range sos {
		out[i] = s.Sort(so)
	}
	return out
}

// Symbol returns the object of a declared constant or function.
func (s *Translation) Symbol(f smt.Symbol) Ref {
	if r, ok := s.Functions[f]; ok {
		return r
	}
	r := Ref(0)
	if s.a.SymbolInfo(f).Kind == smt.SymDeclared {
		r = s.borrowFromPeer(func(p *Translation) Ref { return p.Functions[f] })
	}
	switch {
	case r != 0:
	case len(s.a.SymbolInfo(f).Params) == 0:
		r = s.API.Constant(s, f)
	default:
		r = s.API.Function(s, f)
	}
	s.Functions[f] = r
	return r
}

// freeVars returns the variables that occur free in a term.
func (s *Translation) freeVars(t smt.Term) []smt.Term {
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

// scopeOf returns the number of the scope that a term belongs to: 0 is outside of all binders.
func (s *Translation) scopeOf(t smt.Term) int {
	if len(s.scopes) == 0 {
		return 0
	}
	depth := 0
	for _, v := range s.freeVars(t) {
		depth = max(depth, s.depthOf[v])
	}
	return depth
}

// knownObject returns the object of a term if there is one, and where a new one belongs.
func (s *Translation) knownObject(t smt.Term) (r Ref, home int) {
	home = s.scopeOf(t)
	if home > 0 {
		return s.scopes[home-1].terms[t], home
	}
	if int(t) < len(s.terms) {
		return s.terms[t], 0
	}
	return 0, 0
}

func (s *Translation) keepObject(t smt.Term, home int, r Ref) {
	if home > 0 {
		s.scopes[home-1].terms[t] = r
		return
	}
	for int(t) >= len(s.terms) {
		s.terms = append(s.terms, make([]Ref, len(s.terms)+256)...)
	}
	s.terms[t] = r
}

// Term returns the library's object for a term, and makes it and its subterms if missing.
func (s *Translation) Term(root smt.Term) Ref {
	if r, _ := s.knownObject(root); r != 0 {
		return r
	}
	// Without recursion: terms may be nested deeper than a stack is. Calls from within share the stack, hence the base.
	base := len(s.walk)
	s.walk = append(s.walk, walkFrame{t: root})
	var args []Ref
	for len(s.walk) > base {
		f := &s.walk[len(s.walk)-1]
		t := f.t
		r, home := s.knownObject(t)
		if r != 0 {
			s.walk = s.walk[:len(s.walk)-1]
			continue
		}
		op := s.a.Op(t)
		n := s.a.NumArgs(t)
		switch {
		case op == smt.OpMatch, op == smt.OpHOApply, op.IsBinder():
			n = 0 // makeObject translates the arguments itself
		case op == smt.OpAnnot:
			n = 1
		case op == smt.OpApply && s.standsForBody(t):
			n = 0
		}
		if f.next < n {
			x := s.a.Arg(t, f.next)
			f.next++
			if have, _ := s.knownObject(x); have == 0 {
				s.walk = append(s.walk, walkFrame{t: x})
			}
			continue
		}
		args = args[:0]
		for i := range n {
			have, _ := s.knownObject(s.a.Arg(t, i))
			args = append(args, have)
		}
		s.walk = s.walk[:len(s.walk)-1]
		r = s.makeObject(t, op, args)
		if r == 0 {
			panic(Unsupported("%s gave no object for %s", s.API.Lib().kind, s.a.Brief(t)))
		}
		s.keepObject(t, home, r)
	}
	r, _ := s.knownObject(root)
	return r
}

// standsForBody reports whether an application is replaced by the body of the definition or name.
func (s *Translation) standsForBody(t smt.Term) bool {
	info := s.a.SymbolInfo(s.a.SymbolOf(t))
	return (info.Kind == smt.SymDefined || info.Kind == smt.SymNamed) && !info.Recursive && info.Body != 0
}

// makeObject makes the object of a term from those of its arguments.
func (s *Translation) makeObject(t smt.Term, op smt.Op, args []Ref) Ref {
	a := s.a
	switch op {
	case smt.OpIntLit, smt.OpRealLit, smt.OpBVLit, smt.OpStringLit, smt.OpFFLit, smt.OpTrue, smt.OpFalse:
		return s.API.Value(s, t)
	case smt.OpVar:
		return s.API.Variable(s, t)
	case smt.OpForall, smt.OpExists, smt.OpLambda:
		return s.makeBinder(t)
	case smt.OpMatch:
		// Not every library with datatypes has match.
		return s.Term(s.matchToIte(t))
	case smt.OpAnnot:
		return args[0]
	case smt.OpIs:
		return s.API.Test(s, t, a.SymbolOf(t), args[0])
	case smt.OpHOApply:
		return s.applyValue(t)
	case smt.OpFunction:
		return s.functionValue(t)
	case smt.OpUpdate:
		return s.API.Update(s, t, a.SymbolOf(t), args[0], args[1])
	case smt.OpApply:
		f := a.SymbolOf(t)
		info := a.SymbolInfo(f)
		switch {
		case info.Kind == smt.SymConstructor:
			return s.API.Construct(s, t, f, args)
		case info.Kind == smt.SymSelector:
			return s.API.Select(s, t, f, args[0])
		case s.standsForBody(t):
			return s.Term(s.expandDefinition(t))
		case len(info.Params) == 0:
			return s.Symbol(f)
		}
		return s.API.Apply(s, t, f, s.Symbol(f), args)
	case smt.OpOpaque:
		head, _ := a.OpaqueHead(t)
		panic(Unsupported("smtlark does not know the operator %s", head))
	case smt.OpCase, smt.OpInvalid:
		panic(Unsupported("a %s cannot stand alone", op))
	}
	return s.API.App(s, t, args)
}

// expandDefinition puts the arguments of a defined function into its body.
func (s *Translation) expandDefinition(t smt.Term) smt.Term {
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
		panic(Unsupported("%s cannot be expanded: %v", info.Name, err))
	}
	return body
}

// makeBinder makes a quantifier or lambda: its variables and, over them, its body.
func (s *Translation) makeBinder(t smt.Term) (r Ref) {
	s.inScope(s.a.BoundVars(t), func(vars []Ref) { r = s.API.Binder(s, t, vars, s.Term(s.a.Body(t))) })
	return r
}

// InScope makes new variables and a body over them.
func (s *Translation) InScope(vars []smt.Term, body smt.Term) (refs []Ref, r Ref) {
	s.inScope(vars, func(made []Ref) { refs, r = made, s.Term(body) })
	return refs, r
}

// inScope runs f in a scope with new objects for the variables.
func (s *Translation) inScope(bound []smt.Term, f func(vars []Ref)) {
	vars := append([]smt.Term(nil), bound...)
	sc := scope{vars: vars, terms: map[smt.Term]Ref{}}
	depth := len(s.scopes) + 1
	for _, v := range vars {
		sc.saved = append(sc.saved, s.depthOf[v])
	}
	s.scopes = append(s.scopes, sc)
	refs := make([]Ref, len(vars))
	for i, v := range vars {
		s.depthOf[v] = depth
		refs[i] = s.API.Variable(s, v)
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
func (s *Translation) matchToIte(t smt.Term) smt.Term {
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
				panic(Unsupported("match: %v", err))
			}
			m[v] = field
		}
		body, err := a.Subst(a.Body(c), m)
		if err != nil {
			panic(Unsupported("match: %v", err))
		}
		if out == 0 || ctor == 0 {
			out = body
			continue
		}
		is, err := a.Is(ctor, over)
		if err != nil {
			panic(Unsupported("match: %v", err))
		}
		out = a.MustApp(smt.OpIte, is, body, out)
	}
	return out
}

// Indices returns the numerals of the head of a term.
func (s *Translation) Indices(t smt.Term) []uint64 {
	idx := s.a.Indices(t)
	out := make([]uint64, len(idx))
	for i, x := range idx {
		n, ok := s.a.IndexUint(x)
		if !ok {
			panic(Unsupported("the indices of %s are too large for a C library", s.a.Brief(t)))
		}
		out[i] = n
	}
	return out
}

// Pick chooses one of n equivalent calls; 0 is the usual one.
func (s *choices) Pick(n int) int {
	if s.rand == 0 || n < 2 {
		return 0
	}
	s.rand += 0x9E3779B97F4A7C15
	x := s.rand
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	if s.rand == 0 {
		s.rand = 1
	}
	return int(x % uint64(n))
}

// Arena implements solvers.Caller.
func (s *Translation) Arena() *smt.Arena { return s.a }
