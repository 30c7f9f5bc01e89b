package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/solvers"
)

// KnownAnswer reports answers that contradict the known facts about the case, check-sat by check-sat. Only the first
// wrong answer of each target counts, since later ones may be consequences. A known fact may be an unproven claim (see
// IsAssumed). A campaign that confirms the verdict checks for that, and then gives the verdict the kind
// KindAssumedAnswer.
func KnownAnswer() Oracle { return knownAnswer{} }

type knownAnswer struct{}

func (knownAnswer) Name() string { return KindKnownAnswer }

func (o knownAnswer) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	var verdicts []Verdict
	var done []bool // by target
	for i, want := range c.Expect {
		if !want.Decided() {
			continue
		}
		var wrong, right []*solvers.Run
		for j, r := range runs {
			switch got := answerAt(r, i); {
			case got == want:
				right = append(right, r)
			case got.Decided() && (done == nil || !done[j]):
				if done == nil {
					done = make([]bool, len(runs))
				}
				done[j] = true
				wrong = append(wrong, r)
			}
		}
		if len(wrong) == 0 {
			continue
		}
		wrong = newestFirst(wrong)
		got, is := answerAt(wrong[0], i), isKnown
		if IsAssumed(c, want) {
			is = isAssumed
		}
		verdicts = append(verdicts, Verdict{
			Oracle: o.Name(), Kind: KindKnownAnswer, Target: wrong[0].Target, Targets: targetNames(wrong), Against: targetNames(right),
			Got: got, Want: want, Check: i,
			Summary: fmt.Sprintf("%s %s %s%s, %s %s", solverNames(wrong), verbFor(wrong, "answers", "answer"), got, checkText(c, i), is, want),
			Detail:  answerTable(runs),
		})
	}
	return verdicts
}

// The words with which the summary of a wrong answer introduces the right one.
const (
	isKnown   = "the answer is"
	isAssumed = "the answer is assumed to be"
)

// IsAssumed reports whether the known answer of a case is only an assumption from its sources, without a witness.
func IsAssumed(c *testcase.Case, want smtlib.Answer) bool {
	return len(c.Origin.Assumed) > 0 && (want != smtlib.Sat || c.Witness == nil)
}

// Settle sets the final kind of a verdict about a wrong answer. Its summary then says whether the right answer is known
// or assumed.
func (v *Verdict) Settle(assumed bool) {
	switch {
	case !v.IsWrongAnswer():
	case assumed:
		v.Kind, v.Summary = KindAssumedAnswer, strings.Replace(v.Summary, isKnown+" "+v.Want.String(), isAssumed+" "+v.Want.String(), 1)
	default:
		v.Kind, v.Summary = KindKnownAnswer, strings.Replace(v.Summary, isAssumed, isKnown, 1)
	}
}

// Disagreement reports that one target answered sat and another unsat to the same check-sat; only the first such
// check-sat of a case counts. The side with fewer kinds of solvers is blamed; in a tie, the side with fewer solvers
// (versions), then the side with fewer targets, else neither. If a script leaves values open that some solvers fix
// (model.AnyFixedBySome), only runs of one version of a solver can disagree.
func Disagreement() Oracle { return disagreement{} }

// majority ends the summary of a disagreement in which the number of solvers decides who is blamed.
const majority = " (the majority)"

// BlameUnsat blames the side of a disagreement that answers unsat, whatever the majority is: a model, which somebody
// gave, satisfies the assertions by exact evaluation.
func (v *Verdict) BlameUnsat(by string) {
	v.blameFor(smtlib.Unsat, fmt.Sprintf("the model of %s satisfies the case", by))
}

// BlameSat blames the side that answers sat: by exact evaluation, the assertions are false under every interpretation.
func (v *Verdict) BlameSat() {
	v.blameFor(smtlib.Sat, "by exact evaluation, no model satisfies the case")
}

// blameFor blames the side of a disagreement that gives the wrong answer.
func (v *Verdict) blameFor(wrong smtlib.Answer, why string) {
	if v.Got != wrong {
		v.Targets, v.Against, v.Got, v.Want = v.Against, v.Targets, v.Want, v.Got
	}
	v.Settled = true
	if len(v.Targets) > 0 {
		v.Target = v.Targets[0]
	}
	v.Summary = strings.TrimSuffix(v.Summary, majority) + fmt.Sprintf("; %s is wrong: %s", wrong, why)
}

type disagreement struct{}

func (disagreement) Name() string { return KindDisagreement }

func (o disagreement) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	checks := 0
	for _, r := range runs {
		checks = max(checks, len(r.Answers))
	}
	for i := range checks {
		var sat, unsat []*solvers.Run
		for _, r := range runs {
			switch answerAt(r, i) {
			case smtlib.Sat:
				sat = append(sat, r)
			case smtlib.Unsat:
				unsat = append(unsat, r)
			}
		}
		if len(sat) == 0 || len(unsat) == 0 || !sameBuild(sat, unsat) && leavesOpen(c.Script) {
			continue
		}
		few, many, order := sat, unsat, compareSides(sat, unsat)
		if order > 0 {
			few, many = unsat, sat
		}
		few, many = newestFirst(few), newestFirst(many)
		v := Verdict{
			Oracle: o.Name(), Kind: KindDisagreement, Targets: targetNames(few), Against: targetNames(many),
			Got: answerAt(few[0], i), Want: answerAt(many[0], i), Check: i, Detail: answerTable(runs),
		}
		v.Summary = fmt.Sprintf("%s %s %s%s, %s %s %s", solverNames(few), verbFor(few, "answers", "answer"), v.Got, checkText(c, i),
			solverNames(many), verbFor(many, "answers", "answer"), v.Want)
		if order != 0 {
			v.Target = few[0].Target
			v.Summary += majority
		}
		return []Verdict{v}
	}
	return nil
}

