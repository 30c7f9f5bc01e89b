package reduce

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"

	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// termImage is the image of a term.
func (r *retyper) termImage(root smt.Term) smt.Term {
	if r.err == nil {
		r.a.PostOrder([]smt.Term{root}, func(t smt.Term) {
			if r.err == nil && r.done[t] == 0 {
				r.done[t] = r.buildImage(t)
			}
		})
	}
	return r.done[root]
}

// symbolImage is the image of a symbol.
func (r *retyper) symbolImage(f smt.Symbol) smt.Symbol {
	if to, ok := r.syms[f]; ok {
		return to
	}
	if info := r.a.SymbolInfo(f); info.Kind == smt.SymNamed {
		name, body := info.Name, info.Body
		r.syms[f] = r.a.Name(name, r.termImage(body))
		return r.syms[f]
	}
	return f
}

// buildImage makes the image of a term from those of its arguments.
func (r *retyper) buildImage(t smt.Term) smt.Term {
	a := r.a
	want := r.sortImage(a.Sort(t))
	args := make([]smt.Term, a.NumArgs(t))
	for i, x := range a.CopyArgs(t) {
		args[i] = r.done[x]
	}
	if r.err != nil {
		return 0
	}
	by, err := r.applyOperator(t, args, want)
	if err != nil || by == 0 {
		r.fail()
		return 0
	}
	if a.Op(t) == smt.OpCase {
		return by
	}
	return r.coerceTo(by, want)
}

func (r *retyper) applyOperator(t smt.Term, args []smt.Term, want smt.Sort) (smt.Term, error) {
	a := r.a
	switch op := a.Op(t); op {
	case smt.OpVar:
		return a.Var(a.VarName(t), want), nil
	case smt.OpBVLit, smt.OpIntLit, smt.OpRealLit:
		return r.coerceTo(t, want), r.err
	case smt.OpApply:
		return r.applyFunction(t, args, want)
	case smt.OpIs:
		return a.Is(r.symbolImage(a.SymbolOf(t)), args[0])
	case smt.OpUpdate:
		return a.Update(r.symbolImage(a.SymbolOf(t)), args[0], args[1])
	case smt.OpFunction:
		return a.Function(r.symbolImage(a.SymbolOf(t)), want)
	case smt.OpMapArrays:
		return a.MapArrays(r.symbolImage(a.SymbolOf(t)), args...)
	case smt.OpCase:
		if r.Constructors[a.SymbolOf(t)] {
			return 0, errRetype
		}
		n := len(args) - 1
		return a.Case(r.symbolImage(a.SymbolOf(t)), keptElements(r, a.SymbolOf(t), args[:n]), args[n])
	case smt.OpOpaque:
		head, idx := a.OpaqueHead(t)
		if !a.IsQualified(t) {
			want = smt.SortUnknown
		}
		return a.Opaque(head, slices.Clone(idx), want, args...), nil
	}
	if by, special, err := r.applySized(t, args, want); special {
		return by, err
	}
	if op := a.Op(t); !op.Structural() && op.Info().Qualified {
		return a.AppAs(op, want, slices.Clone(a.Indices(t)), args...)
	}
	return a.Rebuild(t, args)
}

// applyFunction applies the image of a function. A selector or constructor that is gone leaves a constant.
func (r *retyper) applyFunction(t smt.Term, args []smt.Term, want smt.Sort) (smt.Term, error) {
	a := r.a
	f := a.SymbolOf(t)
	info := a.SymbolInfo(f)
	dropped := r.Constructors[f]
	if info.Kind == smt.SymSelector {
		k := a.Datatype(info.Datatype).Constructors[info.Ctor].Symbol
		keep, fewer := r.Args[k]
		dropped = r.Constructors[k] || fewer && !slices.Contains(keep, info.Field)
	}
	if dropped {
		cs := literal.Constants(a, want)
		if len(cs) == 0 {
			return 0, errRetype
		}
		return cs[0], nil
	}
	to := r.symbolImage(f)
	if info.Kind == smt.SymConstructor {
		return a.ApplyAs(to, want, keptElements(r, f, args)...)
	}
	return a.Apply(to, keptElements(r, f, args)...)
}

