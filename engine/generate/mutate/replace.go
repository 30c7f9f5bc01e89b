package mutate

import "github.com/smtlark/smtlark/engine/language/smt"

// Replacer replaces terms by terms of the same sort wherever they occur, largest first: inside a replacement nothing
// is replaced. Other than Arena.Subst it works under binders too and captures: a variable x in a replacement is the x
// that is bound where the replacement goes. That keeps the meaning of a formula when old and new terms are equal for
// all values of their variables.
type Replacer struct {
	a    *smt.Arena
	done map[smt.Term]smt.Term
}

// NewReplacer returns a replacer for the pairs of m. The sorts of a pair agree.
func NewReplacer(a *smt.Arena, m map[smt.Term]smt.Term) *Replacer {
	r := &Replacer{a: a, done: make(map[smt.Term]smt.Term, len(m)+16)}
	for from, to := range m {
		r.done[from] = to
	}
	return r
}

// Apply returns the term with everything replaced.
func (r *Replacer) Apply(root smt.Term) (smt.Term, error) {
	a := r.a
	// A stack of its own, since terms are nested as deeply as files have them.
	type frame struct {
		t    smt.Term
		next int
	}
	stack := []frame{{t: root}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if _, ok := r.done[f.t]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		if f.next < a.NumArgs(f.t) {
			c := a.Arg(f.t, f.next)
			f.next++
			if _, ok := r.done[c]; !ok {
				stack = append(stack, frame{t: c})
			}
			continue
		}
		t := f.t
		stack = stack[:len(stack)-1]
		args := a.CopyArgs(t)
		changed := false
		bound := len(a.BoundVars(t)) // the variables of a binder are no occurrences
		for i, x := range args {
			if i >= bound && r.done[x] != x {
				args[i], changed = r.done[x], true
			}
		}
		to := t
		if changed {
			var err error
			if to, err = a.Rebuild(t, args); err != nil {
				return 0, err
			}
		}
		r.done[t] = to
	}
	return r.done[root], nil
}
