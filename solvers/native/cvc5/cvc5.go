package cvc5

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// cvc5 is the binding of libcvc5 (cvc5/c/cvc5.h, the C interface of 1.2.1 and later). Up to 1.3 an error prints a line and
// calls exit(1): a function that on_exit of libc calls then leaves exit and the library by a panic, which drops their
// frames, and the child is not used again. Later versions keep the error for cvc5_has_error.
type cvc5 struct {
	driver.Base
	tm, solver driver.Ref
	kinds      map[string]int32
	modes      map[string]uint32 // rounding modes by name
	names      map[string]bool   // of options
	asks       bool              // errors are asked for
	share      *driver.Shared
	sorts      map[smt.SortSymbol]driver.Ref // of the term manager
	params     map[smt.Sort]driver.Ref
	userSorts  []driver.Ref
	ver        string
}

// exiting says that a call is running whose exit shall be caught. Outside of calls exit means what it says.
var exiting struct {
	armed bool // the hook is registered
	live  bool
}

// New returns the binding for a loaded library; an error says what it lacks.
func New(l *driver.Library) (driver.API, error) {
	if !l.Has("cvc5_term_manager_new") || !l.Has("cvc5_kind_to_string") {
		return nil, fmt.Errorf("%s has no C interface, only that of C++: libcvc5 has one from version 1.2.1 on (smtlark solvers --fetch .solvers unpacks such a version)", l.Path)
	}
	c := &cvc5{Base: driver.Base{Library: l}, kinds: map[string]int32{}, modes: map[string]uint32{}, names: map[string]bool{}, asks: l.Has("cvc5_has_error"),
		share: &driver.Shared{}, sorts: map[smt.SortSymbol]driver.Ref{}, params: map[smt.Sort]driver.Ref{}}
	for k := int32(0); k < 2000; k++ {
		name := c.kindName(k)
		if name == "" || strings.Contains(name, "LAST_KIND") {
			break
		}
		c.kinds[name] = k
	}
	if l.Has("cvc5_rm_to_string") {
		for i := uint32(0); i < 5; i++ {
			c.modes[strings.TrimPrefix(l.Text("cvc5_rm_to_string", uintptr(i)), "CVC5_RM_")] = i
		}
	}
	return c, nil
}

// kindName returns the name of a kind, "" behind the last: numbers differ between versions, and nothing tells how many
// there are but the error of asking for one too many. Nothing was made yet that it could harm.
func (c *cvc5) kindName(k int32) (name string) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(*driver.Fault); !ok {
				panic(r)
			}
			name = ""
		}
	}()
	return strings.TrimPrefix(c.callForText("kind_to_string", uintptr(uint32(k))), "CVC5_KIND_")
}

// registerExitHook registers the hook of exit; each registration serves once.
func (c *cvc5) registerExitHook() {
	if c.asks || exiting.armed {
		return
	}
	onExit := driver.LibcSymbol("on_exit")
	if onExit == 0 {
		return
	}
	driver.SyscallC(onExit, []uintptr{exitHook(), 0})
	exiting.armed = true
}

var exitCallback uintptr

func exitHook() uintptr {
	if exitCallback == 0 {
		exitCallback = driver.NewCallback(func(code int32, _ uintptr) {
			exiting.armed = false
			if exiting.live {
				panic(exitFault(code))
			}
		})
	}
	return exitCallback
}

// exitFault is what a library's exit becomes.
func exitFault(code int32) *driver.Fault {
	text := strings.TrimSpace(driver.Printed())
	if i := strings.LastIndex(text, "cvc5: error: "); i >= 0 {
		text = text[i+len("cvc5: error: "):]
	}
	line, _, _ := strings.Cut(text, "\n")
	f := driver.Refuse(solvers.Refusal, line)
	if line == "" {
		f = driver.Refuse(solvers.Garbage, fmt.Sprintf("the library called exit(%d)", code))
	}
	f.Dead = true
	return f
}

// callC calls a function and throws its error.
func (c *cvc5) callC(name string, args ...uintptr) driver.Ref {
	if c.asks {
		r := c.Library.Call(name, args...)
		if c.Library.Boolean("cvc5_has_error") {
			msg := c.Library.Text("cvc5_get_error_message")
			c.Library.Call("cvc5_reset_error")
			panic(driver.Refuse(solvers.Refusal, msg))
		}
		return r
	}
	c.registerExitHook()
	exiting.live = true
	defer func() { exiting.live = false }()
	return c.Library.Call(name, args...)
}

