package yices

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// yices is the binding of libyices (yices.h and yices_types.h, version 2.6). Terms and types are numbers from 0 on, kept
// here one greater, because 0 is no object elsewhere. Errors are codes, and are read after each call.
type yices struct {
	driver.Base
	ctx, mdl driver.Ref
	params   driver.Ref   // of the search, param_t; 0: those that the library chooses for the context
	assumed  []driver.Ref // assertions that are assumed at each check, so that there are cores
	levels   []int
	// unsatLevels are levels above one that is unsatisfiable, which the library does not open: they are counted.
	unsatLevels int
	share       *driver.Shared // of the terms, which all contexts have in common
}

// New returns the binding for a loaded library; an error says what it lacks.
func New(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"yices_init", "yices_new_context", "yices_check_context", "yices_error_code"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libyices of version 2", l.Path, name)
		}
	}
	l.Call("yices_init")
	return &yices{Base: driver.Base{Library: l}, share: &driver.Shared{}}, nil
}

// callC calls a function and throws its error; code 0 is none (yices_types.h, error_code_t).
func (y *yices) callC(name string, args ...uintptr) driver.Ref {
	r := y.Library.Call(name, args...)
	y.throwLastError()
	return r
}

// throwLastError throws the error of the last call, if there was one.
func (y *yices) throwLastError() {
	code := int32(y.Library.Call("yices_error_code"))
	if code == 0 {
		return
	}
	msg := fmt.Sprintf("error %d", code)
	if p := y.Library.Call("yices_error_string"); p != 0 {
		msg = driver.GoString(p)
		y.Library.Call("yices_free_string", p)
	}
	y.Library.Call("yices_clear_error")
	switch {
	case code < 300:
		panic(driver.Refuse(solvers.ParseError, msg))
	case code == 9999: // INTERNAL_EXCEPTION
		panic(driver.Refuse(solvers.Assertion, msg))
	}
	panic(driver.Refuse(solvers.Refusal, msg))
}

// callForObject is c for functions that return a term or a type.
func (y *yices) callForObject(name string, args ...uintptr) driver.Ref {
	r := int32(y.callC(name, args...))
	if r < 0 {
		panic(driver.Refuse(solvers.SolverError, "yices_"+name+" gave nothing and no error"))
	}
	return driver.Ref(uint32(r)) + 1
}

// objectNumber is the library's number of an object.
func objectNumber(r driver.Ref) uintptr { return r - 1 }

// numberList is an array of the numbers of objects.
func (y *yices) numberList(refs []driver.Ref) uintptr {
	out := make([]uint32, len(refs))
	for i, r := range refs {
		out[i] = uint32(objectNumber(r))
	}
	return y.Library.Words32(out)
}

func (y *yices) Version() string {
	p := y.Library.Address("yices_version") // a variable
	if p == 0 {
		return "2"
	}
	return driver.GoString(driver.WordAt(p, 0))
}

// Options: the interface has names of parameters, but none to list them.
func (y *yices) Options() []driver.OptionInfo { return nil }

// ofContexts are the names that yices_set_config takes (yices.h, context configuration); all others are parameters of the search.
var ofContexts = []string{"mode", "solver-type", "logic", "arith-fragment", "uf-solver", "bv-solver", "array-solver", "arith-solver", "model-interpolation"}

func (y *yices) Open(s *driver.Session) {
	cfg := y.callC("new_config")
	defer y.Library.Call("yices_free_config", cfg)
	if s.Settings.Logic != "" && s.Settings.Logic != "ALL" {
		y.callC("default_config_for_logic", cfg, y.Library.Str(s.Settings.Logic))
	}
	y.callC("set_config", cfg, y.Library.Str("mode"), y.Library.Str("interactive")) // push and pop, and usable after an interrupted check
	var search []driver.Setting
	for _, o := range s.Settings.Options {
		switch {
		case strings.HasPrefix(o.Name, "produce-"):
		case slices.Contains(ofContexts, o.Name):
			y.callC("set_config", cfg, y.Library.Str(o.Name), y.Library.Str(o.Value))
		default:
			search = append(search, o)
		}
	}
	y.ctx = y.callC("new_context", cfg)
	if len(search) > 0 {
		y.params = y.callC("new_param_record")
		y.callC("default_params_for_context", y.ctx, y.params)
		for _, o := range search {
			y.callC("set_param", y.params, y.Library.Str(o.Name), y.Library.Str(o.Value))
		}
	}
	y.share.Take(func() driver.Ref { return 1 })
	y.assumed, y.levels, y.unsatLevels = nil, nil, 0
}

