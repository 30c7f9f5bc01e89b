package value

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// findArgs say which terms are meant.
type findArgs struct {
	_     registry.KeywordOnly
	Op    starlark.Value    `type:"operator | None" default:"None" doc:"the SMT-LIB name of the head symbol: \"ite\", \"bvadd\", \"forall\", or the name of a function"`
	Sort  starlark.Value    `type:"sort | None" default:"None" doc:"the sort of the term"`
	Where starlark.Callable `type:"callable(term) -> bool | None" default:"None" doc:"a function of the term that returns whether to include it"`
}

// find returns the terms below the roots that fit op, sort and where, each once, arguments before the term.
func find(c *registry.Call, st *TermStore, roots []smt.Term, a *findArgs) (starlark.Value, error) {
	var found []smt.Term
	var err error
	match := matcher(st, a.Op, a.Sort)
	st.Walk(func(arena *smt.Arena) {
		arena.PostOrder(roots, func(t smt.Term) {
			if match(t) {
				found = append(found, t)
			}
		})
	})
	if name, ok := starlark.AsString(a.Op); ok && len(found) == 0 && !st.Declares(name) {
		if near := smt.LikelyOperator(name); near != "" {
			return nil, c.Errorf(&a.Op, "there is no operator or function %q (did you mean %q?)", name, near)
		}
	}
	out := make([]starlark.Value, 0, len(found))
	for _, t := range found {
		v := NewTerm(st, t)
		if a.Where != nil {
			var keep starlark.Value
			if keep, err = c.Invoke(a.Where, v); err != nil {
				return nil, err
			}
			yes, err := registry.Truth(keep)
			if err != nil {
				return nil, fmt.Errorf("where: %w", err)
			}
			if !yes {
				continue
			}
		}
		out = append(out, v)
	}
	return starlark.NewList(out), nil
}

// matcher returns the test for the parameters op and sort of find.
func matcher(st *TermStore, op, sort starlark.Value) func(smt.Term) bool {
	a := st.Arena
	want, byOp := starlark.AsString(op)
	wantOp, table := smt.LookupOp(want)
	s, bySort := sort.(Sort)
	sortOf := map[smt.Sort]bool{}
	return func(t smt.Term) bool {
		if byOp {
			switch o := a.Op(t); {
			case table:
				if o != wantOp {
					return false
				}
			case o == smt.OpApply:
				if a.SymbolName(a.SymbolOf(t)) != want {
					return false
				}
			case smt.HeadName(a, t) != want:
				return false
			}
		}
		if bySort {
			x := a.Sort(t)
			same, known := sortOf[x]
			if !known {
				same = s.same(st, x)
				sortOf[x] = same
			}
			return same
		}
		return true
	}
}

// replacement returns the function that performs the replacement given by the call's arguments: old and new, or a dict
// of them.
func replacement(c *registry.Call, st *TermStore, a *replaceArgs) (func(smt.Term) (smt.Term, error), error) {
	pairs := map[smt.Term]smt.Term{}
	add := func(from, to starlark.Value) error {
		f, ok := from.(Term)
		if !ok {
			return fmt.Errorf("what is replaced must be a term, got %s", from.Type())
		}
		old, err := f.In(st)
		if err != nil {
			return err
		}
		nu, err := Lift(st, to, st.Arena.Sort(old))
		if err != nil {
			return fmt.Errorf("the replacement of %s: %w", st.Arena.Brief(old), err)
		}
		pairs[old] = nu
		return nil
	}
	if d, ok := a.Old.(*starlark.Dict); ok {
		if a.New != starlark.None {
			return nil, c.Errorf(&a.New, "a dict already says what replaces what")
		}
		for _, kv := range d.Items() {
			if err := add(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
	} else {
		if a.New == starlark.None {
			return nil, fmt.Errorf("missing argument for new")
		}
		if err := add(a.Old, a.New); err != nil {
			return nil, err
		}
	}
	return mutate.NewReplacer(st.Arena, pairs).Apply, nil
}

// replaceArgs are the arguments of term.replace and case.replace.
type replaceArgs struct {
	Old starlark.Value `type:"term | dict" doc:"the term to replace everywhere; or a dict from old to new terms"`
	New starlark.Value `type:"any" default:"None" doc:"a term of the same sort, or an int, bool or str for a literal of it"`
}

// mapper returns the function that rebuilds a term bottom-up by a function of the script.
func mapper(c *registry.Call, st *TermStore, f starlark.Callable) func(smt.Term) (smt.Term, error) {
	done := map[smt.Term]smt.Term{} // shared by all roots of a case
	return func(root smt.Term) (smt.Term, error) {
		if r, ok := done[root]; ok {
			return r, nil
		}
		r, err := st.Arena.Map(root, func(t smt.Term) (smt.Term, error) {
			if r, ok := done[t]; ok {
				return r, nil
			}
			v, err := c.Invoke(f, NewTerm(st, t))
			if err != nil {
				return 0, err
			}
			if v == starlark.None {
				done[t] = t
				return t, nil
			}
			r, err := Lift(st, v, st.Arena.Sort(t))
			if err != nil {
				return 0, fmt.Errorf("%s returned for %s: %w", f.Name(), st.Arena.Brief(t), err)
			}
			done[t] = r
			return r, nil
		})
		done[root] = r
		return r, err
	}
}