// applySized applies the operators whose indices or arguments depend on widths and formats.
func (r *retyper) applySized(t smt.Term, args []smt.Term, want smt.Sort) (by smt.Term, special bool, err error) {
	a := r.a
	switch op := a.Op(t); op {
	case smt.OpExtract:
		by, err = r.extractBits(t, args[0], a.Width(want))
	case smt.OpZeroExtend, smt.OpSignExtend:
		k := a.Width(want) - a.Width(a.Sort(args[0]))
		if k <= 0 {
			return r.coerceTo(args[0], want), true, r.err
		}
		by, err = a.App(op, []smt.Index{a.NumIndex(uint64(k))}, args[0])
	case smt.OpFP:
		by, err = r.floatLiteral(t, args, want)
	case smt.OpFPPlusInf, smt.OpFPMinusInf, smt.OpFPPlusZero, smt.OpFPMinusZero, smt.OpFPNaN:
		by, err = a.App(op, r.formatIndices(want))
	case smt.OpToFP, smt.OpToFPUnsigned, smt.OpToFPFromBV, smt.OpToFPFromFP, smt.OpToFPFromReal, smt.OpToFPFromSbv:
		if len(args) == 1 {
			eb, sb := a.FloatFormat(want)
			args[0] = r.coerceTo(args[0], a.BitVec(eb+sb))
		}
		by, err = a.App(op, r.formatIndices(want), args...)
	case smt.OpFPToUbv, smt.OpFPToSbv, smt.OpIntToBV, smt.OpFPToUbvTotal, smt.OpFPToSbvTotal:
		by, err = a.App(op, []smt.Index{a.NumIndex(uint64(a.Width(want)))}, args...)
	case smt.OpBit2Bool:
		n, _ := a.IndexUint(a.Indices(t)[0])
		by, err = a.App(op, []smt.Index{a.NumIndex(min(n, uint64(a.Width(a.Sort(args[0])))-1))}, args...)
	default:
		return 0, false, nil
	}
	return by, true, err
}

func (r *retyper) formatIndices(s smt.Sort) []smt.Index {
	eb, sb := r.a.FloatFormat(s)
	return []smt.Index{r.a.NumIndex(uint64(eb)), r.a.NumIndex(uint64(sb))}
}

// extractBits takes w bits of a narrower term, from where the old one took them if that is possible.
func (r *retyper) extractBits(t, x smt.Term, w int) (smt.Term, error) {
	a := r.a
	have := a.Width(a.Sort(x))
	if w >= have {
		return r.coerceTo(x, a.BitVec(w)), r.err
	}
	lo, _ := a.IndexUint(a.Indices(t)[1])
	lo = min(lo, uint64(have-w))
	return a.App(smt.OpExtract, []smt.Index{a.NumIndex(lo + uint64(w) - 1), a.NumIndex(lo)}, x)
}

// floatLiteral is (fp s e m) of another format: a literal is rounded, else the parts are cut.
func (r *retyper) floatLiteral(t smt.Term, args []smt.Term, want smt.Sort) (smt.Term, error) {
	a := r.a
	eb, sb := a.FloatFormat(want)
	if oe, os := a.FloatFormat(a.Sort(t)); oe == eb && os == sb && !slices.ContainsFunc(a.CopyArgs(t), func(x smt.Term) bool { return !a.IsLiteral(x) }) {
		return t, nil
	}
	if !slices.ContainsFunc(a.CopyArgs(t), func(x smt.Term) bool { return a.Op(x) != smt.OpBVLit }) {
		conv, err := a.App(smt.OpToFP, r.formatIndices(want), a.MustApp(smt.OpRNE), t)
		if err != nil {
			return 0, err
		}
		return foldGround(r.a, conv), nil
	}
	return a.App(smt.OpFP, nil, r.coerceTo(args[0], a.BitVec(1)), r.coerceTo(args[1], a.BitVec(eb)), r.coerceTo(args[2], a.BitVec(sb-1)))
}

