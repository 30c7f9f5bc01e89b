package mutate

import (
	"github.com/smtlark/smtlark/engine/literal"
	"github.com/smtlark/smtlark/engine/logic"
	"github.com/smtlark/smtlark/engine/rewrite"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
)

// Rewrite replaces terms at random places by others that have the same value under every interpretation: a law each, in either
// direction, one on top of the other. What a law has beyond the term is a term of the script or a literal. So every answer stays, and every
// model. Definitions says whether bodies of definitions are rewritten, too. With stay, the mutant belongs to the logic of the script;
// else it gets the logic it needs. It returns nil where no law that was tried applies.
func (x *Subject) Rewrite(r *rng.Source, laws *rewrite.Rules, times int, stay, definitions bool) (*Mutant, error) {
	s := x.supplyFor(copies)
	if len(s.spots) == 0 {
		return nil, nil
	}
	step := x.stepper(laws)
	e := x.beginEdit(stay)
	g := &generator{e: e, r: r, s: s}
	extensions := x.allowedExtensions()
	for i := 0; i < times || i < times+maxTries && !e.hasChanged(); i++ { // steps may undo each other
		for range maxTries {
			e.goTo(r, s.spots[r.Intn(len(s.spots))])
			if !definitions && x.roots[e.root].sym != 0 {
				continue
			}
			done, err := e.tryEdit(func() (bool, error) { return e.stepAt(step, rewrite.Same, "rewrite: ", g, extensions) })
			if err != nil {
				return nil, err
			}
			if done {
				break
			}
		}
	}
	if err := step.Err(); err != nil {
		return nil, err
	}
	return e.toMutant()
}

// newLiterals is how often what a law has beyond a term is a new literal and no term of the script.
const newLiterals = 0.2

// stepper returns what takes steps by laws, which is made once.
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

// stepAt takes a step by a law from the term at the spot. The word begins what is said of it.
func (e *edit) stepAt(step *rewrite.Stepper, to rewrite.Direction, word string, g *generator, extensions map[smt.Op]bool) (bool, error) {
	a := e.x.a
	if op := a.Op(e.at); op == smt.OpCase || op == smt.OpAnnot || !e.takesAnyTerm() || !e.allowsAnyTerm() {
		return false, nil
	}
	g.scope = e.boundVariables()
	t, name := step.Step(e.at, to, g.r, func(sort smt.Sort) smt.Term {
		if g.s.of[sort] != nil && !g.r.Chance(newLiterals) {
			return g.copyOf(sort)
		}
		if x := literal.Random(a, g.r, sort); x != 0 {
			return x
		}
		if g.s.of[sort] == nil {
			return 0
		}
		return g.copyOf(sort)
	})
	if t == 0 || t == e.at {
		return false, nil
	}
	need := logic.Features(0)
	suits, own := true, e.x.ownTerms()
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		// What the script has needs nothing more. A term of an attempt that came to nothing is in the arena, too, and not in the script.
		if !own[x] {
			need |= logic.OfNode(a, x)
			op := a.Op(x)
			suits = suits && (op.Structural() || isPortable(op) || extensions[op])
		}
	})
	if !suits {
		return false, nil
	}
	e.need |= need
	e.did = append(e.did, word+name)
	return true, e.replaceTerm(t)
}
