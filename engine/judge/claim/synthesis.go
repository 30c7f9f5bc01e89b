package claim

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// SolutionInfo is the name of the set-info command in which a SyGuS case tells a solution: definitions, as the reply to
// check-synth has them.
const SolutionInfo = ":solution"

// synthesis is a problem in SyGuS-IF 2: functions to find such that constraints hold for all values of variables.
type synthesis struct {
	before      strings.Builder // declarations and definitions before the first function to find, as SMT-LIB text
	after       strings.Builder // those behind it
	functions   []smtlib.SExpr  // (synth-fun NAME ((VARIABLE SORT)...) SORT GRAMMAR...)
	constraints []string
	assumptions []string
}

// readSynthesis reads the reply to check-synth: the functions satisfy the constraints, and are in their grammars. After
// infeasible, the case must not tell a solution.
func readSynthesis(q *question) *Statement {
	problem, solution := readSynthesisProblem(q)
	reply, err := smtlib.ParseSExprs(q.reply)
	if problem == nil || err != nil || len(reply) != 1 {
		return nil
	}
	if reply[0].Atom == "infeasible" && solution != "" {
		known, err := smtlib.ParseSExprs(solution)
		if err != nil {
			return nil
		}
		return problem.statement(known, smtlib.Sat, "check-synth answers infeasible, and the case tells a solution")
	}
	if !reply[0].IsList() || len(reply[0].List) == 0 {
		return nil
	}
	s := problem.statement(reply[0].List, smtlib.Unsat, "the functions that check-synth gives do not satisfy the constraints")
	if s == nil {
		return nil
	}
	for i := range problem.functions {
		name := problem.functions[i].List[1].Atom
		switch definition := definitionOf(reply[0].List, name); {
		case definition == nil:
			s.Malformed = "check-synth gives no function " + name
		case !isInGrammar(&problem.functions[i], definition):
			s.Malformed = "a function that check-synth gives is not in its grammar: " + name
		}
	}
	return s
}

// readSynthesisProblem reads the commands before a check-synth; nil if it knows one of them not. The solution is that of
// SolutionInfo.
func readSynthesisProblem(q *question) (p *synthesis, solution string) {
	p = &synthesis{}
	for i := range q.Command {
		c := &q.script.Commands[i]
		switch {
		case c.Kind == smtlib.CmdSetInfo && c.Name == SolutionInfo:
			solution = strings.Trim(c.Text, "|")
			continue
		case c.Kind == smtlib.CmdSetLogic || c.Kind == smtlib.CmdSetInfo || c.Kind == smtlib.CmdSetOption:
			continue
		case c.Kind.IsDeclaration():
			p.declare(q.script.CommandText(i))
			continue
		}
		read, err := smtlib.ParseSExprs(q.script.CommandText(i))
		if err != nil || len(read) != 1 || len(read[0].List) < 2 {
			return nil, ""
		}
		e := &read[0]
		switch e.Head() {
		case "declare-var":
			p.declare("(declare-const" + strings.TrimPrefix(e.String(), "(declare-var"))
		case "synth-fun":
			if len(e.List) < 4 {
				return nil, ""
			}
			p.functions = append(p.functions, *e)
		case "constraint":
			p.constraints = append(p.constraints, e.List[1].String())
		case "assume":
			p.assumptions = append(p.assumptions, e.List[1].String())
		default:
			return nil, ""
		}
	}
	if len(p.functions) == 0 {
		return nil, ""
	}
	return p, solution
}

func (p *synthesis) declare(text string) {
	if len(p.functions) == 0 {
		p.before.WriteString(text + "\n")
	} else {
		p.after.WriteString(text + "\n")
	}
}

// statement returns the statement about the question whether the constraints can fail when the functions have some
// definitions; nil if the definitions cannot be read.
func (p *synthesis) statement(definitions []smtlib.SExpr, want smtlib.Answer, wrong string) *Statement {
	var text strings.Builder
	text.WriteString("(set-logic ALL)\n" + p.before.String())
	for i := range definitions {
		if head := definitions[i].Head(); head != "define-fun" && head != "define-fun-rec" {
			return nil
		}
		text.WriteString(definitions[i].String() + "\n")
	}
	text.WriteString(p.after.String())
	for _, a := range p.assumptions {
		text.WriteString("(assert " + a + ")\n")
	}
	text.WriteString("(assert (not (and true " + strings.Join(p.constraints, " ") + ")))\n(check-sat)\n")
	script, err := smtlib.Parse("synthesis", []byte(text.String()), smt.NewArena())
	if err != nil || len(script.Notes) > 0 {
		return nil
	}
	return &Statement{Conditions: []Condition{{Wrong: wrong, Claim: Claim{Script: script, Want: want}}}}
}

