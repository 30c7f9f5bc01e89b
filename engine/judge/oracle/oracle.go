// Package oracle judges the runs of targets on a case.
//
// An answer `unknown`, a timeout, a refusal, an unsupported feature and a rejected input are never bugs. A run that
// ended early counts for the answers it gave before.
package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// The kinds of verdicts that smtlark makes itself. A campaign file may use kinds of its own.
const (
	KindCrash         = "crash"          // a target died by a fault, or a check inside it failed
	KindKnownAnswer   = "known-answer"   // an answer that contradicts the known facts about the case
	KindAssumedAnswer = "assumed-answer" // an answer that contradicts an assumption about the case (see IsAssumed)
	KindDisagreement  = "disagreement"   // sat and unsat for the same check-sat
	KindInvalidModel  = "invalid-model"  // a model that does not satisfy the assertions
	KindMetamorphic   = "metamorphic"    // answers to a case and to its seed that contradict each other, see Relation
	KindCustom        = "custom"         // a verdict of a campaign file that names no kind
)

// Verdict says that targets did something wrong. A case gives at most one verdict per oracle and cause: several
// targets that are wrong in the same way are one verdict.
type Verdict struct {
	Oracle string `json:"oracle"` // name of the oracle
	Kind   string `json:"kind"`
	Target string `json:"target"` // the first of Targets; "" when the oracle blames none
	// Targets lists all targets that did it, in the order of the campaign, except that within a kind of solver the
	// newest version comes first. Against lists the targets on the other side of a disagreement, or those that gave the
	// known answer.
	Targets []string      `json:"targets,omitempty"`
	Against []string      `json:"against,omitempty"`
	Got     smtlib.Answer `json:"-"`
	Want    smtlib.Answer `json:"-"`
	Check   int           `json:"check"` // number of the check-sat, from 0; -1: the run as a whole
	// Class and Message of the run; Message is the same for every run with the same cause (see solvers.Normalize).
	Class   solvers.Class `json:"class,omitempty"`
	Message string        `json:"message,omitempty"`
	// Group, if it is not empty, is the only criterion by which triage groups the verdict.
	Group   string `json:"group,omitempty"`
	Summary string `json:"summary"`          // one line
	Detail  string `json:"detail,omitempty"` // more lines
	// Asked is the script with which the solver was asked when it contradicted itself, if the case alone does not show
	// that. Reply is the wrong reply.
	Asked string `json:"asked,omitempty"`
	Reply string `json:"reply,omitempty"`
	// FurtherWant is the right answer to the check of a further solver of a trace, if the verdict is about that check.
	FurtherWant smtlib.Answer `json:"-"`
	// Settled says that exact evaluation, of a solver's model or of the case alone, has shown which side of a
	// disagreement is wrong.
	Settled bool `json:"settled,omitempty"`
	// Relation is set if the verdict is about a case and its seed. It is one of Relations, or RelationScripted for an
	// oracle of a campaign file that looks at both.
	Relation Relation `json:"relation,omitempty"`
	// Severity and Category are set by oracles of campaign files: the short name of a severity, and the part of the
	// solver or the sort of bug. If they are "", smtlark determines them.
	Severity string `json:"severity,omitempty"`
	Category string `json:"category,omitempty"`
}

// IsWrongAnswer reports whether the verdict says that an answer contradicts one that is known, or assumed, to be right.
func (v *Verdict) IsWrongAnswer() bool {
	return v.Kind == KindKnownAnswer || v.Kind == KindAssumedAnswer
}

// IsWrongReply reports whether the verdict says that the reply to another question than check-sat is wrong: a model, a
// value, a core, an interpolant and so on.
func (v *Verdict) IsWrongReply() bool {
	switch v.Kind {
	case KindInvalidModel, KindInvalidValue, KindInvalidCore, KindInvalidReply:
		return true
	}
	return false
}

// Oracle judges the runs of one case. Runs are in the order of the campaign's targets. An oracle is used by one
// goroutine at a time and keeps nothing from case to case.
type Oracle interface {
	Name() string
	Judge(c *testcase.Case, runs []*solvers.Run) []Verdict
}

