package ledger

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Group is all verdicts with one signature.
type Group struct {
	Finding  *finding.Finding
	State    State
	Tries    int     // cases with which confirmation was tried
	Lost     int     // workers that died while they confirmed it, or while they reduced it
	Changed  bool    // since it was stored
	Reduced  bool    // its reduction is over
	NotApart bool    // it does not show without what makes a finding of its bucket
	Seen     bool    // a finding of an earlier campaign, and counted in this one
	Awaited  bool    // an earlier run did not reduce it, and this one will once it was looked at again
	Bucket   *Bucket // of a candidate
	Old      bool    // an earlier run found it
	Joined   *Group  // that it is a duplicate of, as the store has it

	form   string // of the smallest case
	formOf *testcase.Wire
}

// State says how far a group has come.
type State uint8

// The states of a group.
const (
	Confirming State = iota
	Confirmed
	Flaky
	Known   // a finding of the store
	Refuted // its claim is wrong
)

// MaxFlakyTries bounds how many cases of a signature that does not reproduce are tried.
const MaxFlakyTries = 3

// Silent reports whether more cases of the group are of no interest.
func (g *Group) Silent() bool {
	return g.State != Refuted && (g.State != Flaky || g.Tries >= MaxFlakyTries)
}

// Improve records a smaller case.
func (g *Group) Improve(s *wire.Smallest) {
	if s.Case == nil {
		return
	}
	f := g.Finding
	f.Min, f.MinRuns, f.Sequence, f.MinCheck = s.Case, s.Details, s.Ahead, nil
	if s.Said != nil { // report the check of the reduced case, which is the case shown
		f.MinCheck = &s.Said.Check
		if s.Said.Relation != "" {
			f.Verdict.Relation, f.Verdict.Summary, f.Verdict.Settled = s.Said.Relation, s.Said.Summary, s.Said.Settled
		}
		if s.Said.Kind == oracle.KindDisagreement && s.Said.Settled { // the smaller case shows whose bug it is
			f.Verdict.Target, f.Verdict.Targets, f.Verdict.Against = s.Said.Target, s.Said.Targets, s.Said.Against
			f.Verdict.Got, f.Verdict.Want, f.Verdict.Summary, f.Verdict.Settled = s.Said.Got, s.Said.Want, s.Said.Summary, true
		}
		f.Verdict.Detail, f.Verdict.Asked, f.Verdict.Reply = s.Said.Detail, s.Said.Asked, s.Said.Reply
	}
	f.Reduced.Tests, f.Reduced.To, f.Reduced.ConfirmedBy = s.Tests, s.Bytes, s.ConfirmedBy
	if f.Verdict.Want == smtlib.Unsat { // assumptions about the original case do not matter if the evaluator decides the reduced one
		f.Verdict.Settle(len(f.Case.Origin.Assumed) > 0 && !slices.Equal(s.ConfirmedBy, []string{claim.Evaluator}))
	}
}

// Count counts one more verdict, that of case n.
func (g *Group) Count(n uint64, targets []string, why string) {
	f := g.Finding
	f.Count++
	g.Changed = true
	if len(f.Examples) < finding.MaxExamples {
		f.Examples = append(f.Examples, n)
	}
	if len(f.Members) < finding.MaxMembers {
		f.Members = append(f.Members, finding.Member{N: n, Targets: targets, Reason: why})
	}
}

// VagueText is the text of a group's signature without the skeleton.
func (g *Group) VagueText() string {
	text, _, _ := strings.Cut(g.Finding.Signature.Text, " | reduced to ")
	return text
}

// Before reports whether a group is settled before another one: the more important first; among equals, groups that may
// have a cause of their own come before candidates for known causes, and groups of this run before those of earlier
// runs.
func (g *Group) Before(o *Group) bool {
	late := func(g *Group) int {
		n := 0
		if g.Bucket != nil {
			n += 2
		}
		if g.Old {
			n++
		}
		return n
	}
	if a, b := Worth(g.Finding), Worth(o.Finding); a != b {
		return a < b
	}
	return late(g) < late(o)
}

// Worth says how much a finding matters to those who develop solvers, 0 the most: wrong unsat, other wrong answers and
// models, crashes, the rest.
func Worth(f *finding.Finding) int {
	switch v := &f.Verdict; v.Kind {
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		if v.Got == smtlib.Unsat {
			return 0
		}
		return 1
	case oracle.KindInvalidModel, oracle.KindDisagreement:
		return 1
	case oracle.KindCrash:
		return 2
	}
	return 3
}

// reducedOf returns what tells the cause of a group. The plan is that of the campaign, for findings that come without
// theirs.
func (g *Group) reducedOf(p *finding.Plan) *triage.Reduced {
	f := g.Finding
	r := &triage.Reduced{Verdict: &f.Verdict, Signature: &f.Signature, Operators: f.Operators, Case: uint64(f.Number) << 32}
	if f.Case != nil {
		r.Case = f.Case.Origin.Number
	}
	if f.Plan != nil {
		p = f.Plan
	}
	known := p.Signed().Solvers
	for _, t := range f.Verdict.Targets {
		name, _, _ := strings.Cut(t, "/")
		if s, ok := known[t]; ok {
			name = s.Name
		}
		r.Solvers = append(r.Solvers, oracle.ProductOf(name))
	}
	slices.Sort(r.Solvers)
	r.Solvers = slices.Compact(r.Solvers)
	r.Form = g.reducedForm()
	return r
}

// reducedForm returns the key of the reduced case; "" if there is none, or if it fails only after other cases.
func (g *Group) reducedForm() string {
	small := g.Finding.Min
	if small == nil || len(g.Finding.Before) > 0 || g.Finding.Repeat > 0 {
		return ""
	}
	if g.formOf != small {
		g.form, g.formOf = "", small
		_ = campaign.Protect(func() { // the case of a worker may be anything
			if c, err := small.Case(nil); err == nil {
				g.form = normal.OfScript(c.Script).String()
			}
		})
	}
	return g.form
}

// skeletonOf returns the skeleton of the smallest case of a finding.
func skeletonOf(f *finding.Finding) []string {
	out := f.Operators
	_ = campaign.Protect(func() { // the case of a worker may be anything
		if small, err := finding.Smallest(f).Case(nil); err == nil {
			out = triage.Skeleton(small.Script, f.Logic)
		}
	})
	return out
}
