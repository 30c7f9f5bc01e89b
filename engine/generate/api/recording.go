package api

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// recording are the calls of a walk so far, each with the action that made it and a seed of its own.
type recording struct {
	calls  []solvers.Call
	seeds  *rng.Source
	action string // that is being done
	// branch is the answer on which the current calls depend; None if they depend on no answer.
	branch smtlib.Answer
}

// Add adds a call. A call that asks for something depends on the answer that the walk assumes; calls that later calls
// need are made whatever the answer was.
func (r *recording) Add(c solvers.Call) {
	c.Seed, c.Action = r.seeds.Uint64()>>32, r.action
	if c.Kind == solvers.CallCommand && solvers.ReplyTo(c.Command.Kind, c.Command.Name) == solvers.ValueReply &&
		c.When == smtlib.None {
		c.When = r.branch
	}
	r.calls = append(r.calls, c)
}

// Sort is part of gen.Sink.
func (r *recording) Sort(s smt.Sort) { r.Add(solvers.Call{Kind: solvers.CallMakeSort, Sort: s}) }

// Term is part of gen.Sink.
func (r *recording) Term(t smt.Term) { r.Add(solvers.Call{Kind: solvers.CallMakeTerm, Term: t}) }

// Calls returns the calls so far.
func (r *recording) Calls() []solvers.Call { return r.calls }

// on1 adds a call of the second solver.
func (r *recording) on1(c smtlib.Command, when, expect smtlib.Answer) {
	r.Add(solvers.Call{Kind: solvers.CallCommand, Instance: 1, Command: c, When: when, Expect: expect})
}
