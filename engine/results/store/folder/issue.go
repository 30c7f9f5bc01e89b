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
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
)

// plainIssue is the report to a tracker whose profile has no template.
const plainIssue = `{description}

{input}

{output}

{evidence}

{configurations}

- {solver} {version}; {build}
- Options: {options}
- System: {system}

{versions}
`

// lead is the run that a page begins with: a run of the program alone, if that shows the finding.
type lead struct {
	kind, version string
	line          string // the command, for a shell in the folder of the finding
	file          string // the file that it is about
	run           *finding.Run
	build         *build.Info
	trial         *finding.Trial // nil: it is the run of the campaign, by
	command       *command
}

// leadOf returns the lead of a finding: of the newest version that shows it. nil where smtlark alone can judge it.
func leadOf(f *finding.Finding, a *findingAssessment) *lead {
	list := showingCommands(f)
	if t := leadingTrial(f, a); t != nil {
		words := []string{ShellWord(t.Path)}
		for _, x := range t.Args {
			words = append(words, ShellWord(x))
		}
		return &lead{kind: t.Kind, version: t.Version, line: strings.Join(append(words, smallestFile(f)), " "), file: smallestFile(f), run: &t.Run, build: t.Build, trial: t}
	}
	asked := askedFile(f)
	if len(list) == 0 || len(f.Verdict.Targets) == 0 || bySmtlark(f) && asked == "" {
		return nil
	}
	c := list[0]
	return &lead{kind: c.target.Kind, version: c.target.Version, line: c.shownLine(), file: c.input, run: &c.run, build: c.target.Build, command: c}
}

// leadingTrial returns the trial that leads a page; nil where none shows the finding with nothing but the file of the
// case.
func leadingTrial(f *finding.Finding, a *findingAssessment) *finding.Trial {
	if f.Verdict.Kind == oracle.KindInvalidModel || f.Verdict.Kind == oracle.KindInvalidReply || f.Verdict.Asked != "" || byOracle(f) { // there is more to ask than the file
		return nil
	}
	t := plainestTrial(f)
	if t == nil || len(a.Versions) > 0 && t.Version != a.Versions[0] {
		newest := trialOf(f, func(t *finding.Trial) bool {
			return t.Shows && t.Configuration == finding.TrialVersion && len(a.Versions) > 0 && t.Version == a.Versions[0]
		})
		t = cmp.Or(newest, t)
	}
	if t == nil || t.Run.Preamble != "" {
		return nil
	}
	return t
}

// writeIssue fills in the template of the solver's tracker.
func writeIssue(p *page) (string, error) {
	f, l := p.Finding, p.lead
	form, options, interfaceUsed := plainIssue, "none", "command line"
	if f.Upstream != nil && f.Upstream.Issue != "" {
		form = f.Upstream.Issue
	}
	kind, version, line, identity := wrongKind(f), "", "", ""
	if l != nil {
		kind, version, line, identity = l.kind, l.version, l.line, l.build.String()
		options = optionsText(l)
		if l.command != nil && l.command.library != "" {
			interfaceUsed = "C API"
		}
	} else if t, ok := wrongTarget(f); ok { // smtlark alone can judge it
		version, identity = t.Version, t.Build.String()
	}
	system := "not known"
	if f.Plan != nil && f.Plan.Machine != "" {
		system = display.Markdown(f.Plan.Machine)
	}
	built := "not known"
	if f.Upstream != nil && f.Upstream.Built != "" {
		built = "```\n" + howBuilt(f.Upstream.Built) + "\n```"
	}
	values := map[string]string{
		"description": whatIsWrong(f, shownRuns(f), l), "command": "`" + line + "`", "expected": expectedOutcome(f),
		"solver": kind, "version": display.Markdown(version), "versions": versionsText(f, &p.assessed),
		"build": cmp.Or(identity, "build not known"), "system": system, "options": options,
		"category": trackerCategory(f), "interface": interfaceUsed, "built": built,
	}
	for _, part := range []string{"input", "output", "evidence", "configurations"} {
		var err error
		if values[part], err = render(part, p); err != nil {
			return "", err
		}
	}
	filled := placeholder().ReplaceAllStringFunc(form, func(hole string) string {
		if text, ok := values[strings.Trim(hole, "{}")]; ok {
			return strings.TrimRight(text, "\n")
		}
		return hole
	})
	return strings.TrimSpace(emptyLines().ReplaceAllString(filled, "\n\n")) + "\n", nil
}

var (
	placeholder = pattern.Lazy(`\{[a-z]+\}`)
	emptyLines  = pattern.Lazy(`\n{3,}`)
	setting     = pattern.Lazy(`^\s*[\w -]+ *: +\S`)
)

