package native

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

func (c *cvc5) sort(s *session, so smt.Sort) ref {
	a := s.a
	args := a.SortArgs(so)
	switch a.SortKind(so) {
	case smt.KindBool:
		return c.c("get_boolean_sort", c.tm)
	case smt.KindInt:
		return c.c("get_integer_sort", c.tm)
	case smt.KindReal:
		return c.c("get_real_sort", c.tm)
	case smt.KindString:
		return c.c("get_string_sort", c.tm)
	case smt.KindRegLan:
		return c.c("get_regexp_sort", c.tm)
	case smt.KindRoundingMode:
		return c.c("get_rm_sort", c.tm)
	case smt.KindBitVec:
		return c.c("mk_bv_sort", c.tm, uintptr(a.Width(so)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(so)
		return c.c("mk_fp_sort", c.tm, uintptr(eb), uintptr(sb))
	case smt.KindArray:
		return c.c("mk_array_sort", c.tm, s.sort(args[0]), s.sort(args[1]))
	case smt.KindSeq:
		return c.c("mk_sequence_sort", c.tm, s.sort(args[0]))
	case smt.KindSet:
		return c.c("mk_set_sort", c.tm, s.sort(args[0]))
	case smt.KindBag:
		return c.c("mk_bag_sort", c.tm, s.sort(args[0]))
	case smt.KindTuple:
		return c.c("mk_tuple_sort", c.tm, uintptr(len(args)), c.l.refs(s.sortList(args)))
	case smt.KindFiniteField:
		if s.pick(2) == 1 {
			return c.c("mk_ff_sort", c.tm, c.l.str(a.Modulus(so).Text(16)), 16)
		}
		return c.c("mk_ff_sort", c.tm, c.l.str(a.Modulus(so).String()), 10)
	case smt.KindFunc:
		return c.functionSort(s, args[:len(args)-1], args[len(args)-1])
	case smt.KindParam:
		if c.params[so] == 0 {
			c.params[so] = c.c("mk_param_sort", c.tm, c.l.str(a.SortString(so)))
		}
		return c.params[so]
	case smt.KindUser, smt.KindDatatype:
		sym := a.SortSymbolOf(so)
		head := c.sorts[sym]
		if head == 0 {
			if a.SortKind(so) == smt.KindDatatype {
				c.datatypes(s, []smt.SortSymbol{sym})
			} else {
				c.declareSort(s, sym)
			}
			head = c.sorts[sym]
		}
		if len(args) == 0 {
			return head
		}
		return c.c("sort_instantiate", head, uintptr(len(args)), c.l.refs(s.sortList(args)))
	}
	panic(c.noSort(s, so))
}

func (c *cvc5) functionSort(s *session, params []smt.Sort, result smt.Sort) ref {
	return c.c("mk_fun_sort", c.tm, uintptr(len(params)), c.l.refs(s.sortList(params)), s.sort(result))
}

func (c *cvc5) declareSort(s *session, sym smt.SortSymbol) {
	name, arity := s.a.SortSymbolName(sym)
	if r := c.sorts[sym]; r != 0 {
		if arity == 0 && !slices.Contains(c.userSorts, r) { // a further solver has declared it
			c.userSorts = append(c.userSorts, r)
		}
		return
	}
	if arity > 0 {
		c.sorts[sym] = c.c("mk_uninterpreted_sort_constructor_sort", c.tm, uintptr(arity), c.l.str(name))
		return
	}
	if s.pick(2) == 1 {
		c.sorts[sym] = c.c("declare_sort", c.solver, c.l.str(name), 0, 1)
	} else {
		c.sorts[sym] = c.c("mk_uninterpreted_sort", c.tm, c.l.str(name))
	}
	c.userSorts = append(c.userSorts, c.sorts[sym])
}

// datatypes declares a group. Within it, its members are unresolved sorts of their names.
func (c *cvc5) datatypes(s *session, group []smt.SortSymbol) {
	a := s.a
	for _, sym := range group {
		if c.sorts[sym] != 0 {
			return // declared already
		}
	}
	for _, sym := range group {
		name, arity := a.SortSymbolName(sym)
		c.sorts[sym] = c.c("mk_unresolved_dt_sort", c.tm, c.l.str(name), uintptr(arity))
	}
	known := len(s.sorts)
	made := make(map[int]ref, known)
	for i, r := range s.sorts {
		made[i] = r
	}
	decls := make([]ref, len(group))
	for i, sym := range group {
		dt := a.Datatype(sym)
		if len(dt.Params) > 0 {
			decls[i] = c.c("mk_dt_decl_with_params", c.tm, c.l.str(dt.Name), uintptr(len(dt.Params)), c.l.refs(s.sortList(dt.Params)), 0)
		} else {
			decls[i] = c.c("mk_dt_decl", c.tm, c.l.str(dt.Name), 0)
		}
		for _, k := range dt.Constructors {
			ctor := c.c("mk_dt_cons_decl", c.tm, c.l.str(k.Name))
			params := a.SymbolInfo(k.Symbol).Params
			for j, sel := range k.Selectors {
				name := c.l.str(a.SymbolName(sel))
				if params[j] == dt.Self && s.pick(2) == 1 {
					c.c("dt_cons_decl_add_selector_self", ctor, name)
				} else {
					c.c("dt_cons_decl_add_selector", ctor, name, s.sort(params[j]))
				}
			}
			c.c("dt_decl_add_constructor", decls[i], ctor)
		}
	}
	// Sorts over unresolved ones must be made again.
	for i := range s.sorts {
		s.sorts[i] = made[i]
	}
	sorts := wordsAt(c.c("mk_dt_sorts", c.tm, uintptr(len(group)), c.l.refs(decls)), len(group))
	for i, sym := range group {
		c.sorts[sym] = sorts[i]
	}
}

// constructor returns the description of a constructor in an instance of its datatype.
func (c *cvc5) constructor(s *session, so smt.Sort, f smt.Symbol) (ctor, sort ref) {
	sort = s.sort(so)
	dt := c.c("sort_get_datatype", sort)
	return c.c("dt_get_constructor", dt, uintptr(s.a.SymbolInfo(f).Ctor)), sort
}

func (c *cvc5) selector(s *session, so smt.Sort, f smt.Symbol) ref {
	ctor, _ := c.constructor(s, so, f)
	return c.c("dt_cons_get_selector", ctor, uintptr(s.a.SymbolInfo(f).Field))
}

func (c *cvc5) construct(s *session, t smt.Term, f smt.Symbol, args []ref) ref {
	ctor, sort := c.constructor(s, s.a.Sort(t), f)
	head := ref(0)
	if len(s.a.SortArgs(s.a.Sort(t))) > 0 {
		head = c.c("dt_cons_get_instantiated_term", ctor, sort)
	} else {
		head = c.c("dt_cons_get_term", ctor)
	}
	return c.term(s, "APPLY_CONSTRUCTOR", nil, append([]ref{head}, args...)...)
}

func (c *cvc5) choose(s *session, t smt.Term, f smt.Symbol, arg ref) ref {
	sel := c.selector(s, s.a.Sort(s.a.Arg(t, 0)), f)
	return c.term(s, "APPLY_SELECTOR", nil, c.c("dt_sel_get_term", sel), arg)
}

func (c *cvc5) test(s *session, t smt.Term, f smt.Symbol, arg ref) ref {
	ctor, _ := c.constructor(s, s.a.Sort(s.a.Arg(t, 0)), f)
	return c.term(s, "APPLY_TESTER", nil, c.c("dt_cons_get_tester_term", ctor), arg)
}

func (c *cvc5) update(s *session, t smt.Term, f smt.Symbol, arg, value ref) ref {
	sel := c.selector(s, s.a.Sort(t), f)
	return c.term(s, "APPLY_UPDATER", nil, c.c("dt_sel_get_updater_term", sel), arg, value)
}