// definitionOf returns the definition of a function in a list of definitions; nil if there is none.
func definitionOf(definitions []smtlib.SExpr, name string) *smtlib.SExpr {
	for i := range definitions {
		if d := &definitions[i]; len(d.List) == 5 && d.List[1].Atom == name {
			return d
		}
	}
	return nil
}

// grammar is that of a function to find.
type grammar struct {
	productions map[string][]smtlib.SExpr // by nonterminal
	variables   map[string]bool
	known       map[derivation]bool
}

// derivation asks whether a nonterminal derives an expression.
type derivation struct {
	nonterminal string
	expression  *smtlib.SExpr
}

// isInGrammar reports whether the body of a definition is a word of the grammar of a function to find. A function
// without a grammar, and a body with a let, may be anything.
func isInGrammar(function, definition *smtlib.SExpr) bool {
	body := &definition.List[4]
	if len(function.List) < 6 || len(function.List[5].List) == 0 || strings.Contains(body.String(), "(let ") {
		return true
	}
	g := &grammar{map[string][]smtlib.SExpr{}, map[string]bool{}, map[derivation]bool{}}
	for i := range definition.List[2].List {
		if pair := definition.List[2].List[i].List; len(pair) == 2 {
			g.variables[pair[0].Atom] = true
		}
	}
	rules := function.List[5].List
	for i := range rules {
		if len(rules[i].List) != 3 {
			return true
		}
		g.productions[rules[i].List[0].Atom] = rules[i].List[2].List
	}
	return g.derives(rules[0].List[0].Atom, body)
}

func (g *grammar) derives(nonterminal string, e *smtlib.SExpr) bool {
	d := derivation{nonterminal, e}
	if derived, seen := g.known[d]; seen {
		return derived
	}
	g.known[d] = false // while it is looked for: a nonterminal that produces itself adds nothing
	for i := range g.productions[nonterminal] {
		if g.matches(&g.productions[nonterminal][i], e) {
			g.known[d] = true
			return true
		}
	}
	return false
}

// matches reports whether a production derives an expression.
func (g *grammar) matches(production, e *smtlib.SExpr) bool {
	switch {
	case !production.IsList() && g.productions[production.Atom] != nil:
		return g.derives(production.Atom, e)
	case production.Head() == "Constant":
		return isConstant(e)
	case production.Head() == "Variable":
		return g.variables[e.Atom]
	case isConstant(production) && isConstant(e):
		return isSameConstant(production, e)
	case !production.IsList():
		return production.Atom == e.Atom
	case !e.IsList() || len(e.List) != len(production.List):
		return production.String() == e.String()
	}
	for i := range production.List {
		if !g.matches(&production.List[i], &e.List[i]) {
			return false
		}
	}
	return true
}

// isSameConstant reports whether two literals have one value: solvers print #x0f as #b00001111, and 2 as 2.0. Literals
// of two sorts may be the same.
func isSameConstant(x, y *smtlib.SExpr) bool {
	a := smt.NewArena()
	t, err1 := smtlib.ParseTerm(a, nil, x.String())
	u, err2 := smtlib.ParseTerm(a, nil, y.String())
	if err1 != nil || err2 != nil || a.Sort(t) != a.Sort(u) {
		return true
	}
	same, known := eval.New(a, model.New(a)).Holds(a.Eq(t, u))
	return same || !known
}

// isConstant reports whether an expression is a literal, or made of literals, such as (- 1).
func isConstant(e *smtlib.SExpr) bool {
	if !e.IsList() {
		return e.Symbol() == "" || e.Atom == "true" || e.Atom == "false"
	}
	for i := 1; i < len(e.List); i++ {
		if !isConstant(&e.List[i]) {
			return false
		}
	}
	return true
}
