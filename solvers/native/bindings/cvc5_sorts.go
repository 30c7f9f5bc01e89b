package bindings

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (c *cvc5) Sort(s *driver.Translation, so smt.Sort) driver.Ref {
	a := s.Arena()
	args := a.SortArgs(so)
	switch a.SortKind(so) {
	case smt.KindBool:
		return c.callC("get_boolean_sort", c.tm)
	case smt.KindInt:
		return c.callC("get_integer_sort", c.tm)
	case smt.KindReal:
		return c.callC("get_real_sort", c.tm)
	case smt.KindString:
		return c.callC("get_string_sort", c.tm)
	case smt.KindRegLan:
		return c.callC("get_regexp_sort", c.tm)
	case smt.KindRoundingMode:
		return c.callC("get_rm_sort", c.tm)
	case smt.KindBitVec:
		return c.callC("mk_bv_sort", c.tm, uintptr(a.Width(so)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(so)
		return c.callC("mk_fp_sort", c.tm, uintptr(eb), uintptr(sb))
	case smt.KindArray:
		return c.callC("mk_array_sort", c.tm, s.Sort(args[0]), s.Sort(args[1]))
	case smt.KindSeq:
		return c.callC("mk_sequence_sort", c.tm, s.Sort(args[0]))
	case smt.KindSet:
		return c.callC("mk_set_sort", c.tm, s.Sort(args[0]))
	case smt.KindBag:
		return c.callC("mk_bag_sort", c.tm, s.Sort(args[0]))
	case smt.KindTuple:
		return c.callC("mk_tuple_sort", c.tm, uintptr(len(args)), c.Library.Refs(s.SortList(args)))
	case smt.KindNullable:
		return c.callC("mk_nullable_sort", c.tm, s.Sort(args[0]))
	case smt.KindFiniteField:
		// Two spellings of one modulus, so that both ways of reading it are tested.
		if s.Pick(2) == 1 {
			return c.callC("mk_ff_sort", c.tm, c.Library.Str(a.Modulus(so).Text(16)), 16)
		}
		return c.callC("mk_ff_sort", c.tm, c.Library.Str(a.Modulus(so).String()), 10)
	case smt.KindFunc:
		return c.functionSort(s, args[:len(args)-1], args[len(args)-1])
	case smt.KindParam:
		// The parameter is made only once: another object of the same name would be another parameter.
		if c.params[so] == 0 {
			c.params[so] = c.callC("mk_param_sort", c.tm, c.Library.Str(a.SortString(so)))
		}
		return c.params[so]
	case smt.KindUser, smt.KindDatatype:
		sym := a.SortSymbolOf(so)
		head := c.declared[sym]
		if head == 0 {
			if a.SortKind(so) == smt.KindDatatype {
				c.Datatypes(s, []smt.SortSymbol{sym})
			} else {
				c.DeclareSort(s, sym)
			}
			head = c.declared[sym]
		}
		if len(args) == 0 {
			return head
		}
		return c.callC("sort_instantiate", head, uintptr(len(args)), c.Library.Refs(s.SortList(args)))
	}
	panic(s.NoSort(so))
}

func (c *cvc5) DeclareSort(s *driver.Translation, sym smt.SortSymbol) {
	name, arity := s.Arena().SortSymbolName(sym)
	if r := c.declared[sym]; r != 0 {
		if arity == 0 && !slices.Contains(c.userSorts, r) { // a further solver has declared it
			c.userSorts = append(c.userSorts, r)
		}
		return
	}
	if arity > 0 {
		c.declared[sym] = c.callC("mk_uninterpreted_sort_constructor_sort", c.tm, uintptr(arity), c.Library.Str(name))
		return
	}
	if s.Pick(2) == 1 {
		c.declared[sym] = c.callC("declare_sort", c.solver, c.Library.Str(name), 0, 1)
	} else {
		c.declared[sym] = c.callC("mk_uninterpreted_sort", c.tm, c.Library.Str(name))
	}
	c.userSorts = append(c.userSorts, c.declared[sym])
}

// Datatypes declares a group. Within the group, its members are unresolved sorts with their names.
func (c *cvc5) Datatypes(s *driver.Translation, group []smt.SortSymbol) {
	a := s.Arena()
	for _, sym := range group {
		if c.declared[sym] != 0 {
			return // declared already
		}
	}
	for _, sym := range group {
		name, arity := a.SortSymbolName(sym)
		c.declared[sym] = c.callC("mk_unresolved_dt_sort", c.tm, c.Library.Str(name), uintptr(arity))
	}
	known := len(s.Sorts)
	made := make(map[int]driver.Ref, known)
	for i, r := range s.Sorts {
		made[i] = r
	}
	decls := make([]driver.Ref, len(group))
	for i, sym := range group {
		dt := a.Datatype(sym)
		if len(dt.Params) > 0 {
			decls[i] = c.callC("mk_dt_decl_with_params", c.tm, c.Library.Str(dt.Name), uintptr(len(dt.Params)),
				c.Library.Refs(s.SortList(dt.Params)), 0)
		} else {
			decls[i] = c.callC("mk_dt_decl", c.tm, c.Library.Str(dt.Name), 0)
		}
		for _, k := range dt.Constructors {
			ctor := c.callC("mk_dt_cons_decl", c.tm, c.Library.Str(k.Name))
			params := a.SymbolInfo(k.Symbol).Params
			for j, sel := range k.Selectors {
				name := c.Library.Str(a.SymbolName(sel))
				if params[j] == dt.Self && s.Pick(2) == 1 {
					c.callC("dt_cons_decl_add_selector_self", ctor, name)
				} else {
					c.callC("dt_cons_decl_add_selector", ctor, name, s.Sort(params[j]))
				}
			}
			c.callC("dt_decl_add_constructor", decls[i], ctor)
		}
	}
	// Sorts over unresolved ones must be made again.
	for i := range s.Sorts {
		s.Sorts[i] = made[i]
	}
	sorts := driver.WordsAt(c.callC("mk_dt_sorts", c.tm, uintptr(len(group)), c.Library.Refs(decls)), len(group))
	for i, sym := range group {
		c.declared[sym] = sorts[i]
	}
}
