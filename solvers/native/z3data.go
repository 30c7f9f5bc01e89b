package native

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

func (z *z3) datatypes(s *session, group []smt.SortSymbol) {
	for _, sym := range group {
		if dt := s.a.Datatype(sym); dt != nil && len(dt.Params) == 0 {
			s.sort(dt.Self)
		}
	}
}

// datatype declares an instance of a datatype, with all those it mentions that are not declared yet. The library has no
// parametric ones, so each instance is a datatype of its own.
func (z *z3) datatype(s *session, so smt.Sort) ref {
	a := s.a
	group := []smt.Sort{so}
	in := func(x smt.Sort) bool { return slices.Contains(group, x) }
	var visit func(x smt.Sort)
	visit = func(x smt.Sort) {
		if a.SortKind(x) == smt.KindDatatype && !in(x) && z.dts[x] == nil {
			group = append(group, x)
		}
		for _, y := range a.SortArgs(x) {
			if a.SortKind(x) != smt.KindDatatype {
				visit(y)
			}
		}
	}
	for i := 0; i < len(group); i++ {
		dt, m := a.DatatypeOf(group[i])
		for _, k := range dt.Constructors {
			for _, p := range a.SymbolInfo(k.Symbol).Params {
				visit(a.SubstSort(p, m))
			}
		}
		if len(group) > 200 {
			panic(unsupported("%s refers to itself with ever new arguments", a.SortString(so)))
		}
	}
	forward := z.l.has("Z3_mk_datatype_sort")
	lists, names := make([]ref, len(group)), make([]ref, len(group))
	parts := make([][]ref, len(group))
	for i, g := range group {
		names[i] = z.symbol(z.datatypeName(s, g))
	}
	for i, g := range group {
		dt, m := a.DatatypeOf(g)
		for _, k := range dt.Constructors {
			parts[i] = append(parts[i], z.constructor(s, &k, m, group, names, forward))
		}
		lists[i] = z.c("mk_constructor_list", uintptr(len(parts[i])), z.l.refs(parts[i]))
	}
	w := z.l.mem.words(len(group))
	z.c("mk_datatypes", uintptr(len(group)), z.l.refs(names), w.addr(), z.l.refs(lists))
	for i, g := range group {
		r := w.at(i)
		z.hold(r)
		dt, _ := a.DatatypeOf(g)
		info := &z3Datatype{}
		for j, k := range dt.Constructors {
			n := len(k.Selectors)
			q := z.l.mem.words(2 + n)
			z.c("query_constructor", parts[i][j], uintptr(n), q.addr(), q.addr()+8, q.addr()+16)
			for f := range 2 + n {
				z.hold(q.at(f))
			}
			info.ctors = append(info.ctors, z3Constructor{make: q.at(0), test: q.at(1), fields: wordsAt(q.addr()+16, n)})
			z.c("del_constructor", parts[i][j])
		}
		z.c("del_constructor_list", lists[i])
		z.dts[g] = info
		z.setSort(s, g, r)
	}
	return s.sorts[so]
}

func (z *z3) setSort(s *session, so smt.Sort, r ref) {
	for int(so) >= len(s.sorts) {
		s.sorts = append(s.sorts, make([]ref, 64)...)
	}
	s.sorts[so] = r
}

// constructor describes one constructor. A field of a datatype of the group is told by number; one that has such a
// datatype deeper inside needs a forward reference, which older versions lack.
func (z *z3) constructor(s *session, k *smt.Constructor, m map[smt.Sort]smt.Sort, group []smt.Sort, names []ref, forward bool) ref {
	a := s.a
	info := a.SymbolInfo(k.Symbol)
	fields, sorts := make([]ref, len(k.Selectors)), make([]ref, len(k.Selectors))
	numbers := make([]uint32, len(k.Selectors))
	for i, sel := range k.Selectors {
		fields[i] = z.symbol(a.SymbolName(sel))
		so := a.SubstSort(info.Params[i], m)
		if n := slices.Index(group, so); n >= 0 {
			numbers[i] = uint32(n)
			continue
		}
		sorts[i] = z.fieldSort(s, so, group, names, forward)
	}
	return z.c("mk_constructor", z.symbol(k.Name), z.symbol("is-"+k.Name), uintptr(len(fields)), z.l.refs(fields), z.l.refs(sorts), z.l.u32s(numbers))
}

func (z *z3) fieldSort(s *session, so smt.Sort, group []smt.Sort, names []ref, forward bool) ref {
	a := s.a
	if n := slices.Index(group, so); n >= 0 {
		if !forward {
			panic(unsupported("%s has no Z3_mk_datatype_sort: version %s has no datatypes that are nested in other sorts; 4.8.14 and later have", z.l.path, z.version()))
		}
		return z.ast("mk_datatype_sort", names[n])
	}
	args := a.SortArgs(so)
	switch a.SortKind(so) {
	case smt.KindArray:
		return z.ast("mk_array_sort", z.fieldSort(s, args[0], group, names, forward), z.fieldSort(s, args[1], group, names, forward))
	case smt.KindSeq:
		return z.ast("mk_seq_sort", z.fieldSort(s, args[0], group, names, forward))
	}
	return s.sort(so)
}

func (z *z3) instance(s *session, so smt.Sort, f smt.Symbol) *z3Constructor {
	s.sort(so)
	dt := z.dts[so]
	if dt == nil {
		panic(unsupported("%s is no declared datatype", s.a.SortString(so)))
	}
	return &dt.ctors[s.a.SymbolInfo(f).Ctor]
}

func (z *z3) construct(s *session, t smt.Term, f smt.Symbol, args []ref) ref {
	k := z.instance(s, s.a.Sort(t), f)
	return z.ast("mk_app", k.make, uintptr(len(args)), z.l.refs(args))
}

func (z *z3) choose(s *session, t smt.Term, f smt.Symbol, arg ref) ref {
	k := z.instance(s, s.a.Sort(s.a.Arg(t, 0)), f)
	return z.ast("mk_app", k.fields[s.a.SymbolInfo(f).Field], 1, z.l.refs([]ref{arg}))
}

func (z *z3) test(s *session, t smt.Term, f smt.Symbol, arg ref) ref {
	k := z.instance(s, s.a.Sort(s.a.Arg(t, 0)), f)
	return z.ast("mk_app", k.test, 1, z.l.refs([]ref{arg}))
}

func (z *z3) update(s *session, t smt.Term, f smt.Symbol, arg, value ref) ref {
	k := z.instance(s, s.a.Sort(t), f)
	return z.ast("datatype_update_field", k.fields[s.a.SymbolInfo(f).Field], arg, value)
}