func (c *cvc5) callForText(name string, args ...uintptr) string {
	return driver.GoString(c.callC(name, args...))
}

func (c *cvc5) Version() string {
	if c.ver == "" {
		tm := c.callC("term_manager_new")
		s := c.callC("new", tm)
		c.ver = c.callForText("get_version", s)
		c.callC("delete", s)
		c.callC("term_manager_delete", tm)
	}
	return c.ver
}

// Options reads what the library says of its options: the structure is Cvc5OptionInfo of cvc5.h.
func (c *cvc5) Options() (all []driver.OptionInfo) {
	tm := c.callC("term_manager_new")
	s := c.callC("new", tm)
	defer func() { c.callC("delete", s); c.callC("term_manager_delete", tm) }()
	for _, name := range c.optionNames(s) {
		w := c.Library.Memory.Words(64)
		c.callC("get_option_info", s, c.Library.Str(name), w.Addr())
		o := driver.OptionInfo{Name: name, Kind: "other"}
		// kind, name, aliases (2), no_supports (2), three bools and a category in two words, then the kinds' parts
		o.Expert = driver.Word32At(w.Addr(), 52) == 1 // CVC5_OPTION_CATEGORY_EXPERT
		const boolPart, textPart, intPart, uintPart, modePart = 56, 64, 80, 120, 200
		word := func(offset int) uint64 { return uint64(driver.WordAt(w.Addr()+uintptr(offset), 0)) }
		switch uint32(w.At(0)) {
		case 1:
			o.Kind, o.Value = "bool", strconv.FormatBool(driver.ByteAt(w.Addr(), boolPart) != 0)
		case 2:
			o.Kind, o.Value = "text", driver.GoString(uintptr(word(textPart)))
		case 3:
			o.Kind, o.Value = "number", strconv.FormatInt(int64(word(intPart)), 10)
			if driver.ByteAt(w.Addr(), intPart+32) != 0 {
				o.Min = strconv.FormatInt(int64(word(intPart+16)), 10)
			}
			if driver.ByteAt(w.Addr(), intPart+33) != 0 {
				o.Max = strconv.FormatInt(int64(word(intPart+24)), 10)
			}
		case 4:
			o.Kind, o.Value = "number", strconv.FormatUint(word(uintPart), 10)
			o.Min = "0"
			if driver.ByteAt(w.Addr(), uintPart+32) != 0 {
				o.Min = strconv.FormatUint(word(uintPart+16), 10)
			}
			if driver.ByteAt(w.Addr(), uintPart+33) != 0 {
				o.Max = strconv.FormatUint(word(uintPart+24), 10)
			}
		case 5:
			o.Kind = "real"
		case 6:
			o.Kind, o.Value = "choice", driver.GoString(uintptr(word(modePart)))
			for i := range int(word(modePart + 16)) {
				o.Values = append(o.Values, driver.GoString(driver.WordAt(uintptr(word(modePart+24)), i)))
			}
		}
		all = append(all, o)
	}
	return all
}

func (c *cvc5) optionNames(s driver.Ref) (names []string) {
	n := c.Library.Memory.Words(1)
	p := c.callC("get_option_names", s, n.Addr())
	for i := range int(n.At(0)) {
		names = append(names, driver.GoString(driver.WordAt(p, i)))
	}
	return names
}

func (c *cvc5) Open(s *driver.Session) {
	c.tm = c.share.Take(func() driver.Ref {
		clear(c.sorts)
		clear(c.params)
		return c.callC("term_manager_new")
	})
	c.userSorts = nil
	defer func() {
		if r := recover(); r != nil {
			f, _ := r.(*driver.Fault)
			c.Shut(f == nil || f.Dead)
			panic(r)
		}
	}()
	c.solver = c.callC("new", c.tm)
	if c.ver == "" {
		c.ver = c.callForText("get_version", c.solver)
	}
	if len(c.names) == 0 {
		for _, n := range c.optionNames(c.solver) {
			c.names[n] = true
		}
	}
	given := map[string]bool{}
	for _, o := range s.Settings.Options {
		given[o.Name] = true
	}
	// As the profile of the program: without these it refuses much that it has. In safe mode it takes no experimental ones.
	for _, o := range []driver.Setting{{Name: "incremental", Value: "true"}, {Name: "strings-exp", Value: "true"}, {Name: "fp-exp", Value: "true"}} {
		if c.names[o.Name] && !given[o.Name] && !(given["safe-mode"] && o.Name == "fp-exp") {
			c.setOption(o.Name, o.Value)
		}
	}
	for _, o := range s.Settings.Options {
		c.setOption(o.Name, o.Value)
	}
	if s.Settings.Resources > 0 {
		c.setOption("rlimit-per", fmt.Sprint(s.Settings.Resources))
	}
	if ms := s.OwnLimit().Milliseconds(); ms > 0 && !given["tlimit-per"] { // there is no other way to stop a check
		c.setOption("tlimit-per", fmt.Sprint(ms))
	}
	if s.Settings.Logic != "" {
		c.callC("set_logic", c.solver, c.Library.Str(s.Settings.Logic))
	}
}

