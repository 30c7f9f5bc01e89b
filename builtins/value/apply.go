package value

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Home finds the store where something is built of the values, see workspace.Meeting; operators of the language have no
// session.
func Home(s *ThreadState, vals ...starlark.Value) (*TermStore, error) {
	var meeting workspace.Meeting
	for _, v := range vals {
		if t, ok := v.(Term); ok {
			if err := meeting.Add(t.TermRef); err != nil {
				return nil, err
			}
		}
	}
	return meeting.Store(s), nil
}

// Apply applies an operator of the table to terms and Python values, which are lifted where their sort is clear. The
// indices are ints, or strings for symbols.
func Apply(s *ThreadState, op smt.Op, idx []starlark.Value, args []starlark.Value) (starlark.Value, error) {
	st, err := Home(s, args...)
	if err != nil {
		return nil, err
	}
	var buf [8]smt.Term
	terms := buf[:0]
	lifted := false
	for i, v := range args {
		t, ok := v.(Term)
		if !ok {
			if !liftable(v) {
				return nil, fmt.Errorf("argument %d: got %s, want a term, an int, a bool or a str", i+1, v.Type())
			}
			lifted = true
			terms = append(terms, 0)
			continue
		}
		id, err := t.In(st)
		if err != nil {
			return nil, err
		}
		terms = append(terms, id)
	}
	ix, err := indices(st.Arena, idx)
	if err != nil {
		return nil, err
	}
	build := func() (smt.Term, error) { return st.Arena.AppCoerce(op, ix, terms) }
	var r smt.Term
	if lifted {
		r, err = liftAll(st.Arena, args, terms, build)
	} else {
		r, err = build()
	}
	if err != nil {
		return nil, err
	}
	return NewTerm(st, r), nil
}

func indices(a *smt.Arena, vals []starlark.Value) ([]smt.Index, error) {
	var out []smt.Index
	for i, v := range vals {
		switch v := v.(type) {
		case starlark.Int:
			n := v.BigInt()
			if n.Sign() < 0 {
				return nil, fmt.Errorf("index %d is %s, want a number from 0 up", i+1, n)
			}
			out = append(out, a.BigIndex(n))
		case starlark.String:
			out = append(out, a.NameIndex(string(v)))
		default:
			return nil, fmt.Errorf("index %d: got %s, want an int or a symbol's name", i+1, v.Type())
		}
	}
	return out, nil
}

func liftable(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Bool, starlark.String:
		return true
	}
	return false
}

// maxLiftTries bounds the sorts that are tried for the Python ints of one application.
const maxLiftTries = 256

// liftAll fills the zeros of terms with literals for the Python values of args, so that build succeeds. Bools and
// strings have one sort. For ints it tries, in this order, the sorts of the term arguments, the component sorts of
// those, Int and Real. It returns the error of the first try.
func liftAll(a *smt.Arena, args []starlark.Value, terms []smt.Term, build func() (smt.Term, error)) (smt.Term, error) {
	var sorts []smt.Sort
	add := func(s smt.Sort) {
		for _, have := range sorts {
			if have == s {
				return
			}
		}
		switch a.SortKind(s) {
		case smt.KindInt, smt.KindReal, smt.KindBitVec, smt.KindFiniteField:
			sorts = append(sorts, s)
		}
	}
	// For an int, try first the sorts of the other arguments, then their component sorts, such as the index sort of an
	// array.
	for _, t := range terms {
		if t != 0 {
			add(a.Sort(t))
		}
	}
	for _, t := range terms {
		if t != 0 {
			for _, s := range a.SortArgs(a.Sort(t)) {
				add(s)
			}
		}
	}
	add(smt.SortInt)
	add(smt.SortReal)
	var ints []int
	for i, v := range args {
		switch v := v.(type) {
		case starlark.Bool:
			terms[i] = a.BoolVal(bool(v))
		case starlark.String:
			var err error
			if terms[i], err = literal.OfText(a, string(v)); err != nil {
				return 0, err
			}
		case starlark.Int:
			ints = append(ints, i)
		}
	}
	choice := make([]int, len(ints))
	var first error
	for range maxLiftTries {
		var failed error
		for k, i := range ints {
			if terms[i], failed = literal.OfNumber(a, args[i].(starlark.Int).BigInt(), sorts[choice[k]]); failed != nil {
				break
			}
		}
		if failed == nil {
			t, err := build()
			if err == nil {
				return t, nil
			}
			failed = err
		}
		if first == nil {
			first = failed
		}
		if !next(choice, len(sorts)) {
			break
		}
	}
	return 0, first
}

