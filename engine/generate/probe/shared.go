package probe

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// sharedParts is the chance that two operands of one sort are applications of one operator that share an operand of
// theirs: solvers have rules that take the common part out, as of (= (+ x z) (+ y z)) and (bvult (concat x z) (concat y
// z)).
const sharedParts = 0.2

// shared is an operator, an operand of it, and two other operands with which it has the values of two literals.
type shared struct {
	op     smt.Op
	common smt.Term
	parts  [2]smt.Term
	behind bool // the common operand is the second one
}

// term returns the application to the common operand and one of the others.
func (s *shared) term(a *smt.Arena, common, part smt.Term, swap bool) smt.Term {
	if s.behind != swap {
		common, part = part, common
	}
	return a.MustApp(s.op, common, part)
}

// sharing returns applications of one operator to a common operand and another one each, so that they have the values
// of two literals of one sort; false where the targets have no operator for that.
func (m *maker) sharing(one, other smt.Term) (x, y smt.Term, ok bool) {
	a, r := m.g.A, m.g.R
	commands, pins := len(m.out), len(m.pins)
	ok = true
	pinned := func(literal smt.Term) smt.Term {
		t := m.pin(literal)
		ok = ok && t != 0
		return t
	}
	if s, found := m.sharedBy(one, other); found && !m.lacks(s.op) && m.g.Takes(s.common) && m.g.Takes(s.parts[0]) && m.g.Takes(s.parts[1]) {
		common, first, second := pinned(s.common), pinned(s.parts[0]), pinned(s.parts[1])
		swaps := commutes(s.op)
		if ok {
			return s.term(a, common, first, swaps && r.Bool()), s.term(a, common, second, swaps && r.Bool()), true
		}
	} else if !m.lacks(smt.OpIte) { // a condition, and one of the branches
		taken := r.Bool()
		condition, branch, first, second := pinned(a.BoolVal(taken)), pinned(m.boundary(a.Sort(one), anyClass)), pinned(one), pinned(other)
		switch {
		case ok && taken:
			return a.MustApp(smt.OpIte, condition, first, branch), a.MustApp(smt.OpIte, condition, second, branch), true
		case ok:
			return a.MustApp(smt.OpIte, condition, branch, first), a.MustApp(smt.OpIte, condition, branch, second), true
		}
	}
	m.undo(commands, pins)
	return 0, 0, false
}

// commutes reports whether the two operands of an operator may change places.
func commutes(op smt.Op) bool {
	switch op {
	case smt.OpAdd, smt.OpXor, smt.OpBVAdd, smt.OpBVXor, smt.OpBVMul:
		return true
	}
	return false
}

// sharedBy draws a part that two literals can share; it returns false if there is none.
func (m *maker) sharedBy(one, other smt.Term) (s shared, ok bool) {
	a, r := m.g.A, m.g.R
	sort := a.Sort(one)
	v, err1 := m.g.Ev.Eval(one)
	w, err2 := m.g.Ev.Eval(other)
	drawn := m.boundary(sort, anyClass)
	if err1 != nil || err2 != nil || !v.IsValue() || !w.IsValue() || drawn == 0 {
		return s, false
	}
	c, err := m.g.Ev.Eval(drawn)
	if err != nil || !c.IsValue() {
		return s, false
	}
	s = shared{common: drawn, behind: r.Bool()}
	switch a.SortKind(sort) {
	case smt.KindBool:
		x, _ := v.Bool()
		y, _ := w.Bool()
		z, _ := c.Bool()
		s.op, s.parts = smt.OpXor, [2]smt.Term{a.BoolVal(x != z), a.BoolVal(y != z)}
	case smt.KindInt:
		x, _ := v.Int()
		y, _ := w.Int()
		z, _ := c.Int()
		if s.op = smt.OpAdd; r.Bool() {
			// The shared part is subtracted, so it must come last.
			s.op, s.behind = smt.OpSub, true
			z = new(big.Int).Neg(z)
		}
		s.parts = [2]smt.Term{a.IntVal(new(big.Int).Sub(x, z)), a.IntVal(new(big.Int).Sub(y, z))}
	case smt.KindReal:
		x, _ := v.Rat()
		y, _ := w.Rat()
		z, _ := c.Rat()
		s.op, s.parts = smt.OpAdd, [2]smt.Term{a.RealVal(new(big.Rat).Sub(x, z)), a.RealVal(new(big.Rat).Sub(y, z))}
	case smt.KindBitVec:
		x, _ := v.BV()
		y, _ := w.BV()
		z, _ := c.BV()
		return m.sharedBits(a.Width(sort), x, y, z)
	case smt.KindString:
		x, _ := v.Runes()
		y, _ := w.Runes()
		n, end := 0, min(len(x), len(y))
		if s.op = smt.OpStrConcat; s.behind {
			for n < end && x[len(x)-1-n] == y[len(y)-1-n] {
				n++
			}
			s.common, s.parts = a.Str(x[len(x)-n:]), [2]smt.Term{a.Str(x[:len(x)-n]), a.Str(y[:len(y)-n])}
		} else {
			for n < end && x[n] == y[n] {
				n++
			}
			s.common, s.parts = a.Str(x[:n]), [2]smt.Term{a.Str(x[n:]), a.Str(y[n:])}
		}
	default:
		return s, false
	}
	return s, true
}

