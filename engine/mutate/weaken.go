package mutate

import (
	"github.com/smtlark/smtlark/engine/rewrite"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
)

// Shift changes up to times formulas, each at one occurrence, into ones that they imply or that imply them, so that every
// assertion becomes weaker (or, with weaken false, stronger): what satisfied the script still does, and what was
// unsatisfiable still is (Bringolf, Winterer and Su, "Finding and Understanding Incompleteness Bugs in SMT Solvers", ASE
// 2022, call such a formula a relaxed one). Each change is a law that states an implication; changes of one place form chains. It returns
// nil where nothing can change.
func (x *Subject) Shift(r *rng.Source, laws *rewrite.Rules, weaken bool, times int, stay bool) (*Mutant, error) {
	sites := x.formulaNodes()
	if len(sites) == 0 {
		return nil, nil
	}
	e := x.beginEdit(stay)
	g := &generator{e: e, r: r, s: x.supplyFor(copies)}
	step := x.stepper(laws)
	extensions := x.allowedExtensions()
	for range times {
		for range maxTries {
			e.goTo(r, sites[r.Intn(len(sites))])
			p := e.polarity()
			if p == 0 {
				continue
			}
			done, err := e.tryEdit(func() (bool, error) { return e.shiftFormula(step, g, extensions, weaken == (p > 0)) })
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

// copies are signatures that generate nothing.
var copies = &Signatures{copy: true}

// polarity tells how the assertion depends on the formula at the spot: 1 if it grows with it, -1 if it shrinks, 0 if
// neither.
func (e *edit) polarity() int {
	if e.x.roots[e.root].sym != 0 { // it depends on how the function is used
		return 0
	}
	return polarityBelow(e.x.a, e.frames, e.at)
}

// shiftFormula replaces the formula at the spot by a weaker or a stronger one.
func (e *edit) shiftFormula(step *rewrite.Stepper, g *generator, extensions map[smt.Op]bool, weaken bool) (bool, error) {
	direction, word := rewrite.Weaker, "weaken: "
	if !weaken {
		direction, word = rewrite.Stronger, "strengthen: "
	}
	return e.stepAt(step, direction, word, g, extensions)
}
