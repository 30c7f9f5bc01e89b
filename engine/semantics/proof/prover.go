// Package proof decides claims: formulas that must hold for all values of their constants. Claims are evaluated, on all
// values if there are few, and solvers are asked for values that make them false.
package proof

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// DefaultValues is the default number of tuples of values on which a claim is evaluated.
const DefaultValues = 4096

// Prover decides claims: by evaluation first, then by asking solvers.
type Prover struct {
	Values  int // tuples on which a claim is evaluated
	Solvers []Reference
}

// Reference is a solver that is asked for proofs.
type Reference struct {
	Name string
	Ask  func(context.Context, *smtlib.Script) (*Response, error) // also for a model
}

// Response is a reply of a solver.
type Response struct {
	Answer  smtlib.Answer
	Model   string // "": none
	Outcome string // how it ended, in words
	CPU     time.Duration
}

// Proof holds the known facts about a claim.
type Proof struct {
	Proven     bool    // by a solver
	Exhaustive bool    // by evaluation of all values there are
	Refuted    string  // by a counterexample, as text; "" if it is not
	Said       string  // the results of evaluation and solvers, for messages
	Values     int     // how many tuples were evaluated
	Held       int     // for how many of them the condition was true
	Asked      []Asked // the solvers that were asked
	Disputes   []Dispute
}

// Dispute is a solver that has a counterexample to a claim that evaluation does not refute and that another solver
// proves, or that was evaluated on all values: one of them is wrong.
type Dispute struct {
	Solver string
	Script *smtlib.Script // the question, which is unsatisfiable where the claim holds
	Model  string         // the counterexample that the solver gave
}

// Asked is the reply of a solver that was asked.
type Asked struct {
	Solver string
	Proven bool
	CPU    time.Duration
}

// Sure reports whether the claim holds.
func (p *Proof) Sure() bool { return p.Refuted == "" && (p.Proven || p.Exhaustive) }

// Prove decides a claim. If easy is set, solvers are not asked.
func (p *Prover) Prove(ctx context.Context, x *Claim, easy bool) (Proof, error) {
	t := x.Test(p.Values, 1)
	v := Proof{Exhaustive: t.Exhaustive, Values: t.Values, Held: t.Held}
	if t.Refuted != "" {
		v.Refuted = x.Wrong + " where " + t.Refuted
		return v, nil
	}
	var said []string
	var objections []Dispute
	if t.Exhaustive {
		said = append(said, fmt.Sprintf("all %d values", t.Values))
	} else if t.Values > 0 {
		said = append(said, fmt.Sprintf("%d values", t.Values))
	}
	for _, s := range p.Solvers {
		if easy {
			said = append(said, "solvers not asked: undecided for smaller numbers")
			break
		}
		reply, err := s.Ask(ctx, x.Script)
		if err != nil {
			return v, err
		}
		v.Asked = append(v.Asked, Asked{Solver: s.Name, Proven: reply.Answer == smtlib.Unsat, CPU: reply.CPU})
		switch reply.Answer {
		case smtlib.Unsat:
			v.Proven = true
			said = append(said, "proven by "+s.Name)
		case smtlib.Sat:
			model, holds := counterexample(x.Script, reply.Model)
			objections = append(objections, Dispute{Solver: s.Name, Script: x.Script, Model: model})
			if !holds { // by exact evaluation
				said = append(said, fmt.Sprintf("%s gives a counterexample that is none: %s", s.Name, model))
				continue
			}
			if v.Refuted == "" {
				v.Refuted = s.Name + " has a counterexample: " + model
			}
		default:
			said = append(said, s.Name+": "+reply.Outcome)
		}
	}
	if v.Proven || v.Exhaustive {
		v.Disputes = objections
	}
	v.Said = strings.Join(said, ", ")
	return v, nil
}

// counterexample returns the model that a solver gave as one line, and whether it may be a counterexample: it is none
// if it makes the query false.
func counterexample(s *smtlib.Script, reply string) (text string, holds bool) {
	if reply == "" {
		return "", true
	}
	text = strings.Join(strings.Fields(reply), " ")
	m, err := modelreader.Parse(s, reply)
	if err != nil {
		return text, true
	}
	return text, eval.CheckModel(s, m).Result != value.False
}
