package reduce

import (
	"math/big"
	gobits "math/bits"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// The weights of a case's parts. A term counts once however often it occurs, as it is printed once under let; a
// constant of a sort's simplest value is lighter than a variable, a variable lighter than any application.
const (
	weightCommand  = 8
	weightLiteral  = 1
	weightSymbol   = 2
	weightApply    = 3
	weightArgument = 1
)

// nodeWeight is the weight of one term without its arguments.
func nodeWeight(a *smt.Arena, t smt.Term) int {
	switch op := a.Op(t); {
	case op == smt.OpTrue || op == smt.OpFalse:
		return weightLiteral
	case op == smt.OpIntLit:
		n, _ := a.IntOf(t)
		return weightLiteral + bits(n)
	case op == smt.OpFFLit:
		n, _ := a.FFOf(t)
		return weightLiteral + bits(n)
	case op == smt.OpRealLit:
		r, _ := a.RatOf(t)
		return weightLiteral + bits(r.Num()) + bits(r.Denom()) - bits(big.NewInt(1))
	case op == smt.OpBVLit:
		n, _ := a.BVOf(t)
		ones := 0
		for _, w := range n.Bits() {
			for ; w != 0; w &= w - 1 {
				ones++
			}
		}
		return weightLiteral + ones
	case op == smt.OpStringLit:
		s, _ := a.StrOf(t)
		w := weightLiteral
		for _, r := range s {
			w += runeWeight(r)
		}
		return w
	case op == smt.OpVar:
		return weightSymbol + sortWeight(a, a.Sort(t))
	case a.NumArgs(t) == 0 && op == smt.OpApply:
		return weightSymbol
	case a.NumArgs(t) == 0:
		return weightLiteral + levels[op]
	}
	w := weightApply + weightArgument*a.NumArgs(t)
	if !a.Op(t).Structural() {
		w += levels[a.Op(t)]
		for _, i := range a.Indices(t) {
			if n, ok := a.IndexUint(i); ok {
				w += gobits.Len64(n)
			}
		}
	}
	return w
}

// sortWeight is the weight of a sort where a symbol or variable is declared with it: narrow bit vectors and short
// formats are the lightest of their kind, and what has no parts is lighter than what has some.
func sortWeight(a *smt.Arena, s smt.Sort) int {
	switch a.SortKind(s) {
	case smt.KindBool, smt.KindInt:
		return 0
	case smt.KindBitVec:
		return a.Width(s) / 2
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		return (eb + sb) / 2
	}
	w := 1
	for _, x := range a.SortArgs(s) {
		w += 1 + sortWeight(a, x)
	}
	return w
}

// runeWeight makes plain letters the lightest, so that escapes are reduced to them.
func runeWeight(r rune) int {
	switch {
	case r == 'a':
		return 1
	case r > ' ' && r < 0x7F && r != '"' && r != '\\':
		return 2
	}
	return 3
}

func bits(n *big.Int) int { return n.BitLen() }

func (s *session) weigh(cmds []smtlib.Command) int {
	a := s.a
	w := 0
	var roots []smt.Term
	for i := range cmds {
		c := &cmds[i]
		w += weightCommand
		roots = append(roots, c.Terms...)
		for _, f := range c.Symbols {
			info := a.SymbolInfo(f)
			w += weightSymbol + len(info.Params) + sortWeight(a, info.Result)
			for _, p := range info.Params {
				w += sortWeight(a, p)
			}
			if c.Kind != smtlib.CmdDeclareConst && c.Kind != smtlib.CmdDeclareFun && info.Body != 0 {
				w++ // a definition that could as well be a declaration
				if c.Kind.IsRecursive() {
					w += weightCommand
				}
				roots = append(roots, info.Body)
			}
		}
		for _, d := range c.Sorts {
			w += weightSymbol
			if dt := a.Datatype(d); dt != nil {
				for _, k := range dt.Constructors {
					w += weightSymbol + weightSymbol*len(k.Selectors)
					for _, p := range a.SymbolInfo(k.Symbol).Params {
						w += sortWeight(a, p)
					}
				}
			}
		}
		if c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdPop {
			w += c.N
		}
		if c.Kind == smtlib.CmdSetOption {
			known, ok := s.setting(c)
			w += distance(known, ok, c.Text)
		}
		if c.Kind == smtlib.CmdOther {
			w += len(c.Text) / 8
		}
	}
	a.PostOrder(roots, func(t smt.Term) { w += nodeWeight(a, t) })
	if s.opt.Calls {
		w += s.weighCalls(cmds, roots)
	}
	return w
}
