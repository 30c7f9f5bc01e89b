package mutate

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// maxTries bounds how often a mutation looks for another place.
const maxTries = 16

// change makes at most the number of changes that times says, each at a random occurrence of one of the nodes. try
// makes one change at the spot, or says that it did nothing there. With persist, there are further changes as long as
// the mutant equals the script, since changes may undo each other.
func (e *edit) change(r *rng.Source, nodes []int32, times int, persist bool, try func() (bool, error)) (*Mutant, error) {
	for i := 0; i < times || persist && i < times+maxTries && !e.hasChanged(); i++ {
		for range maxTries {
			e.goTo(r, nodes[r.Intn(len(nodes))])
			done, err := e.tryEdit(try)
			if err != nil {
				return nil, err
			}
			if done {
				break
			}
		}
	}
	return e.toMutant()
}

// MutateOperators changes operators at random occurrences, one at a time; times bounds the number of changes. It
// changes them under let, quantifiers and all other heads. With keepLogic, the mutant belongs to the logic of the
// script; else it gets the logic it needs. It returns nil where there is nothing to change.
func (x *Subject) MutateOperators(r *rng.Source, c *Operators, times int, keepLogic bool) (*Mutant, error) {
	nodes := x.heads.sitesOf(x, c)
	if len(nodes) == 0 {
		return nil, nil
	}
	e := newEdit(x, keepLogic)
	return e.change(r, nodes, times, true, func() (bool, error) { return c.changeHead(e, r) })
}

// Generate replaces terms, at most as many as times says and each at one occurrence, by new ones of the same sort. A
// new term is a copy of a term of the script, or operators of the signatures applied to terms of the script, nested at
// most as deep as depth says. Variables stay in the scope of their binders. With keepLogic, the mutant belongs to the
// logic of the script; else it gets the logic it needs. Generate returns nil where there is nothing to replace.
func (x *Subject) Generate(r *rng.Source, sigs *Signatures, times, depth int, keepLogic bool) (*Mutant, error) {
	s := x.supplyFor(sigs)
	if len(s.spots) == 0 {
		return nil, nil
	}
	e := newEdit(x, keepLogic)
	g := &generator{e: e, r: r, s: s}
	return e.change(r, s.spots, times, true, func() (bool, error) { return g.replaceAt(depth) })
}

// Rewrite replaces terms at random places by terms that have the same value under every interpretation. Each
// replacement applies one law, in either direction, on top of the earlier ones. A term that a law needs beyond the
// replaced term is a term of the script or a literal. So every answer and every model stays. definitions says whether
// bodies of definitions are rewritten, too. With keepLogic, the mutant belongs to the logic of the script; else it gets
// the logic it needs. It returns nil where no law that was tried applies.
func (x *Subject) Rewrite(r *rng.Source, laws *rewrite.Rules, times int, keepLogic, definitions bool) (*Mutant, error) {
	s := x.supplyFor(copies)
	if len(s.spots) == 0 {
		return nil, nil
	}
	e := newEdit(x, keepLogic)
	steps := newLawSteps(x, e, r, laws)
	return steps.change(s.spots, times, true, func() (bool, error) {
		if !definitions && x.roots[e.root].sym != 0 {
			return false, nil
		}
		return steps.step(rewrite.Same, "rewrite: ")
	})
}

// Shift changes formulas at random occurrences, one at a time, into formulas that they imply or that imply them; times
// bounds the number of changes. Every assertion becomes weaker (or, with weaken false, stronger): what satisfied the
// script still does, and what was unsatisfiable still is (Bringolf, Winterer and Su, "Finding and Understanding
// Incompleteness Bugs in SMT Solvers", ASE 2022, call such a formula a relaxed one). Each change is a law that states
// an implication; changes of one place form chains. It returns nil where nothing can change.
func (x *Subject) Shift(r *rng.Source, laws *rewrite.Rules, weaken bool, times int, keepLogic bool) (*Mutant, error) {
	nodes := x.formulaNodes()
	if len(nodes) == 0 {
		return nil, nil
	}
	e := newEdit(x, keepLogic)
	steps := newLawSteps(x, e, r, laws)
	return steps.change(nodes, times, false, func() (bool, error) {
		switch p := e.polarity(); {
		case p == 0:
			return false, nil
		case weaken == (p > 0):
			return steps.step(rewrite.Weaker, "weaken: ")
		}
		return steps.step(rewrite.Stronger, "strengthen: ")
	})
}