func (y *yices) Shut(broken bool) {
	y.dropModel()
	ctx := y.ctx
	y.ctx = 0
	if y.params != 0 {
		y.Library.Call("yices_free_param_record", y.params)
		y.params = 0
	}
	last := ctx != 0 && y.share.Leave() != 0
	if ctx != 0 && !broken {
		y.Library.Call("yices_free_context", ctx)
		if last {
			y.Library.Call("yices_reset") // terms, types and their names
		}
	}
}

func (y *yices) Twin() driver.API { return &yices{Base: y.Base, share: y.share} }

func (y *yices) Shares(other driver.API) bool {
	x, ok := other.(*yices)
	return ok && x.ctx != 0
}

func (y *yices) dropModel() {
	if y.mdl != 0 {
		y.Library.Call("yices_free_model", y.mdl)
		y.mdl = 0
	}
}

func (y *yices) Sort(s *driver.Session, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return y.callForObject("bool_type")
	case smt.KindInt:
		return y.callForObject("int_type")
	case smt.KindReal:
		return y.callForObject("real_type")
	case smt.KindBitVec:
		return y.callForObject("bv_type", uintptr(a.Width(so)))
	case smt.KindArray:
		x := a.SortArgs(so)
		return y.callForObject("function_type", 1, y.numberList([]driver.Ref{s.Sort(x[0])}), objectNumber(s.Sort(x[1])))
	case smt.KindUser:
		return y.callForObject("new_uninterpreted_type")
	}
	panic(y.NoSort(s, so))
}

func (y *yices) Constant(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return y.callForObject("new_uninterpreted_term", objectNumber(s.Sort(info.Result)))
}

func (y *yices) Function(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	t := y.callForObject("function_type", uintptr(len(info.Params)), y.numberList(s.SortList(info.Params)), objectNumber(s.Sort(info.Result)))
	return y.callForObject("new_uninterpreted_term", objectNumber(t))
}

func (y *yices) Variable(s *driver.Session, t smt.Term) driver.Ref {
	return y.callForObject("new_variable", objectNumber(s.Sort(s.Arena().Sort(t))))
}

func (y *yices) Binder(s *driver.Session, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	switch s.Arena().Op(t) {
	case smt.OpForall:
		return y.callForObject("forall", uintptr(len(vars)), y.numberList(vars), objectNumber(body))
	case smt.OpExists:
		return y.callForObject("exists", uintptr(len(vars)), y.numberList(vars), objectNumber(body))
	}
	return y.callForObject("lambda", uintptr(len(vars)), y.numberList(vars), objectNumber(body))
}

func (y *yices) Apply(_ *driver.Session, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return y.callForObject("application", objectNumber(fun), uintptr(len(args)), y.numberList(args))
}

func (y *yices) Value(s *driver.Session, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return y.callForObject("true")
	case smt.OpFalse:
		return y.callForObject("false")
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		if n.IsInt64() && s.Pick(2) == 1 {
			return y.callForObject("int64", uintptr(n.Int64()))
		}
		return y.callForObject("parse_rational", y.Library.Str(n.String()))
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return y.callForObject("parse_rational", y.Library.Str(r.RatString()))
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		width := a.Width(a.Sort(t))
		if n.IsUint64() && s.Pick(2) == 1 {
			return y.callForObject("bvconst_uint64", uintptr(width), uintptr(n.Uint64()))
		}
		text := n.Text(2)
		return y.callForObject("parse_bvbin", y.Library.Str(strings.Repeat("0", width-len(text))+text))
	}
	panic(y.NoOp(s, t))
}

func (y *yices) Assert(_ *driver.Session, r driver.Ref, _ string, track bool) {
	if track {
		y.assumed = append(y.assumed, r)
		return
	}
	y.unlessUnsat("assert_formula", y.ctx, objectNumber(r)) // where it is unsatisfiable it stays so
}

// unlessUnsat calls a function that a context refuses as long as it is unsatisfiable: false. Assumptions that made it so are
// forgotten by the library before.
func (y *yices) unlessUnsat(name string, args ...uintptr) bool {
	const (
		invalidOperation = 400 // CTX_INVALID_OPERATION
		unsat            = 4
	)
	y.Library.Call("yices_"+name, args...)
	if int32(y.Library.Call("yices_error_code")) == invalidOperation && uint32(y.Library.Call("yices_context_status", y.ctx)) == unsat {
		y.Library.Call("yices_clear_error")
		return false
	}
	y.throwLastError()
	return true
}

