package typed

import (
	"context"
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Expression is a term of a context, or the error because of which it could not be made.
type Expression interface {
	// Err says why there is no such term; nil if there is one.
	Err() error
	// String returns the term as SMT-LIB spells it, or the error.
	String() string
	made() *node
}

// node is the common part of all types of expressions.
type node struct {
	in   *Context
	term smt.Term
	err  error
}

func (m node) made() *node { return &m }

// Err says why there is no such term; nil if there is one.
func (m node) Err() error { return m.err }

// String returns the term as SMT-LIB spells it, or the error.
func (m node) String() string {
	switch {
	case m.err != nil:
		return m.err.Error()
	case m.in == nil:
		return "no term"
	}
	return smtlib.TermText(m.in.arena, m.term)
}

// kind are the types of expressions.
type kind interface {
	~struct{ node }
	Expression
}

// Equal says that two expressions of one type are equal.
func Equal[E kind](x, y E) Bool { return Bool{apply(smt.OpEq, nil, x, y)} }

// Distinct says that no two of some expressions are equal.
func Distinct[E kind](x, y E, more ...E) Bool {
	args := []Expression{x, y}
	for _, z := range more {
		args = append(args, z)
	}
	return Bool{apply(smt.OpDistinct, nil, args...)}
}

// IfThenElse is one of two expressions.
func IfThenElse[E kind](condition Bool, then, other E) E {
	return E(struct{ node }{apply(smt.OpIte, nil, condition, then, other)})
}

// apply applies an operator. There is at least one argument, and the context is that of the first one.
func apply(op smt.Op, indices []int, args ...Expression) node {
	c := args[0].made().in
	if c == nil {
		return node{err: fmt.Errorf("%s: operand 1 was not made by a context", op)}
	}
	ts, err := c.termsOf(args)
	if err != nil {
		return node{in: c, err: err}
	}
	var idx []smt.Index
	for _, i := range indices {
		if i < 0 {
			return node{in: c, err: withOperands(c.arena, fmt.Errorf("%s: the index %d is negative", op, i), ts)}
		}
		idx = append(idx, c.arena.NumIndex(uint64(i)))
	}
	t, err := c.arena.App(op, idx, ts...)
	if err != nil {
		return node{in: c, err: withOperands(c.arena, err, ts)}
	}
	return node{in: c, term: t}
}

// withOperands adds the operands of an operator to an error.
func withOperands(a *smt.Arena, err error, ts []smt.Term) error {
	texts := make([]string, len(ts))
	for i, t := range ts {
		texts[i] = a.Brief(t) + " of sort " + a.SortString(a.Sort(t))
	}
	return fmt.Errorf("%w (given %s)", err, strings.Join(texts, ", "))
}

// valueOf returns the value of an expression in the model behind the latest answer.
func (m node) valueOf(ctx context.Context) (v value.Value, err error) {
	if m.err != nil || m.in == nil {
		return v, m.err
	}
	text, err := m.in.Value(ctx, m)
	if err != nil {
		return v, err
	}
	t, err := m.in.scope.Term(text)
	if err != nil {
		return v, fmt.Errorf("the value of %s cannot be read: %w", m, err)
	}
	return eval.New(m.in.arena, model.New(m.in.arena)).Eval(t)
}

// Expr is an expression of any sort, for sorts without a Go type of their own: arrays, floating point, datatypes.
type Expr struct{ node }

// Apply applies an operator by the name that SMT-LIB has for it, such as "select" or "fp.add".
func Apply(operator string, args ...Expression) Expr { return ApplyIndexed(operator, nil, args...) }

// ApplyIndexed applies an operator with indices, such as "fp.to_sbv" with 8.
func ApplyIndexed(operator string, indices []int, args ...Expression) Expr {
	op, ok := smt.LookupOp(operator)
	switch {
	case !ok:
		return Expr{node{err: fmt.Errorf("%q is no operator", operator)}}
	case len(args) == 0:
		return Expr{node{err: fmt.Errorf("%s: an operator without operands belongs to no context", operator)}}
	}
	return Expr{apply(op, indices, args...)}
}

// Sort returns the sort as SMT-LIB spells it; "" where there is no term.
func (x Expr) Sort() string {
	if x.err != nil || x.in == nil {
		return ""
	}
	return x.in.arena.SortString(x.in.arena.Sort(x.term))
}

// as returns the expression if it has a sort of that kind.
func (x Expr) as(want smt.SortKind) node {
	m := x.node
	if m.err == nil && m.in == nil {
		m.err = fmt.Errorf("the operand was not made by a context")
	}
	if m.err == nil && m.in.arena.SortKind(m.in.arena.Sort(m.term)) != want {
		m.err = fmt.Errorf("%s has sort %s, which is no %s", m.in.arena.Brief(m.term), x.Sort(), want)
	}
	return m
}

// Bool returns the expression as a Bool; the methods with the names of other sorts do the same for these. The result
// has an error if the expression has another sort.
func (x Expr) Bool() Bool { return Bool{x.as(smt.KindBool)} }

// Int is Bool for integers.
func (x Expr) Int() Int { return Int{x.as(smt.KindInt)} }

// Real is Bool for real numbers.
func (x Expr) Real() Real { return Real{x.as(smt.KindReal)} }

// BitVec is Bool for bit vectors.
func (x Expr) BitVec() BitVec { return BitVec{x.as(smt.KindBitVec)} }

// Text is Bool for strings.
func (x Expr) Text() Text { return Text{x.as(smt.KindString)} }

// TermOf returns any expression as a Expr.
func TermOf(x Expression) Expr { return Expr{*x.made()} }