// howBuilt extracts the configuration from the output of a program: lines of a name and a value. Without such lines it
// keeps the whole output.
func howBuilt(text string) string {
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if setting().MatchString(l) {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	if len(lines) == 0 {
		lines = strings.Split(text, "\n")
	}
	return strings.ReplaceAll(strings.Join(lines[:min(len(lines), 60)], "\n"), "```", "'''")
}

// optionsText lists the arguments of a lead; those that the developers call experimental are marked.
func optionsText(l *lead) string {
	args := []string{}
	var experimental []string
	switch {
	case l.trial != nil:
		args, experimental = l.trial.Args, l.trial.Experimental
	case l.command != nil:
		args = l.command.args
	}
	var out []string
	for _, a := range args {
		text := "`" + a + "`"
		if slices.Contains(experimental, a) {
			text += " (experimental)"
		}
		out = append(out, text)
	}
	if p := strings.TrimSpace(l.run.Preamble); p != "" {
		out = append(out, "`"+strings.ReplaceAll(p, "\n", " ")+"`")
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

// trackerCategory returns the word of trackers for a kind of finding.
func trackerCategory(f *finding.Finding) string {
	switch f.Verdict.Kind {
	case oracle.KindCrash:
		return "Crash/Assertion failure"
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer, oracle.KindDisagreement, oracle.KindMetamorphic:
		return "Incorrect result (SAT/UNSAT/Unknown)"
	case oracle.KindInvalidModel, oracle.KindInvalidValue, oracle.KindInvalidCore, oracle.KindInvalidReply:
		return "Incorrect result (model, value or core)"
	}
	return "Other"
}

// expectedOutcome describes what the solver should do.
func expectedOutcome(f *finding.Finding) string {
	v := &f.Verdict
	switch v.Kind {
	case oracle.KindCrash:
		return "An answer, `unknown`, or an error message."
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		return fmt.Sprintf("`%s`, or `unknown`.", v.Want)
	case oracle.KindDisagreement:
		if v.Settled {
			return fmt.Sprintf("`%s`, or `unknown`.", v.Want)
		}
		return "The answer on which all agree; one of the two is wrong."
	case oracle.KindMetamorphic:
		return "Answers to the two that can both be right: " + v.Relation.Words() + "."
	case oracle.KindInvalidModel:
		return "A model under which all assertions are true."
	}
	return "See above."
}

// versionsText says which versions show a finding and which do not.
func versionsText(f *finding.Finding, a *findingAssessment) string {
	kind := display.Markdown(wrongKind(f))
	var out []string
	if len(a.Versions) > 0 {
		out = append(out, fmt.Sprintf("Shows it: %s %s.", kind, display.Markdown(rangesText(a.Versions, a.Without, true))))
	}
	if len(a.Without) > 0 {
		text := rangesText(a.Without, a.Versions, true)
		out = append(out, fmt.Sprintf("%s not show it: %s.", plural(len(a.Without), "Does", "Do"), display.Markdown(text)))
	}
	return strings.Join(out, " ")
}

// rangesText lists the ranges of versions that were asked, the newest first; counted adds how many versions each has.
func rangesText(versions, others []string, counted bool) string {
	var list []string
	for _, r := range slices.Backward(solvers.VersionRanges(versions, others)) {
		text := r.String()
		if counted && r.Count > 2 {
			text += fmt.Sprintf(" (%d versions)", r.Count)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// neededCircumstance returns the circumstances that a finding needs beyond the program and the file.
func neededCircumstance(f *finding.Finding) string {
	t, _ := targetNamed(f, firstOrEmpty(f.Verdict.Targets))
	switch {
	case onlyCalls(f) || nativeTarget(f):
		return "the calls of `" + inputFile(f) + "`"
	case f.Len() > 0:
		return "the earlier cases of the process"
	case f.Verdict.Kind == oracle.KindInvalidModel || byOracle(f) || f.Verdict.Asked != "":
		return "the queries above"
	case f.Mode != "" && f.Mode != t.Mode:
		return "options of the campaign"
	}
	return "the mode " + t.Mode
}

// showsText says in a word whether a trial shows a finding; a program that declines the case says nothing about it.
func showsText(t *finding.Trial) string {
	switch {
	case t.Shows:
		return "yes"
	case t.Run.Class == solvers.Refusal || t.Run.Class == solvers.Unsupported || t.Run.Class == solvers.ParseError:
		return "declined"
	}
	return "no"
}

// loadedBy matches the name of the program before a failed assertion of a C library that smtlark had loaded: the C
// library of the system prints the name of the process.
var loadedBy = pattern.Lazy(`(?m)(^|\s)smtlark[\w.-]*: ([\w./+-]+\.\w+:\d+: )`)

// withoutSmtlark takes the name of smtlark off the messages of libraries that it loaded: it is not smtlark that failed.
func withoutSmtlark(text string) string { return loadedBy().ReplaceAllString(text, "$1$2") }

// temporary matches the file that smtlark gave a solver.
var temporary = pattern.Lazy(`[^\s"'(=]*/smtlark-[\w.-]+/[\w.-]+\.smt2`)

// printedOutput returns the output of a run as a user who types the command sees it, with the name of the file in the
// folder. The latest calls of a library run, which no command prints, are in brackets.
func printedOutput(r *finding.Run, file string) string {
	own := *r
	var calls string
	own.Stderr, calls = solvers.CutLastCalls(r.Stderr)
	text := temporary().ReplaceAllLiteralString(strings.TrimSpace(withoutSmtlark(outputOf(&own))), file)
	if calls != "" {
		text += "\n[" + strings.ReplaceAll(calls, "\n", "; ") + "]"
	}
	return strings.TrimSpace(text)
}

// outcomeInWords returns the outcome of a run in words, as the page says it.
func outcomeInWords(r *finding.Run) string { return withoutSmtlark(r.Outcome) }

// faultPlace returns the place of a fault in the solver, in words; "" when nothing is known.
func faultPlace(f *finding.Finding) string { return triage.FaultOf(faultOutput(f)).Place }
