package report

import (
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// dataVersion is the version of the format of `smtlark report --format json`; it grows when a field changes its
// meaning.
const dataVersion = 1

// Data is the content of a report: one run in detail, the other runs of the folder in a line each, and findings. Every
// format is rendered from it. The tag help explains a field; docs/schema/report.json is generated from the tags.
type Data struct {
	Version  int             `json:"version" help:"version of this format"`
	Tool     string          `json:"tool" help:"name and version of the program"`
	Made     time.Time       `json:"made" help:"when the report was made"`
	Folder   string          `json:"folder" help:"folder with findings and runs"`
	Run      *reportRun      `json:"run,omitempty" help:"the run that is shown in detail: the one asked for, or the latest"`
	Runs     []runLine       `json:"runs,omitempty" help:"all runs of the folder, the latest first"`
	Findings []reportFinding `json:"findings" help:"findings: of the run that was asked for, else of the folder; the most serious first, flaky ones last"`
	OneRun   bool            `json:"one_run,omitempty" help:"the findings are those of the run only"`
	Unread   []error         `json:"-"` // errors of the files that could not be read and are left out
	FailOn   string          `json:"-"` // which findings make a build fail, one of FailOns
}

// Which findings make a build fail: all that a run has seen, those that were not in the folder before it, none.
const (
	FailOnAny  = "any"
	FailOnNew  = "new"
	FailOnNone = "none"
)

// FailOns are the values of --fail-on.
var FailOns = []string{FailOnAny, FailOnNew, FailOnNone}

// reportRun is one run of a campaign.
type reportRun struct {
	ID       string            `json:"id" help:"CAMPAIGN/TIME"`
	Dir      string            `json:"dir" help:"its folder"`
	Stats    *metrics.Stats    `json:"stats" help:"stats.json"`
	Plan     *finding.Plan     `json:"plan,omitempty" help:"what the campaign file came to"`
	Set      map[string]string `json:"set,omitempty" help:"variables of the campaign file set by --set"`
	Points   []metrics.Stats   `json:"points,omitempty" help:"the state over time, as in the events named progress"`
	Marks    []pointMark       `json:"marks,omitempty" help:"findings in the order of their appearance"`
	Troubles []runTrouble      `json:"troubles,omitempty" help:"deaths of workers, errors and the like, the first ones"`
	unread   error
	Live     bool `json:"live,omitempty" help:"it is running: its statistics are fresh"`
}

// runLine is a run in a few words.
type runLine struct {
	ID    string         `json:"id" help:"CAMPAIGN/TIME"`
	Stats *metrics.Stats `json:"stats" help:"as in stats.json, without what is listed of single cases, operators, options and files"`
}

// settledOnly reports whether the run has ended and only settled earlier verdicts, without making cases.
func (l *runLine) settledOnly() bool {
	s := l.Stats
	return s.State == metrics.StateDone && s.Cases+s.Skipped+s.Killed+s.Errors == 0
}

// pointMark is the moment at which a run stored or met a finding.
type pointMark struct {
	Elapsed   float64 `json:"elapsed" help:"run time in seconds"`
	What      string  `json:"what" help:"finding, flaky or known"`
	Number    int     `json:"number" help:"of the finding"`
	Kind      string  `json:"kind,omitempty" help:"of the finding"`
	Signature string  `json:"signature,omitempty" help:"its key"`
	Summary   string  `json:"summary" help:"one line"`
}

// runTrouble is an event that should not happen.
type runTrouble struct {
	Elapsed float64 `json:"elapsed" help:"run time in seconds"`
	What    string  `json:"what" help:"name of the event"`
	Text    string  `json:"text" help:"its reason"`
}

// reportFinding is one finding with the data about its case from its folder.
type reportFinding struct {
	*folder.Record
	ID       string       `json:"id" help:"its number, or flaky/N"`
	Folder   string       `json:"folder" help:"of the finding, within the folder of the report, with slashes"`
	File     string       `json:"file" help:"min.smt2, or case.smt2 where the case was not reduced"`
	Outcomes []runOutcome `json:"outcomes,omitempty" help:"what each target did with the case of file"`
	Text     string       `json:"text,omitempty" help:"the beginning of file"`
	Cut      bool         `json:"cut,omitempty" help:"text is not all of it"`
}

// wrong returns the targets on the wrong side.
func (f *reportFinding) wrong() []string {
	if v := &f.Verdict; len(v.Targets) > 0 || v.Target == "" {
		return v.Targets
	}
	return []string{f.Verdict.Target}
}

// runOutcome is the run of a finding's case on one target.
type runOutcome struct {
	Target  string  `json:"target" help:"name of the target"`
	Version string  `json:"version,omitempty" help:"of the solver"`
	Outcome string  `json:"outcome" help:"answers and how the run ended, in words"`
	Wall    float64 `json:"wall" help:"seconds"`
	Wrong   bool    `json:"wrong,omitempty" help:"it is on the wrong side"`
}

// Counts counts the findings that reproduce, and those that do not; those that were dismissed do not count.
func (d *Data) Counts() (solid, flaky int) {
	for i := range d.Findings {
		switch f := &d.Findings[i]; {
		case f.IsDismissed():
		case f.Flaky:
			flaky++
		default:
			solid++
		}
	}
	return solid, flaky
}
