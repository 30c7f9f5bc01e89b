package bindings

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

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
	return slices.DeleteFunc(z.vector(z.c("solver_get_unsat_core", z.solver)), func(r driver.Ref) bool {
		return !slices.Contains(assumptions, r)
	})
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
		if c.Name == "eval" && len(c.Terms) == 1 {
			return z.ValueText(s, c.Terms[0], s.Term(c.Terms[0]))
		}
		if slices.Contains([]string{"minimize", "maximize", "assert-soft"}, c.Name) && len(c.Terms) == 1 {
			z.addObjective(s, c)
			return ""
		}
		if c.Name == "get-objectives" {
			return z.optima()
		}
		if c.Name == "apply" {
			return z.applyTactic(c.Text)
		}
		if c.Name == "get-statistics" || c.Name == "statistics" {
			st := z.c("solver_get_statistics", z.solver)
			z.c("stats_inc_ref", st)
			defer z.c("stats_dec_ref", st)
			return "(" + oneLine(z.text("stats_to_string", st)) + ")"
		}
	}
	return z.Binding.Ask(s, c)
}

// unrename restores the user's names of sorts in a text. It replaces applications of sort symbols, which are quoted
// names there, and the new names of datatypes whose names were taken.
func (z *z3) unrename(text string) string {
	if z.runs > 1 {
		text = strings.ReplaceAll(text, z.again(), "")
	}
	for _, name := range z.renamed {
		text = strings.ReplaceAll(text, "|"+name+"|", name)
	}
	return text
}