// sameBuild reports whether all runs are of one version of one solver.
func sameBuild(sides ...[]*solvers.Run) bool {
	all := slices.Concat(sides...)
	return !slices.ContainsFunc(all, func(r *solvers.Run) bool { return r.Solver != all[0].Solver || r.Version != all[0].Version })
}

// leavesOpen reports whether a script has an operator whose value the standard leaves open for some arguments: a
// conversion of NaN, of an infinity or of what is out of range, the least and greatest of the two zeros, the bits of
// NaN, 0 to the power of 0, an element of an empty set. Some solvers fix one value there, others allow any value. Both
// are right, and give different answers.
func leavesOpen(s *smtlib.Script) bool {
	if s == nil {
		return false
	}
	var terms []smt.Term
	for i := range s.Commands {
		terms = append(terms, s.Commands[i].Terms...)
	}
	return model.AnyFixedBySome(s.Arena, terms)
}

// compareSides orders two sides of a vote by their weight.
func compareSides(a, b []*solvers.Run) int {
	kind := func(r *solvers.Run) string { return KindOfSolver(r.Solver, r.Version) }
	name := func(r *solvers.Run) string { return r.Solver }
	return cmp.Or(
		cmp.Compare(countDistinct(a, kind), countDistinct(b, kind)),
		cmp.Compare(countDistinct(a, name), countDistinct(b, name)),
		cmp.Compare(len(a), len(b)),
	)
}

// ProductOf returns the name of a program for that of a library of the same version: "z3-4.8.12" for "libz3-4.8.12".
func ProductOf(solver string) string { return strings.TrimPrefix(solver, "lib") }

// KindOfSolver returns the name of the kind of solver that a solver's name starts with: "z3" for "z3-4.8.12#2", and for
// "libz3-4.8.12".
func KindOfSolver(solver, version string) string {
	solver, _, _ = strings.Cut(ProductOf(solver), "#")
	if version != "" {
		solver = strings.TrimSuffix(solver, "-"+version)
	}
	return solver
}

func countDistinct(runs []*solvers.Run, key func(*solvers.Run) string) int {
	var seen []string
	for _, r := range runs {
		if k := key(r); !slices.Contains(seen, k) {
			seen = append(seen, k)
		}
	}
	return len(seen)
}

// answerAt returns the answer of a run to check-sat i, None if it did not come.
func answerAt(r *solvers.Run, i int) smtlib.Answer {
	if i >= len(r.Answers) {
		return smtlib.None
	}
	return r.Answers[i]
}

// newestFirst groups runs by kind of solver, in the order of each kind's first run, and puts the newest versions first
// within a kind: a report names, and reduction keeps, the newest version that is wrong. The order within a version
// stays.
func newestFirst(runs []*solvers.Run) []*solvers.Run {
	if len(runs) < 2 {
		return runs
	}
	var order []string
	by := map[string][]*solvers.Run{}
	for _, r := range runs {
		k := KindOfSolver(r.Solver, r.Version)
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], r)
	}
	out := make([]*solvers.Run, 0, len(runs))
	for _, k := range order {
		slices.SortStableFunc(by[k], func(a, b *solvers.Run) int { return solvers.CompareVersions(b.Version, a.Version) })
		out = append(out, by[k]...)
	}
	return out
}

func targetNames(runs []*solvers.Run) []string {
	var out []string
	for _, r := range runs {
		out = append(out, r.Target)
	}
	return out
}

// solverNames lists the solvers of runs, each with its modes.
func solverNames(runs []*solvers.Run) string {
	var names []string
	modes := map[string][]string{}
	for _, r := range runs {
		if modes[r.Solver] == nil {
			names = append(names, r.Solver)
		}
		if !slices.Contains(modes[r.Solver], string(r.Mode)) {
			modes[r.Solver] = append(modes[r.Solver], string(r.Mode))
		}
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%s (%s)", n, strings.Join(modes[n], ", "))
	}
	if len(names) > 1 {
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return names[0]
}

func verbFor(runs []*solvers.Run, one, many string) string {
	if countDistinct(runs, func(r *solvers.Run) string { return r.Solver }) == 1 {
		return one
	}
	return many
}

// checkText names a check-sat where there are several.
func checkText(c *testcase.Case, i int) string {
	if n := c.Script.CheckSats(); n > 1 {
		return fmt.Sprintf(" to check-sat %d of %d", i+1, n)
	}
	return ""
}

// answerTable lists the outcome of each target.
func answerTable(runs []*solvers.Run) string {
	var b strings.Builder
	width := 0
	for _, r := range runs {
		width = max(width, len(r.Target))
	}
	for _, r := range runs {
		fmt.Fprintf(&b, "%-*s  %s\n", width, r.Target, Outcome(r))
	}
	return b.String()
}

// Outcome describes a run in a few words: its answers, and its class and message unless it ended well.
func Outcome(r *solvers.Run) string {
	var words []string
	for _, a := range r.Answers {
		if a == smtlib.None {
			words = append(words, "-")
		} else {
			words = append(words, a.String())
		}
	}
	if r.Class != solvers.OK {
		words = append(words, "["+r.Class.String()+"]")
		if r.Message != "" {
			words = append(words, r.Message)
		}
	}
	return strings.Join(words, " ")
}
