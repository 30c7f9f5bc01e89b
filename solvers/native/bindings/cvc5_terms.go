package bindings

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (c *cvc5) Constant(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	if s.Pick(2) == 1 {
		var params []smt.Sort
		result := info.Result
		if args := s.Arena().SortArgs(result); s.Arena().SortKind(result) == smt.KindFunc {
			params, result = args[:len(args)-1], args[len(args)-1]
		}
		return c.callC("declare_fun", c.solver, c.Library.Str(info.Name), uintptr(len(params)),
			c.Library.Refs(s.SortList(params)), s.Sort(result), 1)
	}
	return c.callC("mk_const", c.tm, s.Sort(info.Result), c.Library.Str(info.Name))
}

func (c *cvc5) Function(s *driver.Translation, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	if s.Pick(2) == 1 {
		return c.callC("declare_fun", c.solver, c.Library.Str(info.Name), uintptr(len(info.Params)),
			c.Library.Refs(s.SortList(info.Params)), s.Sort(info.Result), 1)
	}
	return c.callC("mk_const", c.tm, c.functionSort(s, info.Params, info.Result), c.Library.Str(info.Name))
}

func (c *cvc5) Define(s *driver.Translation, fs []smt.Symbol) {
	for _, f := range fs {
		info := s.Arena().SymbolInfo(f)
		if len(info.Params) == 0 {
			s.Functions[f] = c.callC("mk_const", c.tm, s.Sort(info.Result), c.Library.Str(info.Name))
		} else {
			s.Functions[f] = c.callC("mk_const", c.tm, c.functionSort(s, info.Params, info.Result), c.Library.Str(info.Name))
		}
	}
	if len(fs) == 1 {
		info := *s.Arena().SymbolInfo(fs[0])
		vars, body := s.InScope(info.Vars, info.Body)
		c.callC("define_fun_rec_from_const", c.solver, s.Functions[fs[0]], uintptr(len(vars)), c.Library.Refs(vars), body, 0)
		return
	}
	var funs, counts, lists, bodies []driver.Ref
	for _, f := range fs {
		info := *s.Arena().SymbolInfo(f)
		vars, body := s.InScope(info.Vars, info.Body)
		funs, counts, lists, bodies = append(funs, s.Functions[f]), append(counts, driver.Ref(len(vars))),
			append(lists, c.Library.Refs(vars)), append(bodies, body)
	}
	c.callC("define_funs_rec", c.solver, uintptr(len(funs)), c.Library.Refs(funs), c.Library.Refs(counts),
		c.Library.Refs(lists), c.Library.Refs(bodies), 0)
}

func (c *cvc5) Variable(s *driver.Translation, t smt.Term) driver.Ref {
	return c.callC("mk_var", c.tm, s.Sort(s.Arena().Sort(t)), c.Library.Str(s.Arena().VarName(t)))
}

func (c *cvc5) Binder(s *driver.Translation, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	kind := map[smt.Op]string{smt.OpForall: "FORALL", smt.OpExists: "EXISTS", smt.OpLambda: "LAMBDA"}[s.Arena().Op(t)]
	if kind == "LAMBDA" && s.Arena().SortKind(s.Arena().Sort(t)) != smt.KindFunc {
		panic(driver.Unsupported("cvc5 has no lambdas that are arrays"))
	}
	args := []driver.Ref{c.makeTerm(s, "VARIABLE_LIST", nil, vars...), body}
	if kind != "LAMBDA" {
		var patterns []driver.Ref
		for _, x := range s.Arena().Annotations(s.Arena().Body(t)) {
			if x.Keyword == ":pattern" {
				var terms []driver.Ref
				for _, p := range x.Terms {
					terms = append(terms, s.Term(p))
				}
				patterns = append(patterns, c.makeTerm(s, "INST_PATTERN", nil, terms...))
			}
		}
		if len(patterns) > 0 {
			args = append(args, c.makeTerm(s, "INST_PATTERN_LIST", nil, patterns...))
		}
	}
	return c.makeTerm(s, kind, nil, args...)
}

func (c *cvc5) Apply(s *driver.Translation, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return c.makeTerm(s, "APPLY_UF", nil, append([]driver.Ref{fun}, args...)...)
}

// kindNumber returns the number of a kind in this version.
func (c *cvc5) kindNumber(names ...string) driver.Ref {
	for _, name := range names {
		if k, ok := c.kinds[name]; ok {
			return driver.Ref(uint32(k))
		}
	}
	panic(driver.Unsupported("%s, version %s, has no kind %s", c.Library.Path, c.ver, names[0]))
}

// makeTerm makes a term of a kind, directly or by an operator object.
func (c *cvc5) makeTerm(s *driver.Translation, kind string, idx []uint64, args ...driver.Ref) driver.Ref {
	k := c.kindNumber(kind)
	n := uintptr(len(args))
	if len(idx) == 0 && s.Pick(3) != 1 {
		return c.callC("mk_term", c.tm, k, n, c.Library.Refs(args))
	}
	list := make([]uint32, len(idx))
	for i, w := range driver.Words(idx) {
		list[i] = uint32(w)
	}
	op := c.callC("mk_op", c.tm, k, uintptr(len(list)), c.Library.Words32(list))
	return c.callC("mk_term_from_op", c.tm, op, n, c.Library.Refs(args))
}

