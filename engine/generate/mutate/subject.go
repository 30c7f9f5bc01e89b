package mutate

import (
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// Subject is a script prepared for many mutations: it knows where terms occur and what can replace them. It belongs to
// the arena of the script and is valid as long as the terms that were there when it was made.
type Subject struct {
	a     *smt.Arena
	base  *smtlib.Script
	cmds  []smtlib.Command
	roots []root     // the mutated terms: first assertions, then bodies of definitions
	terms []smt.Term // by root
	nodes []smt.Term // every term below them, arguments first; patterns are not looked into
	first []int32    // the uses of nodes[i] are uses[first[i]:first[i+1]]
	uses  []use

	open    map[smt.Term][]smt.Term // free variables of nodes that have any
	rank    map[smt.Term]int32      // the last definition on which nodes depend
	defined map[smt.Symbol]int32    // the rank of definitions

	heads   headChanges // for MutateOperators
	shifts  []int32     // nodes that are formulas, for Shift
	supply  *supply     // for Generate
	steps   *rewrite.Stepper
	stepsBy *rewrite.Rules    // of steps
	has     map[smt.Term]bool // nodes; for steps
	logic   string
	own     logic.Features // features that its operators need, whether its logic allows them or not
}

// use is one occurrence of a node: argument arg of another node, or the whole of an assertion (parent < 0).
type use struct{ parent, arg int32 }

// NewSubject prepares a script. It drops commands that a mutant does not need: set-info about the seed, and commands
// that only print. Names that annotations give to terms are replaced by the terms. Declarations move before the first
// assertion, definitions last among them, so that every term can be used anywhere. If that is impossible, only the
// assertions of the last check-sat remain, and definitions are not mutated.
func NewSubject(s *smtlib.Script) (*Subject, error) {
	x := &Subject{a: s.Arena, base: s, open: map[smt.Term][]smt.Term{}, logic: s.Logic()}
	var ok bool
	if x.cmds, ok = hoistDeclarations(s.Arena, stripQueries(s)); !ok {
		x.cmds, ok = hoistDeclarations(s.Arena, stripQueries(scope.WithAsserts(s, s.Asserts())))
	}
	if err := x.stripNames(ok); err != nil {
		return nil, err
	}
	for i := range x.cmds {
		if c := &x.cmds[i]; c.Kind == smtlib.CmdAssert {
			x.roots = append(x.roots, root{cmd: i})
			x.terms = append(x.terms, c.Terms[0])
		}
	}
	if ok {
		x.cmds = definitionsLast(x.cmds)
		x.renumberAssertions()
		x.addUsedDefinitions()
	}
	x.indexNodes()
	for _, t := range x.nodes {
		x.own |= logic.OfOperator(x.a, t)
	}
	smtlib.Remember(x.a, x.cmds)
	return x, nil
}

// renumberAssertions notes where assertions are after commands were moved.
func (x *Subject) renumberAssertions() {
	n := 0
	for i := range x.cmds {
		if x.cmds[i].Kind == smtlib.CmdAssert {
			x.roots[n].cmd = i
			n++
		}
	}
}

// stripNames replaces names of terms by the terms, in the assertions and, if definitions is set, in definitions.
func (x *Subject) stripNames(definitions bool) error {
	a := x.a
	var terms []smt.Term
	var of []smt.Symbol // the function whose body it is; 0 for an assertion
	for i := range x.cmds {
		c := &x.cmds[i]
		switch {
		case c.Kind == smtlib.CmdAssert:
			terms, of = append(terms, c.Terms[0]), append(of, 0)
		case definitions && definesFunctions(c):
			for _, f := range c.Symbols {
				if body := a.SymbolInfo(f).Body; body != 0 {
					terms, of = append(terms, body), append(of, f)
				}
			}
		}
	}
	plain, err := scope.StripNames(a, terms)
	if err != nil {
		return err
	}
	bodies := map[smt.Symbol]smt.Term{}
	for k, f := range of {
		if f != 0 && plain[k] != terms[k] {
			bodies[f] = plain[k]
		}
	}
	n := 0
	for k, f := range of {
		if f != 0 {
			continue
		}
		for x.cmds[n].Kind != smtlib.CmdAssert {
			n++
		}
		x.cmds[n] = smtlib.AssertCommand(plain[k])
		n++
	}
	// A changed definition is another function, so its callers have to call the new one.
	if len(bodies) > 0 {
		x.cmds, err = redefineFunctions(a, x.cmds, bodies)
	}
	return err
}

// stripQueries returns the commands of a script that count for a mutant.
func stripQueries(s *smtlib.Script) []smtlib.Command {
	out := make([]smtlib.Command, 0, len(s.Commands))
	for _, c := range s.Commands {
		switch c.Kind {
		case smtlib.CmdSetInfo, smtlib.CmdGetModel, smtlib.CmdGetValue, smtlib.CmdGetUnsatCore, smtlib.CmdGetUnsatAssumptions,
			smtlib.CmdGetProof, smtlib.CmdGetAssertions, smtlib.CmdGetAssignment, smtlib.CmdGetInfo, smtlib.CmdGetOption,
			smtlib.CmdEcho, smtlib.CmdSimplify, smtlib.CmdExit:
		default:
			out = append(out, c)
		}
	}
	return out
}

// hoistDeclarations moves declarations before the first command that asserts, pushes or checks. It reports whether that
// keeps the meaning: not where a name is declared twice, or a reset takes declarations away.
func hoistDeclarations(a *smt.Arena, cmds []smtlib.Command) ([]smtlib.Command, bool) {
	at, late := len(cmds), false
	names := map[string]bool{}
	for i := range cmds {
		c := &cmds[i]
		switch {
		case c.Kind == smtlib.CmdReset || c.Kind == smtlib.CmdResetAssertions:
			return cmds, false
		case c.Kind.IsDeclaration():
			late = late || i > at
			for _, name := range declaredNames(a, c) {
				if names[name] {
					return cmds, false
				}
				names[name] = true
			}
		case c.Kind == smtlib.CmdAssert || c.Kind == smtlib.CmdPush || c.Kind.IsCheck():
			at = min(at, i)
		}
	}
	if !late {
		return cmds, true
	}
	out := append(make([]smtlib.Command, 0, len(cmds)), cmds[:at]...)
	for _, c := range cmds[at:] {
		if c.Kind.IsDeclaration() {
			out = append(out, c)
		}
	}
	for _, c := range cmds[at:] {
		if !c.Kind.IsDeclaration() {
			out = append(out, c)
		}
	}
	return out, true
}

// declaredNames returns the names that a command declares, sorts apart from functions.
func declaredNames(a *smt.Arena, c *smtlib.Command) []string {
	out := make([]string, 0, len(c.Symbols)+len(c.Sorts)+1)
	for _, f := range c.Symbols {
		out = append(out, a.SymbolName(f))
	}
	for _, s := range c.Sorts {
		name, _ := a.SortSymbolName(s)
		out = append(out, "sort "+name)
	}
	if len(out) == 0 {
		out = append(out, "sort "+c.Name)
	}
	return out
}

// indexNodes lists nodes and uses.
func (x *Subject) indexNodes() {
	a := x.a
	number := make([]int32, a.Len())
	type edge struct{ child, parent, arg int32 }
	var edges []edge
	type frame struct {
		t    smt.Term
		next int
	}
	var stack []frame
	seen := a.Stamps()
	defer seen.Free()
	visit := func(root smt.Term) {
		if !seen.Add(root) {
			return
		}
		stack = append(stack[:0], frame{root, firstSpot(a, root)})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next < spotEnd(a, f.t) {
				c := a.Arg(f.t, f.next)
				f.next++
				if seen.Add(c) {
					stack = append(stack, frame{c, firstSpot(a, c)})
				}
				continue
			}
			t := f.t
			stack = stack[:len(stack)-1]
			number[t] = int32(len(x.nodes))
			for i := firstSpot(a, t); i < spotEnd(a, t); i++ {
				edges = append(edges, edge{number[a.Arg(t, i)], number[t], int32(i)})
			}
			x.nodes = append(x.nodes, t)
			x.noteOpen(t)
			x.noteRank(t)
		}
	}
	for i, r := range x.terms {
		visit(r)
		edges = append(edges, edge{number[r], -1 - int32(i), 0})
	}
	x.first = make([]int32, len(x.nodes)+1)
	for _, e := range edges {
		x.first[e.child+1]++
	}
	for i := range x.nodes {
		x.first[i+1] += x.first[i]
	}
	x.uses = make([]use, len(edges))
	// Counted, then filled in: one slice for the uses of all nodes, in the place of a slice each.
	fill := append([]int32(nil), x.first...)
	for _, e := range edges {
		x.uses[fill[e.child]] = use{e.parent, e.arg}
		fill[e.child]++
	}
}

