package native

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
)

// cvc5 is the binding of libcvc5 (cvc5/c/cvc5.h, the C interface of 1.2.1 and later). Up to 1.3 an error prints a line and
// calls exit(1): a function that on_exit of libc calls then leaves exit and the library by a panic, which drops their
// frames, and the child is not used again. Later versions keep the error for cvc5_has_error.
type cvc5 struct {
	base
	tm, solver ref
	kinds      map[string]int32
	modes      map[string]uint32 // rounding modes by name
	names      map[string]bool   // of options
	asks       bool              // errors are asked for
	share      *shared
	sorts      map[smt.SortSymbol]ref // of the term manager
	params     map[smt.Sort]ref
	userSorts  []ref
	ver        string
}

// exiting says that a call is running whose exit shall be caught. Outside of calls exit means what it says.
var exiting struct {
	armed bool // the hook is registered
	live  bool
}

func newCvc5(l *library) (api, error) {
	if !l.has("cvc5_term_manager_new") || !l.has("cvc5_kind_to_string") {
		return nil, fmt.Errorf("%s has no C interface, only that of C++: libcvc5 has one from version 1.2.1 on (smtlark solvers --fetch .solvers unpacks such a version)", l.path)
	}
	c := &cvc5{base: base{l}, kinds: map[string]int32{}, modes: map[string]uint32{}, names: map[string]bool{}, asks: l.has("cvc5_has_error"),
		share: &shared{}, sorts: map[smt.SortSymbol]ref{}, params: map[smt.Sort]ref{}}
	for k := int32(0); k < 2000; k++ {
		name := c.kindName(k)
		if name == "" || strings.Contains(name, "LAST_KIND") {
			break
		}
		c.kinds[name] = k
	}
	if l.has("cvc5_rm_to_string") {
		for i := uint32(0); i < 5; i++ {
			c.modes[strings.TrimPrefix(l.text("cvc5_rm_to_string", uintptr(i)), "CVC5_RM_")] = i
		}
	}
	return c, nil
}

// kindName returns the name of a kind, "" behind the last: numbers differ between versions, and nothing tells how many
// there are but the error of asking for one too many. Nothing was made yet that it could harm.
func (c *cvc5) kindName(k int32) (name string) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(*fault); !ok {
				panic(r)
			}
			name = ""
		}
	}()
	return strings.TrimPrefix(c.text("kind_to_string", uintptr(uint32(k))), "CVC5_KIND_")
}

// arm registers the hook of exit; each registration serves once.
func (c *cvc5) arm() {
	if c.asks || exiting.armed {
		return
	}
	onExit := libcSymbol("on_exit")
	if onExit == 0 {
		return
	}
	syscallC(onExit, []uintptr{exitHook(), 0})
	exiting.armed = true
}

var exitCallback uintptr

func exitHook() uintptr {
	if exitCallback == 0 {
		exitCallback = newCallback(func(code int32, _ uintptr) {
			exiting.armed = false
			if exiting.live {
				panic(exitFault(code))
			}
		})
	}
	return exitCallback
}

// exitFault is what a library's exit becomes.
func exitFault(code int32) *fault {
	text := strings.TrimSpace(printed())
	if i := strings.LastIndex(text, "cvc5: error: "); i >= 0 {
		text = text[i+len("cvc5: error: "):]
	}
	line, _, _ := strings.Cut(text, "\n")
	f := refuse(solvers.Refusal, line)
	if line == "" {
		f = refuse(solvers.Garbage, fmt.Sprintf("the library called exit(%d)", code))
	}
	f.dead = true
	return f
}

// c calls a function and throws its error.
func (c *cvc5) c(name string, args ...uintptr) ref {
	if c.asks {
		r := c.l.call(name, args...)
		if c.l.boolean("cvc5_has_error") {
			msg := c.l.text("cvc5_get_error_message")
			c.l.call("cvc5_reset_error")
			panic(refuse(solvers.Refusal, msg))
		}
		return r
	}
	c.arm()
	exiting.live = true
	defer func() { exiting.live = false }()
	return c.l.call(name, args...)
}

func (c *cvc5) text(name string, args ...uintptr) string { return goString(c.c(name, args...)) }

func (c *cvc5) version() string {
	if c.ver == "" {
		tm := c.c("term_manager_new")
		s := c.c("new", tm)
		c.ver = c.text("get_version", s)
		c.c("delete", s)
		c.c("term_manager_delete", tm)
	}
	return c.ver
}

