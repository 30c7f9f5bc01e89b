package native

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
)

// z3 is the binding of libz3 (z3_api.h, z3_fpa.h). Errors come by a handler that notes them; a call for the code of each
// call (Z3_get_error_code) would cost as much as the calls do. Without a handler of its own, or none at all, the library
// would end the process.
type z3 struct {
	base
	*z3Context
	solver, last ref // last is the latest model, 0 for none
	stopped      atomic.Bool
	dts          map[smt.Sort]*z3Datatype
	renamed      []string // names of sorts that are applications, quoted by z3
	tracked      map[ref]ref
	templates    map[string]*z3Template       // those with sorts of the run
	globals      bool                         // some global parameter was set
	kind         string                       // of the solver: general, simple, or for a logic
	params       map[string]map[string]uint32 // by the kind of solver
	interrupt    uintptr                      // the function

	kept  map[string]*z3Context // contexts that earlier runs have left, by how they were configured
	once  bool                  // no context is kept
	dirty bool                  // something was declared that the next run could meet
	held  ref                   // a vector of the terms and sorts of the run
}

// z3Context is a context of the library. Up to contextRuns runs share one, one after the other, each with a solver of its
// own: making and deleting a context costs more than most runs. What a run leaves in it are terms. After one that declared
// recursive functions, whose names belong to the context, after an error and after an interrupt it is not used again. A
// datatype's name belongs to the context, too; a later run's datatype of that name gets another one.
type z3Context struct {
	ctx     ref
	key     string // how it was configured
	runs    int    // that it has served
	symbols map[string]ref
	general map[string]*z3Template // those without sorts of a run
	own     []ref                  // their terms
	taken   map[string]bool        // names of datatypes of earlier runs
	names   []string               // those of the present run
}

const contextRuns = 16

type z3Datatype struct{ ctors []z3Constructor }

type z3Constructor struct {
	make, test ref
	fields     []ref
}

func newZ3(l *library) (api, error) {
	for _, name := range []string{"Z3_mk_context_rc", "Z3_get_error_code", "Z3_set_error_handler", "Z3_solver_check"} {
		if !l.has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libz3, or one before version 4.5", l.path, name)
		}
	}
	return &z3{base: base{l}, z3Context: &z3Context{}, kept: map[string]*z3Context{}, interrupt: l.addr("Z3_interrupt")}, nil
}

// z3Error is the code that the error handler got, 0 for none. All calls are made on one thread.
var z3Error int32

// z3Handler is the error handler, made once: a process can make few callbacks, and never gives one back.
var z3Handler = sync.OnceValue(func() uintptr {
	return newCallback(func(_, code uintptr) uintptr {
		z3Error = int32(code)
		return 0
	})
})

// c calls a function whose first argument is the context, and throws its error.
func (z *z3) c(name string, args ...uintptr) ref {
	z3Error = 0
	r := z.l.with(z.ctx, name, args...)
	z.throw()
	return r
}

// throw throws the error of the latest call in the context, if there was one.
func (z *z3) throw() {
	if recording != nil { // a program of C has no handler
		z3Error = int32(z.l.call("Z3_get_error_code", z.ctx))
	}
	if z3Error != 0 {
		panic(z.fault())
	}
}

// ast is c for functions that return a term or a sort: they are held until the run ends.
func (z *z3) ast(name string, args ...uintptr) ref {
	r := z.c(name, args...)
	if r != 0 {
		z.hold(r)
	}
	return r
}

// hold keeps an object until the run ends: then the vector goes, and all of them with it. A context that is deleted with
// terms in it takes many times as long.
func (z *z3) hold(r ref) { z.l.call("ast_vector_push", z.ctx, z.held, r) }

func (z *z3) text(name string, args ...uintptr) string { return goString(z.c(name, args...)) }

// fault turns an error code (z3_api.h, Z3_error_code) into what ends the call.
func (z *z3) fault() *fault {
	code := z3Error
	z3Error = 0
	z.dirty = true
	msg := z.l.text("Z3_get_error_msg", z.ctx, uintptr(code))
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
	return refuse(class, msg)
}

func (z *z3) version() string {
	w := z.l.mem.words(4)
	z.l.call("Z3_get_version", w.addr(), w.addr()+8, w.addr()+16, w.addr()+24)
	v := fmt.Sprintf("%d.%d.%d", uint32(w.at(0)), uint32(w.at(1)), uint32(w.at(2)))
	return v
}

func (z *z3) open(s *session) {
	key := fmt.Sprint(s.set.proofs)
	z.dts, z.tracked, z.templates, z.renamed = map[smt.Sort]*z3Datatype{}, map[ref]ref{}, map[string]*z3Template{}, nil
	z.stopped.Store(false)
	z.dirty = false
	if x := z.kept[key]; x != nil {
		delete(z.kept, key)
		z.z3Context = x
	} else {
		z.makeContext(s.set.proofs, key)
	}
	z.runs++
	z.held = z.c("mk_ast_vector")
	z.c("ast_vector_inc_ref", z.held)
	z.begin(s)
}

