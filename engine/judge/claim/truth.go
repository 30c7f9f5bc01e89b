package claim

import (
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// Truth keeps the known facts about the answers of a case while the case is made smaller: each check known to be sat
// must still be sat. A witness shows this by exact evaluation. Without a witness, a smaller case is still sat if it
// asserts nothing that the case did not assert at one of its sat checks. Unsat cannot be kept in this way: a smaller
// case may be sat, so a solver must confirm it (see Claim.Settle).
type Truth struct {
	arena    *smt.Arena
	asserted func() [][]smt.Term // of the case, at each check that is known to be sat; sorted
	ev       *eval.Evaluator
}

// TruthOf returns the known facts about the answers of a case. The candidates that it is asked about have the arena of
// the case.
func TruthOf(c *testcase.Case) *Truth {
	return &Truth{arena: c.Script.Arena, asserted: sync.OnceValue(func() (out [][]smt.Term) { // most cases have a witness, and do without
		for i := range c.Script.CheckSats() {
			if c.ExpectAt(i) == smtlib.Sat {
				out = append(out, slices.Sorted(slices.Values(c.Script.AssertsAt(i))))
			}
		}
		return out
	})}
}

// Keeps reports whether a candidate is still known to have the answers that it is said to have, as far as these are
// sat. answers has one for each check; witness is nil where there is none.
func (t *Truth) Keeps(script *smtlib.Script, answers []smtlib.Answer, witness *model.Model) bool {
	if !slices.Contains(answers, smtlib.Sat) {
		return true
	}
	if witness != nil {
		return t.Witnessed(script, answers, witness)
	}
	before, at := t.asserted(), 0
	for check, answer := range answers {
		if answer != smtlib.Sat {
			continue
		}
		asserts := script.AssertsAt(check)
		// Leaving out a check shifts the others. So each check needs a check of the case, in the same order, that
		// asserted everything that it asserts.
		for at < len(before) && !subset(asserts, before[at]) {
			at++
		}
		if at == len(before) {
			return false
		}
	}
	return true
}

// AssertsNoMore reports whether a script asserts nothing at a check that the case did not assert at one of its checks
// that are sat.
func (t *Truth) AssertsNoMore(script *smtlib.Script, check int) bool {
	if script.Arena != t.arena {
		return false
	}
	asserts := script.AssertsAt(check)
	return slices.ContainsFunc(t.asserted(), func(before []smt.Term) bool { return subset(asserts, before) })
}

// subset reports whether all of some terms are in a sorted list.
func subset(terms, sorted []smt.Term) bool {
	return !slices.ContainsFunc(terms, func(t smt.Term) bool {
		_, ok := slices.BinarySearch(sorted, t)
		return !ok
	})
}

// Witnessed reports whether a witness satisfies each check that is said to be sat.
func (t *Truth) Witnessed(script *smtlib.Script, answers []smtlib.Answer, witness *model.Model) bool {
	ev := t.Evaluator(witness)
	for check, answer := range answers {
		if answer != smtlib.Sat {
			continue
		}
		for _, x := range script.AssertsAt(check) {
			if value, known := ev.Holds(x); !known || !value {
				return false
			}
		}
	}
	return true
}

// Pin makes all terms that are in the arena now terms of the current case, which stay. Their values under its witness
// are remembered from candidate to candidate. A nil witness means that there is none.
func (t *Truth) Pin(witness *model.Model) {
	switch {
	case witness == nil:
		t.ev = nil
	case t.ev != nil && t.ev.Model() == witness:
		t.ev.Holds(t.arena.True()) // drops released terms before the rest is pinned
		t.ev.Pin()
	default:
		t.ev = t.Evaluator(witness)
	}
}

// Evaluator returns the evaluator for a witness. That of the current case is kept from candidate to candidate, since
// most of their terms are those of the current case; it must know none of the terms of a candidate as its own.
func (t *Truth) Evaluator(witness *model.Model) *eval.Evaluator {
	if t.ev != nil && t.ev.Model() == witness {
		return t.ev
	}
	ev := eval.New(t.arena, witness)
	ev.Limits = WitnessLimits()
	return ev
}

// WitnessLimits limit the evaluation of one assertion. If it takes longer, as with nested quantifiers, the result is
// unknown.
func WitnessLimits() eval.Limits {
	lim := eval.DefaultLimits()
	lim.Steps, lim.Instances, lim.Calls = 1<<20, 1<<14, 1<<14
	return lim
}
