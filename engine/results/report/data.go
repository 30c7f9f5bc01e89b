package report

import (
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// dataVersion is the version of the format of `smtlark report --format json`; it grows when a field changes its meaning.
const dataVersion = 1

// Data is all that a report tells: one run in detail, the other runs of the folder in a line each, and findings. Every
// format is made of it. The tag help says what a field means; docs/schema/report.json is made of the tags.
type Data struct {
	Version  int             `json:"version" help:"version of this format"`
	Tool     string          `json:"tool" help:"name and version of the program"`
	Made     time.Time       `json:"made" help:"when the report was made"`
	Folder   string          `json:"folder" help:"folder with findings and runs"`
	Run      *reportRun      `json:"run,omitempty" help:"the run that is shown in detail: the one asked for, or the latest"`
	Runs     []runLine       `json:"runs,omitempty" help:"all runs of the folder, the latest first"`
	Findings []reportFinding `json:"findings" help:"findings: of the run that was asked for, else of the folder; the most serious first, flaky ones last"`
	OneRun   bool            `json:"one_run,omitempty" help:"the findings are those of the run only"`
	Unread   []error         `json:"-"` // what could not be read and is left out
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

// settledOnly reports whether the run is done and made no cases.
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

// reportFinding is one finding with all that a reader wants to see.
type reportFinding struct {
	findingAccount
	findingCircumstances
	findingStanding
	findingCause
	findingSightings
	Found    time.Time `json:"found" help:"when it was found"`
	LastSeen time.Time `json:"last_seen" help:"when it was seen last"`
	findingOrigin
	caseFiles
	Needs   string           `json:"needs,omitempty" help:"whether it needs options of the solver, in words"`
	Merged  []finding.Member `json:"merged,omitempty" help:"the first verdicts of this finding, and why they count as it"`
	Checks  []versionChecked `json:"checks,omitempty" help:"the latest result of each version of the solver"`
	History []folder.Entry   `json:"history,omitempty" help:"what happened to it"`
	rank    folder.Rank
}

// caseFiles is where the case of a finding is, and what it does.
type caseFiles struct {
	Folder   string       `json:"folder" help:"of the finding, within the folder of the report, with slashes"`
	File     string       `json:"file" help:"min.smt2, or case.smt2 where the case was not reduced"`
	Replay   string       `json:"replay" help:"command that makes the case again"`
	Outcomes []runOutcome `json:"outcomes,omitempty" help:"what each target did with the case of file"`
	Text     string       `json:"text,omitempty" help:"the beginning of file"`
	Cut      bool         `json:"cut,omitempty" help:"text is not all of it"`
}

// findingOrigin is what made the case of a finding.
type findingOrigin struct {
	Campaign  string   `json:"campaign" help:"that found it"`
	Technique string   `json:"technique,omitempty" help:"that made the case"`
	Steps     []string `json:"steps,omitempty" help:"what was done to the seeds"`
	Seeds     []string `json:"seeds,omitempty" help:"scripts the case was made of"`
}

// findingSightings is how often a finding was seen, and how large its case is.
type findingSightings struct {
	Hits      int `json:"hits" help:"how often it reproduced"`
	Tries     int `json:"tries" help:"how often that was tried"`
	Count     int `json:"count" help:"verdicts with its signature so far"`
	CaseBytes int `json:"case_bytes" help:"size of the case"`
	MinBytes  int `json:"min_bytes,omitempty" help:"size of the reduced case"`
}

// findingCause is what findings are told apart by.
type findingCause struct {
	Logic     string   `json:"logic,omitempty" help:"of the case"`
	Targets   []string `json:"targets,omitempty" help:"on the wrong side"`
	Against   []string `json:"against,omitempty" help:"on the other side"`
	Key       string   `json:"signature" help:"findings with the same signature are the same"`
	Signature string   `json:"signature_text,omitempty" help:"what the signature was made of"`
}

// findingStanding is what became of a finding.
type findingStanding struct {
	State     string `json:"state" help:"of its life: open, fixed, regressed, invalid or dup"`
	Status    string `json:"status" help:"of its life in words, such as open or fixed in 4.13.3"`
	Reported  string `json:"reported,omitempty" help:"address of the report to the developers of the solver"`
	Dismissed bool   `json:"dismissed,omitempty" help:"somebody said that it is invalid, or a duplicate"`
}

// findingCircumstances are the mildest configuration that shows a finding, and what goes with it.
type findingCircumstances struct {
	// The mildest configuration and what goes with it.
	Configuration string   `json:"configuration,omitempty" help:"mildest configuration that shows it: of the solver's profile, such as safe, default, one option, or several options"`
	Alone         bool     `json:"alone,omitempty" help:"the program and the file show it"`
	Component     string   `json:"component,omitempty" help:"part of the solver that it is about, as far as that can be told"`
	Versions      []string `json:"versions,omitempty" help:"of the solver, that show it, the newest first"`
	Tracker       string   `json:"tracker,omitempty" help:"address of the solver's issue tracker"`
}

// findingAccount is what a finding is, in a line or two.
type findingAccount struct {
	ID       string `json:"id" help:"its number, or flaky/N"`
	Number   int    `json:"number" help:"flaky ones are numbered on their own"`
	Flaky    bool   `json:"flaky,omitempty" help:"it was seen and did not reproduce"`
	Kind     string `json:"kind" help:"crash, known-answer, disagreement, invalid-model, or what an oracle of the campaign file says"`
	Oracle   string `json:"oracle" help:"name of the oracle"`
	Summary  string `json:"summary" help:"one line"`
	Title    string `json:"title" help:"headline of a report to the developers of the solver"`
	Detail   string `json:"detail,omitempty" help:"what the oracle says at length"`
	Solver   string `json:"solver" help:"kind of the solver that is wrong"`
	Severity string `json:"severity" help:"how serious developers take it, see docs/reports.md"`
}

// versionChecked is what a version of a solver did with a finding.
type versionChecked struct {
	Solver  string    `json:"solver" help:"kind and version"`
	Outcome string    `json:"outcome" help:"what it did, in words"`
	Hits    int       `json:"hits" help:"how often it reproduced"`
	Tries   int       `json:"tries" help:"how often that was tried"`
	Time    time.Time `json:"time" help:"when"`
}

// runOutcome is what a target did with the case of a finding.
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
		case f.Dismissed:
		case f.Flaky:
			flaky++
		default:
			solid++
		}
	}
	return solid, flaky
}
