package claim

import (
	"context"
	"time"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// Standing is the state of a claim.
type Standing uint8

// The standings of a claim.
const (
	Assumed Standing = iota // nothing here proves it or refutes it
	Proven                  // by evaluation
	Refuted                 // by evaluation
)

// Finding out takes at most these.
const (
	searchSteps   = 1000            // of the guided search
	maxAskers     = 6               // solvers that are asked for a model
	maxModelTime  = 5 * time.Second // of one of them
	minModelTime  = time.Second
	maxEvaluation = 1 << 22 // steps in one model
)

// Ruling is the standing of a claim, with its evidence.
type Ruling struct {
	Standing Standing
	// Model satisfies the assertions: it proves a claim of sat and refutes one of unsat. nil: there is none at hand.
	Model *model.Model
	By    string // whose model it is, or who proved it
}

// Settle finds out how a claim stands. It asks solvers for models, the first of targets first, which should be those
// that answered sat; each model is evaluated, so that none of them is trusted. In the end it searches for a model
// itself (see search.GuidedModel). Targets should start a new process for each run, or are closed after it.
func (k *Claim) Settle(ctx context.Context, targets []solvers.Target, lim solvers.Limits) Ruling {
	if k.Proven() {
		return Ruling{Proven, k.Witness, Evaluator}
	}
	asserts := k.Script.AssertsAt(k.Check)
	if k.Want == smtlib.Sat && (contradictory(k.Script.Arena, asserts) || k.Witness != nil && eval.New(k.Script.Arena, k.Witness).AllTrue(asserts) == value.False) {
		return Ruling{Standing: Refuted, By: Evaluator}
	}
	m, by := k.find(ctx, targets, lim)
	switch {
	case m == nil:
		return Ruling{}
	case k.Want == smtlib.Sat:
		return Ruling{Proven, m, by}
	}
	return Ruling{Refuted, m, by}
}

// find looks for an interpretation that satisfies the assertions at the check of the claim.
func (k *Claim) find(ctx context.Context, targets []solvers.Target, lim solvers.Limits) (*model.Model, string) {
	if lim.Wall == 0 || lim.Wall > maxModelTime {
		lim.Wall = maxModelTime
	}
	lim.Wall = max(lim.Wall, minModelTime)
	q := k.Question().WithModel()
	for i, t := range targets {
		if i == maxAskers || ctx.Err() != nil {
			break
		}
		if s := t.Solver(); s != nil && s.Profile != nil && s.Profile.Declines(q) != "" {
			continue
		}
		run := *t.Run(ctx, q, lim)
		if t.Mode() != solvers.Fresh {
			_ = t.Close() // starts anew
		}
		if k.Check >= len(run.Answers) || run.Answers[k.Check] != smtlib.Sat || k.Check >= len(run.Values) {
			continue
		}
		m, err := modelreader.Parse(k.Script, run.Values[k.Check]) // the question has one reply with values for each check
		if err != nil {
			continue
		}
		if k.Satisfied(m) {
			return m, nameOf(t)
		}
	}
	if ctx.Err() != nil {
		return nil, ""
	}
	if m, truth := search.GuidedModel(scope.WithAsserts(k.Script, k.Script.AssertsAt(k.Check)), rng.New(1), searchSteps); truth == value.True {
		return m, Evaluator
	}
	return nil, ""
}

// Satisfied reports whether a model satisfies the assertions at the check. Symbols that the model leaves open have
// default values.
func (k *Claim) Satisfied(m *model.Model) bool {
	ev := eval.New(k.Script.Arena, m)
	ev.Limits.Steps = maxEvaluation
	return eval.CheckTerms(ev, k.Script.AssertsAt(k.Check)).Result == value.True
}

// nameOf returns the name of a target's solver in reports.
func nameOf(t solvers.Target) string {
	if s := t.Solver(); s != nil {
		return s.Name
	}
	return t.Name()
}
