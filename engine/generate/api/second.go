package api

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// second has the state of a walk's further solver, number 1. Formulas are transferred to it from the first one, so that
// the same assignment determines its right answers.
type second struct {
	open, refuted bool
	asserted      []smt.Term
}

// further are the actions with a second solver instance.
func further() []*Action {
	return []*Action{
		{Name: "new-solver", Doc: "open a second solver instance beside the first", Do: newSolver},
		{Name: "transfer", Doc: "take terms over from one solver instance to the other, and assert formulas there",
			Do: transfer},
		{Name: "check-second", Doc: "ask the second solver instance, perhaps for values, too", Do: checkSecond},
		{Name: "delete-solver", Doc: "close the second solver instance", Do: func(r *Walk) Outcome {
			if !r.second.open {
				return NotDone
			}
			r.Add(solvers.Call{Kind: solvers.CallDelete, Instance: 1})
			r.second = second{}
			return Done
		}},
	}
}

func newSolver(r *Walk) Outcome {
	if r.second.open {
		return NotDone
	}
	r.second = second{open: true}
	r.Add(solvers.Call{Kind: solvers.CallNew, Instance: 1})
	if r.options["produce-models"] == "true" {
		r.on1(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":produce-models", Text: "true"}, smtlib.None, smtlib.None)
	}
	r.on1(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: r.logic}, smtlib.None, smtlib.None)
	return Done
}

// transfer takes one to four formulas over, which hold in the walk's assignment, and asserts them; now and then with a
// negation of one of them. Or it takes terms over to the first solver, which has them already.
func transfer(r *Walk) Outcome {
	if !r.second.open || r.Gen.DB.Level() > 0 {
		return NotDone
	}
	var ts []smt.Term
	for range r.R.Range(1, 4) {
		if t := (formulas{r}).known(); t != 0 {
			ts = append(ts, t)
		}
	}
	if len(ts) == 0 {
		return NotDone
	}
	if r.R.Chance(0.2) {
		r.Add(solvers.Call{Kind: solvers.CallTransfer, Instance: 0, From: 1, Args: ts})
		return Done
	}
	if r.Cfg.Truth != BySat && r.R.Chance(0.25) {
		ts = append(ts, r.Gen.A.Not(ts[r.R.Intn(len(ts))]))
		r.second.refuted = true
	}
	r.Add(solvers.Call{Kind: solvers.CallTransfer, Instance: 1, From: 0, Args: ts})
	for _, t := range ts {
		r.on1(smtlib.AssertCommand(t), smtlib.None, smtlib.None)
	}
	r.second.asserted = append(r.second.asserted, ts...)
	return Done
}

// checkSecond asks the second solver.
func checkSecond(r *Walk) Outcome {
	if !r.second.open {
		return NotDone
	}
	expect := smtlib.None
	switch {
	case r.Cfg.Truth == Unconstrained:
	case r.second.refuted:
		expect = smtlib.Unsat
	default:
		expect = smtlib.Sat
	}
	r.on1(smtlib.Command{Kind: smtlib.CmdCheckSat}, smtlib.None, expect)
	if n := len(r.second.asserted); n > 0 && r.options["produce-models"] == "true" && r.R.Bool() {
		r.on1(smtlib.Command{Kind: smtlib.CmdGetValue, Terms: []smt.Term{r.second.asserted[r.R.Intn(n)]}}, smtlib.Sat,
			smtlib.None)
	}
	return Done
}

// checkLimited asks for the answer under a small limit of time or resources, which is lifted afterwards. An unknown
// answer is not a failure in this case.
func checkLimited(r *Walk) Outcome {
	all := r.Cfg.Limits
	l := all[r.R.Intn(len(all))]
	set := func(value string) {
		r.Command(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + l.Name, Text: value})
	}
	set(drawNumber(l.Lo, l.Hi, r.R))
	out := r.check(nil)
	set("0")
	return out
}
