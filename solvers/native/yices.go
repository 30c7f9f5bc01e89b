package native

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// yices is the binding of libyices (yices.h and yices_types.h, version 2.6). Terms and types are numbers from 0 on, kept
// here one greater, because 0 is no object elsewhere. Errors are codes, and are read after each call.
type yices struct {
	base
	ctx, mdl ref
	assumed  []ref // assertions that are assumed at each check, so that there are cores
	levels   []int
	// unsatLevels are levels above one that is unsatisfiable, which the library does not open: they are counted.
	unsatLevels int
	share       *shared // of the terms, which all contexts have in common
}

func newYices(l *library) (api, error) {
	for _, name := range []string{"yices_init", "yices_new_context", "yices_check_context", "yices_error_code"} {
		if !l.has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libyices of version 2", l.path, name)
		}
	}
	l.call("yices_init")
	return &yices{base: base{l}, share: &shared{}}, nil
}

// c calls a function and throws its error; code 0 is none (yices_types.h, error_code_t).
func (y *yices) c(name string, args ...uintptr) ref {
	r := y.l.call(name, args...)
	y.raise()
	return r
}

// raise throws the error of the last call, if there was one.
func (y *yices) raise() {
	code := int32(y.l.call("yices_error_code"))
	if code == 0 {
		return
	}
	msg := fmt.Sprintf("error %d", code)
	if p := y.l.call("yices_error_string"); p != 0 {
		msg = goString(p)
		y.l.call("yices_free_string", p)
	}
	y.l.call("yices_clear_error")
	switch {
	case code < 300:
		panic(refuse(solvers.ParseError, msg))
	case code == 9999: // INTERNAL_EXCEPTION
		panic(refuse(solvers.Assertion, msg))
	}
	panic(refuse(solvers.Refusal, msg))
}

// made is c for functions that return a term or a type.
func (y *yices) made(name string, args ...uintptr) ref {
	r := int32(y.c(name, args...))
	if r < 0 {
		panic(refuse(solvers.SolverError, "yices_"+name+" gave nothing and no error"))
	}
	return ref(uint32(r)) + 1
}

// number is the library's number of an object.
func number(r ref) uintptr { return r - 1 }

// list is an array of the numbers of objects.
func (y *yices) list(refs []ref) uintptr {
	out := make([]uint32, len(refs))
	for i, r := range refs {
		out[i] = uint32(number(r))
	}
	return y.l.u32s(out)
}

func (y *yices) version() string {
	p := y.l.addr("yices_version") // a variable
	if p == 0 {
		return "2"
	}
	return goString(wordAt(p, 0))
}

// options: the interface has names of parameters, but none to list them.
func (y *yices) options() []OptionInfo { return nil }

func (y *yices) open(s *session) {
	cfg := y.c("new_config")
	defer y.l.call("yices_free_config", cfg)
	if s.set.logic != "" && s.set.logic != "ALL" {
		y.c("default_config_for_logic", cfg, y.l.str(s.set.logic))
	}
	y.c("set_config", cfg, y.l.str("mode"), y.l.str("interactive")) // push and pop, and usable after an interrupted check
	for _, o := range s.set.options {
		if !strings.HasPrefix(o.name, "produce-") {
			y.c("set_config", cfg, y.l.str(o.name), y.l.str(o.value))
		}
	}
	y.ctx = y.c("new_context", cfg)
	y.share.take(func() ref { return 1 })
	y.assumed, y.levels, y.unsatLevels = nil, nil, 0
}

func (y *yices) shut(broken bool) {
	y.dropModel()
	ctx := y.ctx
	y.ctx = 0
	last := ctx != 0 && y.share.leave() != 0
	if ctx != 0 && !broken {
		y.l.call("yices_free_context", ctx)
		if last {
			y.l.call("yices_reset") // terms, types and their names
		}
	}
}

func (y *yices) twin() api { return &yices{base: y.base, share: y.share} }

func (y *yices) shares(other api) bool {
	x, ok := other.(*yices)
	return ok && x.ctx != 0
}

