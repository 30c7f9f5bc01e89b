package smt

import "fmt"

// Rebuild returns the term with the head of t and new arguments. It keeps the indices and the result sort where they do
// not depend on the arguments. It is an error if they do not fit.
func (a *Arena) Rebuild(t Term, args []Term) (Term, error) {
	n := a.nodes[t]
	idx := append([]Index(nil), a.Indices(t)...)
	switch n.op {
	case OpApply:
		f := Symbol(idx[0])
		// Its arguments may leave the sort open, as nil does.
		if a.symbols[f].polymorphic && a.symbols[f].Kind == SymConstructor {
			return a.ApplyAs(f, n.sort, args...)
		}
		return a.Apply(f, args...)
	case OpIs:
		return a.Is(Symbol(idx[0]), args[0])
	case OpUpdate:
		return a.Update(Symbol(idx[0]), args[0], args[1])
	case OpHOApply:
		return a.HOApply(args[0], args[1])
	case OpFunction:
		return t, nil
	case OpMapArrays:
		return a.MapArrays(Symbol(idx[0]), args...)
	case OpForall, OpExists:
		return a.Quant(n.op, args[:len(args)-1], args[len(args)-1])
	case OpLambda:
		return a.Lambda(args[:len(args)-1], args[len(args)-1], a.sorts[n.sort].kind == KindArray)
	case OpCase:
		return a.Case(a.SymbolOf(t), args[:len(args)-1], args[len(args)-1])
	case OpMatch:
		return a.Match(args[0], args[1:])
	case OpAnnot: // the annotated term may have another sort now
		return a.internNode(n.op, a.Sort(args[0]), idx, args), nil
	case OpOpaque:
		if head, own := a.OpaqueHead(t); !a.IsQualified(t) {
			return a.Opaque(head, own, SortUnknown, args...), nil
		}
		return a.internNode(n.op, n.sort, idx, args), nil
	}
	if n.op.Structural() {
		return t, nil // literals and variables have no arguments
	}
	if n.op.isQualified() {
		return a.AppAs(n.op, n.sort, idx, args...)
	}
	return a.App(n.op, idx, args...)
}

// Subst replaces terms by terms everywhere below t, largest first: inside a replacement nothing is replaced. It
// does not capture: a bound variable that occurs in a replacement is renamed. Keys that are bound variables are
// replaced where they occur free. Sorts of keys and values must agree, or the result may not be well-sorted, which is
// an error.
func (a *Arena) Subst(t Term, m map[Term]Term) (Term, error) {
	if len(m) == 0 {
		return t, nil
	}
	s := substituter{a: a, root: t}
	return s.run(t, m)
}

type substituter struct {
	a    *Arena
	root Term
	free map[Term][]Term // of the terms below root; nil before the first binder
}

// run substitutes within one scope, memoised by term; a binder opens a scope of its own.
func (s *substituter) run(root Term, m map[Term]Term) (Term, error) {
	a := s.a
	done := make(map[Term]Term, 16)
	// An explicit stack, because terms may be nested as deeply as files have them.
	type frame struct {
		t    Term
		next int
	}
	stack := []frame{{t: root}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		t := f.t
		if f.next == 0 {
			if _, ok := done[t]; ok {
				stack = stack[:len(stack)-1]
				continue
			}
			if to, ok := m[t]; ok {
				done[t] = to
				stack = stack[:len(stack)-1]
				continue
			}
			// Variables may have to be renamed, which is decided for each binder by itself.
			if a.Op(t).IsBinder() {
				r, err := s.binder(t, m)
				if err != nil {
					return 0, err
				}
				done[t] = r
				stack = stack[:len(stack)-1]
				continue
			}
		}
		if f.next < a.NumArgs(t) {
			c := a.Arg(t, f.next)
			f.next++
			if _, ok := done[c]; !ok {
				stack = append(stack, frame{t: c})
			}
			continue
		}
		stack = stack[:len(stack)-1]
		args := a.CopyArgs(t)
		same := true
		for i, x := range args {
			args[i] = done[x]
			same = same && args[i] == x
		}
		// Rebuilding it would look its sort up again.
		if same {
			done[t] = t
			continue
		}
		r, err := a.Rebuild(t, args)
		if err != nil {
			return 0, err
		}
		done[t] = r
	}
	return done[root], nil
}

// binder substitutes under forall, exists, lambda or a match case. Nested binders use the machine's stack, one small
// frame per level.
func (s *substituter) binder(t Term, m map[Term]Term) (Term, error) {
	a := s.a
	if s.free == nil {
		s.free = a.freeVarSets([]Term{s.root})
	}
	vars := append([]Term(nil), a.BoundVars(t)...)
	body := a.Body(t)
	inner := make(map[Term]Term, len(m))
	var images []Term
	for from, to := range m {
		if !contains(vars, from) && !intersects(s.free[from], vars) {
			inner[from] = to
			images = append(images, to)
		}
	}
	if len(inner) == 0 {
		return t, nil
	}
	captured := a.freeVarSets(images)
	for i, v := range vars {
		clash := false
		for _, to := range images {
			for _, w := range captured[to] {
				clash = clash || w == v
			}
		}
		if clash {
			fresh := a.freshVar(v, append(append(images, body), vars...))
			inner[v] = fresh
			vars[i] = fresh
		}
	}
	nb, err := s.run(body, inner)
	if err != nil {
		return 0, err
	}
	if nb == body {
		return t, nil
	}
	return a.Rebuild(t, append(vars, nb))
}

func contains(ts []Term, t Term) bool {
	for _, x := range ts {
		if x == t {
			return true
		}
	}
	return false
}

func intersects(s, t []Term) bool {
	for _, x := range s {
		if contains(t, x) {
			return true
		}
	}
	return false
}

// freshVar returns a variable like v whose name occurs in none of the terms, bound or free.
func (a *Arena) freshVar(v Term, avoid []Term) Term {
	used := map[string]bool{}
	a.PostOrder(avoid, func(t Term) {
		if a.Op(t) == OpVar {
			used[a.VarName(t)] = true
		}
	})
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s!%d", a.VarName(v), i)
		if !used[name] {
			return a.Var(name, a.Sort(v))
		}
	}
}

// Map rebuilds the terms below root from the leaves up: f gets each term with its arguments already mapped and returns
// its replacement. Variables in binders are not given to f.
func (a *Arena) Map(root Term, f func(t Term) (Term, error)) (Term, error) {
	done := map[Term]Term{}
	var failed error
	a.PostOrder([]Term{root}, func(t Term) {
		if failed != nil {
			return
		}
		args := a.CopyArgs(t)
		nb := len(a.BoundVars(t))
		same := true
		for i, x := range args {
			if i >= nb {
				args[i] = done[x]
				same = same && args[i] == x
			}
		}
		r := t
		if !same {
			if r, failed = a.Rebuild(t, args); failed != nil {
				return
			}
		}
		if r, failed = f(r); failed == nil {
			done[t] = r
		}
	})
	return done[root], failed
}