// options reads what the library says of its options: the structure is Cvc5OptionInfo of cvc5.h.
func (c *cvc5) options() (all []OptionInfo) {
	tm := c.c("term_manager_new")
	s := c.c("new", tm)
	defer func() { c.c("delete", s); c.c("term_manager_delete", tm) }()
	for _, name := range c.optionNames(s) {
		w := c.l.mem.words(64)
		c.c("get_option_info", s, c.l.str(name), w.addr())
		o := OptionInfo{Name: name, Kind: "other"}
		// kind, name, aliases (2), no_supports (2), three bools and a category in two words, then the kinds' parts
		o.Expert = word32At(w.addr(), 52) == 1 // CVC5_OPTION_CATEGORY_EXPERT
		const boolPart, textPart, intPart, uintPart, modePart = 56, 64, 80, 120, 200
		word := func(offset int) uint64 { return uint64(wordAt(w.addr()+uintptr(offset), 0)) }
		switch uint32(w.at(0)) {
		case 1:
			o.Kind, o.Value = "bool", strconv.FormatBool(byteAt(w.addr(), boolPart) != 0)
		case 2:
			o.Kind, o.Value = "text", goString(uintptr(word(textPart)))
		case 3:
			o.Kind, o.Value = "number", strconv.FormatInt(int64(word(intPart)), 10)
			if byteAt(w.addr(), intPart+32) != 0 {
				o.Min = strconv.FormatInt(int64(word(intPart+16)), 10)
			}
			if byteAt(w.addr(), intPart+33) != 0 {
				o.Max = strconv.FormatInt(int64(word(intPart+24)), 10)
			}
		case 4:
			o.Kind, o.Value = "number", strconv.FormatUint(word(uintPart), 10)
			o.Min = "0"
			if byteAt(w.addr(), uintPart+32) != 0 {
				o.Min = strconv.FormatUint(word(uintPart+16), 10)
			}
			if byteAt(w.addr(), uintPart+33) != 0 {
				o.Max = strconv.FormatUint(word(uintPart+24), 10)
			}
		case 5:
			o.Kind = "real"
		case 6:
			o.Kind, o.Value = "choice", goString(uintptr(word(modePart)))
			for i := range int(word(modePart + 16)) {
				o.Values = append(o.Values, goString(wordAt(uintptr(word(modePart+24)), i)))
			}
		}
		all = append(all, o)
	}
	return all
}

func (c *cvc5) optionNames(s ref) (names []string) {
	n := c.l.mem.words(1)
	p := c.c("get_option_names", s, n.addr())
	for i := range int(n.at(0)) {
		names = append(names, goString(wordAt(p, i)))
	}
	return names
}

func (c *cvc5) open(s *session) {
	c.tm = c.share.take(func() ref {
		clear(c.sorts)
		clear(c.params)
		return c.c("term_manager_new")
	})
	c.userSorts = nil
	defer func() {
		if r := recover(); r != nil {
			f, _ := r.(*fault)
			c.shut(f == nil || f.dead)
			panic(r)
		}
	}()
	c.solver = c.c("new", c.tm)
	if c.ver == "" {
		c.ver = c.text("get_version", c.solver)
	}
	if len(c.names) == 0 {
		for _, n := range c.optionNames(c.solver) {
			c.names[n] = true
		}
	}
	given := map[string]bool{}
	for _, o := range s.set.options {
		given[o.name] = true
	}
	// As the profile of the program: without these it refuses much that it has. In safe mode it takes no experimental ones.
	for _, o := range []setting{{"incremental", "true"}, {"strings-exp", "true"}, {"fp-exp", "true"}} {
		if c.names[o.name] && !given[o.name] && !(given["safe-mode"] && o.name == "fp-exp") {
			c.set(o.name, o.value)
		}
	}
	for _, o := range s.set.options {
		c.set(o.name, o.value)
	}
	if s.set.resources > 0 {
		c.set("rlimit-per", fmt.Sprint(s.set.resources))
	}
	if ms := s.ownLimit().Milliseconds(); ms > 0 && !given["tlimit-per"] { // there is no other way to stop a check
		c.set("tlimit-per", fmt.Sprint(ms))
	}
	if s.set.logic != "" {
		c.c("set_logic", c.solver, c.l.str(s.set.logic))
	}
}

