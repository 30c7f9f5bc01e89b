package folder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// maxInline limits how many bytes of a case README.md quotes, maxSaid how many of an output.
const (
	maxInline = 6 << 10
	maxSaid   = 2 << 10
)

// reportTo says where the developers take reports, and whose tests are laid out in a way that smtlark writes.
func reportTo(f *finding.Finding) string {
	if f.Upstream == nil {
		return ""
	}
	text := "; tracker: " + cmp.Or(display.Line(f.Upstream.Tracker), "unknown, the profile names none")
	t, _ := targetNamed(f, firstOrEmpty(f.Verdict.Targets))
	if !slices.Contains(Layouts, t.Kind) {
		text += "; layout of regression tests: unknown"
	}
	return text
}

// replayParagraphs says in paragraphs how a finding is seen again with its files.
func replayParagraphs(f *finding.Finding) (out []string) {
	kind, native := wrongKind(f), nativeTarget(f)
	var calls []string
	input := inputFile(f)
	if input != smallestFile(f) {
		calls = append(calls, fmt.Sprintf("`%s` has the calls, one a line", input))
	}
	if native {
		calls = append(calls, fmt.Sprintf("`smtlark trace c %s --api %s` writes the calls as a C program where that interface is known", input, kind))
	}
	if len(calls) > 0 {
		out = append(out, strings.Join(calls, "; ")+".")
	}
	how := fmt.Sprintf("runs it with the solver alone (`SOLVER=/path/to/%s sh repro.sh` with another build)", kind)
	switch {
	case needsCampaignFile(f):
		what := "the oracle " + display.MarkdownCode(f.Verdict.Oracle)
		if f.Scripted == finding.ScriptedActions {
			what = "the actions"
		}
		how = fmt.Sprintf("lets smtlark run the solvers and %s of %s judge them (`SOLVER=/path/to/%s sh repro.sh` with another build)", what, display.MarkdownCode(campaignFile(f.Sources)), kind)
	case bySmtlark(f):
		how = "lets smtlark make the calls, including those of other instances, and judge the answers"
	case native:
		how = fmt.Sprintf("makes the calls (`LIBRARY=/path/to/lib%s.so sh repro.sh` with another build)", kind)
	}
	return append(out, "`sh repro.sh` "+how+"; exit code 10 means that it reproduces.")
}

// reportTitle is the headline of a report, without details that only matter to smtlark, such as the mode.
func reportTitle(f *finding.Finding, a *findingAssessment) string {
	t, ok := wrongTarget(f)
	v := &f.Verdict
	if !ok {
		return v.Summary
	}
	who := t.Kind + " " + cmp.Or(rangesText(a.Versions, a.Without, false), t.Version)
	switch {
	case v.Kind == oracle.KindKnownAnswer, v.Kind == oracle.KindDisagreement && v.Settled:
		return fmt.Sprintf("%s: %s where %s is right%s", who, v.Got, v.Want, inLogic(f))
	case v.Kind == oracle.KindAssumedAnswer:
		return fmt.Sprintf("%s: %s where %s is assumed%s", who, v.Got, v.Want, inLogic(f))
	case v.Kind == oracle.KindDisagreement:
		if o, ok := targetNamed(f, firstOrEmpty(v.Against)); ok {
			return fmt.Sprintf("%s says %s, %s %s says %s%s", who, v.Got, o.Kind, o.Version, v.Want, inLogic(f))
		}
	case v.Kind == oracle.KindInvalidModel:
		return fmt.Sprintf("%s: model does not satisfy the assertions%s", who, inLogic(f))
	case v.Kind == oracle.KindCrash && v.Class == solvers.Assertion:
		return fmt.Sprintf("%s: failed check: %s", who, shorten(describeFault(f)))
	case v.Kind == oracle.KindCrash:
		return fmt.Sprintf("%s: crash: %s", who, shorten(describeDeath(f, a)))
	case v.IsWrongReply(), v.Kind == oracle.KindRunaway:
		if _, what, ok := strings.Cut(v.Summary, ": "); ok { // without the names of targets
			return fmt.Sprintf("%s: %s%s", who, what, inLogic(f))
		}
	}
	return v.Summary
}

// describeFault says where a solver crashed, by the parts of its signature.
func describeFault(f *finding.Finding) string {
	if at := faultPlace(f); at != "" && f.Signature.Placed() {
		return at + " in " + f.Signature.Frames[0]
	} else if at != "" {
		return at
	}
	if f.Signature.Placed() && f.Stack != nil {
		if frames := f.Signature.Frames; frames[0] == triage.Overflow {
			return triage.Overflow + " in " + strings.Join(frames[1:], ", ")
		}
		return f.Stack.Signal + " in " + f.Signature.Frames[0]
	}
	parts := strings.Split(f.Signature.Text, " | ")
	if len(parts) > 3 && parts[0] == oracle.KindCrash {
		return parts[3]
	}
	return withoutSmtlark(f.Verdict.Message)
}

