package finding

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// SignedVerdict is a verdict with the signature that groups it.
type SignedVerdict struct {
	Verdict   oracle.Verdict   `json:"verdict"`
	Signature triage.Signature `json:"signature"`
	Slug      string           `json:"slug"`
	Logic     string           `json:"logic,omitempty"`
	// Scripted is the part of a campaign file that the verdict depends on, so that only this file can show it again:
	// ScriptedOracle, ScriptedActions, or "" for none.
	Scripted string `json:"scripted,omitempty"`
	// Of a vague signature: the operators of the case, and whether it is only sent to be sure (see bucket).
	Operators []string `json:"operators,omitempty"`
	Sampled   bool     `json:"sampled,omitempty"`
}

// Refutation is a verdict whose claim evaluation refuted: no finding, but a seed with a wrong label, or a technique
// that does not keep the answers that it says it keeps.
type Refutation struct {
	Number  uint64 `json:"number" help:"of the case"`
	Claimed string `json:"claimed" help:"the answer that was taken to be right: sat or unsat"`
	// Relation is the relation assumed to hold between the case and its seed; "" if instead an answer was assumed to be
	// right.
	Relation string   `json:"relation,omitempty" help:"what was taken to hold between the case and its seed, where that is what is wrong"`
	By       string   `json:"by" help:"whose model, by exact evaluation, shows that it is wrong"`
	Model    string   `json:"model,omitempty" help:"the model of the case, cut short"`
	Seeds    []string `json:"seeds,omitempty" help:"the seeds of the case that have another answer than their label says, by a model of their own; none: no seed alone explains it"`
	Of       []string `json:"of,omitempty" help:"all seeds that the case was made of"`
	Steps    []string `json:"steps,omitempty" help:"what was done to them"`
	Assumed  []string `json:"assumed,omitempty" help:"on whose word the answer was taken to be right"`
}

// Text names in a line the refuted claim and its consequence.
func (r *Refutation) Text() string {
	said := ""
	if len(r.Assumed) > 0 {
		said = ", said by " + strings.Join(r.Assumed, ", ")
	}
	if len(r.Seeds) > 0 {
		return fmt.Sprintf("%s: not %s%s; shown by %s (case %d)", strings.Join(r.Seeds, ", "), r.Claimed, said, r.By, r.Number)
	}
	of := ""
	if len(r.Of) > 0 {
		of = " of " + strings.Join(r.Of, ", ")
	}
	steps := ""
	if len(r.Steps) > 0 {
		steps = ", after " + strings.Join(r.Steps, ", ")
	}
	if r.Relation != "" {
		return fmt.Sprintf("case %d%s%s: case and seed are not %s as the oracle takes them to be; shown by the model of %s", r.Number, of, steps, r.Relation, r.By)
	}
	return fmt.Sprintf("case %d%s%s: not %s%s; shown by %s. No seed alone has another answer than its label, so what was done to it changes answers, or that could not be told", r.Number, of, steps, r.Claimed, said, r.By)
}

// The parts of a campaign file that a finding may depend on; see SignedVerdict.Scripted.
const (
	ScriptedOracle  = "oracle"
	ScriptedActions = "actions"
)
