package claim

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// readTerm reads a term of a reply with the names of the script. It refuses terms with functions that nobody declared.
func (q *question) readTerm(e *smtlib.SExpr) (smt.Term, bool) {
	a := q.script.Arena
	t, err := smtlib.ParseTerm(a, q.script, e.String())
	if err != nil {
		return 0, false
	}
	return t, isKnown(a, t)
}

// isKnown reports whether all functions in a term are declared.
func isKnown(a *smt.Arena, t smt.Term) (known bool) {
	known = true
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		known = known && a.Op(x) != smt.OpOpaque && a.Sort(x) != smt.SortUnknown
	})
	return known
}

// readFormula reads the reply as a formula: a term, or the body of the definition of a constant, which is how programs
// of cvc5 print it.
func (q *question) readFormula() (smt.Term, bool) {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 {
		return 0, false
	}
	e := &read[0]
	if e.Head() == smtlib.CmdDefineFun.String() {
		if len(e.List) != 5 || len(e.List[2].List) > 0 {
			return 0, false
		}
		e = &e.List[4]
	}
	t, ok := q.readTerm(e)
	return t, ok && q.script.Arena.Sort(t) == smt.SortBool
}

// goal returns the term of a command that has one, or that of the command that it continues: get-abduct-next has the
// goal of the get-abduct before it. The number of the command is -1 if there is none.
func (q *question) goal() (command int, t smt.Term) {
	base := strings.TrimSuffix(q.command.Name, "-next")
	for i := q.Command; i >= 0; i-- {
		if c := &q.script.Commands[i]; c.Kind == smtlib.CmdOther && c.Name == base {
			if len(c.Terms) == 1 {
				return i, c.Terms[0]
			}
			break
		}
	}
	return -1, 0
}

// readInterpolant reads the reply to cvc5's (get-interpolant I B): the assertions imply I, and I implies B. All its
// symbols occur in the assertions and in B.
func readInterpolant(q *question) *Statement {
	command, goal := q.goal()
	interpolant, ok := q.readFormula()
	if goal == 0 || !ok {
		return nil
	}
	asserted := q.asserted()
	s := &Statement{Conditions: []Condition{
		q.follows("the interpolant does not follow from the assertions", asserted, interpolant),
		q.follows("the goal does not follow from the interpolant", []smt.Term{interpolant}, goal),
	}}
	if !hasGrammar(q.script, command) {
		s.Malformed = notShared(q.script.Arena, interpolant, asserted, []smt.Term{goal})
	}
	return s
}

// hasGrammar reports whether a command has a grammar behind its term. A formula of a grammar may use any symbol.
func hasGrammar(s *smtlib.Script, command int) bool {
	read, err := smtlib.ParseSExprs(s.CommandText(command))
	return err != nil || len(read) != 1 || len(read[0].List) > 3
}

// notShared describes the first declared symbol of an interpolant that does not occur on both sides; "" if all do.
func notShared(a *smt.Arena, interpolant smt.Term, left, right []smt.Term) string {
	of := func(ts []smt.Term) map[smt.Symbol]bool {
		symbols := map[smt.Symbol]bool{}
		addDeclared(a, ts, symbols)
		return symbols
	}
	inLeft, inRight := of(left), of(right)
	used := of([]smt.Term{interpolant})
	var foreign []string
	for f := range used {
		if !inLeft[f] || !inRight[f] {
			foreign = append(foreign, a.SymbolName(f))
		}
	}
	if len(foreign) == 0 {
		return ""
	}
	slices.Sort(foreign)
	return "the interpolant has a symbol that the two sides do not share: " + foreign[0]
}

// addDeclared adds the declared symbols of terms, and those of the bodies of defined ones.
func addDeclared(a *smt.Arena, ts []smt.Term, symbols map[smt.Symbol]bool) {
	seen := map[smt.Symbol]bool{}
	for todo := slices.Clone(ts); len(todo) > 0; {
		t := todo[0]
		todo = todo[1:]
		for _, f := range a.Symbols(t) {
			info := a.SymbolInfo(f)
			switch {
			case seen[f]:
			case info.Body != 0:
				todo = append(todo, info.Body)
			case info.Kind == smt.SymDeclared:
				symbols[f] = true
			}
			seen[f] = true
		}
	}
}

