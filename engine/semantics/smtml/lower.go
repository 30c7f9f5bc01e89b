package smtml

import (
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// lowering translates terms to operators of the format.
type lowering struct {
	builder
	ground      *eval.Evaluator
	definitions map[smt.Symbol]smt.Term // lowered bodies
}

func newLowering(a *smt.Arena) lowering {
	return lowering{builder: builder{a: a}, ground: eval.New(a, nil), definitions: map[smt.Symbol]smt.Term{}}
}

// lower returns a term that means the same, all of whose parts have names in the format.
func (w *lowering) lower(t smt.Term) (smt.Term, error) {
	return w.a.Map(t, func(t smt.Term) (smt.Term, error) {
		t, err := w.step(t)
		if err == nil {
			err, w.err = w.err, nil
		}
		return t, err
	})
}

// step lowers a term whose arguments are lowered, but for literals: whether they are written depends on the enclosing
// term.
func (w *lowering) step(t smt.Term) (smt.Term, error) {
	a := w.a
	op, args := a.Look(t)
	switch {
	case op == smt.OpApply:
		return w.applied(t, args)
	case op == smt.OpAnnot:
		return args[0], nil
	case op == smt.OpVar || a.IsLiteral(t) || a.Sort(t) == smt.SortRoundingMode && len(args) == 0:
		return t, nil
	case a.SortKind(a.Sort(t)) == smt.KindFloat && w.isGround(t):
		return w.float(t)
	case (op == smt.OpDiv || op == smt.OpSub) && w.isGround(t): // a rational number, perhaps one to be made a floating-point number
		return t, nil
	}
	t, err := w.withLiterals(t)
	if err != nil {
		return 0, err
	}
	args = a.Args(t)
	if out, ok := w.replaced(t, op, args); ok {
		return out, nil
	}
	switch op {
	case smt.OpExtract:
		if indexOf(a, t, 1)%8 == 0 && (indexOf(a, t, 0)+1)%8 == 0 {
			return t, nil
		}
		return 0, refusal("(_ extract %d %d), for it extracts whole bytes", indexOf(a, t, 0), indexOf(a, t, 1))
	case smt.OpMod:
		if n, ok := a.IntOf(args[1]); ok && n.Sign() > 0 {
			return t, nil
		}
		return 0, refusal("mod by what is no positive number, for its int.rem has another sign there")
	case smt.OpRotateLeft, smt.OpRotateRight:
		if typ := typeOf(a, t); typ == "i32." || typ == "i64." {
			return t, nil
		}
	case smt.OpSignExtend, smt.OpZeroExtend:
		if out, ok := w.extended(t, op, args[0]); ok {
			return out, nil
		}
	}
	if name, _ := w.nameOf(t); name != "" {
		return t, nil
	}
	return 0, w.refused(t, op, args)
}

// refused returns the error about an operator that the format lacks.
func (w *lowering) refused(t smt.Term, op smt.Op, args []smt.Term) error {
	var sorts []string
	for _, x := range args {
		if w.a.Sort(x) == smt.SortRoundingMode {
			sorts = append(sorts, smt.HeadName(w.a, x))
			continue
		}
		sorts = append(sorts, w.a.SortString(w.a.Sort(x)))
	}
	if len(sorts) == 0 || op.IsBinder() {
		return refusal("%s", smt.HeadName(w.a, t))
	}
	return refusal("%s of %s", smt.HeadName(w.a, t), strings.Join(sorts, ", "))
}

// applied lowers a constant, or expands a definition.
func (w *lowering) applied(t smt.Term, args []smt.Term) (smt.Term, error) {
	f := w.a.SymbolOf(t)
	info := w.a.SymbolInfo(f)
	if info.Body == 0 && len(args) == 0 && info.Kind == smt.SymDeclared {
		return t, nil
	}
	if info.Body == 0 || info.Recursive {
		return 0, refusal("the function %s", info.Text)
	}
	body, ok := w.definitions[f]
	if !ok {
		var err error
		if body, err = w.lower(info.Body); err != nil {
			return 0, err
		}
		w.definitions[f] = body
	}
	values := map[smt.Term]smt.Term{}
	for i, v := range info.Vars {
		values[v] = args[i]
	}
	out, err := w.a.Subst(body, values)
	if err != nil {
		return 0, err
	}
	if len(args) == 0 {
		return out, nil
	}
	return w.lower(out) // literals have come to where variables were
}

// withLiterals lowers the literals among the arguments of a term.
func (w *lowering) withLiterals(t smt.Term) (smt.Term, error) {
	args := w.a.CopyArgs(t)
	for i, x := range args {
		var err error
		if args[i], err = w.literal(x); err != nil {
			return 0, err
		}
	}
	return w.a.Rebuild(t, args)
}

// literal lowers a literal, and a rational number that is written as a quotient; other terms stay.
func (w *lowering) literal(t smt.Term) (smt.Term, error) {
	a := w.a
	if s, ok := a.StrOf(t); ok {
		for i, c := range s {
			if c < ' ' || c > '~' || c == '\\' && i+1 < len(s) && s[i+1] == 'u' {
				return 0, refusal("the string %s, for its characters are bytes and it has no escapes", a.Brief(t))
			}
		}
	} else if n, ok := a.IntOf(t); ok && n.BitLen() > 62 {
		return 0, refusal("the number %s, for its numbers have 63 bits", n)
	} else if r, ok := a.RatOf(t); ok {
		return w.rational(t, r)
	} else if _, ok := a.BVOf(t); ok && (a.Width(a.Sort(t))%8 != 0 || a.Width(a.Sort(t)) > 64) {
		return 0, refusal("a constant of sort %s, for it has vectors of bytes up to 64 bits", a.SortString(a.Sort(t)))
	} else if op, args := a.Look(t); (op == smt.OpDiv || op == smt.OpSub) && w.isGround(t) && !a.IsLiteral(t) {
		if len(args) > 2 {
			return 0, refusal("the number %s", a.Brief(t))
		}
		return w.withLiterals(t)
	}
	return t, nil
}

// float lowers a floating-point number that is made of literals.
func (w *lowering) float(t smt.Term) (smt.Term, error) {
	if typeName(w.a, w.a.Sort(t)) == "" {
		return 0, refusal("the sort %s", w.a.SortString(w.a.Sort(t)))
	}
	v, err := w.ground.Eval(t)
	if err != nil {
		return 0, refusal("%s", w.a.Brief(t))
	}
	return value.ToTerm(w.a, v)
}

// isGround reports whether all arguments are literals or rounding modes; one of them may be divided or negated, as
// rationals are.
func (w *lowering) isGround(t smt.Term) bool {
	for _, x := range w.a.Args(t) {
		if op, args := w.a.Look(x); (op == smt.OpDiv || op == smt.OpSub) && len(args) > 0 {
			if !w.isGround(x) {
				return false
			}
		} else if !w.a.IsLiteral(x) && w.a.Sort(x) != smt.SortRoundingMode && !isFloatLiteral(w.a, x) {
			return false
		}
	}
	return true
}

// rational writes a number that has no short decimal as a quotient of two that have.
func (w *lowering) rational(t smt.Term, r *big.Rat) (smt.Term, error) {
	if _, ok := decimalOf(r); ok {
		return t, nil
	}
	numerator, denominator := new(big.Rat).SetInt(r.Num()), new(big.Rat).SetInt(r.Denom())
	_, ok1 := decimalOf(numerator)
	_, ok2 := decimalOf(denominator)
	if !ok1 || !ok2 || r.IsInt() {
		return 0, refusal("the number %s, for Smt.ml hands on twelve digits", r.RatString())
	}
	return w.app(smt.OpDiv, w.a.RealVal(numerator), w.a.RealVal(denominator)), nil
}

// replaced expresses an operator that the format lacks by those that it has.
func (w *lowering) replaced(t smt.Term, op smt.Op, args []smt.Term) (out smt.Term, ok bool) {
	a := w.a
	switch op {
	case smt.OpImplies:
		out = args[len(args)-1]
		for i := len(args) - 2; i >= 0; i-- {
			out = w.app(smt.OpOr, w.app(smt.OpNot, args[i]), out)
		}
		return out, true
	case smt.OpAbs:
		return w.ite(w.app(smt.OpGe, args[0], a.Int64(0)), args[0], w.app(smt.OpSub, args[0])), true
	case smt.OpIsInt:
		return w.app(smt.OpEq, args[0], w.app(smt.OpToReal, w.app(smt.OpToInt, args[0]))), true
	case smt.OpBVNand:
		return w.app(smt.OpBVNot, w.app(smt.OpBVAnd, args...)), true
	case smt.OpBVNor:
		return w.app(smt.OpBVNot, w.app(smt.OpBVOr, args...)), true
	case smt.OpBVXnor:
		return w.app(smt.OpBVNot, w.app(smt.OpBVXor, args...)), true
	}
	switch info := op.Info(); {
	case len(args) == 1 && (op == smt.OpAnd || op == smt.OpOr || op == smt.OpStrConcat):
		return args[0], true
	case len(args) <= 2:
		return t, false
	case info.Assoc == smt.AssocLeft:
		out = args[0]
		for _, x := range args[1:] {
			out = w.app(op, out, x)
		}
		return out, true
	case info.Assoc == smt.AssocChain:
		return w.conjunction(op, args, func(i, j int) bool { return j == i+1 }), true
	case info.Assoc == smt.AssocPairwise:
		return w.conjunction(op, args, func(i, j int) bool { return i < j }), true
	}
	return t, false
}

// conjunction applies an operator to the pairs of arguments that are wanted.
func (w *lowering) conjunction(op smt.Op, args []smt.Term, want func(i, j int) bool) smt.Term {
	var out smt.Term
	for i, x := range args {
		for j, y := range args {
			switch {
			case !want(i, j):
			case out == 0:
				out = w.app(op, x, y)
			default:
				out = w.app(smt.OpAnd, out, w.app(op, x, y))
			}
		}
	}
	return out
}

// extended expresses an extension by those of the format, from 8, 16 and 32 bits to 32 and 64.
func (w *lowering) extended(t smt.Term, op smt.Op, x smt.Term) (out smt.Term, ok bool) {
	from, to := w.a.Width(w.a.Sort(x)), w.a.Width(w.a.Sort(t))
	if from == to {
		return x, true
	}
	if to != 32 && to != 64 {
		return 0, false
	}
	if from == 8 || from == 16 {
		x, from = w.indexed(op, []uint64{uint64(32 - from)}, x), 32
	}
	if from == 32 && to == 64 {
		x, from = w.indexed(op, []uint64{32}, x), 64
	}
	return x, from == to
}
