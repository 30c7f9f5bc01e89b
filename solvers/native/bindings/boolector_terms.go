package bindings

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// cName is the name of a symbol in the library; it must be unique there, which :named and push do not guarantee.
func (b *boolector) Constant(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	if isArray(s.Arena(), info.Result) {
		return b.callC("array", b.btor, s.Sort(info.Result), 0)
	}
	return b.callC("var", b.btor, s.Sort(info.Result), 0)
}

func (b *boolector) Function(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	for _, p := range append(info.Params[:len(info.Params):len(info.Params)], info.Result) {
		if isArray(s.Arena(), p) {
			panic(driver.Unsupported("boolector has no functions over arrays"))
		}
	}
	so := b.callC("fun_sort", b.btor, b.Library.Refs(s.SortList(info.Params)), uintptr(len(info.Params)),
		s.Sort(info.Result))
	return b.callC("uf", b.btor, so, 0)
}

func (b *boolector) Variable(s *driver.Translation, t smt.Term) driver.Ref {
	if isArray(s.Arena(), s.Arena().Sort(t)) {
		panic(driver.Unsupported("boolector quantifies over bit vectors only"))
	}
	return b.callC("param", b.btor, s.Sort(s.Arena().Sort(t)), 0)
}

func (b *boolector) Binder(s *driver.Translation, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	switch s.Arena().Op(t) {
	case smt.OpForall:
		b.quantifies = true
		return b.callC("forall", b.btor, b.Library.Refs(vars), uintptr(len(vars)), body)
	case smt.OpExists:
		b.quantifies = true
		return b.callC("exists", b.btor, b.Library.Refs(vars), uintptr(len(vars)), body)
	}
	panic(s.NoOp(t))
}

func (b *boolector) Apply(_ *driver.Translation, _ smt.Term, _ smt.Symbol, fun driver.Ref,
	args []driver.Ref) driver.Ref {
	return b.callC("apply", b.btor, b.Library.Refs(args), uintptr(len(args)), fun)
}

func (b *boolector) Value(s *driver.Translation, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return b.callC("true", b.btor)
	case smt.OpFalse:
		return b.callC("false", b.btor)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		width := a.Width(a.Sort(t))
		so := s.Sort(a.Sort(t))
		switch way := s.Pick(5); {
		case way == 1 && n.Sign() == 0:
			return b.callC("zero", b.btor, so)
		case way == 2 && n.IsUint64() && n.Uint64() == 1:
			return b.callC("one", b.btor, so)
		case way == 1 && n.BitLen() <= 31:
			return b.callC("unsigned_int", b.btor, uintptr(n.Uint64()), so)
		case way == 3:
			return b.callC("constd", b.btor, so, b.Library.Str(n.String()))
		case way == 4:
			return b.callC("consth", b.btor, so, b.Library.Str(n.Text(16)))
		}
		bits := n.Text(2)
		return b.callC("const", b.btor, b.Library.Str(strings.Repeat("0", width-len(bits))+bits))
	}
	panic(s.NoOp(t))
}