// firstSpot and spotEnd delimit the arguments of a term that can be mutated: the variables of binders and the contents
// of annotations are excluded.
func firstSpot(a *smt.Arena, t smt.Term) int { return len(a.BoundVars(t)) }

func spotEnd(a *smt.Arena, t smt.Term) int {
	if a.Op(t) == smt.OpAnnot {
		return 1
	}
	return a.NumArgs(t)
}

// noteOpen notes the free variables of a term whose arguments are noted.
func (x *Subject) noteOpen(t smt.Term) {
	a := x.a
	if a.Op(t) == smt.OpVar {
		x.open[t] = []smt.Term{t}
		return
	}
	if len(x.open) == 0 {
		return
	}
	var vars []smt.Term
	bound := a.BoundVars(t)
	for _, c := range a.Args(t)[len(bound):] {
		for _, v := range x.open[c] {
			if !containsItem(vars, v) && !containsItem(bound, v) {
				vars = append(vars, v)
			}
		}
	}
	if len(vars) > 0 {
		x.open[t] = vars
	}
}

// Len returns the number of different terms that can be mutated.
func (x *Subject) Len() int { return len(x.nodes) }

// stepper returns the Stepper that applies the laws; it is made once.
func (x *Subject) stepper(laws *rewrite.Rules) *rewrite.Stepper {
	if x.steps == nil || x.stepsBy != laws {
		x.steps, x.stepsBy = rewrite.NewStepper(x.a, laws), laws
	}
	return x.steps
}

// ownTerms are the terms of the script.
func (x *Subject) ownTerms() map[smt.Term]bool {
	if x.has == nil {
		x.has = make(map[smt.Term]bool, len(x.nodes))
		for _, t := range x.nodes {
			x.has[t] = true
		}
	}
	return x.has
}

// formulaNodes lists the nodes that are formulas, computed once.
func (x *Subject) formulaNodes() []int32 {
	if x.shifts != nil {
		return x.shifts
	}
	x.shifts = []int32{}
	for i, t := range x.nodes {
		if x.a.Sort(t) == smt.SortBool && x.a.Op(t) != smt.OpCase && x.a.Op(t) != smt.OpAnnot {
			x.shifts = append(x.shifts, int32(i))
		}
	}
	return x.shifts
}