// set sets an option of the solver. One that the library does not know is refused here, where it does no harm.
func (c *cvc5) set(name, value string) {
	if len(c.names) > 0 && !c.names[name] && name != "produce-models" {
		panic(refuseOption("cvc5 has no option %s", name))
	}
	c.c("set_option", c.solver, c.l.str(name), c.l.str(strings.Trim(value, `"`)))
}

func (c *cvc5) setLate(_ *session, name, value string) { c.set(name, value) }

func (c *cvc5) shut(broken bool) {
	solver, tm := c.solver, c.tm
	c.solver, c.tm = 0, 0
	if tm != 0 {
		tm = c.share.leave()
	}
	if broken {
		return
	}
	if solver != 0 {
		c.c("delete", solver)
	}
	if tm != 0 {
		c.c("term_manager_delete", tm)
	}
}

func (c *cvc5) twin() api {
	return &cvc5{base: c.base, kinds: c.kinds, modes: c.modes, names: c.names, asks: c.asks, share: c.share, sorts: c.sorts, params: c.params, ver: c.ver}
}

func (c *cvc5) shares(other api) bool {
	x, ok := other.(*cvc5)
	return ok && x.share == c.share && x.tm == c.tm && c.tm != 0
}

func (c *cvc5) constant(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	if s.pick(2) == 1 {
		var params []smt.Sort
		result := info.Result
		if args := s.a.SortArgs(result); s.a.SortKind(result) == smt.KindFunc {
			params, result = args[:len(args)-1], args[len(args)-1]
		}
		return c.c("declare_fun", c.solver, c.l.str(info.Name), uintptr(len(params)), c.l.refs(s.sortList(params)), s.sort(result), 1)
	}
	return c.c("mk_const", c.tm, s.sort(info.Result), c.l.str(info.Name))
}

func (c *cvc5) function(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	if s.pick(2) == 1 {
		return c.c("declare_fun", c.solver, c.l.str(info.Name), uintptr(len(info.Params)), c.l.refs(s.sortList(info.Params)), s.sort(info.Result), 1)
	}
	return c.c("mk_const", c.tm, c.functionSort(s, info.Params, info.Result), c.l.str(info.Name))
}

func (c *cvc5) define(s *session, fs []smt.Symbol) {
	for _, f := range fs {
		info := s.a.SymbolInfo(f)
		if len(info.Params) == 0 {
			s.funs[f] = c.c("mk_const", c.tm, s.sort(info.Result), c.l.str(info.Name))
		} else {
			s.funs[f] = c.c("mk_const", c.tm, c.functionSort(s, info.Params, info.Result), c.l.str(info.Name))
		}
	}
	if len(fs) == 1 {
		info := *s.a.SymbolInfo(fs[0])
		vars, body := s.inScope(info.Vars, info.Body)
		c.c("define_fun_rec_from_const", c.solver, s.funs[fs[0]], uintptr(len(vars)), c.l.refs(vars), body, 0)
		return
	}
	var funs, counts, lists, bodies []ref
	for _, f := range fs {
		info := *s.a.SymbolInfo(f)
		vars, body := s.inScope(info.Vars, info.Body)
		funs, counts, lists, bodies = append(funs, s.funs[f]), append(counts, ref(len(vars))), append(lists, c.l.refs(vars)), append(bodies, body)
	}
	c.c("define_funs_rec", c.solver, uintptr(len(funs)), c.l.refs(funs), c.l.refs(counts), c.l.refs(lists), c.l.refs(bodies), 0)
}

func (c *cvc5) variable(s *session, t smt.Term) ref {
	return c.c("mk_var", c.tm, s.sort(s.a.Sort(t)), c.l.str(s.a.VarName(t)))
}

func (c *cvc5) binder(s *session, t smt.Term, vars []ref, body ref) ref {
	kind := map[smt.Op]string{smt.OpForall: "FORALL", smt.OpExists: "EXISTS", smt.OpLambda: "LAMBDA"}[s.a.Op(t)]
	if kind == "LAMBDA" && s.a.SortKind(s.a.Sort(t)) != smt.KindFunc {
		panic(unsupported("cvc5 has no lambdas that are arrays"))
	}
	args := []ref{c.term(s, "VARIABLE_LIST", nil, vars...), body}
	if kind != "LAMBDA" {
		var patterns []ref
		for _, x := range s.a.Annotations(s.a.Body(t)) {
			if x.Keyword == ":pattern" {
				var terms []ref
				for _, p := range x.Terms {
					terms = append(terms, s.term(p))
				}
				patterns = append(patterns, c.term(s, "INST_PATTERN", nil, terms...))
			}
		}
		if len(patterns) > 0 {
			args = append(args, c.term(s, "INST_PATTERN_LIST", nil, patterns...))
		}
	}
	return c.term(s, kind, nil, args...)
}

