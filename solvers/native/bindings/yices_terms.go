package bindings

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (y *yices) Constant(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return y.callForObject("new_uninterpreted_term", objectNumber(s.Sort(info.Result)))
}

func (y *yices) Function(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	t := y.callForObject("function_type", uintptr(len(info.Params)), y.numberList(s.SortList(info.Params)),
		objectNumber(s.Sort(info.Result)))
	return y.callForObject("new_uninterpreted_term", objectNumber(t))
}

func (y *yices) Variable(s *driver.Translation, t smt.Term) driver.Ref {
	return y.callForObject("new_variable", objectNumber(s.Sort(s.Arena().Sort(t))))
}

func (y *yices) Binder(s *driver.Translation, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	switch s.Arena().Op(t) {
	case smt.OpForall:
		return y.callForObject("forall", uintptr(len(vars)), y.numberList(vars), objectNumber(body))
	case smt.OpExists:
		return y.callForObject("exists", uintptr(len(vars)), y.numberList(vars), objectNumber(body))
	}
	return y.callForObject("lambda", uintptr(len(vars)), y.numberList(vars), objectNumber(body))
}

func (y *yices) Apply(_ *driver.Translation, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return y.callForObject("application", objectNumber(fun), uintptr(len(args)), y.numberList(args))
}

func (y *yices) Value(s *driver.Translation, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return y.callForObject("true")
	case smt.OpFalse:
		return y.callForObject("false")
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		if n.IsInt64() && s.Pick(2) == 1 {
			return y.callForObject("int64", uintptr(n.Int64()))
		}
		return y.callForObject("parse_rational", y.Library.Str(n.String()))
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return y.callForObject("parse_rational", y.Library.Str(r.RatString()))
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		width := a.Width(a.Sort(t))
		if n.IsUint64() && s.Pick(2) == 1 {
			return y.callForObject("bvconst_uint64", uintptr(width), uintptr(n.Uint64()))
		}
		text := n.Text(2)
		return y.callForObject("parse_bvbin", y.Library.Str(strings.Repeat("0", width-len(text))+text))
	}
	panic(s.NoOp(t))
}
