package oracle

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// aboutAnswers are the kinds of verdicts that depend on the meaning of a problem. Crashes and the verdicts of campaign
// files do not belong to them.
var aboutAnswers = []string{KindKnownAnswer, KindAssumedAnswer, KindDisagreement, KindInvalidModel, KindInvalidValue, KindInvalidCore, KindInvalidReply, KindMetamorphic}

// withoutChanged leaves out verdicts about answers that an option of the case, or of a solver, gives another meaning.
func withoutChanged(all []Verdict, c *testcase.Case, runs []*solvers.Run) []Verdict {
	if len(all) == 0 || c.Script == nil {
		return all
	}
	ofCase := meaning.OfScript(c.Script)
	return slices.DeleteFunc(all, func(v Verdict) bool {
		if !slices.Contains(aboutAnswers, v.Kind) {
			return false
		}
		changes := *ofCase
		for _, r := range runs {
			if r != nil && (slices.Contains(v.Targets, r.Target) || slices.Contains(v.Against, r.Target) || v.Target == r.Target) {
				addOptions(&changes, r)
			}
		}
		if changes.None() {
			return false
		}
		check := v.Check
		if check < 0 {
			check = c.Script.CheckSats() - 1
		}
		terms := c.Script.AssertsAt(check)
		if v.Kind == KindInvalidModel || v.Kind == KindInvalidValue {
			return changes.WhyModel(c.Script.Arena, terms) != ""
		}
		return changes.Why(c.Script.Arena, terms) != ""
	})
}

// addOptions adds the options that a solver was started with, or sent before the case.
func addOptions(changes *meaning.Changes, r *solvers.Run) {
	if len(r.Argv) > 1 {
		for _, arg := range r.Argv[1:] {
			changes.AddArgument(arg)
		}
	}
	for line := range strings.Lines(r.Preamble) {
		if words := strings.Fields(strings.Trim(strings.TrimSpace(line), "()")); len(words) == 3 && words[0] == smtlib.CmdSetOption.String() {
			changes.Add(words[1], words[2])
		}
	}
}