func (y *yices) Check(_ *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	y.dropModel()
	assumptions = append(y.assumed[:len(y.assumed):len(y.assumed)], assumptions...)
	var r uint32
	if len(assumptions) == 0 {
		r = uint32(y.callC("check_context", y.ctx, y.params))
	} else {
		r = uint32(y.callC("check_context_with_assumptions", y.ctx, y.params, uintptr(len(assumptions)), y.numberList(assumptions)))
	}
	switch r { // smt_status_t of version 2.6
	case 3:
		return smtlib.Sat
	case 4:
		return smtlib.Unsat
	case 6:
		panic(driver.Refuse(solvers.SolverError, "yices_check_context: error"))
	}
	return smtlib.Unknown
}

func (y *yices) Stop() bool {
	if y.ctx != 0 {
		driver.SyscallC(y.Library.Address("yices_stop_search"), []uintptr{y.ctx})
	}
	return true
}

func (y *yices) Push(n int) {
	for range n {
		if y.unsatLevels > 0 || !y.unlessUnsat("push", y.ctx) {
			y.unsatLevels++
		}
		y.levels = append(y.levels, len(y.assumed))
	}
}

func (y *yices) Pop(n int) {
	for range n {
		if y.unsatLevels > 0 {
			y.unsatLevels--
		} else {
			y.callC("pop", y.ctx)
		}
	}
	k := len(y.levels) - n
	y.assumed, y.levels = y.assumed[:y.levels[k]], y.levels[:k]
}

func (y *yices) ResetAssertions() {
	y.dropModel()
	y.callC("reset_context", y.ctx)
	y.assumed, y.levels, y.unsatLevels = nil, nil, 0
}

func (y *yices) modelRef() driver.Ref {
	if y.mdl == 0 {
		y.mdl = y.callC("get_model", y.ctx, 1)
	}
	return y.mdl
}

func (y *yices) ValueText(s *driver.Session, t smt.Term, r driver.Ref) string {
	so := s.Arena().Sort(t)
	switch s.Arena().SortKind(so) {
	case smt.KindBool:
		w := y.Library.Memory.Words(1)
		y.callC("get_bool_value", y.modelRef(), objectNumber(r), w.Addr())
		if driver.Word32At(w.Addr(), 0) != 0 {
			return "true"
		}
		return "false"
	case smt.KindBitVec:
		n := s.Arena().Width(so)
		w := y.Library.Memory.Words(n)
		y.callC("get_bv_value", y.modelRef(), objectNumber(r), w.Addr())
		b := []byte("#b")
		for i := n - 1; i >= 0; i-- {
			b = append(b, '0'+byte(driver.Word32At(w.Addr(), 4*i)))
		}
		return string(b)
	case smt.KindInt, smt.KindReal:
		v := y.callForObject("get_value_as_term", y.modelRef(), objectNumber(r))
		p := y.callC("term_to_string", objectNumber(v), 1000, 1, 0)
		defer y.Library.Call("yices_free_string", p)
		return rationalText(driver.GoString(p), s.Arena().SortKind(so) == smt.KindReal)
	}
	panic(driver.Unsupported("native yices2 gives no values of sort %s", s.Arena().SortString(so)))
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

func (y *yices) Model(s *driver.Session) string {
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.Declared {
		info := s.Arena().SymbolInfo(f)
		if len(info.Params) > 0 {
			panic(driver.Unsupported("native yices2 gives no models of functions"))
		}
		fmt.Fprintf(&out, "(define-fun %s () %s %s)\n", info.Text, s.Arena().SortString(info.Result), y.ValueText(s, s.Arena().Const(f), s.Symbol(f)))
	}
	return out.String() + ")"
}

func (y *yices) Core(s *driver.Session) []driver.Ref { return y.Failed(s, nil) }

// Failed reads the core of the assumptions: a term_vector_t has capacity and size in a word, then the array.
func (y *yices) Failed(*driver.Session, []driver.Ref) (out []driver.Ref) {
	v := y.Library.Memory.Words(2)
	y.Library.Call("yices_init_term_vector", v.Addr())
	defer y.Library.Call("yices_delete_term_vector", v.Addr())
	y.callC("get_unsat_core", y.ctx, v.Addr())
	for i := range int(driver.Word32At(v.Addr(), 4)) {
		out = append(out, driver.Ref(driver.Word32At(v.At(1), 4*i))+1)
	}
	return out
}
