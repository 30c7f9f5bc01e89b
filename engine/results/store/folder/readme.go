package folder

import (
	"cmp"
	"fmt"
	"path/filepath"
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

// maxInline bounds what README.md quotes of a case, in bytes, maxSaid what of an output.
const (
	maxInline = 6 << 10
	maxSaid   = 2 << 10
)

// shownFrames bounds the functions of a stack that README.md shows; all are in finding.json.
const shownFrames = 16

// writeReadme writes the page that explains a finding. Down to the rule it is the report that the tracker of the solver asks for:
// what a developer of the solver needs, and nothing of how it was found. Its commands are for a shell in the folder.
func writeReadme(f *finding.Finding, dir string, told *Lifecycle) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	runs, of := shownRuns(f), caseFile
	if f.Min != nil && len(f.MinRuns) > 0 {
		of = minFile
	}
	if onlyCalls(f) {
		of = traceFile(f)
	}
	assessed := assessFinding(f, told)
	l := leadOf(f, &assessed)
	line("# %s\n", display.Markdown(reportTitle(f, &assessed)))
	line("%s", writeIssue(f, &assessed, l))
	line("## What solvers do with `%s`\n", of)
	line("| solver | version | mode | result | seconds |\n|---|---|---|---|---|")
	for i := range runs {
		r := &runs[i]
		line("| %s | %s | %s | %s | %.2f |", display.Markdown(kindOf(f, r)), display.Markdown(r.Version), r.Mode, display.Markdown(shorten(outcomeInWords(r))), r.Wall)
	}
	if f.Upstream != nil {
		for i := range f.Upstream.Trials {
			t := &f.Upstream.Trials[i]
			// Versions that were asked afterwards, unless a target of the campaign was one of them.
			known := slices.ContainsFunc(runs, func(r finding.Run) bool {
				return r.Mode == t.Run.Mode && r.Version == t.Version && kindOf(f, &r) == t.Kind
			})
			if t.Configuration == finding.TrialVersion && !known {
				line("| %s | %s | %s | %s | %.2f |", display.Markdown(t.Kind), display.Markdown(t.Version), t.Run.Mode, display.Markdown(shorten(outcomeInWords(&t.Run))), t.Run.Wall)
			}
		}
	}
	b.WriteByte('\n')
	tellVersions(&b, told)
	if f.Needs != "" {
		line("Options: %s.\n", f.Needs)
	}
	if text := f.ModesText(); text != "" {
		line("Modes: %s.\n", text)
	}
	line("%s\n", strings.Join(replayParagraphs(f), "\n\n"))
	line("---\n\n## How it was found\n")
	line("- severity: %s%s%s", assessed.Severity, componentSuffix(&assessed), reportTo(f))
	tellOrigin(&b, f, told)
	line("\n`smtlark repro %s` replays it, `smtlark bisect %d` runs it on all installed versions; %s makes the case again.", ShellWord(relativePath(dir)), f.Number, display.MarkdownCode(replayCommand(f)))
	if n := len(f.Case.Origin.Answers); n > 0 {
		line("\nThe case depends on answers of solvers that other builds may not give: elsewhere, `--answers %s` uses the recorded ones.", ShellWord(relativePath(filepath.Join(dir, answersFile))))
	}
	line("\n`%s` is the case as it was found, `runs/` has what each target did with it (`confirm-` in the repetition, `min-` with the reduced case), `out/` what it wrote.", caseFile)
	return display.Text(b.String())
}

func componentSuffix(a *findingAssessment) string {
	if a.Component == "" {
		return ""
	}
	return "; component: " + display.Markdown(a.Component)
}

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

// maxTitled bounds the versions that a headline names, the newest ones.
const maxTitled = 4

// reportTitle is the headline of a report, without what only matters here, such as the mode.
func reportTitle(f *finding.Finding, a *findingAssessment) string {
	t, ok := wrongTarget(f)
	v := &f.Verdict
	if !ok {
		return v.Summary
	}
	who := t.Kind + " " + cmp.Or(strings.Join(a.Versions[:min(len(a.Versions), maxTitled)], ", "), t.Version)
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
	case v.Kind == oracle.KindInvalidCore, v.Kind == oracle.KindInvalidValue, v.Kind == oracle.KindRunaway:
		if _, what, ok := strings.Cut(v.Summary, ": "); ok { // without the names of targets
			return fmt.Sprintf("%s: %s%s", who, what, inLogic(f))
		}
	}
	return v.Summary
}

// describeFault says where a solver died: what its signature is made of.
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

// calledIn matches the library call in which a process died, behind what ended it.
var calledIn = pattern.Lazy(`^(SIG[A-Z0-9]+) in \w+$`)

