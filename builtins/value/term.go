package value

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// Term is a workspace.TermRef in a script: 16 bytes, compared by structure.
type Term struct{ workspace.TermRef }

// NewTerm wraps a term of a store's arena.
func NewTerm(st *TermStore, t smt.Term) Term { return Term{st.Term(t)} }

// RulesKey is the slot for the laws by which terms are simplified.
var RulesKey = registry.NewKey[func() (*rewrite.Rules, error)]("the laws of the library", "the host of this thread has none")

// LawsOf returns the laws of the library, which are made once.
func LawsOf(th *starlark.Thread) (*rewrite.Rules, error) {
	get, err := RulesKey.Get(th)
	if err != nil {
		return nil, err
	}
	return get()
}

// OwnRulesKey is the slot for the laws of the library together with the laws of a campaign file: only the proven ones,
// or the assumed ones as well.
var OwnRulesKey = registry.NewKey[func(assumed bool) (*rewrite.Rules, error)]("the laws of the campaign file", "the host of this thread has none")

// TechniqueLaws returns the laws with which techniques change a case: the laws of the library and of the campaign file.
// If no answer to the case is known, so that none is claimed, it includes assumed laws.
func TechniqueLaws(th *starlark.Thread, k *testcase.Case) (*rewrite.Rules, error) {
	get, err := OwnRulesKey.Get(th)
	if err != nil { // there is no campaign file
		return LawsOf(th)
	}
	return get(k != nil && k.Witness == nil && !slices.ContainsFunc(k.Expect, func(x smtlib.Answer) bool { return x != smtlib.None }))
}

// NewSimplifier returns a simplifier of an arena's terms by the laws of the library, without some of them.
func NewSimplifier(th *starlark.Thread, a *smt.Arena, without []string) (*rewrite.Simplifier, error) {
	rules, err := LawsOf(th)
	if err != nil {
		return nil, err
	}
	s := rewrite.New(a, rules)
	for _, name := range without {
		if err := s.Without(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (t Term) Type() string         { return "term" }
func (t Term) Freeze()              { t.Store().Freeze() }
func (t Term) Truth() starlark.Bool { return true }

// NoTruth implements registry.Undecided.
func (t Term) NoTruth() string {
	return "a term is neither true nor false; t != None asks whether there is one, t == u whether two are the same term, smt.holds(t, model) for its value; smt.and_, smt.or_, smt.not_, smt.eq and smt.ite make formulas"
}

// Attr implements starlark.HasAttrs.
func (t Term) Attr(name string) (starlark.Value, error) { return TermType.Attr(t, name) }

// AttrNames implements starlark.HasAttrs.
func (t Term) AttrNames() []string { return TermType.AttrNames() }

// CompareSameType implements starlark.Comparable: == is the same term; order is for smt.lt and its kin.
func (t Term) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	u := y.(Term)
	if op != syntax.EQL && op != syntax.NEQ {
		id, err := t.ID()
		if err != nil {
			return false, err
		}
		return false, noMeaning(op, t.Store().Arena, t.Store().Arena.Sort(id))
	}
	same, err := workspace.SameTerm(t.TermRef, u.TermRef)
	return same == (op == syntax.EQL), err
}

// binaryOps are the operators with exactly one meaning in SMT-LIB, by the kind of sort of their operands.
var binaryOps = map[syntax.Token]map[smt.SortKind]smt.Op{
	syntax.PLUS:       {smt.KindInt: smt.OpAdd, smt.KindReal: smt.OpAdd, smt.KindBitVec: smt.OpBVAdd, smt.KindFiniteField: smt.OpFFAdd},
	syntax.MINUS:      {smt.KindInt: smt.OpSub, smt.KindReal: smt.OpSub, smt.KindBitVec: smt.OpBVSub},
	syntax.STAR:       {smt.KindInt: smt.OpMul, smt.KindReal: smt.OpMul, smt.KindBitVec: smt.OpBVMul, smt.KindFiniteField: smt.OpFFMul},
	syntax.SLASH:      {smt.KindReal: smt.OpDiv},
	syntax.SLASHSLASH: {smt.KindInt: smt.OpIntDiv},
	syntax.PERCENT:    {smt.KindInt: smt.OpMod},
}

// Binary implements starlark.HasBinary.
func (t Term) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	row := binaryOps[op]
	if row == nil && operatorHints[op] == nil {
		return nil, nil
	}
	switch y.(type) {
	case Term, starlark.Int:
	default:
		return nil, notATerm(op, y)
	}
	id, err := t.ID()
	if err != nil {
		return nil, err
	}
	a := t.Store().Arena
	kind := a.SortKind(a.Sort(id))
	if u, ok := y.(Term); ok && kind == smt.KindInt { // Int next to Real counts as Real, as in the solvers
		other, err := u.ID()
		if err != nil {
			return nil, err
		}
		if k := u.Store().Arena.SortKind(u.Store().Arena.Sort(other)); k == smt.KindReal {
			kind = k
		}
	}
	o, ok := row[kind]
	if !ok {
		return nil, noMeaning(op, a, a.Sort(id))
	}
	args := []starlark.Value{t, y}
	if side == starlark.Right {
		args[0], args[1] = y, t
	}
	return Apply(nil, o, nil, args)
}

// Unary implements starlark.HasUnary.
func (t Term) Unary(op syntax.Token) (starlark.Value, error) {
	id, err := t.ID()
	if err != nil {
		return nil, err
	}
	if op == syntax.TILDE {
		return nil, noMeaning(op, t.Store().Arena, t.Store().Arena.Sort(id))
	}
	if op != syntax.MINUS {
		return nil, nil
	}
	neg := smt.OpSub
	switch a := t.Store().Arena; a.SortKind(a.Sort(id)) {
	case smt.KindInt, smt.KindReal:
	case smt.KindBitVec:
		neg = smt.OpBVNeg
	case smt.KindFloat:
		neg = smt.OpFPNeg
	case smt.KindFiniteField:
		neg = smt.OpFFNeg
	default:
		return nil, fmt.Errorf("- has no meaning for sort %s", a.SortString(a.Sort(id)))
	}
	return Apply(nil, neg, nil, []starlark.Value{t})
}

// Get implements starlark.Mapping: array[index] is select, string[i] is str.at.
func (t Term) Get(k starlark.Value) (starlark.Value, bool, error) {
	v, err := t.at(k)
	return v, err == nil, err
}

func (t Term) at(k starlark.Value) (starlark.Value, error) {
	id, err := t.ID()
	if err != nil {
		return nil, err
	}
	a := t.Store().Arena
	switch a.SortKind(a.Sort(id)) {
	case smt.KindArray:
		return Apply(nil, smt.OpSelect, nil, []starlark.Value{t, k})
	case smt.KindString:
		return Apply(nil, smt.OpStrAt, nil, []starlark.Value{t, k})
	case smt.KindSeq:
		return nil, fmt.Errorf("[] has two meanings for a sequence; write smt.seq_nth(x, i) for the element or smt.seq_at(x, i) for the sequence of it")
	case smt.KindBitVec:
		return nil, fmt.Errorf("[] has no meaning for a bit vector; write smt.extract(high, low, x)")
	}
	return nil, fmt.Errorf("[] has no meaning for sort %s", a.SortString(a.Sort(id)))
}