func (c *cvc5) Value(s *driver.Translation, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue, smt.OpFalse:
		if s.Pick(2) == 1 {
			b := uintptr(0)
			if a.Op(t) == smt.OpTrue {
				b = 1
			}
			return c.callC("mk_boolean", c.tm, b)
		}
		if a.Op(t) == smt.OpTrue {
			return c.callC("mk_true", c.tm)
		}
		return c.callC("mk_false", c.tm)
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		if n.IsInt64() && s.Pick(2) == 1 {
			return c.callC("mk_integer_int64", c.tm, uintptr(n.Int64()))
		}
		return c.callC("mk_integer", c.tm, c.Library.Str(n.String()))
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		// Where the library has several calls for the same value, one is drawn, so that all are tested.
		way := s.Pick(3)
		switch {
		case way == 1 && r.IsInt() && r.Num().IsInt64():
			return c.callC("mk_real_int64", c.tm, uintptr(r.Num().Int64()))
		case way == 2 && r.Num().IsInt64() && r.Denom().IsInt64():
			return c.callC("mk_real_num_den", c.tm, uintptr(r.Num().Int64()), uintptr(r.Denom().Int64()))
		}
		return c.callC("mk_real", c.tm, c.Library.Str(r.RatString()))
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return c.makeBitVector(s, a.Width(a.Sort(t)), n)
	case smt.OpStringLit:
		runes, _ := a.StrOf(t)
		// A text with a zero code point would be cut off there.
		if s.Pick(2) == 1 && !containsZero(runes) && c.Library.Has("cvc5_mk_string_from_char32") {
			codes := make([]uint32, len(runes)+1)
			for i, r := range runes {
				codes[i] = uint32(r)
			}
			return c.callC("mk_string_from_char32", c.tm, c.Library.Words32(codes))
		}
		return c.callC("mk_string", c.tm, c.Library.Str(driver.Escaped(runes)), 1)
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		if s.Pick(2) == 1 {
			return c.callC("mk_ff_elem", c.tm, c.Library.Str(n.Text(2)), s.Sort(a.Sort(t)), 2)
		}
		return c.callC("mk_ff_elem", c.tm, c.Library.Str(n.String()), s.Sort(a.Sort(t)), 10)
	}
	panic(s.NoOp(t))
}

func containsZero(runes []rune) bool {
	for _, r := range runes {
		if r == 0 {
			return true
		}
	}
	return false
}

func (c *cvc5) makeBitVector(s *driver.Translation, width int, n *big.Int) driver.Ref {
	w := uintptr(width)
	switch way := s.Pick(4); {
	case way == 1 && n.IsUint64():
		return c.callC("mk_bv_uint64", c.tm, w, uintptr(n.Uint64()))
	case way == 2:
		return c.callC("mk_bv", c.tm, w, c.Library.Str(n.Text(2)), 2)
	case way == 3:
		return c.callC("mk_bv", c.tm, w, c.Library.Str(n.Text(16)), 16)
	}
	return c.callC("mk_bv", c.tm, w, c.Library.Str(n.String()), 10)
}

// constructorOf returns cvc5's constructor object for a constructor of a datatype sort, and that sort.
func (c *cvc5) constructorOf(s *driver.Translation, so smt.Sort, f smt.Symbol) (ctor, sort driver.Ref) {
	sort = s.Sort(so)
	dt := c.callC("sort_get_datatype", sort)
	return c.callC("dt_get_constructor", dt, uintptr(s.Arena().SymbolInfo(f).Ctor)), sort
}

func (c *cvc5) selectorOf(s *driver.Translation, so smt.Sort, f smt.Symbol) driver.Ref {
	ctor, _ := c.constructorOf(s, so, f)
	return c.callC("dt_cons_get_selector", ctor, uintptr(s.Arena().SymbolInfo(f).Field))
}

func (c *cvc5) Construct(s *driver.Translation, t smt.Term, f smt.Symbol, args []driver.Ref) driver.Ref {
	ctor, sort := c.constructorOf(s, s.Arena().Sort(t), f)
	head := driver.Ref(0)
	if len(s.Arena().SortArgs(s.Arena().Sort(t))) > 0 {
		head = c.callC("dt_cons_get_instantiated_term", ctor, sort)
	} else {
		head = c.callC("dt_cons_get_term", ctor)
	}
	return c.makeTerm(s, "APPLY_CONSTRUCTOR", nil, append([]driver.Ref{head}, args...)...)
}

func (c *cvc5) Select(s *driver.Translation, t smt.Term, f smt.Symbol, arg driver.Ref) driver.Ref {
	sel := c.selectorOf(s, s.Arena().Sort(s.Arena().Arg(t, 0)), f)
	return c.makeTerm(s, "APPLY_SELECTOR", nil, c.callC("dt_sel_get_term", sel), arg)
}

func (c *cvc5) Test(s *driver.Translation, t smt.Term, f smt.Symbol, arg driver.Ref) driver.Ref {
	ctor, _ := c.constructorOf(s, s.Arena().Sort(s.Arena().Arg(t, 0)), f)
	return c.makeTerm(s, "APPLY_TESTER", nil, c.callC("dt_cons_get_tester_term", ctor), arg)
}

func (c *cvc5) Update(s *driver.Translation, t smt.Term, f smt.Symbol, arg, value driver.Ref) driver.Ref {
	sel := c.selectorOf(s, s.Arena().Sort(t), f)
	return c.makeTerm(s, "APPLY_UPDATER", nil, c.callC("dt_sel_get_updater_term", sel), arg, value)
}
