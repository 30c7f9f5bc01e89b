package folder

import (
	"cmp"
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

//go:embed templates
var templateFiles embed.FS

// templates returns the pages of a finding. They are not parsed at the start: most verbs write no finding.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(pageFunctions).ParseFS(templateFiles, "templates/*.tmpl"))
})

var pageFunctions = template.FuncMap{
	"md": func(text any) string { return display.Markdown(fmt.Sprint(text)) }, "code": display.MarkdownCode,
	"commas":      func(list []string) string { return strings.Join(list, ", ") },
	"quote":       func(language, text, file string) string { return quoteBlock(language, text, file, maxInline) },
	"quoteOutput": func(text, file string) string { return quoteBlock("", text, file, maxSaid) },
	"line":        oneLine, "word": ShellWord, "quoted": display.Quote, "text": func(text string) string { return display.Quote(oneLine(text)) },
	"given":       func(variable string) string { return "${" + variable + ":-}" },
	"shownFrames": func() int { return shownFrames }, "outcome": func(text string) string { return shorten(withoutSmtlark(text)) },
}

// render fills in a template.
func render(name string, data any) (string, error) {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// shownFrames bounds the functions of a stack that README.md shows; all are in finding.json.
const shownFrames = 16

// page has the facts for README.md of a finding, and for the report to a tracker within it.
type page struct {
	*finding.Finding
	told     *Lifecycle // nil: nothing is known beside the finding
	assessed findingAssessment
	lead     *lead
	dir      string
}

// writeReadme writes the page that explains a finding. Down to the horizontal rule it is the report that the tracker of
// the solver asks for: what a developer of the solver needs, without how smtlark found it. Its commands are for a shell
// in the folder.
func writeReadme(f *finding.Finding, dir string, told *Lifecycle) (string, error) {
	p := &page{Finding: f, told: told, assessed: assessFinding(f, told), dir: dir}
	p.lead = leadOf(f, &p.assessed)
	text, err := render("readme.tmpl", p)
	return display.Text(text), err
}

// Title is the headline.
func (p *page) Title() string { return reportTitle(p.Finding, &p.assessed) }

// Issue is the report to the tracker of the solver.
func (p *page) Issue() (string, error) { return writeIssue(p) }

// ShownFile is the file that the table of runs is about.
func (p *page) ShownFile() string {
	switch {
	case onlyCalls(p.Finding):
		return traceFile(p.Finding)
	case p.Min != nil && len(p.MinRuns) > 0:
		return minFile
	}
	return caseFile
}

// shownRun is a row of the table of runs.
type shownRun struct {
	Kind, Version, Mode, Result string
	Seconds                     float64
}

// Runs are the rows of the table of runs: those of the targets, then versions that were asked afterwards, unless a
// target was one of them. Runs of one program with the same outcome have one row.
func (p *page) Runs() (rows []shownRun) {
	runs := shownRuns(p.Finding)
	for i := range runs {
		r := &runs[i]
		row := shownRun{kindOf(p.Finding, r), r.Version, r.Mode, shorten(outcomeInWords(r)), r.Wall}
		shown := slices.ContainsFunc(rows, func(x shownRun) bool {
			x.Seconds = row.Seconds
			return x == row
		})
		if !shown {
			rows = append(rows, row)
		}
	}
	for _, t := range p.trials() {
		known := slices.ContainsFunc(runs, func(r finding.Run) bool {
			return r.Mode == t.Run.Mode && r.Version == t.Version && kindOf(p.Finding, &r) == t.Kind
		})
		if t.Configuration == finding.TrialVersion && !known {
			rows = append(rows, shownRun{t.Kind, t.Version, t.Run.Mode, shorten(outcomeInWords(&t.Run)), t.Run.Wall})
		}
	}
	return rows
}

// trials are the runs of the program alone.
func (p *page) trials() []finding.Trial {
	if p.Upstream == nil {
		return nil
	}
	return p.Upstream.Trials
}

// Checks returns the results of other versions of the solver when they were asked; nil where one was at most.
func (p *page) Checks() []VersionCheck {
	if p.told == nil || len(p.told.Checks) < 2 {
		return nil
	}
	return p.told.Checks
}

// Standing is the status in words; "" for one that is open.
func (p *page) Standing() string {
	if p.told == nil || p.told.State() == StatusOpen {
		return ""
	}
	return p.told.State()
}

// ReplayParagraphs say how the finding is seen again with its files.
func (p *page) ReplayParagraphs() []string { return replayParagraphs(p.Finding) }

// Severity returns the severity of the finding for the developers of the solver.
func (p *page) Severity() triage.Severity { return p.assessed.Severity }

// Component is the part of the solver that it is about; "" where that is not known.
func (p *page) Component() string { return p.assessed.Component }

// ReportTo says where the developers take reports.
func (p *page) ReportTo() string { return reportTo(p.Finding) }

// Reproduced says how often it was seen again, and where.
func (p *page) Reproduced() string {
	text := fmt.Sprintf("%d of %d times in new processes", p.Hits, p.Tries)
	switch {
	case p.Flaky && p.Tries == 0:
		return "not tried: the campaign ended first"
	case p.Flaky:
		return fmt.Sprintf("never in %d tries: it may depend on chance", p.Tries)
	case p.Mode == "own" && nativeTarget(p.Finding):
		return text + " that hold the C library"
	case p.Mode == "own":
		return text + ", in the modes of the campaign, but not in mode fresh"
	}
	return text + ", in mode fresh"
}

// Groupings describe the criteria by which verdicts are counted as this finding.
func (p *page) Groupings() (texts []string) {
	if p.told == nil || len(p.told.Signatures) == 0 {
		return []string{p.Signature.Text}
	}
	for _, sig := range p.told.Signatures {
		texts = append(texts, sig.String())
	}
	return texts
}

// SecondSighting is the second verdict of the finding; nil where there was one only.
func (p *page) SecondSighting() *finding.Member {
	if p.Count < 2 || len(p.Members) == 0 {
		return nil
	}
	return &p.Members[0]
}

// ReducedText describes the result of the reduction.
func (p *page) ReducedText() string { return reducedText(p.Finding) }

// History returns the later events of the finding.
func (p *page) History() []HistoryEvent {
	if p.told == nil {
		return nil
	}
	return p.told.History
}

// Folder is the folder of the finding, for a shell.
func (p *page) Folder() string { return ShellWord(relativePath(p.dir)) }

// AnswersPath is the file with the answers that the case was made with, for a shell.
func (p *page) AnswersPath() string {
	return ShellWord(relativePath(filepath.Join(p.dir, answersFile)))
}

// ReplayCommand makes the case again.
func (p *page) ReplayCommand() string { return replayCommand(p.Finding) }

// InputFile is the file with the input that shows the finding.
func (p *page) InputFile() string {
	if onlyCalls(p.Finding) {
		return traceFile(p.Finding)
	}
	return smallestFile(p.Finding)
}

// InputLanguage returns the language mark of a block of the input.
func (p *page) InputLanguage() string {
	if onlyCalls(p.Finding) {
		return ""
	}
	return "smt2"
}

// InputText is the input as its file has it.
func (p *page) InputText() string {
	if onlyCalls(p.Finding) {
		return traceText(smallestWire(p.Finding))
	}
	return caseText(p.Finding, smallestText(p.Finding))
}

// InputBytes is the size of the case, without the comments in its file.
func (p *page) InputBytes() int {
	if onlyCalls(p.Finding) {
		return len(p.InputText())
	}
	return len(smallestWire(p.Finding).Script)
}

// Ahead describes the input that the process needs before the case; "" if it needs none.
func (p *page) Ahead() string {
	if p.lead != nil && p.lead.trial != nil {
		return ""
	}
	return describeAhead(p.Finding)
}

// session is a command and its output, as in a terminal.
type session struct {
	AskedFile, Asked, Happens string   // of a file with further queries; "" where there is none
	Text                      string   // the command and its output
	Input, Smallest           string   // the file that it is given, and the one that this was made of
	Notes                     []string // how the first differs from the second; nil: they are one
}

// Session shows the command that leads the page; nil where smtlark alone can judge the finding.
func (p *page) Session() *session {
	f, l := p.Finding, p.lead
	if l == nil {
		return nil
	}
	s := &session{AskedFile: askedFile(f), Asked: f.Verdict.Asked, Text: "$ " + l.line, Smallest: smallestFile(f)}
	if s.AskedFile == "" {
		s.Text += "\n" + printedOutput(l.run, l.file)
	} else {
		s.Happens = "After further queries it contradicts itself"
		switch {
		case f.Verdict.Kind == oracle.KindRunaway:
			s.Happens = "On that check alone it does not answer in time either"
		case f.Verdict.Oracle == oracle.KnownValue().Name(), f.Verdict.Kind == oracle.KindInvalidReply:
			s.Happens = "The reply to the last command of this is wrong"
		}
		s.Text += "\n...\n" + f.Verdict.Reply
	}
	if f.Verdict.Kind == oracle.KindCrash {
		switch {
		case l.run.Signal != "":
			s.Text += "\n[died of " + l.run.Signal + "]"
		case l.run.ExitCode > 0:
			s.Text += fmt.Sprintf("\n[exit code %d]", l.run.ExitCode)
		}
	}
	if c := l.command; c != nil && c.text != "" {
		s.Input, s.Notes = c.input, inputNotes(f, c, l.run)
	}
	return s
}

// inputNotes say how the input of a command differs from the smallest case.
func inputNotes(f *finding.Finding, c *command, r *finding.Run) (notes []string) {
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
	return notes
}

// ConfirmedText says by whom the right answer of the smaller case is confirmed; "" where it is known otherwise.
func (p *page) ConfirmedText() string {
	by := p.Finding.Reduced.ConfirmedBy
	if p.Min == nil || len(by) == 0 {
		return ""
	}
	who := display.Markdown(joinWords(by))
	switch want := p.Verdict.Want; p.Verdict.Kind {
	case oracle.KindCrash, oracle.KindDisagreement:
		return ""
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		how := fmt.Sprintf("is %s by construction", want)
		if len(p.Case.Origin.Assumed) > 0 {
			how = fmt.Sprintf("is assumed to be %s", want)
		}
		return fmt.Sprintf("`%s` %s. Reference solvers confirmed the answer for every smaller case; that `%s` is %s is confirmed by %s.",
			caseFile, how, minFile, want, who)
	}
	return fmt.Sprintf("The right answer of the other instance in `%s` is known by construction. "+
		"Reference solvers confirmed it for every smaller case, the last one by %s.", caseFile, who)
}

// Assignment is the assignment that shows that sat is right; "" where none does.
func (p *page) Assignment() string {
	w := smallestWitness(p.Finding)
	if p.Finding.Verdict.IsWrongAnswer() && p.Verdict.Want == smtlib.Sat && assigns(w) {
		return w
	}
	return ""
}

// CrashStack is the stack of a crash; nil where it was not unwound.
func (p *page) CrashStack() *backtrace.CallStack {
	if p.Verdict.Kind != oracle.KindCrash {
		return nil
	}
	return p.Stack
}

// CoreScript asks about a core alone; "" where there is none.
func (p *page) CoreScript() string { return coreScript(p.Finding) }

// OracleDetail returns the long text of the oracle, where the page does not say it otherwise.
func (p *page) OracleDetail() string {
	switch p.Verdict.Kind {
	case oracle.KindCrash, oracle.KindDisagreement, oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		return ""
	}
	if p.CoreScript() != "" {
		return ""
	}
	return p.Verdict.Detail
}

// Undocumented are features of the case that the solver accepts and does not document.
func (p *page) Undocumented() []string {
	if len(p.trials()) == 0 {
		return nil
	}
	return p.Upstream.Undocumented
}

// MildestText says in which configuration the program alone shows the finding; "" where that was not tried.
func (p *page) MildestText() string {
	if len(p.trials()) == 0 {
		return ""
	}
	file, mild := smallestFile(p.Finding), mildestTrial(p.Finding)
	switch {
	case mild == nil:
		return fmt.Sprintf("The program alone does not show it with `%s`: it needs %s.", file, neededCircumstance(p.Finding))
	case isNamedConfiguration(mild):
		return fmt.Sprintf("The configuration closest to the defaults that shows it: %s (%s).",
			display.Markdown(mild.Configuration), display.MarkdownCode(strings.Join(mild.Args, " ")))
	case mild.Configuration == finding.TrialDefault && p.Upstream.Options == 0:
		return "It shows in the default configuration, without any option."
	case mild.Configuration == finding.TrialDefault:
		return fmt.Sprintf("It shows without options on the command line; `%s` sets %s.", file, plural(p.Upstream.Options, "one", fmt.Sprint(p.Upstream.Options)))
	}
	text := "It takes " + p.assessed.Configuration
	if len(mild.Args) > 0 {
		text += ": " + display.MarkdownCode(strings.Join(mild.Args, " "))
	}
	if n := len(mild.Experimental); n > 0 {
		text += fmt.Sprintf("; %s %s experimental", display.MarkdownCode(strings.Join(mild.Experimental, " ")), plural(n, "is", "are"))
	}
	return text + "."
}

// trialRow is a row of the table of configurations.
type trialRow struct{ Name, Line, Shows, Did string }

// TrialRows are the configurations that were tried; nil where one was, which MildestText tells.
func (p *page) TrialRows() (rows []trialRow) {
	for _, t := range p.trials() {
		// Versions are told in a table of their own.
		if t.Configuration == finding.TrialVersion {
			continue
		}
		row := trialRow{t.Configuration, strings.Join(append([]string{t.Kind}, t.Args...), " "), showsText(&t), shorten(outcomeInWords(&t.Run))}
		if len(t.Experimental) > 0 {
			row.Name += ", experimental"
		}
		if preamble := strings.TrimSpace(t.Run.Preamble); preamble != "" {
			row.Line += " " + preamble
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 {
		return nil
	}
	return rows
}

// DebugTrial is the run of a debug build that shows the finding; nil where there is none.
func (p *page) DebugTrial() *finding.Trial {
	if len(p.trials()) == 0 {
		return nil
	}
	return trialOf(p.Finding, func(t *finding.Trial) bool { return t.Configuration == finding.TrialDebug && t.Shows })
}

// Printed returns the output of a trial.
func (p *page) Printed(t *finding.Trial) string {
	return printedOutput(&t.Run, smallestFile(p.Finding))
}

// quoteBlock returns a fenced block, clipped.
func quoteBlock(language, text, file string, most int) string {
	text = display.Text(text)
	fence := display.MarkdownFence(text)
	if len(text) > most {
		cut := cmp.Or(strings.LastIndexByte(text[:most], '\n')+1, most)
		text = strings.ToValidUTF8(text[:cut], "") + "\n; ... the rest is in " + file
	}
	return fmt.Sprintf("%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(text, "\n"), fence)
}
