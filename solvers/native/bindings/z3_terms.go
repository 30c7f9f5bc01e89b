package bindings

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (z *z3) instance(s *driver.Translation, so smt.Sort, f smt.Symbol) *z3Constructor {
	s.Sort(so)
	dt := z.dts[so]
	if dt == nil {
		panic(driver.Unsupported("%s is no declared datatype", s.Arena().SortString(so)))
	}
	return &dt.ctors[s.Arena().SymbolInfo(f).Ctor]
}

func (z *z3) Construct(s *driver.Translation, t smt.Term, f smt.Symbol, args []driver.Ref) driver.Ref {
	k := z.instance(s, s.Arena().Sort(t), f)
	return z.ast("mk_app", k.make, uintptr(len(args)), z.Library.Refs(args))
}

func (z *z3) Select(s *driver.Translation, t smt.Term, f smt.Symbol, arg driver.Ref) driver.Ref {
	k := z.instance(s, s.Arena().Sort(s.Arena().Arg(t, 0)), f)
	return z.ast("mk_app", k.fields[s.Arena().SymbolInfo(f).Field], 1, z.Library.Refs([]driver.Ref{arg}))
}

func (z *z3) Test(s *driver.Translation, t smt.Term, f smt.Symbol, arg driver.Ref) driver.Ref {
	k := z.instance(s, s.Arena().Sort(s.Arena().Arg(t, 0)), f)
	return z.ast("mk_app", k.test, 1, z.Library.Refs([]driver.Ref{arg}))
}

func (z *z3) Update(s *driver.Translation, t smt.Term, f smt.Symbol, arg, value driver.Ref) driver.Ref {
	k := z.instance(s, s.Arena().Sort(t), f)
	return z.ast("datatype_update_field", k.fields[s.Arena().SymbolInfo(f).Field], arg, value)
}

func (z *z3) Constant(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	so := s.Sort(info.Result)
	if s.Pick(2) == 1 {
		decl := z.ast("mk_func_decl", z.symbol(info.Name), 0, 0, so)
		return z.ast("mk_app", decl, 0, 0)
	}
	return z.ast("mk_const", z.symbol(info.Name), so)
}

func (z *z3) Function(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return z.ast("mk_func_decl", z.symbol(info.Name), uintptr(len(info.Params)), z.Library.Refs(s.SortList(info.Params)),
		s.Sort(info.Result))
}

func (z *z3) Apply(_ *driver.Translation, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return z.ast("mk_app", fun, uintptr(len(args)), z.Library.Refs(args))
}

func (z *z3) Define(s *driver.Translation, fs []smt.Symbol) {
	z.dirty = true
	for _, f := range fs {
		info := s.Arena().SymbolInfo(f)
		s.Functions[f] = z.ast("mk_rec_func_decl", z.symbol(info.Name), uintptr(len(info.Params)),
			z.Library.Refs(s.SortList(info.Params)), s.Sort(info.Result))
	}
	for _, f := range fs {
		info := *s.Arena().SymbolInfo(f)
		vars, body := s.InScope(info.Vars, info.Body)
		z.c("add_rec_def", s.Functions[f], uintptr(len(vars)), z.Library.Refs(vars), body)
	}
}

func (z *z3) Variable(s *driver.Translation, t smt.Term) driver.Ref {
	return z.ast("mk_fresh_const", z.Library.Str(s.Arena().VarName(t)), s.Sort(s.Arena().Sort(t)))
}

func (z *z3) Binder(s *driver.Translation, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	if s.Arena().Op(t) == smt.OpLambda {
		if s.Arena().SortKind(s.Arena().Sort(t)) != smt.KindArray || len(vars) != 1 {
			panic(driver.Unsupported("z3 has lambdas for arrays over one sort only"))
		}
		return z.ast("mk_lambda_const", 1, z.Library.Refs(vars), body)
	}
	patterns := z.patterns(s, s.Arena().Body(t))
	forall := s.Arena().Op(t) == smt.OpForall
	if s.Pick(2) == 1 {
		is := uintptr(0)
		if forall {
			is = 1
		}
		return z.ast("mk_quantifier_const", is, 0, uintptr(len(vars)), z.Library.Refs(vars), uintptr(len(patterns)),
			z.Library.Refs(patterns), body)
	}
	name := "mk_exists_const"
	if forall {
		name = "mk_forall_const"
	}
	return z.ast(name, 0, uintptr(len(vars)), z.Library.Refs(vars), uintptr(len(patterns)), z.Library.Refs(patterns), body)
}

// patterns makes the patterns of a quantifier's body; one that z3 does not take is left out, as it is no part of the
// meaning.
func (z *z3) patterns(s *driver.Translation, body smt.Term) (out []driver.Ref) {
	for _, x := range s.Arena().Annotations(body) {
		if x.Keyword != ":pattern" {
			continue
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					if _, ok := r.(*driver.Fault); !ok {
						panic(r)
					}
				}
			}()
			var terms []driver.Ref
			for _, t := range x.Terms {
				terms = append(terms, s.Term(t))
			}
			out = append(out, z.ast("mk_pattern", uintptr(len(terms)), z.Library.Refs(terms)))
		}()
	}
	return out
}