func (c *cvc5) apply(s *session, _ smt.Term, _ smt.Symbol, fun ref, args []ref) ref {
	return c.term(s, "APPLY_UF", nil, append([]ref{fun}, args...)...)
}

// kind returns the number of a kind in this version.
func (c *cvc5) kind(names ...string) ref {
	for _, name := range names {
		if k, ok := c.kinds[name]; ok {
			return ref(uint32(k))
		}
	}
	panic(unsupported("%s, version %s, has no kind %s", c.l.path, c.ver, names[0]))
}

// term makes a term of a kind, directly or by an operator object.
func (c *cvc5) term(s *session, kind string, idx []uint64, args ...ref) ref {
	k := c.kind(kind)
	n := uintptr(len(args))
	if len(idx) == 0 && s.pick(3) != 1 {
		return c.c("mk_term", c.tm, k, n, c.l.refs(args))
	}
	list := make([]uint32, len(idx))
	for i, w := range words(idx) {
		list[i] = uint32(w)
	}
	op := c.c("mk_op", c.tm, k, uintptr(len(list)), c.l.u32s(list))
	return c.c("mk_term_from_op", c.tm, op, n, c.l.refs(args))
}

func (c *cvc5) value(s *session, t smt.Term) ref {
	a := s.a
	switch a.Op(t) {
	case smt.OpTrue, smt.OpFalse:
		if s.pick(2) == 1 {
			b := uintptr(0)
			if a.Op(t) == smt.OpTrue {
				b = 1
			}
			return c.c("mk_boolean", c.tm, b)
		}
		if a.Op(t) == smt.OpTrue {
			return c.c("mk_true", c.tm)
		}
		return c.c("mk_false", c.tm)
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		if n.IsInt64() && s.pick(2) == 1 {
			return c.c("mk_integer_int64", c.tm, uintptr(n.Int64()))
		}
		return c.c("mk_integer", c.tm, c.l.str(n.String()))
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		way := s.pick(3)
		switch {
		case way == 1 && r.IsInt() && r.Num().IsInt64():
			return c.c("mk_real_int64", c.tm, uintptr(r.Num().Int64()))
		case way == 2 && r.Num().IsInt64() && r.Denom().IsInt64():
			return c.c("mk_real_num_den", c.tm, uintptr(r.Num().Int64()), uintptr(r.Denom().Int64()))
		}
		return c.c("mk_real", c.tm, c.l.str(r.RatString()))
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return c.bits(s, a.Width(a.Sort(t)), n)
	case smt.OpStringLit:
		runes, _ := a.StrOf(t)
		if s.pick(2) == 1 && !containsZero(runes) && c.l.has("cvc5_mk_string_from_char32") {
			codes := make([]uint32, len(runes)+1)
			for i, r := range runes {
				codes[i] = uint32(r)
			}
			return c.c("mk_string_from_char32", c.tm, c.l.u32s(codes))
		}
		return c.c("mk_string", c.tm, c.l.str(escaped(runes)), 1)
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		if s.pick(2) == 1 {
			return c.c("mk_ff_elem", c.tm, c.l.str(n.Text(2)), s.sort(a.Sort(t)), 2)
		}
		return c.c("mk_ff_elem", c.tm, c.l.str(n.String()), s.sort(a.Sort(t)), 10)
	}
	panic(c.noOp(s, t))
}

func containsZero(runes []rune) bool {
	for _, r := range runes {
		if r == 0 {
			return true
		}
	}
	return false
}

func (c *cvc5) bits(s *session, width int, n *big.Int) ref {
	w := uintptr(width)
	switch way := s.pick(4); {
	case way == 1 && n.IsUint64():
		return c.c("mk_bv_uint64", c.tm, w, uintptr(n.Uint64()))
	case way == 2:
		return c.c("mk_bv", c.tm, w, c.l.str(n.Text(2)), 2)
	case way == 3:
		return c.c("mk_bv", c.tm, w, c.l.str(n.Text(16)), 16)
	}
	return c.c("mk_bv", c.tm, w, c.l.str(n.String()), 10)
}
