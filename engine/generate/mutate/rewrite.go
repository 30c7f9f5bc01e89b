package mutate

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// newLiterals is the chance that a term which a law needs beyond its match is a new literal instead of a term of the
// script.
const newLiterals = 0.2

// copies are signatures that generate nothing.
var copies = &Signatures{copy: true}

// lawSteps are the changes of a mutant that are steps by laws.
type lawSteps struct {
	*generator // makes the terms for parameters of a law that the match does not bind
	stepper    *rewrite.Stepper
	extensions map[smt.Op]bool // operators beyond the standard that may come in
}

func newLawSteps(x *Subject, e *edit, r *rng.Source, laws *rewrite.Rules) *lawSteps {
	return &lawSteps{&generator{e: e, r: r, s: x.supplyFor(copies)}, x.stepper(laws), x.allowedExtensions()}
}

// change is that of an edit; the first error of a law ends it.
func (l *lawSteps) change(nodes []int32, times int, persist bool, try func() (bool, error)) (*Mutant, error) {
	m, err := l.e.change(l.r, nodes, times, persist, try)
	if failed := l.stepper.Err(); failed != nil && err == nil {
		return nil, failed
	}
	return m, err
}

// step applies a law to the term at the spot. word begins the description of the step.
func (l *lawSteps) step(to rewrite.Direction, word string) (bool, error) {
	e := l.e
	a := e.x.a
	if op := a.Op(e.at); op == smt.OpCase || op == smt.OpAnnot || !e.takesAnyTerm() || !e.allowsAnyTerm() {
		return false, nil
	}
	l.scope = e.boundVariables()
	t, name := l.stepper.Step(e.at, to, l.r, func(sort smt.Sort) smt.Term {
		if l.s.of[sort] != nil && !l.r.Chance(newLiterals) {
			return l.copyOf(sort)
		}
		if x := literal.Random(a, l.r, sort); x != 0 {
			return x
		}
		if l.s.of[sort] == nil {
			return 0
		}
		return l.copyOf(sort)
	})
	if t == 0 || t == e.at {
		return false, nil
	}
	need := logic.Features(0)
	suits, own := true, e.x.ownTerms()
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		// Terms that are in the script need no further features. Terms of failed attempts are in the arena but not in
		// the script.
		if !own[x] {
			need |= logic.OfNode(a, x)
			op := a.Op(x)
			suits = suits && (op.Structural() || isPortable(op) || l.extensions[op])
		}
	})
	if !suits {
		return false, nil
	}
	e.need |= need
	e.did = append(e.did, word+name)
	return true, e.replaceTerm(t)
}
