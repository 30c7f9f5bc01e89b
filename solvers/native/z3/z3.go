package z3

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// z3 is the binding of libz3 (z3_api.h, z3_fpa.h). Errors come by a handler that notes them; a call for the code of each
// call (Z3_get_error_code) would cost as much as the calls do. Without a handler of its own, or none at all, the library
// would end the process.
type z3 struct {
	driver.Base
	*z3Context
	solver, last driver.Ref // last is the latest model, 0 for none
	stopped      atomic.Bool
	dts          map[smt.Sort]*z3Datatype
	renamed      []string // names of sorts that are applications, quoted by z3
	tracked      map[driver.Ref]driver.Ref
	templates    map[string]*z3Template       // those with sorts of the run
	globals      bool                         // some global parameter was set
	kind         string                       // of the solver: general, simple, or for a logic
	params       map[string]map[string]uint32 // by the kind of solver
	interrupt    uintptr                      // the function

	kept  map[string]*z3Context // contexts that earlier runs have left, by how they were configured
	once  bool                  // no context is kept
	dirty bool                  // something was declared that the next run could meet
	held  driver.Ref            // a vector of the terms and sorts of the run
}

// z3Context is a context of the library. Up to contextRuns runs share one, one after the other, each with a solver of its
// own: making and deleting a context costs more than most runs. What a run leaves in it are terms. After one that declared
// recursive functions, whose names belong to the context, after an error and after an interrupt it is not used again. A
// datatype's name belongs to the context, too; a later run's datatype of that name gets another one.
type z3Context struct {
	ctx     driver.Ref
	key     string // how it was configured
	runs    int    // that it has served
	symbols map[string]driver.Ref
	general map[string]*z3Template // those without sorts of a run
	own     []driver.Ref           // their terms
	taken   map[string]bool        // names of datatypes of earlier runs
	names   []string               // those of the present run
}

const contextRuns = 16

type z3Datatype struct{ ctors []z3Constructor }

type z3Constructor struct {
	make, test driver.Ref
	fields     []driver.Ref
}

// New returns the binding for a loaded library; an error says what it lacks.
func New(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"Z3_mk_context_rc", "Z3_get_error_code", "Z3_set_error_handler", "Z3_solver_check"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libz3, or one before version 4.5", l.Path, name)
		}
	}
	return &z3{Base: driver.Base{Library: l}, z3Context: &z3Context{}, kept: map[string]*z3Context{}, interrupt: l.Address("Z3_interrupt")}, nil
}

// z3Error is the code that the error handler got, 0 for none. All calls are made on one thread.
var z3Error int32

// z3Handler is the error handler, made once: a process can make few callbacks, and never gives one back.
var z3Handler = sync.OnceValue(func() uintptr {
	return driver.NewCallback(func(_, code uintptr) uintptr {
		z3Error = int32(code)
		return 0
	})
})

// c calls a function whose first argument is the context, and throws its error.
func (z *z3) c(name string, args ...uintptr) driver.Ref {
	z3Error = 0
	r := z.Library.With(z.ctx, name, args...)
	z.throw()
	return r
}

// throw throws the error of the latest call in the context, if there was one.
func (z *z3) throw() {
	if driver.Recording != nil { // a program of C has no handler
		z3Error = int32(z.Library.Call("Z3_get_error_code", z.ctx))
	}
	if z3Error != 0 {
		panic(z.fault())
	}
}

// ast is c for functions that return a term or a sort: they are held until the run ends.
func (z *z3) ast(name string, args ...uintptr) driver.Ref {
	r := z.c(name, args...)
	if r != 0 {
		z.hold(r)
	}
	return r
}

// hold keeps an object until the run ends: then the vector goes, and all of them with it. A context that is deleted with
// terms in it takes many times as long.
func (z *z3) hold(r driver.Ref) { z.Library.Call("ast_vector_push", z.ctx, z.held, r) }

func (z *z3) text(name string, args ...uintptr) string { return driver.GoString(z.c(name, args...)) }

// fault turns an error code (z3_api.h, Z3_error_code) into what ends the call.
func (z *z3) fault() *driver.Fault {
	code := z3Error
	z3Error = 0
	z.dirty = true
	msg := z.Library.Text("Z3_get_error_msg", z.ctx, uintptr(code))
	class := solvers.SolverError
	switch code {
	case 1: // Z3_SORT_ERROR
		class = solvers.ParseError
	case 2, 3, 6, 10: // Z3_IOB, Z3_INVALID_ARG, Z3_INVALID_PATTERN, Z3_INVALID_USAGE
		class = solvers.Refusal
	case 4: // Z3_PARSER_ERROR
		class = solvers.ParseError
	case 7:
		class = solvers.OutOfMemory
	case 9: // Z3_INTERNAL_FATAL
		class = solvers.Assertion
	}
	return driver.Refuse(class, msg)
}