// describeDeath says where a solver died; where only the signal is known, and the program dies of it alone, with the component.
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

// whatIsWrong says what is wrong in a sentence or two.
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
		if r.Class == solvers.OK && contains(r.Answers, v.Want.String()) && !contains(r.Answers, v.Got.String()) && v.Want != smtlib.None {
			right = append(right, display.Markdown(kindOf(f, r)+" "+r.Version))
		}
	}
	agree := ""
	if len(right) > 0 {
		agree = fmt.Sprintf(" %s %s `%s`.", joinWords(unique(right)), plural(len(unique(right)), "answers", "answer"), v.Want)
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
	case oracle.KindRunaway:
		return fmt.Sprintf("%s runs out of time or memory on a trivial check%s: the assertions give each constant its value, and the circuit is small.", who, which)
	case oracle.KindInvalidValue:
		_, what, found := strings.Cut(v.Summary, ": ") // without the names of targets
		switch {
		case found && v.Got != smtlib.Sat: // what it replies, whatever it answers
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

// showSession shows the command and what it prints, as in a terminal.
func showSession(b *strings.Builder, f *finding.Finding, l *lead) {
	if l == nil {
		return
	}
	c, r := l.command, l.run
	text := "$ " + l.line
	if file := askedFile(f); file != "" {
		happens := "After further queries it contradicts itself"
		switch {
		case f.Verdict.Kind == oracle.KindRunaway:
			happens = "On that check alone it does not answer in time either"
		case f.Verdict.Oracle == oracle.KnownValue().Name():
			happens = "The reply to the last command of this is wrong"
		}
		fmt.Fprintf(b, "%s (`%s`):\n\n", happens, file)
		quoteBlock(b, "smt2", f.Verdict.Asked, file, maxInline)
		text += "\n...\n" + f.Verdict.Reply
	} else {
		text += "\n" + printedOutput(r, l.file)
	}
	if f.Verdict.Kind == oracle.KindCrash {
		if r.Signal != "" {
			text += "\n[died of " + r.Signal + "]"
		} else if r.ExitCode > 0 {
			text += fmt.Sprintf("\n[exit code %d]", r.ExitCode)
		}
	}
	quoteBlock(b, "", text, "out/", maxSaid)
	if c == nil || c.text == "" {
		return
	}
	var notes []string
	if n := len(f.Before); n > 0 {
		notes = append(notes, fmt.Sprintf("after %d other %s with `(%s)` in between", n, plural(n, "case", "cases"), separatingCommand(f)))
	}
	if n := f.Repeat; n > 0 {
		notes = append(notes, fmt.Sprintf("%d times with `(%s)` in between", n+1, separatingCommand(f)))
	}
	if r.Preamble != "" {
		notes = append(notes, fmt.Sprintf("with `%s` before it", strings.ReplaceAll(strings.TrimSpace(r.Preamble), "\n", " ")))
	}
	if c.stdin && r.Mode == string(solvers.Incremental) {
		notes = append(notes, "between `(push 1)` and `(pop 1)`")
	}
	if c.stdin && r.Mode == string(solvers.Reset) && f.Verdict.Kind == oracle.KindCrash {
		notes = append(notes, "with `(reset)` after it")
	}
	if f.Verdict.Kind == oracle.KindInvalidModel {
		notes = append(notes, "with `(get-model)` after each check-sat")
	}
	if len(notes) == 0 { // a command that this solver is not told
		notes = append(notes, "in the words of this solver")
	}
	fmt.Fprintf(b, "`%s` is `%s` %s.\n\n", c.input, smallestFile(f), strings.Join(notes, ", "))
}

// explainExpected explains how the right answer is known.
func explainExpected(b *strings.Builder, f *finding.Finding) {
	v := &f.Verdict
	switch v.Kind {
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		if by := f.Reduced.ConfirmedBy; f.Min != nil && len(by) > 0 {
			how := "is %s by construction"
			if len(f.Case.Origin.Assumed) > 0 {
				how = "is assumed to be %s"
			}
			fmt.Fprintf(b, "`%s` "+how+". Reference solvers confirmed the answer for every smaller case; that `%s` is %s is confirmed by %s.\n\n",
				caseFile, v.Want, minFile, v.Want, display.Markdown(joinWords(by)))
		}
		if w := smallestWitness(f); assigns(w) && v.Want == smtlib.Sat {
			fmt.Fprintf(b, "This assignment (`%s`) satisfies every assertion:\n\n", modelFile)
			quoteBlock(b, "smt2", w, modelFile, maxInline)
		}
	case oracle.KindCrash:
		if f.Stack != nil {
			fmt.Fprintf(b, "The stack when %s came, as smtlark unwound it:\n\n", f.Stack.Signal)
			quoteBlock(b, "", f.Stack.Head(shownFrames), recordFile, maxInline)
		}
	case oracle.KindDisagreement:
	default:
		if by := f.Reduced.ConfirmedBy; f.Min != nil && len(by) > 0 {
			fmt.Fprintf(b, "The right answer of the other instance in `%s` is known by construction. Reference solvers confirmed it for every smaller case, the last one by %s.\n\n",
				caseFile, display.Markdown(joinWords(by)))
		}
		if script := coreScript(f); script != "" {
			b.WriteString("For that alone it answers `sat`:\n\n")
			quoteBlock(b, "smt2", script, "finding.json", maxInline)
		} else if v.Detail != "" {
			quoteBlock(b, "", v.Detail, "finding.json", maxInline)
		}
	}
}

// tellVersions tells what other versions of the solver did when they were asked.
func tellVersions(b *strings.Builder, told *Lifecycle) {
	if told == nil {
		return
	}
	if len(told.Checks) > 1 {
		b.WriteString("| version | build | shows it | did |\n|---|---|---|---|\n")
		for _, c := range told.Checks {
			fmt.Fprintf(b, "| %s %s | %s | %d of %d | %s |\n", display.Markdown(c.Kind), display.Markdown(c.Version), c.Build.Short(), c.Hits, c.Tries, display.Markdown(withoutSmtlark(c.Outcome)))
		}
		b.WriteByte('\n')
	}
	if state := told.State(); state != StatusOpen {
		fmt.Fprintf(b, "Status: %s.\n\n", display.Markdown(state))
	}
}

// tellOrigin tells how the finding came about and what counts as the same.
func tellOrigin(b *strings.Builder, f *finding.Finding, told *Lifecycle) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	reproduced := fmt.Sprintf("%d of %d times in new processes", f.Hits, f.Tries)
	switch {
	case f.Flaky && f.Tries == 0:
		reproduced = "not tried: the campaign ended first"
	case f.Flaky:
		reproduced = fmt.Sprintf("never in %d tries: it may depend on chance", f.Tries)
	case f.Mode == "own" && nativeTarget(f):
		reproduced += " that hold the C library"
	case f.Mode == "own":
		reproduced += ", in the modes of the campaign, but not in mode fresh"
	default:
		reproduced += ", in mode fresh"
	}
	line("- reproduced %s", reproduced)
	for _, x := range f.Varies {
		line("- the repetitions differ: %s; it depends on more than its input", display.Markdown(x))
	}
	line("- case %d of campaign %s, technique %s, seed 0x%x", f.Case.Origin.Number, display.Markdown(f.Case.Origin.Campaign), display.Markdown(f.Case.Origin.Technique), f.Case.Origin.Seed)
	if len(f.Case.Origin.Seeds) > 0 {
		line("- made from %s", display.Markdown(strings.Join(f.Case.Origin.Seeds, ", ")))
	}
	if len(f.Case.Origin.Steps) > 0 {
		line("- steps: %s", display.Markdown(strings.Join(f.Case.Origin.Steps, ", ")))
	}
	if told == nil || len(told.Signatures) == 0 {
		line("- grouped by: %s", display.Markdown(f.Signature.Text))
	} else {
		for _, sig := range told.Signatures {
			line("- grouped by: %s", display.Markdown(sig.String()))
		}
	}
	if f.Count > 1 && len(f.Members) > 0 {
		line("- seen %d times; the second time in case %d, which counts as the same because: %s", f.Count, f.Members[0].N, display.Markdown(f.Members[0].Reason))
	}
	line("- size: %d bytes%s", len(f.Case.Script), reducedText(f))
	if told != nil {
		for _, h := range told.History {
			line("- %s %s: %s", h.Time.Format("2006-01-02"), h.What, display.Markdown(h.Text))
		}
	}
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

// describeAhead says what the process has to be given ahead of the case, and how; of a flaky finding, what it had been given.
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

// quoteBlock writes a fenced block, clipped.
func quoteBlock(b *strings.Builder, lang, text, file string, most int) {
	text = display.Text(text)
	fence := display.MarkdownFence(text)
	if len(text) > most {
		cut := strings.LastIndexByte(text[:most], '\n') + 1
		if cut == 0 {
			cut = most
		}
		text = strings.ToValidUTF8(text[:cut], "") + "\n; ... the rest is in " + file
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n\n", fence, lang, strings.TrimRight(text, "\n"), fence)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func unique(list []string) []string {
	var out []string
	for _, x := range list {
		if !contains(out, x) {
			out = append(out, x)
		}
	}
	return out
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