// ModelUser is an oracle that needs a model after each sat.
type ModelUser interface{ NeedsModels() bool }

// NeedsModels reports whether any of the oracles needs models.
func NeedsModels(oracles []Oracle) bool {
	for _, o := range oracles {
		if u, ok := o.(ModelUser); ok && u.NeedsModels() {
			return true
		}
	}
	return false
}

// fallible is an oracle that may fail to judge, such as one written in a campaign file.
type fallible interface{ Err() error } // of the latest Judge

// Errors returns the first error of the latest Judge of the oracles.
func Errors(oracles []Oracle) error {
	for _, o := range oracles {
		if f, ok := o.(fallible); ok {
			if err := f.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// NamedVerdict is a verdict as it is written as JSON: with its answers by name.
type NamedVerdict struct {
	verdictFields
	Got         string `json:"got,omitempty"`
	Want        string `json:"want,omitempty"`
	FurtherWant string `json:"further_want,omitempty"`
}

type verdictFields Verdict

// MarshalJSON writes the answers by name and leaves out those that are None.
func (v Verdict) MarshalJSON() ([]byte, error) {
	w := NamedVerdict{verdictFields: verdictFields(v)}
	if v.Got != smtlib.None {
		w.Got = v.Got.String()
	}
	if v.Want != smtlib.None {
		w.Want = v.Want.String()
	}
	if v.FurtherWant != smtlib.None {
		w.FurtherWant = v.FurtherWant.String()
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads the format of MarshalJSON.
func (v *Verdict) UnmarshalJSON(text []byte) error {
	var w NamedVerdict
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*v = Verdict(w.verdictFields)
	for _, f := range []struct {
		name string
		into *smtlib.Answer
	}{{w.Got, &v.Got}, {w.Want, &v.Want}, {w.FurtherWant, &v.FurtherWant}} {
		a, ok := smtlib.ParseAnswer(f.name)
		if !ok && f.name != "" {
			return fmt.Errorf("verdict: %q is no answer", f.name)
		}
		*f.into = a
	}
	return nil
}

// Limits on the texts of oracles, in bytes: they are stored with each finding several times, and shown.
const (
	maxSummary = 2000
	maxDetail  = 64 << 10
	maxWord    = 200 // of a kind, a group, and the name of a target
)

// cutToLimits cuts the texts from an oracle of a campaign file to a size that can be shown and stored.
func (v *Verdict) cutToLimits() {
	v.Summary = cutText(strings.Join(strings.Fields(cutText(v.Summary, 4*maxSummary)), " "), maxSummary)
	v.Detail, v.Message = cutText(v.Detail, maxDetail), cutText(v.Message, maxDetail)
	v.Kind, v.Group, v.Target = cutText(v.Kind, maxWord), cutText(v.Group, maxSummary), cutText(v.Target, maxWord)
	for i, name := range v.Targets {
		v.Targets[i] = cutText(name, maxWord)
	}
}

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + fmt.Sprintf(" [%d more bytes]", len(s)-n)
}

// Judge asks all oracles, in their order. A disagreement about a check-sat whose answer is known to be wrong is left
// out: it is the same finding. So is a contradiction between a case and its seed where another verdict says that the
// answer to the case is wrong.
func Judge(oracles []Oracle, c *testcase.Case, runs []*solvers.Run) []Verdict {
	var all []Verdict
	for _, o := range oracles {
		all = append(all, o.Judge(c, runs)...)
	}
	all = withoutChanged(all, c, runs)
	for i := range all {
		all[i].cutToLimits()
	}
	if len(all) < 2 {
		return all
	}
	return slices.DeleteFunc(all, func(v Verdict) bool {
		return slices.ContainsFunc(all, func(k Verdict) bool {
			switch v.Kind {
			case KindDisagreement:
				return k.IsWrongAnswer() && k.Check <= v.Check
			case KindMetamorphic:
				return (k.IsWrongAnswer() || k.Kind == KindDisagreement) && k.Check <= v.Check && slices.Contains(k.Targets, v.Target)
			}
			return false
		})
	})
}
