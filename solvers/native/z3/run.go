package z3

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (z *z3) Assert(s *driver.Session, r driver.Ref, name string, track bool) {
	if !track {
		z.c("solver_assert", z.solver, r)
		return
	}
	p := z.ast("mk_fresh_const", z.Library.Str("track"), s.Sort(smt.SortBool))
	z.tracked[p] = r
	z.c("solver_assert_and_track", z.solver, r, p)
}

func (z *z3) Check(s *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	z.dropModel()
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
}

func (z *z3) Pop(n int)        { z.c("solver_pop", z.solver, uintptr(n)) }
func (z *z3) ResetAssertions() { z.dropModel(); z.c("solver_reset", z.solver) }

// modelRef returns the model of the latest check.
func (z *z3) modelRef() driver.Ref {
	if z.last == 0 {
		m := z.c("solver_get_model", z.solver)
		z.c("model_inc_ref", m)
		z.last = m
	}
	return z.last
}

func (z *z3) ValueText(s *driver.Session, t smt.Term, r driver.Ref) string {
	w := z.Library.Memory.Words(1)
	if z.c("model_eval", z.modelRef(), r, 1, w.Addr())&0xff == 0 {
		panic(driver.Refuse(solvers.SolverError, "Z3_model_eval has no value for "+s.Arena().Brief(t)))
	}
	return z.unrename(oneLine(z.text("ast_to_string", w.At(0))))
}

// oneLine folds the line breaks and the indentation of a pretty-printed term.
func oneLine(text string) string {
	if !strings.ContainsRune(text, '\n') {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

func (z *z3) Model(*driver.Session) string {
	return "(\n" + z.unrename(z.text("model_to_string", z.modelRef())) + "\n)"
}

// vector copies an ast_vector.
func (z *z3) vector(v driver.Ref) []driver.Ref {
	z.c("ast_vector_inc_ref", v)
	defer z.c("ast_vector_dec_ref", v)
	n := int(uint32(z.c("ast_vector_size", v)))
	out := make([]driver.Ref, n)
	for i := range out {
		out[i] = z.ast("ast_vector_get", v, uintptr(i))
	}
	return out
}

func (z *z3) Core(*driver.Session) []driver.Ref {
	var out []driver.Ref
	for _, p := range z.vector(z.c("solver_get_unsat_core", z.solver)) {
		if r, ok := z.tracked[p]; ok {
			out = append(out, r)
		}
	}
	return out
}

func (z *z3) Failed(s *driver.Session, assumptions []driver.Ref) []driver.Ref {
	if !s.Settings.Assume && !s.Settings.Cores { // then the solver keeps no track of them, and gives an empty list
		panic(driver.Refuse(solvers.Refusal, "unsat assumptions are not enabled: set option produce-unsat-assumptions"))
	}
	return slices.DeleteFunc(z.vector(z.c("solver_get_unsat_core", z.solver)), func(r driver.Ref) bool { return !slices.Contains(assumptions, r) })
}

func (z *z3) Ask(s *driver.Session, c *smtlib.Command) string {
	switch c.Kind {
	case smtlib.CmdGetAssertions:
		var parts []string
		for _, r := range z.vector(z.c("solver_get_assertions", z.solver)) {
			parts = append(parts, z.unrename(oneLine(z.text("ast_to_string", r))))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case smtlib.CmdSimplify:
		return z.unrename(oneLine(z.text("ast_to_string", z.ast("simplify", s.Term(c.Terms[0])))))
	case smtlib.CmdGetProof:
		p := z.ast("solver_get_proof", z.solver)
		return oneLine(z.text("ast_to_string", p))
	case smtlib.CmdOther:
		if c.Name == "get-statistics" || c.Name == "statistics" {
			st := z.c("solver_get_statistics", z.solver)
			z.c("stats_inc_ref", st)
			defer z.c("stats_dec_ref", st)
			return "(" + oneLine(z.text("stats_to_string", st)) + ")"
		}
	}
	return z.Base.Ask(s, c)
}

func (z *z3) Twin() driver.API {
	return &z3{Base: z.Base, z3Context: &z3Context{}, interrupt: z.interrupt, once: true}
}

// Translate implements api by Z3_translate.
func (z *z3) Translate(other driver.API, r driver.Ref) driver.Ref {
	x, ok := other.(*z3)
	if !ok || x.ctx == 0 || x.ctx == z.ctx || !z.Library.Has("Z3_translate") {
		return 0
	}
	z3Error = 0
	out := z.Library.Call("Z3_translate", x.ctx, r, z.ctx)
	x.throw()
	if out != 0 {
		z.hold(out)
	}
	return out
}
