// Package claim judges what verdicts and solvers claim: the answer that a verdict calls right (Claim), and the replies of
// a solver to further questions, such as interpolants (Statement), each of which is right if several claims are.
//
// A verdict claims that the right answer to a check is sat, or unsat. A solver may only be called wrong if the claim is
// right, so each claim is first checked against every interpretation at hand. An interpretation that satisfies the
// assertions refutes a claim of unsat, whoever made it. A claim that is neither proven nor refuted is assumed.
package claim

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// Claim is an answer that must be right for a verdict to be one.
type Claim struct {
	Script  *smtlib.Script
	Check   int // number of the check-sat, from 0
	Want    smtlib.Answer
	Witness *model.Model // of sat; nil: none is at hand
}

// Of returns the claims about the answers of a case that must be true for its verdict to hold; nil if the verdict makes
// no such claim, as for a crash.
func Of(c *testcase.Case, v *oracle.Verdict) []Claim {
	switch {
	case v.IsWrongAnswer():
		return []Claim{{c.Script, max(0, v.Check), v.Want, c.Witness}}
	case v.Kind == oracle.KindExpectation:
		if t := c.LiveTrace(); t.Several() {
			return ofFurtherSolvers(t, v.FurtherWant, c.Witness)
		}
	}
	return nil
}

// ofFurtherSolvers returns the claims that must be true if a further solver of a trace should have given the answer
// want and did not. The verdict does not say at which check, so all checks that expect this answer count.
func ofFurtherSolvers(t *solvers.Trace, want smtlib.Answer, witness *model.Model) (out []Claim) {
	if want == smtlib.None {
		return nil
	}
	type life struct { // of a further solver, from new to delete
		script *smtlib.Script
		known  scope.Declared
		checks int
	}
	lives := map[int]*life{}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Kind == solvers.CallNew && c.Instance != 0 && lives[c.Instance] == nil {
			lives[c.Instance] = &life{script: &smtlib.Script{Arena: t.Arena, Name: "further"}}
			continue
		}
		l := lives[c.Instance]
		if l == nil {
			continue
		}
		switch c.Kind {
		case solvers.CallDelete:
			delete(lives, c.Instance)
		case solvers.CallTransfer:
			missing := l.known.Missing(t.Arena, c.Args)
			for k := range missing {
				l.known.Note(&missing[k])
			}
			l.script.Commands = append(l.script.Commands, missing...)
		case solvers.CallCommand:
			l.known.Note(&c.Command)
			l.script.Commands = append(l.script.Commands, c.Command)
			if c.Command.Kind.IsCheck() {
				if c.Expect == want {
					out = append(out, Claim{l.script, l.checks, want, witness})
				}
				l.checks++
			}
		}
	}
	return out
}

// Evaluator is the source of an interpretation, or of a proof, that no solver gave.
const Evaluator = "smtlark's evaluator"

// Proven reports whether a claim holds without further evidence: the witness satisfies the assertions, or one of the
// assertions is false under every interpretation, or is the negation of another one.
func (k *Claim) Proven() bool {
	asserts := k.Script.AssertsAt(k.Check)
	switch {
	case k.Want == smtlib.Sat && k.Witness != nil:
		return eval.New(k.Script.Arena, k.Witness).AllTrue(asserts) == value.True
	case k.Want == smtlib.Unsat:
		return contradictory(k.Script.Arena, asserts)
	}
	return false
}

// contradictory reports whether terms cannot all be true for a reason that anybody can see.
func contradictory(a *smt.Arena, asserts []smt.Term) bool {
	ev := eval.New(a, model.New(a))
	asserted := map[smt.Term]bool{}
	for _, t := range asserts {
		asserted[t] = true
	}
	return slices.ContainsFunc(asserts, func(t smt.Term) bool {
		if a.Op(t) == smt.OpNot && asserted[a.Arg(t, 0)] {
			return true
		}
		value, known := ev.Holds(t)
		return known && !value
	})
}

// Question returns the query about a claim: its declarations, assertions and checks, without options and without
// questions that not every solver knows.
func (k *Claim) Question() *solvers.Query {
	var cmds []smtlib.Command
	for _, c := range k.Script.Commands {
		switch {
		case c.Kind == smtlib.CmdSetOption && c.Name != ":global-declarations", c.Kind == smtlib.CmdSetInfo,
			solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply:
			continue
		case c.Kind == smtlib.CmdCheckSatUsing:
			c = smtlib.Command{Kind: smtlib.CmdCheckSat}
		}
		cmds = append(cmds, c)
	}
	return solvers.FromScript(k.Script.WithCommands(cmds))
}