// setOption sets an option of the solver. One that the library does not know is refused here, where it does no harm.
func (c *cvc5) setOption(name, value string) {
	if len(c.names) > 0 && !c.names[name] && name != "produce-models" {
		panic(driver.RefuseOption("cvc5 has no option %s", name))
	}
	c.callC("set_option", c.solver, c.Library.Str(name), c.Library.Str(strings.Trim(value, `"`)))
}

func (c *cvc5) SetLate(_ *driver.Session, name, value string) { c.setOption(name, value) }

func (c *cvc5) Shut(broken bool) {
	solver, tm := c.solver, c.tm
	c.solver, c.tm = 0, 0
	if tm != 0 {
		tm = c.share.Leave()
	}
	if broken {
		return
	}
	if solver != 0 {
		c.callC("delete", solver)
	}
	if tm != 0 {
		c.callC("term_manager_delete", tm)
	}
}

func (c *cvc5) Twin() driver.API {
	return &cvc5{Base: c.Base, kinds: c.kinds, modes: c.modes, names: c.names, asks: c.asks, share: c.share, sorts: c.sorts, params: c.params, ver: c.ver}
}

func (c *cvc5) Shares(other driver.API) bool {
	x, ok := other.(*cvc5)
	return ok && x.share == c.share && x.tm == c.tm && c.tm != 0
}

func (c *cvc5) Constant(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	if s.Pick(2) == 1 {
		var params []smt.Sort
		result := info.Result
		if args := s.Arena().SortArgs(result); s.Arena().SortKind(result) == smt.KindFunc {
			params, result = args[:len(args)-1], args[len(args)-1]
		}
		return c.callC("declare_fun", c.solver, c.Library.Str(info.Name), uintptr(len(params)), c.Library.Refs(s.SortList(params)), s.Sort(result), 1)
	}
	return c.callC("mk_const", c.tm, s.Sort(info.Result), c.Library.Str(info.Name))
}

func (c *cvc5) Function(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	if s.Pick(2) == 1 {
		return c.callC("declare_fun", c.solver, c.Library.Str(info.Name), uintptr(len(info.Params)), c.Library.Refs(s.SortList(info.Params)), s.Sort(info.Result), 1)
	}
	return c.callC("mk_const", c.tm, c.functionSort(s, info.Params, info.Result), c.Library.Str(info.Name))
}

func (c *cvc5) Define(s *driver.Session, fs []smt.Symbol) {
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
		funs, counts, lists, bodies = append(funs, s.Functions[f]), append(counts, driver.Ref(len(vars))), append(lists, c.Library.Refs(vars)), append(bodies, body)
	}
	c.callC("define_funs_rec", c.solver, uintptr(len(funs)), c.Library.Refs(funs), c.Library.Refs(counts), c.Library.Refs(lists), c.Library.Refs(bodies), 0)
}

func (c *cvc5) Variable(s *driver.Session, t smt.Term) driver.Ref {
	return c.callC("mk_var", c.tm, s.Sort(s.Arena().Sort(t)), c.Library.Str(s.Arena().VarName(t)))
}

func (c *cvc5) Binder(s *driver.Session, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
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

func (c *cvc5) Apply(s *driver.Session, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
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
func (c *cvc5) makeTerm(s *driver.Session, kind string, idx []uint64, args ...driver.Ref) driver.Ref {
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

func (c *cvc5) Value(s *driver.Session, t smt.Term) driver.Ref {
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
		// A text with a zero would end there.
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
	panic(c.NoOp(s, t))
}

func containsZero(runes []rune) bool {
	for _, r := range runes {
		if r == 0 {
			return true
		}
	}
	return false
}

func (c *cvc5) makeBitVector(s *driver.Session, width int, n *big.Int) driver.Ref {
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
