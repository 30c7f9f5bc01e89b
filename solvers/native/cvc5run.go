package native

import (
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

func (c *cvc5) assert(_ *session, r ref, _ string, _ bool) { c.c("assert_formula", c.solver, r) }

func (c *cvc5) check(s *session, assumptions []ref) smtlib.Answer {
	var r ref
	if len(assumptions) == 0 && s.pick(4) != 1 {
		r = c.c("check_sat", c.solver)
	} else {
		r = c.c("check_sat_assuming", c.solver, uintptr(len(assumptions)), c.l.refs(assumptions))
	}
	switch {
	case c.c("result_is_sat", r)&0xff != 0:
		return smtlib.Sat
	case c.c("result_is_unsat", r)&0xff != 0:
		return smtlib.Unsat
	}
	c.lastUnknown(s, r)
	return smtlib.Unknown
}

// lastUnknown notes a check that ended for lack of time.
func (c *cvc5) lastUnknown(s *session, r ref) {
	why := c.text("unknown_explanation_to_string", c.c("result_get_unknown_explanation", r)&0xffffffff)
	if strings.HasSuffix(why, "TIMEOUT") && (s.set.timeLimit == 0 || s.perCheck() < s.set.timeLimit) {
		s.interrupt = true
	}
}

func (c *cvc5) reason() string {
	text := c.text("get_info", c.solver, c.l.str("reason-unknown"))
	return strings.Trim(strings.TrimSuffix(strings.TrimPrefix(text, "(:reason-unknown "), ")"), `"`)
}

func (c *cvc5) push(n int)       { c.c("push", c.solver, uintptr(n)) }
func (c *cvc5) pop(n int)        { c.c("pop", c.solver, uintptr(n)) }
func (c *cvc5) resetAssertions() { c.c("reset_assertions", c.solver) }

func (c *cvc5) valueText(s *session, _ smt.Term, r ref) string {
	if s.pick(2) == 1 {
		n := c.l.mem.words(1)
		p := c.c("get_values", c.solver, 1, c.l.refs([]ref{r}), n.addr())
		return c.text("term_to_string", wordsAt(p, 1)[0])
	}
	return c.text("term_to_string", c.c("get_value", c.solver, r))
}

func (c *cvc5) model(s *session) string {
	var consts []ref
	for _, f := range s.declared {
		consts = append(consts, s.symbol(f))
	}
	return c.text("get_model", c.solver, uintptr(len(c.userSorts)), c.l.refs(c.userSorts), uintptr(len(consts)), c.l.refs(consts))
}

func (c *cvc5) list(name string) []ref {
	n := c.l.mem.words(1)
	p := c.c(name, c.solver, n.addr())
	return wordsAt(p, int(n.at(0)))
}

func (c *cvc5) core(*session) []ref          { return c.list("get_unsat_core") }
func (c *cvc5) failed(*session, []ref) []ref { return c.list("get_unsat_assumptions") }

func (c *cvc5) texts(refs []ref) string {
	var parts []string
	for _, r := range refs {
		parts = append(parts, c.text("term_to_string", r))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (c *cvc5) ask(s *session, cmd *smtlib.Command) string {
	switch cmd.Kind {
	case smtlib.CmdGetAssertions:
		return c.texts(c.list("get_assertions"))
	case smtlib.CmdSimplify:
		return c.text("term_to_string", c.c("simplify", c.solver, s.term(cmd.Terms[0]), 0))
	case smtlib.CmdGetProof:
		n := c.l.mem.words(1)
		component := ref(4) // CVC5_PROOF_COMPONENT_FULL
		p := c.c("get_proof", c.solver, component, n.addr())
		if n.at(0) == 0 {
			return "()"
		}
		return c.text("proof_to_string", c.solver, wordsAt(p, 1)[0], 5, 0, 0, 0) // CVC5_PROOF_FORMAT_DEFAULT
	}
	switch cmd.Name {
	case "get-interpolant", "get-interpol", "get-abduct":
		s.last = smtlib.None // it leaves the mode in which there is a model, also when it finds nothing
	}
	switch cmd.Name {
	case "get-interpolant", "get-interpol":
		if r := c.c("get_interpolant", c.solver, c.conjecture(s, cmd)); r != 0 {
			return c.text("term_to_string", r)
		}
		return "none"
	case "get-abduct":
		if r := c.c("get_abduct", c.solver, c.conjecture(s, cmd)); r != 0 {
			return c.text("term_to_string", r)
		}
		return "none"
	case "get-learned-literals":
		n := c.l.mem.words(1)
		return c.texts(wordsAt(c.c("get_learned_literals", c.solver, 2, n.addr()), int(n.at(0))))
	case "get-difficulty":
		n, inputs, values := c.l.mem.words(1), c.l.mem.words(1), c.l.mem.words(1)
		c.c("get_difficulty", c.solver, n.addr(), inputs.addr(), values.addr())
		var parts []string
		hard := wordsAt(uintptr(values.at(0)), int(n.at(0)))
		for i, t := range wordsAt(uintptr(inputs.at(0)), int(n.at(0))) {
			parts = append(parts, c.texts([]ref{t, hard[i]}))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case "get-statistics":
		return c.text("stats_to_string", c.c("get_statistics", c.solver))
	}
	return c.base.ask(s, cmd)
}

// conjecture is the term of a command such as (get-abduct A t).
func (c *cvc5) conjecture(s *session, cmd *smtlib.Command) ref {
	if len(cmd.Terms) != 1 {
		panic(unsupported("%s wants one term", cmd.Name))
	}
	return s.term(cmd.Terms[0])
}