// makeContext makes a context.
func (z *z3) makeContext(proofs bool, key string) {
	l := z.l
	cfg := l.call("Z3_mk_config")
	l.call("Z3_set_param_value", cfg, l.str("model"), l.str("true"))
	if proofs {
		l.call("Z3_set_param_value", cfg, l.str("proof"), l.str("true"))
	}
	z.z3Context = &z3Context{ctx: l.call("Z3_mk_context_rc", cfg), key: key,
		symbols: map[string]ref{}, general: map[string]*z3Template{}, taken: map[string]bool{}}
	handler := uintptr(0)
	if recording == nil {
		handler = z3Handler()
	}
	l.call("Z3_set_error_handler", z.ctx, handler)
	l.call("Z3_del_config", cfg)
	l.call("Z3_set_ast_print_mode", z.ctx, 2) // Z3_PRINT_SMTLIB2_COMPLIANT
}

// delete deletes the context.
func (x *z3Context) delete(l *library) {
	for _, r := range x.own {
		l.call("Z3_dec_ref", x.ctx, r)
	}
	l.call("Z3_del_context", x.ctx)
}

// begin makes the solver of a run and sets its options.
func (z *z3) begin(s *session) {
	var late []setting
	for _, o := range s.set.options {
		if strings.HasPrefix(o.name, "produce-") {
			continue
		}
		late = append(late, o)
	}
	z.makeSolver(s)
	defer func() {
		if r := recover(); r != nil { // an option was refused: nothing may stay
			z.shut(false)
			panic(r)
		}
	}()
	if s.set.cores || s.set.assume {
		z.setParam("unsat_core", "true")
	}
	if s.set.resources > 0 {
		late = append(late, setting{"rlimit", fmt.Sprint(s.set.resources)})
	}
	for _, o := range late {
		z.setParam(o.name, o.value)
	}
}

// makeSolver chooses one of the solvers of the library. The logic chooses a tactic, as z3 does for set-logic; for one
// that it does not know there is the general solver.
func (z *z3) makeSolver(s *session) {
	way := s.pick(3)
	z.kind = "general"
	switch {
	case way == 2:
		z.kind = "simple"
		z.solver = z.c("mk_simple_solver")
	case way == 1 || s.set.logic == "" || s.set.logic == "ALL" || strings.HasPrefix(s.set.logic, "HO_"):
		z.solver = z.c("mk_solver")
	default:
		z.kind = "for " + s.set.logic
		z.solver = z.forLogic(s.set.logic)
	}
	z.c("solver_inc_ref", z.solver)
}

func (z *z3) forLogic(logic string) (r ref) {
	name, dirty := z.symbol(logic), z.dirty
	defer func() {
		if f, ok := recover().(*fault); ok && f != nil {
			z.dirty = dirty // nothing was made
			r = z.c("mk_solver")
		}
	}()
	return z.c("mk_solver_for_logic", name)
}

func (z *z3) symbol(name string) ref {
	r, ok := z.symbols[name]
	if !ok {
		r = z.c("mk_string_symbol", z.l.str(name))
		z.symbols[name] = r
	}
	return r
}

func (z *z3) setLate(_ *session, name, value string) { z.setParam(name, value) }

func (z *z3) dropModel() {
	if z.last != 0 {
		z.l.call("Z3_model_dec_ref", z.ctx, z.last)
		z.last = 0
	}
}

func (z *z3) shut(broken bool) {
	x := z.z3Context
	if x.ctx == 0 || broken {
		z.z3Context, z.solver, z.last, z.held = &z3Context{}, 0, 0, 0
		return
	}
	z.dropModel()
	if z.solver != 0 {
		z.l.call("Z3_solver_dec_ref", z.ctx, z.solver)
	}
	z.l.call("Z3_ast_vector_dec_ref", z.ctx, z.held)
	z.z3Context, z.solver, z.held = &z3Context{}, 0, 0
	if z.once || z.dirty || z.globals || z.stopped.Load() || x.runs >= contextRuns {
		x.delete(z.l)
	} else {
		for _, name := range x.names {
			x.taken[name] = true
		}
		x.names = x.names[:0]
		z.kept[x.key] = x
	}
	if z.globals {
		z.l.call("Z3_global_param_reset_all")
		z.globals = false
	}
}