// readAbduct reads the reply to (get-abduct A goal): A is consistent with the assertions, and with them implies the
// goal.
func readAbduct(q *question) *Statement {
	_, goal := q.goal()
	abduct, ok := q.readFormula()
	if goal == 0 || !ok {
		return nil
	}
	with := append(slices.Clone(q.asserted()), abduct)
	return &Statement{Conditions: []Condition{
		q.follows("the goal does not follow from the abduct and the assertions", with, goal),
		q.condition("the abduct contradicts the assertions", smtlib.Sat, with),
	}}
}

// readElimination reads the reply to (get-qe F) and (get-qe-disjunct F). Under the assertions, the first is equivalent
// to F. The second implies F where F is existential, and is implied by it where F is universal.
func readElimination(q *question) *Statement {
	reply, ok := q.readFormula()
	if !ok || len(q.command.Terms) != 1 {
		return nil
	}
	a, asserted, formula := q.script.Arena, q.asserted(), q.command.Terms[0]
	if q.command.Name == "get-qe-disjunct" {
		switch a.Op(formula) {
		case smt.OpExists:
			return &Statement{Conditions: []Condition{q.follows("the disjunct does not imply the quantified formula",
				append(slices.Clone(asserted), reply), formula)}}
		case smt.OpForall:
			return &Statement{Conditions: []Condition{q.follows("the conjunct is not implied by the quantified formula",
				append(slices.Clone(asserted), formula), reply)}}
		}
		return nil
	}
	// A quantifier may be left: cvc5 promises none only for linear arithmetic and bit vectors.
	return &Statement{Conditions: []Condition{q.follows("the formula without quantifiers is not equivalent to the quantified one",
		asserted, a.Eq(reply, formula))}}
}

// hasQuantifier reports whether a quantifier occurs in terms.
func hasQuantifier(a *smt.Arena, ts ...smt.Term) (quantified bool) {
	a.PostOrder(ts, func(t smt.Term) {
		quantified = quantified || a.Op(t) == smt.OpExists || a.Op(t) == smt.OpForall
	})
	return quantified
}

// readLearnedLiterals reads the reply to cvc5's get-learned-literals: each literal follows from the assertions.
func readLearnedLiterals(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 || !read[0].IsList() || q.answer == smtlib.Unsat || q.Check < 0 {
		return nil
	}
	return q.allFollow("a learned literal does not follow from the assertions", read[0].List, q.Asserted)
}

// allFollow returns the statement that each of some formulas follows from others. Formulas with symbols of the solver's
// own are left out.
func (q *question) allFollow(wrong string, formulas []smtlib.SExpr, from []smt.Term) *Statement {
	s := &Statement{}
	for i := range formulas {
		if t, ok := q.readTerm(&formulas[i]); ok && q.script.Arena.Sort(t) == smt.SortBool {
			s.Conditions = append(s.Conditions, q.follows(wrong, from, t))
		}
	}
	return s
}

// readConsequences reads the reply to z3's (get-consequences (ASSUMPTION...) (TERM...)): an answer to the assertions
// with the assumptions, and implications that follow from the assertions, as a list or one after the other.
func readConsequences(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) == 0 {
		return nil
	}
	first, _, _ := strings.Cut(q.command.Text, ") (")
	assumptions := q.command.Terms[:min(len(q.command.Terms), strings.Count(first, smtlib.Hole))]
	switch answer, _ := smtlib.ParseAnswer(read[0].Atom); answer {
	case smtlib.Unsat:
		all := append(slices.Clone(q.asserted()), assumptions...)
		return &Statement{Conditions: []Condition{q.unsatisfiable("get-consequences answers unsat, and the assertions and assumptions are satisfiable", all...)}}
	case smtlib.Sat:
		formulas := read[1:]
		if len(formulas) == 1 && (len(formulas[0].List) == 0 || formulas[0].List[0].IsList()) {
			formulas = formulas[0].List
		}
		return q.allFollow("a consequence does not follow from the assertions", formulas, q.asserted())
	}
	return nil
}

