package bindings

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (c *cvc5) ValueText(s *driver.Session, _ smt.Term, r driver.Ref) string {
	if s.Pick(2) == 1 {
		n := c.Library.Memory.Words(1)
		p := c.callC("get_values", c.solver, 1, c.Library.Refs([]driver.Ref{r}), n.Addr())
		return c.callForText("term_to_string", driver.WordsAt(p, 1)[0])
	}
	return c.callForText("term_to_string", c.callC("get_value", c.solver, r))
}

func (c *cvc5) Model(s *driver.Session) string {
	var consts []driver.Ref
	for _, f := range s.Declared.Items() {
		consts = append(consts, s.Symbol(f))
	}
	return c.callForText("get_model", c.solver, uintptr(len(c.userSorts)), c.Library.Refs(c.userSorts),
		uintptr(len(consts)), c.Library.Refs(consts))
}

func (c *cvc5) callForList(name string) []driver.Ref {
	n := c.Library.Memory.Words(1)
	p := c.callC(name, c.solver, n.Addr())
	return driver.WordsAt(p, int(n.At(0)))
}

func (c *cvc5) Core(*driver.Session) []driver.Ref { return c.callForList("get_unsat_core") }

func (c *cvc5) Failed(*driver.Session, []driver.Ref) []driver.Ref {
	return c.callForList("get_unsat_assumptions")
}

func (c *cvc5) joinTexts(refs []driver.Ref) string {
	var parts []string
	for _, r := range refs {
		parts = append(parts, c.callForText("term_to_string", r))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (c *cvc5) Ask(s *driver.Session, cmd *smtlib.Command) string {
	switch cmd.Kind {
	case smtlib.CmdGetAssertions:
		return c.joinTexts(c.callForList("get_assertions"))
	case smtlib.CmdSimplify:
		return c.callForText("term_to_string", c.callC("simplify", c.solver, s.Term(cmd.Terms[0]), 0))
	case smtlib.CmdGetProof:
		n := c.Library.Memory.Words(1)
		component := driver.Ref(4) // CVC5_PROOF_COMPONENT_FULL
		p := c.callC("get_proof", c.solver, component, n.Addr())
		if n.At(0) == 0 {
			return "()"
		}
		return c.callForText("proof_to_string", c.solver, driver.WordsAt(p, 1)[0], 5, 0, 0, 0) // CVC5_PROOF_FORMAT_DEFAULT
	}
	switch cmd.Name {
	case "get-interpolant", "get-interpol", "get-abduct":
		s.Last = smtlib.None // it leaves the mode in which there is a model, also when it finds nothing
	}
	if function := functionsOfTerm[cmd.Name]; function != "" {
		if r := c.callC(function, c.solver, c.conjectureTerm(s, cmd)); r != 0 {
			return c.callForText("term_to_string", r)
		}
		return "none"
	}
	switch cmd.Name {
	case "get-learned-literals":
		n := c.Library.Memory.Words(1)
		return c.joinTexts(driver.WordsAt(c.callC("get_learned_literals", c.solver, 2, n.Addr()), int(n.At(0))))
	case "get-difficulty":
		n, inputs, values := c.Library.Memory.Words(1), c.Library.Memory.Words(1), c.Library.Memory.Words(1)
		c.callC("get_difficulty", c.solver, n.Addr(), inputs.Addr(), values.Addr())
		var parts []string
		hard := driver.WordsAt(uintptr(values.At(0)), int(n.At(0)))
		for i, t := range driver.WordsAt(uintptr(inputs.At(0)), int(n.At(0))) {
			parts = append(parts, c.joinTexts([]driver.Ref{t, hard[i]}))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case "get-statistics":
		return c.callForText("stats_to_string", c.callC("get_statistics", c.solver))
	}
	return c.Binding.Ask(s, cmd)
}

// functionsOfTerm has the functions that get a term and return one, by the command.
var functionsOfTerm = map[string]string{
	"get-interpolant": "get_interpolant",
	"get-interpol":    "get_interpolant",
	"get-abduct":      "get_abduct",
	"get-qe":          "get_quantifier_elimination",
	"get-qe-disjunct": "get_quantifier_elimination_disjunct",
}

// conjectureTerm is the term of a command such as (get-abduct A t).
func (c *cvc5) conjectureTerm(s *driver.Session, cmd *smtlib.Command) driver.Ref {
	if len(cmd.Terms) != 1 {
		panic(driver.Unsupported("%s wants one term", cmd.Name))
	}
	return s.Term(cmd.Terms[0])
}