func (y *yices) dropModel() {
	if y.mdl != 0 {
		y.l.call("yices_free_model", y.mdl)
		y.mdl = 0
	}
}

func (y *yices) sort(s *session, so smt.Sort) ref {
	a := s.a
	switch a.SortKind(so) {
	case smt.KindBool:
		return y.made("bool_type")
	case smt.KindInt:
		return y.made("int_type")
	case smt.KindReal:
		return y.made("real_type")
	case smt.KindBitVec:
		return y.made("bv_type", uintptr(a.Width(so)))
	case smt.KindArray:
		x := a.SortArgs(so)
		return y.made("function_type", 1, y.list([]ref{s.sort(x[0])}), number(s.sort(x[1])))
	case smt.KindUser:
		return y.made("new_uninterpreted_type")
	}
	panic(y.noSort(s, so))
}

func (y *yices) constant(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	return y.made("new_uninterpreted_term", number(s.sort(info.Result)))
}

func (y *yices) function(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	t := y.made("function_type", uintptr(len(info.Params)), y.list(s.sortList(info.Params)), number(s.sort(info.Result)))
	return y.made("new_uninterpreted_term", number(t))
}

func (y *yices) variable(s *session, t smt.Term) ref {
	return y.made("new_variable", number(s.sort(s.a.Sort(t))))
}

func (y *yices) binder(s *session, t smt.Term, vars []ref, body ref) ref {
	switch s.a.Op(t) {
	case smt.OpForall:
		return y.made("forall", uintptr(len(vars)), y.list(vars), number(body))
	case smt.OpExists:
		return y.made("exists", uintptr(len(vars)), y.list(vars), number(body))
	}
	return y.made("lambda", uintptr(len(vars)), y.list(vars), number(body))
}

func (y *yices) apply(_ *session, _ smt.Term, _ smt.Symbol, fun ref, args []ref) ref {
	return y.made("application", number(fun), uintptr(len(args)), y.list(args))
}

func (y *yices) value(s *session, t smt.Term) ref {
	a := s.a
	switch a.Op(t) {
	case smt.OpTrue:
		return y.made("true")
	case smt.OpFalse:
		return y.made("false")
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		if n.IsInt64() && s.pick(2) == 1 {
			return y.made("int64", uintptr(n.Int64()))
		}
		return y.made("parse_rational", y.l.str(n.String()))
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return y.made("parse_rational", y.l.str(r.RatString()))
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		width := a.Width(a.Sort(t))
		if n.IsUint64() && s.pick(2) == 1 {
			return y.made("bvconst_uint64", uintptr(width), uintptr(n.Uint64()))
		}
		text := n.Text(2)
		return y.made("parse_bvbin", y.l.str(strings.Repeat("0", width-len(text))+text))
	}
	panic(y.noOp(s, t))
}

func (y *yices) assert(_ *session, r ref, _ string, track bool) {
	if track {
		y.assumed = append(y.assumed, r)
		return
	}
	y.unlessUnsat("assert_formula", y.ctx, number(r)) // where it is unsatisfiable it stays so
}

// unlessUnsat calls a function that a context refuses as long as it is unsatisfiable: false. Assumptions that made it so are
// forgotten by the library before.
func (y *yices) unlessUnsat(name string, args ...uintptr) bool {
	const (
		invalidOperation = 400 // CTX_INVALID_OPERATION
		unsat            = 4
	)
	y.l.call("yices_"+name, args...)
	if int32(y.l.call("yices_error_code")) == invalidOperation && uint32(y.l.call("yices_context_status", y.ctx)) == unsat {
		y.l.call("yices_clear_error")
		return false
	}
	y.raise()
	return true
}

func (y *yices) check(_ *session, assumptions []ref) smtlib.Answer {
	y.dropModel()
	assumptions = append(y.assumed[:len(y.assumed):len(y.assumed)], assumptions...)
	var r uint32
	if len(assumptions) == 0 {
		r = uint32(y.c("check_context", y.ctx, 0))
	} else {
		r = uint32(y.c("check_context_with_assumptions", y.ctx, 0, uintptr(len(assumptions)), y.list(assumptions)))
	}
	switch r { // smt_status_t of version 2.6
	case 3:
		return smtlib.Sat
	case 4:
		return smtlib.Unsat
	case 6:
		panic(refuse(solvers.SolverError, "yices_check_context: error"))
	}
	return smtlib.Unknown
}