// calledIn matches the library call in which a process died, after the signal.
var calledIn = pattern.Lazy(`^(SIG[A-Z0-9]+) in \w+$`)

// describeDeath says where a solver died; where only the signal is known, and the program dies of it alone, with the
// component.
func describeDeath(f *finding.Finding, a *findingAssessment) string {
	text := describeFault(f)
	if m := calledIn().FindStringSubmatch(text); m != nil && a.Alone {
		text = m[1]
	}
	if strings.HasPrefix(text, "SIG") && a.Component != "" {
		text += " (" + a.Component + ")"
	}
	return text
}

func inLogic(f *finding.Finding) string {
	if f.Logic == "" {
		return ""
	}
	return " (" + f.Logic + ")"
}

func shorten(s string) string {
	if len(s) > 120 {
		return strings.ToValidUTF8(s[:120], "") + "..."
	}
	return s
}

// whatIsWrong describes the bug in a sentence or two.
func whatIsWrong(f *finding.Finding, runs []finding.Run, l *lead) string {
	v := &f.Verdict
	t, ok := wrongTarget(f)
	if !ok {
		return display.Markdown(v.Summary)
	}
	who := display.Markdown(t.Kind + " " + t.Version)
	if l != nil {
		who = display.Markdown(l.kind + " " + l.version)
	}
	var right []string
	for i := range runs {
		r := &runs[i]
		// A script may have several checks, so the right answer somewhere is not enough: the wrong one must be nowhere.
		answersRight := slices.Contains(r.Answers, v.Want.String()) && !slices.Contains(r.Answers, v.Got.String())
		if r.Class != solvers.OK || v.Want == smtlib.None || !answersRight {
			continue
		}
		if solver := display.Markdown(kindOf(f, r) + " " + r.Version); !slices.Contains(right, solver) {
			right = append(right, solver)
		}
	}
	agree := ""
	if len(right) > 0 {
		agree = fmt.Sprintf(" %s %s `%s`.", joinWords(right), plural(len(right), "answers", "answer"), v.Want)
	}
	which := ""
	if i := f.SmallestCheck(); i > 0 {
		which = fmt.Sprintf(" at check-sat number %d", i+1)
	}
	switch v.Kind {
	case oracle.KindKnownAnswer:
		if v.Want == smtlib.Sat {
			how := "is satisfiable"
			switch w := smallestWitness(f); {
			case assigns(w):
				how += ": the assignment below satisfies every assertion"
			case w != "":
				how += ": it has no constants, and every assertion is true by evaluation"
			}
			return fmt.Sprintf("%s answers `%s`%s, but the input %s.%s", who, v.Got, which, how, agree)
		}
		// Only the case as it was made is unsat by construction; a smaller one is because reference solvers say so.
		if by := f.Reduced.ConfirmedBy; f.Min != nil && len(by) > 0 {
			return fmt.Sprintf("%s answers `%s`%s, but the input is %s.%s", who, v.Got, which, v.Want, agree)
		}
		return fmt.Sprintf("%s answers `%s`%s, but the input is %s by construction.%s", who, v.Got, which, v.Want, agree)
	case oracle.KindAssumedAnswer:
		return fmt.Sprintf("%s answers `%s`%s, but the input is assumed to be %s, because of %s. This is not proven, and no model was found that refutes it.%s",
			who, v.Got, which, v.Want, display.Markdown(joinWords(f.Case.Origin.Assumed)), agree)
	case oracle.KindDisagreement:
		if v.Settled {
			how := "satisfiable: by exact evaluation, a model satisfies every assertion"
			if v.Want == smtlib.Unsat {
				how = "unsatisfiable: by exact evaluation, no model satisfies every assertion"
			}
			return fmt.Sprintf("%s answers `%s`%s, but the input is %s.%s", who, v.Got, which, how, agree)
		}
		return fmt.Sprintf("%s answers `%s`%s.%s One side is wrong; it is not known which.", who, v.Got, which, agree)
	case oracle.KindInvalidModel:
		return fmt.Sprintf("%s answers `sat`%s with a model under which an assertion is false.", who, which)
	case oracle.KindCrash:
		if v.Class == solvers.Assertion {
			return fmt.Sprintf("%s fails a check of its own on this input.", who)
		}
		return fmt.Sprintf("%s crashes on this input.", who)
	case oracle.KindMetamorphic:
		which := "One of the two is wrong"
		if v.Settled {
			which = "The `unsat` is wrong: by exact evaluation, a model satisfies both"
		}
		return fmt.Sprintf("%s answers `%s` to `%s` and `%s` to `%s`, which was made of it so that %s. %s.", who, v.Want, seedFile, v.Got, smallestFile(f), relationText(v), which)
	case oracle.KindInvalidCore:
		if coreScript(f) != "" {
			return fmt.Sprintf("%s answers `unsat`%s, but answers `sat` for its own core or assumptions alone.", who, which)
		}
		return fmt.Sprintf("%s answers `unsat`%s, and names an assumption that it was not given.", who, which)
	case oracle.KindInvalidReply:
		_, what, _ := strings.Cut(v.Summary, ": ") // without the names of targets
		return fmt.Sprintf("%s replies to a question of the case, and the reply is wrong: %s.", who, what)
	case oracle.KindRunaway:
		return fmt.Sprintf("%s runs out of time or memory on a trivial check%s: the assertions give each constant its value, and the circuit is small.", who, which)
	case oracle.KindInvalidValue:
		_, what, found := strings.Cut(v.Summary, ": ") // without the names of targets
		switch {
		case found && v.Got != smtlib.Sat: // its reply is wrong, whatever it answers
			return fmt.Sprintf("%s: %s.", who, what)
		case found && v.Oracle == oracle.KnownValue().Name():
			return fmt.Sprintf("%s answers `sat`%s, and %s.", who, which, what)
		}
		return fmt.Sprintf("%s answers `sat`%s, but the values that it gives for terms differ from those in its model.", who, which)
	}
	return display.Markdown(v.Summary)
}

