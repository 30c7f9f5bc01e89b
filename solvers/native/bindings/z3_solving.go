package bindings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/rule"
)

func (z *z3) Assert(s *driver.Session, r driver.Ref, name string, track bool) {
	if !track {
		z.c("solver_assert", z.solver, r)
		return
	}
	p := z.ast("mk_fresh_const", z.Library.Str("track"), s.Sort(smt.SortBool))
	z.tracked[p] = r
	z.trackers = append(z.trackers, p)
	z.c("solver_assert_and_track", z.solver, r, p)
}

func (z *z3) Check(s *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	z.dropModel()
	z.assumed = assumptions
	var r int32
	if len(assumptions) == 0 && s.Pick(4) != 1 {
		r = int32(z.c("solver_check", z.solver))
	} else {
		r = int32(z.c("solver_check_assumptions", z.solver, uintptr(len(assumptions)), z.Library.Refs(assumptions)))
	}
	switch r {
	case 1:
		return smtlib.Sat
	case -1:
		return smtlib.Unsat
	}
	return smtlib.Unknown
}

func (z *z3) Stop() bool {
	z.stopped.Store(true)
	if z.ctx != 0 {
		driver.SyscallC(z.interrupt, []uintptr{z.ctx}) // on another thread: not by call, which keeps the log
	}
	return true
}

func (z *z3) Reason() string { return z.text("solver_get_reason_unknown", z.solver) }

func (z *z3) Push(n int) {
	for range n {
		z.c("solver_push", z.solver)
	}
	z.level += n
}

func (z *z3) Pop(n int) {
	z.c("solver_pop", z.solver, uintptr(n))
	z.level -= n
	z.popObjectives()
}

func (z *z3) ResetAssertions() {
	z.dropModel()
	z.c("solver_reset", z.solver)
	z.level, z.assumed, z.trackers, z.objectives = 0, nil, nil, nil
}

func (z *z3) Open(s *driver.Session) {
	key := fmt.Sprint(s.Settings.Proofs)
	z.forgetRun()
	z.stopped.Store(false)
	z.dirty = false
	if x := z.kept[key]; x != nil {
		delete(z.kept, key)
		z.z3Context = x
	} else {
		z.makeContext(s.Settings.Proofs, key)
	}
	z.runs++
	z.holdTerms()
	z.begin(s)
}

// Reusable implements driver.Solving.
func (z *z3) Reusable() bool { return true }

// Renew implements driver.Solving.
func (z *z3) Renew(*driver.Session) bool {
	if z.once || z.dirty || z.globals || z.stopped.Load() {
		return false
	}
	z.dropModel()
	z.forgetRun()
	z.Library.Call("Z3_ast_vector_dec_ref", z.ctx, z.held)
	z.held = 0
	z.holdTerms()
	return true
}

// forgetRun drops the binding's data about the terms and sorts of a run.
func (z *z3) forgetRun() {
	z.dts, z.tracked, z.templates, z.renamed = map[smt.Sort]*z3Datatype{}, map[driver.Ref]driver.Ref{},
		map[string]*z3Template{}, nil
	z.level, z.assumed, z.trackers, z.objectives = 0, nil, nil, nil
}

// holdTerms makes the vector that holds the terms and sorts of a run.
func (z *z3) holdTerms() {
	z.held = z.c("mk_ast_vector")
	z.c("ast_vector_inc_ref", z.held)
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

// begin makes the solver of a run and sets its options.
func (z *z3) begin(s *driver.Session) {
	var late []rule.Setting
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
	// Not each kind of solver has all parameters; the general one has.
	if z.kind != generalKind && slices.ContainsFunc(late, func(o rule.Setting) bool { return !z.knows(o.Name) }) {
		z.c("solver_dec_ref", z.solver)
		z.kind, z.solver = generalKind, z.c("mk_solver")
		z.c("solver_inc_ref", z.solver)
	}
	if s.Settings.Cores || s.Settings.Assume {
		z.setParam("unsat_core", "true")
	}
	if s.Settings.Resources > 0 {
		late = append(late, rule.Setting{Name: "rlimit", Value: fmt.Sprint(s.Settings.Resources)})
	}
	for _, o := range late {
		z.setParam(o.Name, o.Value)
	}
}

// generalKind is the kind of solver that the library makes for all logics.
const generalKind = "general"

// makeSolver chooses one of the solvers of the library. The logic chooses a tactic, as z3 does for set-logic; for one
// that it does not know there is the general solver.
func (z *z3) makeSolver(s *driver.Session) {
	way := s.Pick(3)
	z.kind = generalKind
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