func (y *yices) stop() bool {
	if y.ctx != 0 {
		syscallC(y.l.addr("yices_stop_search"), []uintptr{y.ctx})
	}
	return true
}

func (y *yices) push(n int) {
	for range n {
		if y.unsatLevels > 0 || !y.unlessUnsat("push", y.ctx) {
			y.unsatLevels++
		}
		y.levels = append(y.levels, len(y.assumed))
	}
}

func (y *yices) pop(n int) {
	for range n {
		if y.unsatLevels > 0 {
			y.unsatLevels--
		} else {
			y.c("pop", y.ctx)
		}
	}
	k := len(y.levels) - n
	y.assumed, y.levels = y.assumed[:y.levels[k]], y.levels[:k]
}

func (y *yices) resetAssertions() {
	y.dropModel()
	y.c("reset_context", y.ctx)
	y.assumed, y.levels, y.unsatLevels = nil, nil, 0
}

func (y *yices) modelRef() ref {
	if y.mdl == 0 {
		y.mdl = y.c("get_model", y.ctx, 1)
	}
	return y.mdl
}

func (y *yices) valueText(s *session, t smt.Term, r ref) string {
	so := s.a.Sort(t)
	switch s.a.SortKind(so) {
	case smt.KindBool:
		w := y.l.mem.words(1)
		y.c("get_bool_value", y.modelRef(), number(r), w.addr())
		if word32At(w.addr(), 0) != 0 {
			return "true"
		}
		return "false"
	case smt.KindBitVec:
		n := s.a.Width(so)
		w := y.l.mem.words(n)
		y.c("get_bv_value", y.modelRef(), number(r), w.addr())
		b := []byte("#b")
		for i := n - 1; i >= 0; i-- {
			b = append(b, '0'+byte(word32At(w.addr(), 4*i)))
		}
		return string(b)
	case smt.KindInt, smt.KindReal:
		v := y.made("get_value_as_term", y.modelRef(), number(r))
		p := y.c("term_to_string", number(v), 1000, 1, 0)
		defer y.l.call("yices_free_string", p)
		return rationalText(goString(p), s.a.SortKind(so) == smt.KindReal)
	}
	panic(unsupported("native yices2 gives no values of sort %s", s.a.SortString(so)))
}

// rationalText spells -3/4 as SMT-LIB does.
func rationalText(text string, real bool) string {
	text, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	num, den, quotient := strings.Cut(text, "/")
	if real {
		num, den = num+".0", den+".0"
	}
	out := num
	if quotient {
		out = "(/ " + num + " " + den + ")"
	}
	if negative {
		out = "(- " + out + ")"
	}
	return out
}

func (y *yices) model(s *session) string {
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.declared {
		info := s.a.SymbolInfo(f)
		if len(info.Params) > 0 {
			panic(unsupported("native yices2 gives no models of functions"))
		}
		fmt.Fprintf(&out, "(define-fun %s () %s %s)\n", info.Text, s.a.SortString(info.Result), y.valueText(s, s.a.Const(f), s.symbol(f)))
	}
	return out.String() + ")"
}

func (y *yices) core(s *session) []ref { return y.failed(s, nil) }

// failed reads the core of the assumptions: a term_vector_t has capacity and size in a word, then the array.
func (y *yices) failed(*session, []ref) (out []ref) {
	v := y.l.mem.words(2)
	y.l.call("yices_init_term_vector", v.addr())
	defer y.l.call("yices_delete_term_vector", v.addr())
	y.c("get_unsat_core", y.ctx, v.addr())
	for i := range int(word32At(v.addr(), 4)) {
		out = append(out, ref(word32At(v.at(1), 4*i))+1)
	}
	return out
}
