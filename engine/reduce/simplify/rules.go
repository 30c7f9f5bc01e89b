package simplify

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// Rewrites returns what a term can be rewritten to that means the same, or nearly so.
func Rewrites(a *smt.Arena, t smt.Term) []smt.Term {
	r := rules{a, nil}
	r.all(t)
	return r.out
}

// rules collects what a term can be rewritten to.
type rules struct {
	a   *smt.Arena
	out []smt.Term
}

func (r *rules) add(t smt.Term) { r.out = append(r.out, t) }

// app adds an application, if it is well-sorted.
func (r *rules) app(op smt.Op, args ...smt.Term) {
	if t, err := r.a.App(op, nil, args...); err == nil {
		r.add(t)
	}
}

func (r *rules) indexed(op smt.Op, i uint64, arg smt.Term) {
	if t, err := r.a.App(op, []smt.Index{r.a.NumIndex(i)}, arg); err == nil {
		r.add(t)
	}
}

func (r *rules) all(t smt.Term) {
	a := r.a
	if a.Op(t).Structural() {
		return
	}
	args := a.CopyArgs(t)
	r.flatten(t, args)
	r.neutral(t, args)
	switch op := a.Op(t); op {
	case smt.OpNot:
		r.not(args[0])
	case smt.OpEq, smt.OpDistinct:
		if len(args) == 2 {
			r.equal(op, args[0], args[1])
			r.equal(op, args[1], args[0])
			r.extended(op, args)
		}
	case smt.OpImplies:
		if len(args) == 2 {
			if a.Op(args[0]) == smt.OpNot {
				r.app(smt.OpOr, a.Arg(args[0], 0), args[1])
			}
			r.add(a.Not(args[0]))
		}
	case smt.OpXor:
		if len(args) == 2 {
			r.app(smt.OpDistinct, args...)
		}
	case smt.OpIte:
		r.ite(t, args)
	case smt.OpBVNot, smt.OpBVNeg, smt.OpFPNeg, smt.OpStrRev, smt.OpSeqRev, smt.OpReComp, smt.OpSetComplement, smt.OpFFNeg:
		if a.Op(args[0]) == op {
			r.add(a.Arg(args[0], 0))
		}
	case smt.OpSub:
		if len(args) == 1 && a.Op(args[0]) == smt.OpSub && a.NumArgs(args[0]) == 1 {
			r.add(a.Arg(args[0], 0))
		}
	case smt.OpBVNand, smt.OpBVNor:
		if args[0] == args[1] {
			r.app(smt.OpBVNot, args[0])
		}
	case smt.OpConcat, smt.OpExtract, smt.OpZeroExtend, smt.OpSignExtend, smt.OpRotateLeft, smt.OpRotateRight, smt.OpRepeat:
		r.bits(t, args)
	case smt.OpBVUlt, smt.OpBVUle, smt.OpBVUgt, smt.OpBVUge, smt.OpBVSlt, smt.OpBVSle, smt.OpBVSgt, smt.OpBVSge:
		r.extended(op, args)
	case smt.OpStrIndexOf, smt.OpStrToInt, smt.OpStrToCode, smt.OpSeqIndexOf, smt.OpStrIndexOfRe, smt.OpStrLastIndexOf, smt.OpSeqLastIndexOf:
		// -1 is how these functions say that there is nothing.
		r.app(smt.OpSub, a.Int64(1))
	}
}

// negated are the relations that say the opposite.
var negated = map[smt.Op]smt.Op{
	smt.OpLt: smt.OpGe, smt.OpLe: smt.OpGt, smt.OpGt: smt.OpLe, smt.OpGe: smt.OpLt, smt.OpDistinct: smt.OpEq,
	smt.OpBVUlt: smt.OpBVUge, smt.OpBVUle: smt.OpBVUgt, smt.OpBVUgt: smt.OpBVUle, smt.OpBVUge: smt.OpBVUlt,
	smt.OpBVSlt: smt.OpBVSge, smt.OpBVSle: smt.OpBVSgt, smt.OpBVSgt: smt.OpBVSle, smt.OpBVSge: smt.OpBVSlt,
	smt.OpEq: smt.OpDistinct,
}

// not pushes a negation into its argument.
func (r *rules) not(x smt.Term) {
	a := r.a
	args := a.CopyArgs(x)
	switch op := a.Op(x); op {
	case smt.OpNot:
		r.add(args[0])
	case smt.OpAnd, smt.OpOr:
		for i, y := range args {
			args[i] = a.Not(y)
			if a.Op(y) == smt.OpNot {
				args[i] = a.Arg(y, 0)
			}
		}
		dual := smt.OpAnd
		if op == smt.OpAnd {
			dual = smt.OpOr
		}
		r.app(dual, args...)
	case smt.OpImplies:
		if len(args) == 2 && a.Op(args[1]) == smt.OpNot {
			r.app(smt.OpAnd, args[0], a.Arg(args[1], 0))
		}
	case smt.OpForall, smt.OpExists:
		dual := smt.OpForall
		if op == smt.OpForall {
			dual = smt.OpExists
		}
		if body := a.Body(x); a.Op(body) == smt.OpNot {
			if q, err := a.Quant(dual, slices.Clone(a.BoundVars(x)), a.Arg(body, 0)); err == nil {
				r.add(q)
			}
		}
	default:
		if to, ok := negated[op]; ok && len(args) == 2 {
			r.app(to, args...)
		}
	}
}