// readSimplification reads the reply to (simplify t): the reply equals t in every model of the assertions (cvc5), or in
// every model (z3), which is the stronger one.
func readSimplification(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 || len(q.command.Terms) != 1 {
		return nil
	}
	a, t := q.script.Arena, q.command.Terms[0]
	reply, ok := q.readTerm(&read[0])
	if !ok || a.Sort(reply) != a.Sort(t) {
		return nil
	}
	same, err := a.App(smt.OpEq, nil, reply, t)
	if err != nil {
		return nil
	}
	return &Statement{Conditions: []Condition{q.follows("the simplified term has another value than the term", q.asserted(), same)}}
}

// equivalentTactics are tactics of z3 whose goals are equivalent to the assertions. Other tactics may introduce symbols
// or eliminate them.
var equivalentTactics = []string{
	"skip", "simplify", "ctx-simplify", "ctx-solver-simplify", "qe", "qe-light", "elim-and", "propagate-bv-bounds",
	"unit-subsume-simplify", "dom-simplify", "blast-term-ite", "cofactor-term-ite", "split-clause", "aig",
	"distribute-forall", "der",
}

// eliminatingTactics are tactics of z3 that may eliminate symbols, or decide the goal (qe2 leaves nothing of a
// satisfiable one without quantifiers): the assertions imply the disjunction of their goals.
var eliminatingTactics = []string{"qe2", "solve-eqs", "propagate-values", "elim-uncnstr", "propagate-ineqs"}

// readGoals reads the reply to z3's (apply TACTIC) for tactics whose goals have a known relation to the assertions.
func readGoals(q *question) *Statement {
	command, err := smtlib.ParseSExprs(q.command.Text)
	if err != nil || len(command) != 1 || len(command[0].List) < 2 {
		return nil
	}
	equivalent, known := relationOf(&command[0].List[1])
	goals, ok := q.readGoalList()
	if !known || !ok {
		return nil
	}
	a, asserted := q.script.Arena, q.asserted()
	any := a.False()
	if len(goals) > 0 {
		any = a.Or(goals...)
	}
	s := &Statement{Conditions: []Condition{q.follows("the goals of the tactic do not follow from the assertions", asserted, any)}}
	if equivalent {
		s.Conditions = append(s.Conditions, q.follows("the assertions do not follow from the goals of the tactic", []smt.Term{any}, a.And(asserted...)))
	}
	return s
}

// relationOf returns whether the goals of a tactic are equivalent to the assertions; known is false if nothing is known.
func relationOf(tactic *smtlib.SExpr) (equivalent, known bool) {
	switch {
	case !tactic.IsList():
		equivalent = slices.Contains(equivalentTactics, tactic.Atom)
		return equivalent, equivalent || slices.Contains(eliminatingTactics, tactic.Atom)
	case tactic.Head() == "then" || tactic.Head() == "and-then" || tactic.Head() == "or-else":
		equivalent = true
		for i := 1; i < len(tactic.List); i++ {
			each, known := relationOf(&tactic.List[i])
			if !known {
				return false, false
			}
			equivalent = equivalent && each
		}
		return equivalent, true
	}
	return false, false
}

// readGoalList reads (goals (goal FORMULA... :precision precise :depth N)...), each goal as a conjunction.
func (q *question) readGoalList() (goals []smt.Term, ok bool) {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 || read[0].Head() != "goals" {
		return nil, false
	}
	a := q.script.Arena
	for _, goal := range read[0].List[1:] {
		if goal.Head() != "goal" {
			return nil, false
		}
		formulas := []smt.Term{a.True()}
		for k := 1; k < len(goal.List); k++ {
			if word := goal.List[k].Atom; word == ":precision" {
				if k+1 == len(goal.List) || goal.List[k+1].Atom != "precise" {
					return nil, false
				}
				break
			}
			t, ok := q.readTerm(&goal.List[k])
			if !ok || a.Sort(t) != smt.SortBool {
				return nil, false // it has a symbol of the solver's own
			}
			formulas = append(formulas, t)
		}
		goals = append(goals, a.And(formulas...))
	}
	return goals, true
}