// coerceTo turns a term into one of another sort.
func (r *retyper) coerceTo(t smt.Term, want smt.Sort) smt.Term {
	a := r.a
	have := a.Sort(t)
	if have == want || r.err != nil {
		return t
	}
	from, to := a.SortKind(have), a.SortKind(want)
	switch {
	case from == smt.KindBitVec && to == smt.KindBitVec:
		return r.resizeBits(t, a.Width(want))
	case from == smt.KindFloat && to == smt.KindFloat:
		by, err := a.App(smt.OpToFP, r.formatIndices(want), a.MustApp(smt.OpRNE), t)
		if err != nil {
			r.fail()
		}
		return by
	case a.IsLiteral(t):
		if cs := literal.Constants(a, want); len(cs) > 0 {
			return cs[0]
		}
	}
	r.fail()
	return 0
}

func (r *retyper) resizeBits(t smt.Term, w int) smt.Term {
	a := r.a
	have := a.Width(a.Sort(t))
	if n, ok := a.BVOf(t); ok && a.Op(t) == smt.OpBVLit {
		mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1))
		return a.BV(w, new(big.Int).And(n, mask))
	}
	if w < have {
		return r.lowestBits(t, w)
	}
	by, err := a.App(smt.OpZeroExtend, []smt.Index{a.NumIndex(uint64(w - have))}, t)
	if err != nil {
		r.fail()
	}
	return by
}

// lowestBits is the term for the lowest w bits of a wider term.
func (r *retyper) lowestBits(t smt.Term, w int) smt.Term {
	a := r.a
	by, err := smt.Term(0), error(nil)
	switch a.Op(t) {
	case smt.OpConcat:
		args := a.CopyArgs(t)
		at, have := len(args), 0
		for have < w {
			at--
			have += a.Width(a.Sort(args[at]))
		}
		args = args[at:]
		if over := have - w; over > 0 {
			args[0] = r.resizeBits(args[0], a.Width(a.Sort(args[0]))-over)
		}
		if len(args) == 1 {
			return args[0]
		}
		by, err = a.App(smt.OpConcat, nil, args...)
	case smt.OpZeroExtend, smt.OpSignExtend:
		x := a.Arg(t, 0)
		k := w - a.Width(a.Sort(x))
		if k <= 0 {
			return r.resizeBits(x, w)
		}
		by, err = a.App(a.Op(t), []smt.Index{a.NumIndex(uint64(k))}, x)
	default:
		lo := uint64(0)
		if a.Op(t) == smt.OpExtract {
			lo, _ = a.IndexUint(a.Indices(t)[1])
			t = a.Arg(t, 0)
		}
		by, err = a.App(smt.OpExtract, []smt.Index{a.NumIndex(lo + uint64(w) - 1), a.NumIndex(lo)}, t)
	}
	if err != nil {
		r.fail()
	}
	return by
}

// rewriteWitness interprets the new constants as the old ones, cut or rounded, and functions with fewer arguments by
// the first row of their table that fits. Whether it still is a witness is found out by evaluation.
func (r *retyper) rewriteWitness() *model.Model {
	w := r.old
	if w == nil {
		return nil
	}
	out := w.Clone()
	ev := r.evaluator(w)
	for _, f := range w.Symbols() {
		to, ok := r.syms[f]
		if !ok || to == f {
			continue
		}
		out.Unset(f)
		info := r.a.SymbolInfo(f)
		if len(info.Params) > 0 {
			if fn := w.Func(f); fn != nil {
				if fewer := r.tableImage(f, fn); fewer != nil {
					out.SetFunc(to, fewer)
				}
			}
			continue
		}
		v, err := ev.Eval(r.coerceTo(r.a.Const(f), r.sortImage(info.Result)))
		if r.err != nil || err != nil {
			r.err = nil
			continue
		}
		out.Set(to, v)
	}
	return out
}

// tableImage is the table of a function without some arguments; nil if it has none or a sort in it changes.
func (r *retyper) tableImage(f smt.Symbol, fn *model.Func) *model.Func {
	info := r.a.SymbolInfo(f)
	if fn.Body != 0 || r.sortImage(info.Result) != info.Result {
		return nil
	}
	params := keptElements(r, f, info.Params)
	for _, p := range params {
		if r.sortImage(p) != p {
			return nil
		}
	}
	out := model.NewFunc(params, fn.Default)
	rows := fn.Rows()
	for i := len(rows) - 1; i >= 0; i-- {
		out.Set(keptElements(r, f, rows[i].Args), rows[i].Value)
	}
	return out
}