// equal looks at (= x y) and (distinct x y) where x is a constant.
func (r *rules) equal(op smt.Op, x, y smt.Term) {
	a := r.a
	same := op == smt.OpEq
	yes := func(t smt.Term, holds bool) {
		if holds == same {
			r.add(t)
		} else {
			r.add(a.Not(t))
		}
	}
	switch {
	case x == a.True() || x == a.False():
		yes(y, x == a.True())
	case a.IsLiteral(x) && a.Op(y) == smt.OpIte && a.IsLiteral(a.Arg(y, 1)) && a.IsLiteral(a.Arg(y, 2)) && a.Arg(y, 1) != a.Arg(y, 2):
		switch x { // the bridge (= 1 (ite c 1 0))
		case a.Arg(y, 1):
			yes(a.Arg(y, 0), true)
		case a.Arg(y, 2):
			yes(a.Arg(y, 0), false)
		}
	case a.Op(x) == smt.OpBVLit && a.Op(y) == smt.OpBVComp:
		n, _ := a.BVOf(x)
		yes(a.Eq(a.Arg(y, 0), a.Arg(y, 1)), n.Sign() > 0)
	}
}

// extended drops zero_extend and the like from both sides of a relation.
func (r *rules) extended(op smt.Op, args []smt.Term) {
	a := r.a
	ext := a.Op(args[0])
	if ext != smt.OpZeroExtend && ext != smt.OpSignExtend && ext != smt.OpStrToCode && ext != smt.OpToReal && ext != smt.OpBVNot {
		return
	}
	if a.Op(args[1]) == ext && a.Sort(a.Arg(args[0], 0)) == a.Sort(a.Arg(args[1], 0)) {
		r.app(op, a.Arg(args[0], 0), a.Arg(args[1], 0))
	}
}

func (r *rules) ite(t smt.Term, args []smt.Term) {
	a := r.a
	c, x, y := args[0], args[1], args[2]
	if a.Op(c) == smt.OpNot {
		r.app(smt.OpIte, a.Arg(c, 0), y, x)
	}
	switch {
	case a.Sort(t) == smt.SortBool && x == a.True() && y == a.False():
		r.add(c)
	case a.Sort(t) == smt.SortBool && x == a.False() && y == a.True():
		r.add(a.Not(c))
	case x == a.True():
		r.app(smt.OpOr, c, y)
	case y == a.False():
		r.app(smt.OpAnd, c, x)
	case a.Op(x) == smt.OpBVLit && a.Op(y) == smt.OpBVLit && a.Width(a.Sort(t)) == 1 && a.Op(c) == smt.OpEq && a.NumArgs(c) == 2:
		if n, _ := a.BVOf(x); n.Sign() > 0 {
			r.app(smt.OpBVComp, a.Arg(c, 0), a.Arg(c, 1))
		}
	}
}

// flatten takes the arguments of an argument with the same operator.
func (r *rules) flatten(t smt.Term, args []smt.Term) {
	a := r.a
	op := a.Op(t)
	if op.Info().Assoc != smt.AssocLeft || op == smt.OpSub || op == smt.OpDiv || op == smt.OpIntDiv || len(args) < 2 {
		return
	}
	var flat []smt.Term
	for i, x := range args {
		if a.Op(x) == op && (i == 0 || op.Info().Commutative || op == smt.OpStrConcat || op == smt.OpReConcat || op == smt.OpSeqConcat || op == smt.OpConcat) {
			flat = append(flat, a.Args(x)...)
		} else {
			flat = append(flat, x)
		}
	}
	if len(flat) > len(args) {
		r.app(op, flat...)
	}
}

// neutral leaves out arguments that say nothing: true in a conjunction, 0 in a sum, "" in a concatenation, repetitions.
func (r *rules) neutral(t smt.Term, args []smt.Term) {
	a := r.a
	op := a.Op(t)
	if op.Info().Assoc != smt.AssocLeft && op != smt.OpBVSub || len(args) < 2 {
		return
	}
	idempotent := op == smt.OpAnd || op == smt.OpOr || op == smt.OpBVAnd || op == smt.OpBVOr || op == smt.OpReUnion || op == smt.OpReInter ||
		op == smt.OpSetUnion || op == smt.OpSetInter
	var left []smt.Term
	for i, x := range args {
		if isNeutral(a, op, i, x) || idempotent && slices.Contains(left, x) {
			continue
		}
		left = append(left, x)
	}
	switch {
	case len(left) == len(args):
	case len(left) == 0:
		r.add(args[0])
	case len(left) == 1:
		if a.Sort(left[0]) == a.Sort(t) {
			r.add(left[0])
		}
	default:
		if by, err := a.App(op, nil, left...); err == nil && a.Sort(by) == a.Sort(t) {
			r.add(by)
		}
	}
}