func (z *z3) Version() string {
	w := z.Library.Memory.Words(4)
	z.Library.Call("Z3_get_version", w.Addr(), w.Addr()+8, w.Addr()+16, w.Addr()+24)
	v := fmt.Sprintf("%d.%d.%d", uint32(w.At(0)), uint32(w.At(1)), uint32(w.At(2)))
	return v
}

func (z *z3) Open(s *driver.Session) {
	key := fmt.Sprint(s.Settings.Proofs)
	z.dts, z.tracked, z.templates, z.renamed = map[smt.Sort]*z3Datatype{}, map[driver.Ref]driver.Ref{}, map[string]*z3Template{}, nil
	z.stopped.Store(false)
	z.dirty = false
	if x := z.kept[key]; x != nil {
		delete(z.kept, key)
		z.z3Context = x
	} else {
		z.makeContext(s.Settings.Proofs, key)
	}
	z.runs++
	z.held = z.c("mk_ast_vector")
	z.c("ast_vector_inc_ref", z.held)
	z.begin(s)
}

// makeContext makes a context.
func (z *z3) makeContext(proofs bool, key string) {
	l := z.Library
	cfg := l.Call("Z3_mk_config")
	l.Call("Z3_set_param_value", cfg, l.Str("model"), l.Str("true"))
	if proofs {
		l.Call("Z3_set_param_value", cfg, l.Str("proof"), l.Str("true"))
	}
	z.z3Context = &z3Context{ctx: l.Call("Z3_mk_context_rc", cfg), key: key,
		symbols: map[string]driver.Ref{}, general: map[string]*z3Template{}, taken: map[string]bool{}}
	handler := uintptr(0)
	if driver.Recording == nil {
		handler = z3Handler()
	}
	l.Call("Z3_set_error_handler", z.ctx, handler)
	l.Call("Z3_del_config", cfg)
	l.Call("Z3_set_ast_print_mode", z.ctx, 2) // Z3_PRINT_SMTLIB2_COMPLIANT
}

// delete deletes the context.
func (x *z3Context) delete(l *driver.Library) {
	for _, r := range x.own {
		l.Call("Z3_dec_ref", x.ctx, r)
	}
	l.Call("Z3_del_context", x.ctx)
}

// begin makes the solver of a run and sets its options.
func (z *z3) begin(s *driver.Session) {
	var late []driver.Setting
	for _, o := range s.Settings.Options {
		if strings.HasPrefix(o.Name, "produce-") {
			continue
		}
		late = append(late, o)
	}
	z.makeSolver(s)
	defer func() {
		if r := recover(); r != nil { // an option was refused: nothing may stay
			z.Shut(false)
			panic(r)
		}
	}()
	if s.Settings.Cores || s.Settings.Assume {
		z.setParam("unsat_core", "true")
	}
	if s.Settings.Resources > 0 {
		late = append(late, driver.Setting{Name: "rlimit", Value: fmt.Sprint(s.Settings.Resources)})
	}
	for _, o := range late {
		z.setParam(o.Name, o.Value)
	}
}

// makeSolver chooses one of the solvers of the library. The logic chooses a tactic, as z3 does for set-logic; for one
// that it does not know there is the general solver.
func (z *z3) makeSolver(s *driver.Session) {
	way := s.Pick(3)
	z.kind = "general"
	switch {
	case way == 2:
		z.kind = "simple"
		z.solver = z.c("mk_simple_solver")
	case way == 1 || s.Settings.Logic == "" || s.Settings.Logic == "ALL" || strings.HasPrefix(s.Settings.Logic, "HO_"):
		z.solver = z.c("mk_solver")
	default:
		z.kind = "for " + s.Settings.Logic
		z.solver = z.forLogic(s.Settings.Logic)
	}
	z.c("solver_inc_ref", z.solver)
}

func (z *z3) forLogic(logic string) (r driver.Ref) {
	name, dirty := z.symbol(logic), z.dirty
	defer func() {
		if f, ok := recover().(*driver.Fault); ok && f != nil {
			z.dirty = dirty // nothing was made
			r = z.c("mk_solver")
		}
	}()
	return z.c("mk_solver_for_logic", name)
}

func (z *z3) symbol(name string) driver.Ref {
	r, ok := z.symbols[name]
	if !ok {
		r = z.c("mk_string_symbol", z.Library.Str(name))
		z.symbols[name] = r
	}
	return r
}

func (z *z3) SetLate(_ *driver.Session, name, value string) { z.setParam(name, value) }

