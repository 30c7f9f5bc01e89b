package rewrite

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// fact is the value of a term wherever the assertions hold.
type fact struct{ term, value smt.Term }

// context are the facts of the assertions at a place of a script.
type context struct {
	a      *smt.Arena
	facts  []fact
	levels []int // by level: how many facts there were when it was pushed
}

// ScriptInContext is Script, but also simplifies each assertion by the ones before it: an asserted formula is true
// there, its negation false, and a constant asserted equal to a literal is replaced by it. Conditions of laws may
// follow from these facts. Every check sees assertions that have the same models as before, though single ones differ.
// Where a script asks for a core or a proof, or has commands that are not known, the result is that of Script: such
// commands distinguish single assertions. Assertions with names stay so, too.
func (s *Simplifier) ScriptInContext(script *smtlib.Script) *smtlib.Script {
	script = s.Script(script)
	if slices.ContainsFunc(script.Commands, func(c smtlib.Command) bool {
		return c.Kind == smtlib.CmdGetUnsatCore || c.Kind == smtlib.CmdGetUnsatAssumptions || c.Kind == smtlib.CmdGetProof || c.Kind == smtlib.CmdOther
	}) {
		return script
	}
	// Facts come and go, and the simplified terms change with them, so this needs a simplifier that forgets cheaply.
	in := New(s.a, s.rules)
	in.brief = true
	copy(in.off, s.off)
	at := context{a: s.a}
	commands := slices.Clone(script.Commands)
	var before, after []smt.Term
	for i := range commands {
		c := &commands[i]
		switch {
		case c.Kind == smtlib.CmdPush, c.Kind == smtlib.CmdPop, c.Kind == smtlib.CmdReset, c.Kind == smtlib.CmdResetAssertions:
			at.leave(c)
		case c.Kind == smtlib.CmdAssert:
			t := c.Terms[0]
			if len(c.Named) == 0 && len(at.facts) > 0 {
				in.suppose(at.facts)
				if to := in.Term(t); to != t {
					before, after = append(before, t), append(after, to)
					*c = smtlib.Command{Kind: smtlib.CmdAssert, Pos: c.Pos, Terms: []smt.Term{to}}
					t = to
				}
			}
			at.assert(t)
		}
	}
	s.count(in)
	if len(after) == 0 {
		return script
	}
	to := script.WithCommands(commands)
	if name := logic.Fit(script.Logic(), logic.OfTerms(s.a, after)&^logic.OfTerms(s.a, before)); name != script.Logic() {
		return to.WithLogic(name)
	}
	return to
}

// count adds the counts of another simplifier.
func (s *Simplifier) count(other *Simplifier) {
	s.visited += other.visited
	s.noteError(other.failed)
	for x := other; x != nil; x = x.conditions {
		s.folded += x.folded
		for i, n := range x.applied {
			s.applied[i] += n
		}
	}
}

// suppose gives terms the values that facts state, until everything is forgotten.
func (s *Simplifier) suppose(facts []fact) {
	s.follow()
	s.Forget()
	for _, x := range []*Simplifier{s, s.conditional()} {
		for _, f := range facts {
			x.run(f.value) // the known facts about the literal itself
			if x.image[f.term] == 0 {
				x.remember(f.term, f.value)
			}
		}
	}
}

// leave updates the levels after a command.
func (c *context) leave(by *smtlib.Command) {
	switch {
	case by.Kind == smtlib.CmdPush:
		for range by.N {
			c.levels = append(c.levels, len(c.facts))
		}
	case by.Kind != smtlib.CmdPop:
		c.facts, c.levels = c.facts[:0], c.levels[:0]
	case by.N > 0 && by.N <= len(c.levels):
		k := len(c.levels) - by.N
		c.facts, c.levels = c.facts[:c.levels[k]], c.levels[:k]
	}
}

// maxFacts bounds the facts of a script: each assertion is looked at with all of them.
const maxFacts = 1 << 10

// assert notes the facts of an assertion.
func (c *context) assert(t smt.Term) {
	todo := []fact{{t, c.a.True()}}
	for len(todo) > 0 && len(c.facts) < maxFacts {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		op, args := c.a.Look(f.term)
		holds := f.value == c.a.True()
		switch {
		case f.term == c.a.True() || f.term == c.a.False():
		case op == smt.OpNot:
			todo = append(todo, fact{args[0], c.negated(holds)})
		case op == smt.OpAnd && holds, op == smt.OpOr && !holds:
			for _, x := range slices.Backward(args) {
				todo = append(todo, fact{x, f.value})
			}
		case op == smt.OpIte && args[1] == c.negated(holds): // laws make such terms of conjunctions
			todo = append(todo, fact{args[2], f.value}, fact{args[0], c.a.False()})
		case op == smt.OpIte && args[2] == c.negated(holds):
			todo = append(todo, fact{args[1], f.value}, fact{args[0], c.a.True()})
		default:
			c.note(f.term, holds)
		}
	}
}

// negated returns the literal of the negation of holds.
func (c *context) negated(holds bool) smt.Term {
	if holds {
		return c.a.False()
	}
	return c.a.True()
}

// note adds the facts of a formula that is not a connective: the formula itself and, if it relates two terms, its
// consequences for other relations of the same terms.
func (c *context) note(t smt.Term, holds bool) {
	add := func(x smt.Term, holds bool) { c.facts = append(c.facts, fact{x, c.negated(!holds)}) }
	add(t, holds)
	op, args := c.a.Look(t)
	if len(args) != 2 {
		return
	}
	x, y := args[0], args[1]
	is := func(op smt.Op, x, y smt.Term, holds bool) {
		if t, err := c.a.App(op, nil, x, y); err == nil { // sorts that differ, as z3 takes them, need not do in the other order
			add(t, holds)
		}
	}
	switch {
	case op == smt.OpEq:
		is(smt.OpEq, y, x, holds)
		if holds {
			c.equate(x, y)
			c.equate(y, x)
		}
	case op == smt.OpLt && holds, op == smt.OpLe && !holds: // not (<= x y) is (< y x)
		if !holds {
			x, y = y, x
		}
		is(smt.OpLt, x, y, true)
		is(smt.OpLe, x, y, true)
		is(smt.OpLt, y, x, false)
		is(smt.OpLe, y, x, false)
		is(smt.OpEq, x, y, false)
		is(smt.OpEq, y, x, false)
	case op == smt.OpLe, op == smt.OpLt: // not (< x y) is (<= y x)
		if !holds {
			x, y = y, x
		}
		is(smt.OpLe, x, y, true)
		is(smt.OpLt, y, x, false)
	}
}

// equate notes that a constant equals a literal.
func (c *context) equate(x, literal smt.Term) {
	if c.a.Op(x) == smt.OpApply && c.a.NumArgs(x) == 0 && c.a.SymbolInfo(c.a.SymbolOf(x)).Kind == smt.SymDeclared &&
		c.a.IsLiteral(literal) && c.a.Sort(x) == c.a.Sort(literal) {
		c.facts = append(c.facts, fact{x, literal})
	}
}