// isNeutral reports whether x, argument number i of op, is neutral.
func isNeutral(a *smt.Arena, op smt.Op, i int, x smt.Term) bool {
	isInt := func(n int64) bool {
		switch a.Op(x) {
		case smt.OpIntLit:
			v, _ := a.IntOf(x)
			return v.IsInt64() && v.Int64() == n
		case smt.OpRealLit:
			v, _ := a.RatOf(x)
			return v.IsInt() && v.Num().IsInt64() && v.Num().Int64() == n
		case smt.OpBVLit:
			v, _ := a.BVOf(x)
			return v.IsInt64() && v.Int64() == n
		}
		return false
	}
	switch op {
	case smt.OpAnd:
		return x == a.True()
	case smt.OpOr, smt.OpXor:
		return x == a.False()
	case smt.OpAdd, smt.OpBVAdd, smt.OpBVOr, smt.OpBVXor:
		return isInt(0)
	case smt.OpSub, smt.OpBVSub:
		// Only on the right: 0 - x is not x.
		return i > 0 && isInt(0)
	case smt.OpMul, smt.OpBVMul:
		return isInt(1)
	case smt.OpDiv, smt.OpIntDiv:
		return i > 0 && isInt(1)
	case smt.OpStrConcat:
		str, ok := a.StrOf(x)
		return ok && a.Op(x) == smt.OpStringLit && len(str) == 0
	case smt.OpSeqConcat:
		return a.Op(x) == smt.OpSeqEmpty
	case smt.OpReUnion:
		return a.Op(x) == smt.OpReNone
	case smt.OpReInter:
		return a.Op(x) == smt.OpReAll
	case smt.OpSetUnion:
		return a.Op(x) == smt.OpSetEmpty
	}
	return false
}

// bits merges operators that move bits around.
func (r *rules) bits(t smt.Term, args []smt.Term) {
	a := r.a
	num := func(t smt.Term, i int) uint64 {
		n, _ := a.IndexUint(a.Indices(t)[i])
		return n
	}
	x := args[0]
	switch op := a.Op(t); op {
	case smt.OpConcat:
		if n, ok := a.BVOf(x); ok && a.Op(x) == smt.OpBVLit && n.Sign() == 0 && len(args) == 2 {
			r.indexed(smt.OpZeroExtend, uint64(a.Width(a.Sort(x))), args[1])
		}
	case smt.OpZeroExtend, smt.OpSignExtend:
		if num(t, 0) == 0 {
			r.add(x)
		} else if a.Op(x) == op {
			r.indexed(op, num(t, 0)+num(x, 0), a.Arg(x, 0))
		}
	case smt.OpRotateLeft, smt.OpRotateRight:
		if num(t, 0) == 0 {
			r.add(x)
		}
	case smt.OpRepeat:
		if num(t, 0) == 1 {
			r.add(x)
		}
	case smt.OpExtract:
		r.extract(x, num(t, 0), num(t, 1))
	}
}

// extract looks at ((_ extract hi lo) x).
func (r *rules) extract(x smt.Term, hi, lo uint64) {
	a := r.a
	cut := func(y smt.Term, hi, lo uint64) {
		w := uint64(a.Width(a.Sort(y)))
		switch {
		case lo == 0 && hi == w-1:
			r.add(y)
		case hi < w:
			if t, err := a.App(smt.OpExtract, []smt.Index{a.NumIndex(hi), a.NumIndex(lo)}, y); err == nil {
				r.add(t)
			}
		}
	}
	w := uint64(a.Width(a.Sort(x)))
	if lo == 0 && hi == w-1 {
		r.add(x)
	}
	switch a.Op(x) {
	case smt.OpExtract:
		off, _ := a.IndexUint(a.Indices(x)[1])
		cut(a.Arg(x, 0), hi+off, lo+off)
	case smt.OpZeroExtend, smt.OpSignExtend:
		y := a.Arg(x, 0)
		inner := uint64(a.Width(a.Sort(y)))
		switch {
		case hi < inner:
			cut(y, hi, lo)
		case lo >= inner && a.Op(x) == smt.OpZeroExtend:
			r.add(a.BVUint(int(hi-lo+1), 0))
		}
	case smt.OpConcat:
		off := w
		for _, y := range a.CopyArgs(x) {
			off -= uint64(a.Width(a.Sort(y)))
			if lo >= off && hi < off+uint64(a.Width(a.Sort(y))) {
				cut(y, hi-off, lo-off)
			}
		}
	}
}
