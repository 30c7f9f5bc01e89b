package claim

import (
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// readCore reads the reply to get-unsat-core and get-unsat-assumptions after an unsat: the assertions and assumptions
// that it names are unsatisfiable, together with those that have no name.
func readCore(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 || !read[0].IsList() || q.answer != smtlib.Unsat {
		return nil
	}
	return q.coreOf(&read[0])
}

// readTimeoutCore reads the reply to cvc5's get-timeout-core: an answer to the assertions, and a core. After unsat, the
// core is unsatisfiable.
func readTimeoutCore(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 2 || !read[1].IsList() {
		return nil
	}
	switch answer, _ := smtlib.ParseAnswer(read[0].Atom); answer {
	case smtlib.Unsat:
		return q.coreOf(&read[1])
	case smtlib.Sat:
		return &Statement{Conditions: []Condition{
			q.condition("get-timeout-core answers sat, and the assertions are unsatisfiable", smtlib.Sat, q.asserted()),
		}}
	}
	return nil
}

// coreOf returns the statement that a core is made of assertions and is unsatisfiable.
func (q *question) coreOf(core *smtlib.SExpr) *Statement {
	a := q.script.Arena
	// Solvers find the constant false before they track dependencies, and leave it out of the core.
	if slices.Contains(q.Asserted, a.False()) {
		return nil
	}
	if q.command.Kind != smtlib.CmdGetUnsatAssumptions {
		named := q.named()
		for i := range core.List {
			e := &core.List[i]
			if named[e.Symbol()] != 0 || slices.ContainsFunc(q.Assumed, func(t smt.Term) bool { return smtlib.TermText(a, t) == e.String() }) {
				continue
			}
			if _, ok := q.readTerm(e); ok {
				return nil // cvc5's print-cores-full prints formulas in the place of names
			}
			return &Statement{Malformed: "the core names something that is not an assertion: " + e.String()}
		}
	}
	return &Statement{Conditions: []Condition{q.unsatisfiable("the core is satisfiable", q.ToldPart(q.script, core.List)...)}}
}

// named returns the assertions that have a name, by the name without bars.
func (q *question) named() map[string]smt.Term {
	byName := map[string]smt.Term{}
	a := q.script.Arena
	for _, t := range q.asserted() {
		if name, formula := a.NameOf(t); formula != 0 {
			byName[name] = t
		}
	}
	return byName
}

// readAssertions reads the reply to get-assertions: formulas that are together equivalent to all that is asserted.
// Assumptions of a check are not asserted.
func readAssertions(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 || !read[0].IsList() {
		return nil
	}
	a := q.script.Arena
	var listed []smt.Term
	for i := range read[0].List {
		t, ok := q.readTerm(&read[0].List[i])
		if !ok || a.Sort(t) != smt.SortBool {
			return nil
		}
		listed = append(listed, t)
	}
	asserted := q.asserted()
	return &Statement{Conditions: []Condition{
		q.follows("get-assertions lists a formula that does not follow from the assertions", asserted, a.And(listed...)),
		q.follows("an assertion does not follow from those that get-assertions lists", listed, a.And(asserted...)),
	}}
}

// readDifficulty reads the reply to cvc5's get-difficulty: assertions, each with a number.
func readDifficulty(q *question) *Statement {
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) != 1 || !read[0].IsList() || q.Check < 0 {
		return nil
	}
	var told []smt.Term
	for i := range read[0].List {
		pair := read[0].List[i].List
		if len(pair) != 2 {
			return nil
		}
		if n, err := strconv.Atoi(pair[1].Atom); err != nil || n < 0 {
			return &Statement{Malformed: "get-difficulty gives a difficulty that is not a natural number: " + pair[1].String()}
		}
		if t, ok := q.readTerm(&pair[0]); ok && q.script.Arena.Sort(t) == smt.SortBool {
			told = append(told, t)
		}
	}
	s := &Statement{}
	if t := q.foreign(told); t != 0 {
		s.Malformed = "get-difficulty tells of a formula that no assertion implies: " + smtlib.TermText(q.script.Arena, t)
	}
	return s
}

// maxAssertions bounds the assertions with which a formula is compared: a search for each takes up to 60 ms.
const maxAssertions = 32

// foreign returns the first of some formulas that no assertion implies: for each assertion, an assignment makes it true
// and the formula false. It is 0 if there is none.
func (q *question) foreign(formulas []smt.Term) smt.Term {
	asserted, a := distinct(q.Asserted), q.script.Arena
	if len(asserted) == 0 || len(asserted) > maxAssertions {
		return 0
	}
	for _, t := range distinct(formulas) {
		implies := func(x smt.Term) bool {
			if plainOf(a, x) == plainOf(a, t) {
				return true
			}
			k := q.follows("", []smt.Term{x}, t)
			return k.ownModel() == nil
		}
		if t != 0 && t != a.True() && !slices.ContainsFunc(asserted, implies) {
			return t
		}
	}
	return 0
}

// distinct returns terms in their order in the arena, each once.
func distinct(ts []smt.Term) []smt.Term {
	sorted := slices.Clone(ts)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// plainOf returns a term without the annotations at its root.
func plainOf(a *smt.Arena, t smt.Term) smt.Term {
	for a.Op(t) == smt.OpAnnot {
		t = a.Arg(t, 0)
	}
	return t
}