// sharedBits is sharedBy for bit vectors x and y, and z which was drawn.
func (m *maker) sharedBits(width int, x, y, z *big.Int) (s shared, ok bool) {
	a, r := m.g.A, m.g.R
	one := big.NewInt(1)
	literals := func(w int, x, y *big.Int) [2]smt.Term { return [2]smt.Term{a.BV(w, x), a.BV(w, y)} }
	switch r.Intn(6) {
	case 0:
		return shared{smt.OpBVAdd, a.BV(width, z), literals(width, new(big.Int).Sub(x, z), new(big.Int).Sub(y, z)), r.Bool()}, true
	case 1:
		return shared{smt.OpBVXor, a.BV(width, z), literals(width, new(big.Int).Xor(x, z), new(big.Int).Xor(y, z)), r.Bool()}, true
	case 2: // times an odd number, which has an inverse
		odd := new(big.Int).SetBit(z, 0, 1)
		if inverse := new(big.Int).ModInverse(odd, new(big.Int).Lsh(one, uint(width))); inverse != nil && width <= smallWidth {
			return shared{smt.OpBVMul, a.BV(width, odd), literals(width, new(big.Int).Mul(x, inverse), new(big.Int).Mul(y, inverse)), r.Bool()}, true
		}
	}
	below, above := width-1, width-1 // how many of the lowest, and of the highest, bits are the same, less than all
	if differ := new(big.Int).Xor(x, y); differ.Sign() != 0 {
		below, above = int(differ.TrailingZeroBits()), width-differ.BitLen()
	}
	if below+above <= 0 {
		return s, false
	}
	low := func(n *big.Int, k int) *big.Int {
		return new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(one, uint(k)), one))
	}
	high := func(n *big.Int, k int) *big.Int { return new(big.Int).Rsh(n, uint(k)) }
	if below > 0 && (above == 0 || r.Bool()) {
		k := r.Range(1, below)
		return shared{smt.OpConcat, a.BV(k, low(x, k)), literals(width-k, high(x, k), high(y, k)), true}, true
	}
	k := width - r.Range(1, above)
	return shared{smt.OpConcat, a.BV(width-k, high(x, k)), literals(k, low(x, k), low(y, k)), false}, true
}

// withSharedPart replaces two operands of one sort, if the operator has such operands, by applications that share a
// part. Their values are of the classes that the cell requires.
func (m *maker) withSharedPart(x *gen.Alternative, sorts []smt.Sort, args []smt.Term) {
	r := m.g.R
	if len(sorts) < 2 || !r.Chance(sharedParts) {
		return
	}
	i := r.Range(1, len(sorts)-1)
	j := slices.Index(sorts[:i], sorts[i])
	if j < 0 || sorts[i] == smt.SortRegLan || x.Op == smt.OpReRange || costly(x.Op) && m.large(sorts[i]) {
		return
	}
	var literals [2]smt.Term
	kinds := x.Kinds()
	for n, k := range []int{j, i} {
		if literal, _ := m.g.LiteralOnly(x.Op, k); literal {
			return
		}
		class, of := anyClass, min(k, len(kinds)-1)
		if k < len(kinds) {
			class = m.cell.Class(k)
		}
		if class >= 0 && factorOf(x, of, kinds[of]) == anySort {
			class = ofVariable(m.g.A.SortKind(sorts[k]), class)
		}
		if literals[n] = m.boundary(sorts[k], class); literals[n] == 0 {
			return
		}
	}
	if one, other, ok := m.sharing(literals[0], literals[1]); ok {
		args[j], args[i] = one, other
	}
}
