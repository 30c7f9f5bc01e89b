package value

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// operatorHints say what to write where an operator has no or several meanings, by the kind of sort of its operands.
var operatorHints = map[syntax.Token]map[smt.SortKind]string{
	syntax.PLUS: {smt.KindFloat: "smt.fp_add(rounding, x, y)", smt.KindString: "smt.str_append(x, y)", smt.KindSeq: "smt.seq_append(x, y)",
		smt.KindBool: "smt.or_(x, y) or smt.xor(x, y)", smt.KindSet: "smt.set_union(x, y)", smt.KindRegLan: "smt.re_append(x, y)"},
	syntax.MINUS: {smt.KindFloat: "smt.fp_sub(rounding, x, y)", smt.KindFiniteField: "x + smt.ff_neg(y)", smt.KindSet: "smt.set_minus(x, y)",
		smt.KindRegLan: "smt.re_diff(x, y)"},
	syntax.STAR:       {smt.KindFloat: "smt.fp_mul(rounding, x, y)", smt.KindBool: "smt.and_(x, y)"},
	syntax.SLASH:      {smt.KindInt: "x // y, or smt.to_real(x) / smt.to_real(y)", smt.KindFloat: "smt.fp_div(rounding, x, y)", smt.KindBitVec: "smt.bvudiv(x, y) or smt.bvsdiv(x, y)"},
	syntax.SLASHSLASH: {smt.KindBitVec: "smt.bvudiv(x, y) or smt.bvsdiv(x, y)", smt.KindReal: "x / y"},
	syntax.PERCENT:    {smt.KindBitVec: "smt.bvurem(x, y), smt.bvsrem(x, y) or smt.bvsmod(x, y)", smt.KindFloat: "smt.fp_rem(x, y)"},
	syntax.AMP: {smt.KindBool: "smt.and_(x, y)", smt.KindBitVec: "smt.bvand(x, y)", smt.KindSet: "smt.set_inter(x, y)",
		smt.KindRegLan: "smt.re_inter(x, y)"},
	syntax.PIPE: {smt.KindBool: "smt.or_(x, y)", smt.KindBitVec: "smt.bvor(x, y)", smt.KindSet: "smt.set_union(x, y)",
		smt.KindRegLan: "smt.re_union(x, y)"},
	syntax.CIRCUMFLEX: {smt.KindBool: "smt.xor(x, y)", smt.KindBitVec: "smt.bvxor(x, y)"},
	syntax.LTLT:       {smt.KindBitVec: "smt.bvshl(x, y)"},
	syntax.GTGT:       {smt.KindBitVec: "smt.bvlshr(x, y) or smt.bvashr(x, y)"},
	syntax.TILDE:      {smt.KindBool: "smt.not_(x)", smt.KindBitVec: "smt.bvnot(x)", smt.KindRegLan: "smt.re_comp(x)"},
	syntax.LT: {smt.KindInt: "smt.lt(x, y)", smt.KindReal: "smt.lt(x, y)", smt.KindBitVec: "smt.bvult(x, y) or smt.bvslt(x, y)",
		smt.KindFloat: "smt.fp_lt(x, y)", smt.KindString: "smt.str_lt(x, y)"},
	syntax.LE: {smt.KindInt: "smt.le(x, y)", smt.KindReal: "smt.le(x, y)", smt.KindBitVec: "smt.bvule(x, y) or smt.bvsle(x, y)",
		smt.KindFloat: "smt.fp_leq(x, y)", smt.KindString: "smt.str_le(x, y)", smt.KindSet: "smt.set_subset(x, y)"},
	syntax.GT: {smt.KindInt: "smt.gt(x, y)", smt.KindReal: "smt.gt(x, y)", smt.KindBitVec: "smt.bvugt(x, y) or smt.bvsgt(x, y)",
		smt.KindFloat: "smt.fp_gt(x, y)", smt.KindString: "smt.str_lt(y, x)"},
	syntax.GE: {smt.KindInt: "smt.ge(x, y)", smt.KindReal: "smt.ge(x, y)", smt.KindBitVec: "smt.bvuge(x, y) or smt.bvsge(x, y)",
		smt.KindFloat: "smt.fp_geq(x, y)", smt.KindString: "smt.str_le(y, x)", smt.KindSet: "smt.set_subset(y, x)"},
}

// noMeaning returns an error that says what to write instead of an operator that terms of a sort do not have.
func noMeaning(op syntax.Token, a *smt.Arena, sort smt.Sort) error {
	hint := operatorHints[op][a.SortKind(sort)]
	if hint == "" {
		hint = "the function of smt that is named as in SMT-LIB"
	}
	return fmt.Errorf("%s has no single meaning for sort %s; write %s", op, a.SortString(sort), hint)
}

// notATerm returns an error that says what to write if the other operand is a value that cannot be a term.
func notATerm(op syntax.Token, other starlark.Value) error {
	switch v := other.(type) {
	case starlark.String:
		return fmt.Errorf("%s between a term and a string; str(x) is the text of a term, smt.str(%s) the literal", op, v.String())
	case starlark.Float:
		return fmt.Errorf("%s between a term and a float; a real literal is smt.real(\"%s\")", op, v.String())
	case starlark.Bool:
		return fmt.Errorf("%s between a term and a bool; a Boolean literal is smt.bool(%s), connectives are smt.and_, smt.or_, smt.not_", op, v.String())
	}
	return nil
}
