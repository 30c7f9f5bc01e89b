package bindings

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *bitwuzla) Constant(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return b.callC("mk_const", b.tm, s.Sort(info.Result), b.Library.Str(info.Name))
}

func (b *bitwuzla) Function(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return b.callC("mk_const", b.tm, b.functionSort(s, info.Params, info.Result), b.Library.Str(info.Name))
}

func (b *bitwuzla) Variable(s *driver.Translation, t smt.Term) driver.Ref {
	return b.callC("mk_var", b.tm, s.Sort(s.Arena().Sort(t)), b.Library.Str(s.Arena().VarName(t)))
}

func (b *bitwuzla) Binder(s *driver.Translation, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	kind := map[smt.Op]string{smt.OpForall: "FORALL", smt.OpExists: "EXISTS", smt.OpLambda: "LAMBDA"}[s.Arena().Op(t)]
	if kind == "LAMBDA" && s.Arena().SortKind(s.Arena().Sort(t)) != smt.KindFunc {
		panic(driver.Unsupported("bitwuzla has no lambdas that are arrays"))
	}
	if len(vars) > 1 && kind != "LAMBDA" && s.Pick(2) == 1 { // one quantifier for each variable
		for i := len(vars) - 1; i >= 0; i-- {
			body = b.makeTerm(s, kind, nil, vars[i], body)
		}
		return body
	}
	return b.makeTerm(s, kind, nil, append(vars[:len(vars):len(vars)], body)...)
}

func (b *bitwuzla) Apply(s *driver.Translation, _ smt.Term, _ smt.Symbol, fun driver.Ref,
	args []driver.Ref) driver.Ref {
	return b.makeTerm(s, "APPLY", nil, append([]driver.Ref{fun}, args...)...)
}

// makeTerm makes a term of a kind by one of the functions for it.
func (b *bitwuzla) makeTerm(s *driver.Translation, kind string, idx []uint64, args ...driver.Ref) driver.Ref {
	k, ok := b.kinds[kind]
	if !ok {
		panic(driver.Unsupported("%s, version %s, has no kind %s", b.Library.Path, b.Version(), kind))
	}
	n := len(args)
	pair := [2]int{n, len(idx)}
	if s.Pick(2) == 0 {
		switch pair {
		case [2]int{1, 0}, [2]int{2, 0}, [2]int{3, 0}:
			return b.callC("mk_term"+strconv.Itoa(n), append([]driver.Ref{b.tm, driver.Ref(k)}, args...)...)
		case [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{2, 2}:
			all := append([]driver.Ref{b.tm, driver.Ref(k)}, args...)
			return b.callC(fmt.Sprintf("mk_term%d_indexed%d", n, len(idx)), append(all, driver.Words(idx)...)...)
		}
	}
	if len(idx) == 0 {
		return b.callC("mk_term", b.tm, driver.Ref(k), uintptr(n), b.Library.Refs(args))
	}
	return b.callC("mk_term_indexed", b.tm, driver.Ref(k), uintptr(n), b.Library.Refs(args), uintptr(len(idx)),
		b.Library.Refs(driver.Words(idx)))
}

func (b *bitwuzla) Value(s *driver.Translation, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return b.callC("mk_true", b.tm)
	case smt.OpFalse:
		return b.callC("mk_false", b.tm)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return b.makeBitVector(s, a.Width(a.Sort(t)), s.Sort(a.Sort(t)), n)
	case smt.OpRealLit, smt.OpIntLit:
		return b.realStandIn()
	}
	panic(s.NoOp(t))
}

// realStandIn is the stand-in for a constant of sort Real: some object, which nothing but to_fp may get.
func (b *bitwuzla) realStandIn() driver.Ref {
	if b.noReal == 0 {
		b.noReal = driver.Address(b.flag)
	}
	return b.noReal
}

func (b *bitwuzla) makeBitVector(s *driver.Translation, width int, so driver.Ref, n *big.Int) driver.Ref {
	special := ""
	ones := n.BitLen() == width && new(big.Int).Add(n, big.NewInt(1)).BitLen() == width+1
	switch {
	case n.Sign() == 0:
		special = "zero"
	case n.IsUint64() && n.Uint64() == 1 && width > 1:
		special = "one"
	case ones:
		special = "ones"
	case n.BitLen() == width && n.TrailingZeroBits() == uint(width-1):
		special = "min_signed"
	case n.BitLen() == width-1 && new(big.Int).Add(n, big.NewInt(1)).BitLen() == width:
		special = "max_signed"
	}
	way := s.Pick(6)
	switch {
	case way == 1 && special != "":
		return b.callC("mk_bv_"+special, b.tm, so)
	case way == 2:
		return b.callC("mk_bv_value", b.tm, so, b.Library.Str(n.Text(2)), 2)
	case way == 3:
		return b.callC("mk_bv_value", b.tm, so, b.Library.Str(n.Text(16)), 16)
	case way == 4 && width <= 63 && n.IsInt64():
		v := n.Int64()
		if v>>(width-1)&1 == 1 { // the same bits as a negative number
			v -= 1 << width
		}
		return b.callC("mk_bv_value_int64", b.tm, so, uintptr(v))
	case way == 5 && n.IsUint64():
		return b.callC("mk_bv_value_uint64", b.tm, so, uintptr(n.Uint64()))
	}
	return b.callC("mk_bv_value", b.tm, so, b.Library.Str(n.String()), 10)
}