// coreScript is the script that asks about a core, or about unsat assumptions, alone; "" if there is none.
func coreScript(f *finding.Finding) string {
	rest, ok := strings.CutPrefix(f.Verdict.Detail, f.Verdict.Reply+"\n")
	if !ok || f.Verdict.Kind != oracle.KindInvalidCore {
		return ""
	}
	return rest
}

func kindOf(f *finding.Finding, r *finding.Run) string {
	if t, ok := targetNamed(f, r.Target); ok && t.Kind != "" {
		return targetOfRun(t, r).Kind
	}
	return strings.TrimSuffix(r.Solver, "-"+r.Version)
}

func wrongKind(f *finding.Finding) string {
	if t, ok := wrongTarget(f); ok && t.Kind != "" {
		return t.Kind
	}
	return "solver"
}

// describeAhead describes the input that the process needs before the case, and how it is sent; for a flaky finding,
// the input that the process had received.
func describeAhead(f *finding.Finding) string {
	if f.AtOnce {
		return strings.TrimSpace("It shows only if the process gets everything in one input, and not piece by piece. " + describeSequence(f))
	}
	return describeSequence(f)
}

func describeSequence(f *finding.Finding) string {
	n, separated := len(f.Before), ""
	if !nativeTarget(f) {
		separated = fmt.Sprintf(", with `(%s)` in between", separatingCommand(f))
	}
	switch {
	case n > 0 && f.Flaky:
		return fmt.Sprintf("When it happened, the process had run %d other %s before%s: `%s`%s.", n, plural(n, "case", "cases"), separated, beforeFile(0), upTo(n))
	case n > 0 && f.Repeat > 0:
		return fmt.Sprintf("It needs a process that has run %d other %s before (`%s`%s), and then this case %s%s.", n, plural(n, "case", "cases"), beforeFile(0), upTo(n), timesInWords(f.Repeat), separated)
	case n > 0:
		return fmt.Sprintf("It needs a process that has run %d other %s before%s: `%s`%s.", n, plural(n, "case", "cases"), separated, beforeFile(0), upTo(n))
	case f.Repeat > 0:
		return fmt.Sprintf("It needs a process that has run this case %s before%s.", timesInWords(f.Repeat), separated)
	}
	return ""
}

func timesInWords(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// separatingCommand is the command between the cases of a sequence.
func separatingCommand(f *finding.Finding) string {
	if t, ok := targetNamed(f, firstOrEmpty(f.Verdict.Targets)); ok && t.Mode == string(solvers.Incremental) {
		return "pop 1"
	}
	return "reset"
}

func upTo(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" to `%s`", beforeFile(n-1))
}

func reducedText(f *finding.Finding) string {
	d := &f.Reduced
	switch {
	case f.Min != nil && d.Reason != "":
		return fmt.Sprintf(", reduced to %d in %d tests (%s)", len(f.Min.Script), d.Tests, d.Reason)
	case f.Min != nil:
		return fmt.Sprintf(", reduced to %d in %d tests", len(f.Min.Script), d.Tests)
	case d.Reason != "":
		return ", not reduced: " + d.Reason
	case d.Pending:
		return ", not reduced yet"
	}
	return ""
}

// joinWords joins words as in a sentence.
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Rescue renders a finding that could not be stored, so that nothing is lost.
func Rescue(f *finding.Finding, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "finding NOT STORED (%v): %s\n%s\n", err, f.Verdict.Summary, replayCommand(f))
	w := f.Case
	if f.Min != nil {
		w = f.Min
	}
	b.WriteString(w.Script)
	if w.Witness != "" {
		fmt.Fprintf(&b, "; witness:\n%s", w.Witness)
	}
	return b.String()
}

// nativeTarget reports whether the target that is wrong is a C library.
func nativeTarget(f *finding.Finding) bool {
	t, ok := targetNamed(f, firstOrEmpty(f.Verdict.Targets))
	return ok && t.Mode == string(solvers.Native)
}