// next counts choice up, with the last digit fastest; all equal digits come early because mixed sorts are rare.
func next(choice []int, base int) bool {
	for i := len(choice) - 1; i >= 0; i-- {
		if choice[i]++; choice[i] < base {
			return true
		}
		choice[i] = 0
	}
	return false
}

// Lift returns a Python value as a literal of the sort in the store, and a term as it is. A sort of 0 means the value's
// own sort: Int for an int.
func Lift(st *TermStore, v starlark.Value, want smt.Sort) (smt.Term, error) {
	a := st.Arena
	var t smt.Term
	var err error
	switch v := v.(type) {
	case Term:
		t, err = v.In(st)
	case starlark.Bool:
		t = a.BoolVal(bool(v))
	case starlark.String:
		t, err = literal.OfText(a, string(v))
	case starlark.Int:
		if want == 0 {
			want = smt.SortInt
		}
		t, err = literal.OfNumber(a, v.BigInt(), want)
	default:
		return 0, fmt.Errorf("got %s, want a term, an int, a bool or a str", v.Type())
	}
	if err != nil {
		return 0, err
	}
	if want != 0 && a.Sort(t) != want && a.Sort(t) != smt.SortUnknown {
		hint := ""
		if s, ok := v.(starlark.String); ok && strings.HasPrefix(string(s), "(") {
			hint = "; a term is made of SMT-LIB text by case.parse(text)"
		}
		return 0, fmt.Errorf("got %s of sort %s, want sort %s%s", a.Brief(t), a.SortString(a.Sort(t)), a.SortString(want), hint)
	}
	return t, nil
}

// ApplyFast applies an operator without indices to terms that live in one case's store; it returns nil for anything
// else, which is then for Apply.
func ApplyFast(op smt.Op, args starlark.Tuple) (starlark.Value, error) {
	var buf [4]smt.Term
	if len(args) == 0 || len(args) > len(buf) {
		return nil, nil
	}
	var st *TermStore
	for i, v := range args {
		t, ok := v.(Term)
		if !ok || st != nil && t.Store() != st {
			return nil, nil
		}
		st = t.Store()
		if !st.IsOfCase() {
			return nil, nil
		}
		id, err := t.ID()
		if err != nil {
			return nil, nil
		}
		buf[i] = id
	}
	t, err := st.Arena.App(op, nil, buf[:len(args)]...)
	if err != nil { // Apply may coerce, and makes the error
		return nil, nil
	}
	return NewTerm(st, t), nil
}

// ApplyAs applies an operator that is written with its sort, such as (as const (Array Int Int)).
func ApplyAs(s *ThreadState, op smt.Op, sort Sort, args []starlark.Value) (starlark.Value, error) {
	st, err := Home(s, args...)
	if err != nil {
		return nil, err
	}
	want, err := sort.In(st)
	if err != nil {
		return nil, err
	}
	elems := st.Arena.SortArgs(want)
	terms := make([]smt.Term, len(args))
	for i, v := range args {
		hint := smt.Sort(0)
		if _, lifted := v.(Term); !lifted && len(elems) > 0 {
			hint = elems[len(elems)-1]
		}
		if terms[i], err = Lift(st, v, hint); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	t, err := st.Arena.AppAs(op, want, nil, terms...)
	if err != nil {
		return nil, err
	}
	return NewTerm(st, t), nil
}

// ApplyUnknown applies a head that the operator table does not know.
func ApplyUnknown(s *ThreadState, name string, sort Sort, idx, args []starlark.Value) (starlark.Value, error) {
	st, err := Home(s, args...)
	if err != nil {
		return nil, err
	}
	want, err := sort.In(st)
	if err != nil {
		return nil, err
	}
	ix, err := indices(st.Arena, idx)
	if err != nil {
		return nil, err
	}
	terms := make([]smt.Term, len(args))
	for i, v := range args {
		if terms[i], err = Lift(st, v, 0); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return NewTerm(st, st.Arena.Opaque(name, ix, want, terms...)), nil
}

// BaseTerm returns the term of an operator that takes nothing, such as RNE or re.all; it belongs to no case.
func BaseTerm(op smt.Op) Term {
	t, ok := baseTerms[op]
	if !ok {
		panic("value: no base term for " + op.String())
	}
	return NewTerm(baseStore, t)
}

var baseTerms = func() map[smt.Op]smt.Term {
	out := map[smt.Op]smt.Term{}
	for _, info := range smt.Ops() {
		if info.Qualified {
			continue
		}
		if t, err := baseStore.Arena.App(info.Op, nil); err == nil {
			out[info.Op] = t
		}
	}
	baseStore.Pin()
	return out
}()