func (z *z3) dropModel() {
	if z.last != 0 {
		z.Library.Call("Z3_model_dec_ref", z.ctx, z.last)
		z.last = 0
	}
}

func (z *z3) Shut(broken bool) {
	x := z.z3Context
	if x.ctx == 0 || broken {
		z.z3Context, z.solver, z.last, z.held = &z3Context{}, 0, 0, 0
		return
	}
	z.dropModel()
	if z.solver != 0 {
		z.Library.Call("Z3_solver_dec_ref", z.ctx, z.solver)
	}
	z.Library.Call("Z3_ast_vector_dec_ref", z.ctx, z.held)
	z.z3Context, z.solver, z.held = &z3Context{}, 0, 0
	if z.once || z.dirty || z.globals || z.stopped.Load() || x.runs >= contextRuns {
		x.delete(z.Library)
	} else {
		for _, name := range x.names {
			x.taken[name] = true
		}
		x.names = x.names[:0]
		z.kept[x.key] = x
	}
	if z.globals {
		z.Library.Call("Z3_global_param_reset_all")
		z.globals = false
	}
}

func (z *z3) Sort(s *driver.Session, so smt.Sort) driver.Ref {
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
		ways := map[[2]int][2]string{{5, 11}: {"half", "16"}, {8, 24}: {"single", "32"}, {11, 53}: {"double", "64"}, {15, 113}: {"quadruple", "128"}}
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
	panic(z.NoSort(s, so))
}

// sortName is the name under which z3 knows a user's sort. An application of a sort symbol is one name to it.
func (z *z3) sortName(s *driver.Session, so smt.Sort) string {
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
func (z *z3) datatypeName(s *driver.Session, so smt.Sort) string {
	name := z.sortName(s, so)
	if z.taken[name] {
		name += z.again()
	}
	z.names = append(z.names, name)
	return name
}

// again is what the run adds to names that are taken. As it ends with what no number does, no such name begins another.
func (z *z3) again() string { return fmt.Sprintf("!again%d!", z.runs) }

// unrename puts the user's names of sorts into a text: applications of sort symbols, which are quoted names there, and
// names of datatypes that are taken.
func (z *z3) unrename(text string) string {
	if z.runs > 1 {
		text = strings.ReplaceAll(text, z.again(), "")
	}
	for _, name := range z.renamed {
		text = strings.ReplaceAll(text, "|"+name+"|", name)
	}
	return text
}

func (z *z3) Constant(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	so := s.Sort(info.Result)
	if s.Pick(2) == 1 {
		decl := z.ast("mk_func_decl", z.symbol(info.Name), 0, 0, so)
		return z.ast("mk_app", decl, 0, 0)
	}
	return z.ast("mk_const", z.symbol(info.Name), so)
}

func (z *z3) Function(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return z.ast("mk_func_decl", z.symbol(info.Name), uintptr(len(info.Params)), z.Library.Refs(s.SortList(info.Params)), s.Sort(info.Result))
}

func (z *z3) Apply(_ *driver.Session, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return z.ast("mk_app", fun, uintptr(len(args)), z.Library.Refs(args))
}

func (z *z3) Define(s *driver.Session, fs []smt.Symbol) {
	z.dirty = true
	for _, f := range fs {
		info := s.Arena().SymbolInfo(f)
		s.Functions[f] = z.ast("mk_rec_func_decl", z.symbol(info.Name), uintptr(len(info.Params)), z.Library.Refs(s.SortList(info.Params)), s.Sort(info.Result))
	}
	for _, f := range fs {
		info := *s.Arena().SymbolInfo(f)
		vars, body := s.InScope(info.Vars, info.Body)
		z.c("add_rec_def", s.Functions[f], uintptr(len(vars)), z.Library.Refs(vars), body)
	}
}

func (z *z3) Variable(s *driver.Session, t smt.Term) driver.Ref {
	return z.ast("mk_fresh_const", z.Library.Str(s.Arena().VarName(t)), s.Sort(s.Arena().Sort(t)))
}

func (z *z3) Binder(s *driver.Session, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
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
		return z.ast("mk_quantifier_const", is, 0, uintptr(len(vars)), z.Library.Refs(vars), uintptr(len(patterns)), z.Library.Refs(patterns), body)
	}
	name := "mk_exists_const"
	if forall {
		name = "mk_forall_const"
	}
	return z.ast(name, 0, uintptr(len(vars)), z.Library.Refs(vars), uintptr(len(patterns)), z.Library.Refs(patterns), body)
}

// patterns makes the patterns of a quantifier's body; one that z3 does not take is left out, as it is no part of the
// meaning.
func (z *z3) patterns(s *driver.Session, body smt.Term) (out []driver.Ref) {
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