func (z *z3) sort(s *session, so smt.Sort) ref {
	a := s.a
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
		return z.ast("mk_re_sort", s.sort(smt.SortString))
	case smt.KindRoundingMode:
		return z.ast("mk_fpa_rounding_mode_sort")
	case smt.KindBitVec:
		return z.ast("mk_bv_sort", uintptr(a.Width(so)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(so)
		ways := map[[2]int][2]string{{5, 11}: {"half", "16"}, {8, 24}: {"single", "32"}, {11, 53}: {"double", "64"}, {15, 113}: {"quadruple", "128"}}
		if names, ok := ways[[2]int{eb, sb}]; ok {
			if w := s.pick(3); w > 0 {
				return z.ast("mk_fpa_sort_" + names[w-1])
			}
		}
		return z.ast("mk_fpa_sort", uintptr(eb), uintptr(sb))
	case smt.KindArray:
		x := a.SortArgs(so)
		if s.pick(3) == 1 {
			return z.ast("mk_array_sort_n", 1, z.l.refs(s.sortList(x[:1])), s.sort(x[1]))
		}
		return z.ast("mk_array_sort", s.sort(x[0]), s.sort(x[1]))
	case smt.KindSeq:
		return z.ast("mk_seq_sort", s.sort(a.SortArgs(so)[0]))
	case smt.KindUser:
		return z.ast("mk_uninterpreted_sort", z.symbol(z.sortName(s, so)))
	case smt.KindDatatype:
		return z.datatype(s, so)
	}
	panic(z.noSort(s, so))
}

// sortName is the name under which z3 knows a user's sort. An application of a sort symbol is one name to it.
func (z *z3) sortName(s *session, so smt.Sort) string {
	if len(s.a.SortArgs(so)) == 0 {
		name, _ := s.a.SortSymbolName(s.a.SortSymbolOf(so))
		return name
	}
	name := s.a.SortString(so)
	if !slices.Contains(z.renamed, name) {
		z.renamed = append(z.renamed, name)
	}
	return name
}

// datatypeName is the name of a datatype, in a context in which an earlier run may have had one of that name.
func (z *z3) datatypeName(s *session, so smt.Sort) string {
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

func (z *z3) constant(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	so := s.sort(info.Result)
	if s.pick(2) == 1 {
		decl := z.ast("mk_func_decl", z.symbol(info.Name), 0, 0, so)
		return z.ast("mk_app", decl, 0, 0)
	}
	return z.ast("mk_const", z.symbol(info.Name), so)
}

func (z *z3) function(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	return z.ast("mk_func_decl", z.symbol(info.Name), uintptr(len(info.Params)), z.l.refs(s.sortList(info.Params)), s.sort(info.Result))
}

func (z *z3) apply(_ *session, _ smt.Term, _ smt.Symbol, fun ref, args []ref) ref {
	return z.ast("mk_app", fun, uintptr(len(args)), z.l.refs(args))
}

func (z *z3) define(s *session, fs []smt.Symbol) {
	z.dirty = true
	for _, f := range fs {
		info := s.a.SymbolInfo(f)
		s.funs[f] = z.ast("mk_rec_func_decl", z.symbol(info.Name), uintptr(len(info.Params)), z.l.refs(s.sortList(info.Params)), s.sort(info.Result))
	}
	for _, f := range fs {
		info := *s.a.SymbolInfo(f)
		vars, body := s.inScope(info.Vars, info.Body)
		z.c("add_rec_def", s.funs[f], uintptr(len(vars)), z.l.refs(vars), body)
	}
}

func (z *z3) variable(s *session, t smt.Term) ref {
	return z.ast("mk_fresh_const", z.l.str(s.a.VarName(t)), s.sort(s.a.Sort(t)))
}

func (z *z3) binder(s *session, t smt.Term, vars []ref, body ref) ref {
	if s.a.Op(t) == smt.OpLambda {
		if s.a.SortKind(s.a.Sort(t)) != smt.KindArray || len(vars) != 1 {
			panic(unsupported("z3 has lambdas for arrays over one sort only"))
		}
		return z.ast("mk_lambda_const", 1, z.l.refs(vars), body)
	}
	patterns := z.patterns(s, s.a.Body(t))
	forall := s.a.Op(t) == smt.OpForall
	if s.pick(2) == 1 {
		is := uintptr(0)
		if forall {
			is = 1
		}
		return z.ast("mk_quantifier_const", is, 0, uintptr(len(vars)), z.l.refs(vars), uintptr(len(patterns)), z.l.refs(patterns), body)
	}
	name := "mk_exists_const"
	if forall {
		name = "mk_forall_const"
	}
	return z.ast(name, 0, uintptr(len(vars)), z.l.refs(vars), uintptr(len(patterns)), z.l.refs(patterns), body)
}

// patterns makes the patterns of a quantifier's body; one that z3 does not take is left out, as it is no part of the
// meaning.
func (z *z3) patterns(s *session, body smt.Term) (out []ref) {
	for _, x := range s.a.Annotations(body) {
		if x.Keyword != ":pattern" {
			continue
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					if _, ok := r.(*fault); !ok {
						panic(r)
					}
				}
			}()
			var terms []ref
			for _, t := range x.Terms {
				terms = append(terms, s.term(t))
			}
			out = append(out, z.ast("mk_pattern", uintptr(len(terms)), z.l.refs(terms)))
		}()
	}
	return out
}
