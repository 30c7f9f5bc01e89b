package bindings

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (z *z3) Datatypes(s *driver.Translation, group []smt.SortSymbol) {
	for _, sym := range group {
		if dt := s.Arena().Datatype(sym); dt != nil && len(dt.Params) == 0 {
			s.Sort(dt.Self)
		}
	}
}

// datatype declares an instance of a datatype, with all those it mentions that are not declared yet. The library has no
// parametric ones, so each instance is a datatype of its own.
func (z *z3) datatype(s *driver.Translation, so smt.Sort) driver.Ref {
	a := s.Arena()
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
		// A parametric datatype that refers to itself with larger and larger arguments would never end: z3 gets each instance
		// as a datatype of its own.
		if len(group) > 200 {
			panic(driver.Unsupported("%s refers to itself with ever new arguments", a.SortString(so)))
		}
	}
	forward := z.Library.Has("Z3_mk_datatype_sort")
	lists, names := make([]driver.Ref, len(group)), make([]driver.Ref, len(group))
	parts := make([][]driver.Ref, len(group))
	// All names before all constructors: a field may be of any sort of the group.
	for i, g := range group {
		names[i] = z.symbol(z.datatypeName(s, g))
	}
	for i, g := range group {
		dt, m := a.DatatypeOf(g)
		for _, k := range dt.Constructors {
			parts[i] = append(parts[i], z.constructor(s, &k, m, group, names, forward))
		}
		lists[i] = z.c("mk_constructor_list", uintptr(len(parts[i])), z.Library.Refs(parts[i]))
	}
	w := z.Library.Memory.Words(len(group))
	z.c("mk_datatypes", uintptr(len(group)), z.Library.Refs(names), w.Addr(), z.Library.Refs(lists))
	for i, g := range group {
		r := w.At(i)
		z.hold(r)
		dt, _ := a.DatatypeOf(g)
		info := &z3Datatype{}
		for j, k := range dt.Constructors {
			n := len(k.Selectors)
			q := z.Library.Memory.Words(2 + n)
			z.c("query_constructor", parts[i][j], uintptr(n), q.Addr(), q.Addr()+8, q.Addr()+16)
			for f := range 2 + n {
				z.hold(q.At(f))
			}
			info.ctors = append(info.ctors, z3Constructor{make: q.At(0), test: q.At(1), fields: driver.WordsAt(q.Addr()+16, n)})
			z.c("del_constructor", parts[i][j])
		}
		z.c("del_constructor_list", lists[i])
		z.dts[g] = info
		z.setSort(s, g, r)
	}
	return s.Sorts[so]
}

func (z *z3) setSort(s *driver.Translation, so smt.Sort, r driver.Ref) {
	for int(so) >= len(s.Sorts) {
		s.Sorts = append(s.Sorts, make([]driver.Ref, 64)...)
	}
	s.Sorts[so] = r
}

// constructor describes one constructor. A field of a datatype of the group is told by number; one that has such a
// datatype deeper inside needs a forward reference, which older versions lack.
func (z *z3) constructor(s *driver.Translation, k *smt.Constructor, m map[smt.Sort]smt.Sort, group []smt.Sort,
	names []driver.Ref, forward bool) driver.Ref {
	a := s.Arena()
	info := a.SymbolInfo(k.Symbol)
	fields, sorts := make([]driver.Ref, len(k.Selectors)), make([]driver.Ref, len(k.Selectors))
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
	return z.c("mk_constructor", z.symbol(k.Name), z.symbol("is-"+k.Name), uintptr(len(fields)), z.Library.Refs(fields),
		z.Library.Refs(sorts), z.Library.Words32(numbers))
}

func (z *z3) fieldSort(s *driver.Translation, so smt.Sort, group []smt.Sort, names []driver.Ref,
	forward bool) driver.Ref {
	a := s.Arena()
	if n := slices.Index(group, so); n >= 0 {
		if !forward {
			panic(driver.Unsupported("%s has no Z3_mk_datatype_sort: version %s has no datatypes that are nested in other sorts; 4.8.14 and later have", z.Library.Path, z.Version()))
		}
		return z.ast("mk_datatype_sort", names[n])
	}
	args := a.SortArgs(so)
	switch a.SortKind(so) {
	case smt.KindArray:
		return z.ast("mk_array_sort", z.fieldSort(s, args[0], group, names, forward),
			z.fieldSort(s, args[1], group, names, forward))
	case smt.KindSeq:
		return z.ast("mk_seq_sort", z.fieldSort(s, args[0], group, names, forward))
	}
	return s.Sort(so)
}

func (z *z3) Sort(s *driver.Translation, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return z.ast("mk_bool_sort")
	case smt.KindInt:
		return z.ast("mk_int_sort")
	case smt.KindReal:
		return z.ast("mk_real_sort")
	case smt.KindString:
		return z.ast("mk_string_sort")
	case smt.KindRegLan:
		return z.ast("mk_re_sort", s.Sort(smt.SortString))
	case smt.KindRoundingMode:
		return z.ast("mk_fpa_rounding_mode_sort")
	case smt.KindBitVec:
		return z.ast("mk_bv_sort", uintptr(a.Width(so)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(so)
		ways := map[[2]int][2]string{{5, 11}: {"half", "16"}, {8, 24}: {"single", "32"}, {11, 53}: {"double", "64"},
			{15, 113}: {"quadruple", "128"}}
		if names, ok := ways[[2]int{eb, sb}]; ok {
			if w := s.Pick(3); w > 0 {
				return z.ast("mk_fpa_sort_" + names[w-1])
			}
		}
		return z.ast("mk_fpa_sort", uintptr(eb), uintptr(sb))
	case smt.KindArray:
		x := a.SortArgs(so)
		if s.Pick(3) == 1 {
			return z.ast("mk_array_sort_n", 1, z.Library.Refs(s.SortList(x[:1])), s.Sort(x[1]))
		}
		return z.ast("mk_array_sort", s.Sort(x[0]), s.Sort(x[1]))
	case smt.KindSeq:
		return z.ast("mk_seq_sort", s.Sort(a.SortArgs(so)[0]))
	case smt.KindUser:
		return z.ast("mk_uninterpreted_sort", z.symbol(z.sortName(s, so)))
	case smt.KindDatatype:
		return z.datatype(s, so)
	}
	panic(s.NoSort(so))
}

// sortName is the name under which z3 knows a user's sort. An application of a sort symbol is one name to it.
func (z *z3) sortName(s *driver.Translation, so smt.Sort) string {
	if len(s.Arena().SortArgs(so)) == 0 {
		name, _ := s.Arena().SortSymbolName(s.Arena().SortSymbolOf(so))
		return name
	}
	name := s.Arena().SortString(so)
	if !slices.Contains(z.renamed, name) {
		z.renamed = append(z.renamed, name)
	}
	return name
}

// datatypeName is the name of a datatype, in a context in which an earlier run may have had one of that name.
func (z *z3) datatypeName(s *driver.Translation, so smt.Sort) string {
	name := z.sortName(s, so)
	if z.taken[name] {
		name += z.again()
	}
	z.names = append(z.names, name)
	return name
}
