package triage

import (
	"regexp"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// Pattern says which verdicts are known and of no interest. Empty fields match everything.
type Pattern struct {
	Label          string // name under which matching verdicts are counted
	Kind           string
	Target         *regexp.Regexp // of the name of a target on the wrong side
	Message, Logic *regexp.Regexp
	Shape          []string // operators, all of which the case has: those of a reduced case
}

// Matches reports whether the pattern is about a verdict.
func (p *Pattern) Matches(c *testcase.Case, v *oracle.Verdict) bool {
	return (p.Kind == "" || p.Kind == v.Kind || p.Kind == oracle.KindAssumedAnswer && v.IsWrongAnswer() && oracle.IsAssumed(c, v.Want)) &&
		(p.Target == nil || slices.ContainsFunc(v.Targets, p.Target.MatchString)) &&
		(p.Message == nil || p.Message.MatchString(v.Summary) || p.Message.MatchString(v.Message)) &&
		(p.Logic == nil || p.Logic.MatchString(c.Script.Logic())) &&
		(len(p.Shape) == 0 || HasShape(Operators(c.Script), p.Shape))
}
