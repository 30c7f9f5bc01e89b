package smt

// FreeVarSets caches the free variables of terms, for callers that ask about many terms with shared subterms. It
// forgets them when terms of its arena are released. The zero value is ready.
type FreeVarSets struct {
	epoch uint64
	free  map[Term][]Term
	vars  int // in all sets together
}

// maxFreeVars bounds the size of the cache: terms below n quantifiers have about n variables each.
const maxFreeVars = 1 << 20

// Of returns the bound-variable terms that occur free in a term.
func (s *FreeVarSets) Of(a *Arena, t Term) []Term {
	if s.free == nil || s.epoch != a.Epoch() || s.vars > maxFreeVars {
		s.free, s.epoch, s.vars = map[Term][]Term{}, a.Epoch(), 0
	}
	stack := []Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, known := s.free[x]; known {
			stack = stack[:len(stack)-1]
			continue
		}
		if a.Op(x) == OpVar {
			s.free[x] = []Term{x}
			continue
		}
		bound := a.BoundVars(x)
		args := a.Args(x)[len(bound):]
		waits := false
		for _, y := range args {
			if _, known := s.free[y]; !known {
				stack = append(stack, y)
				waits = true
			}
		}
		if waits {
			continue
		}
		var out []Term
		for _, y := range args {
			out = UnionVars(out, s.free[y], bound)
		}
		s.free[x] = out
		s.vars += len(out)
	}
	return s.free[t]
}
