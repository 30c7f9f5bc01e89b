package folder

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// recordVersion is the version of the format of finding.json; it grows when a field changes its meaning.
const recordVersion = 1

// Record is finding.json: the finding without the contents of other files in its folder (the texts of cases, and runs),
// its status and history, and the facts that developers ask for first.
type Record struct {
	Version int    `json:"version"`
	Title   string `json:"title"` // the headline of README.md
	finding.Finding
	Replay    string `json:"replay"`     // the command that makes the case again
	CaseBytes int    `json:"case_bytes"` // size of case.smt2
	MinBytes  int    `json:"min_bytes"`  // size of min.smt2; 0 when there is none
	Lifecycle
	findingAssessment
	Path string `json:"-"` // of its folder
}

// Lifecycle has the events of a finding since it was found.
type Lifecycle struct {
	LastSeen     time.Time      `json:"last_seen"`
	Status       string         `json:"status,omitempty"`        // see StatusOpen and the others; "" of older versions: open
	StatusDetail string         `json:"status_detail,omitempty"` // version or number that belongs to it
	Reported     string         `json:"reported,omitempty"`      // address of the report to the developers of the solver
	History      []HistoryEvent `json:"history,omitempty"`       // changes of status, notes, merges
	Checks       []VersionCheck `json:"checks,omitempty"`        // the latest result of each version of the solver
	Signatures   []Signed       `json:"signatures,omitempty"`    // all that are counted here
}

// HistoryEvent is something that happened to a finding.
type HistoryEvent struct {
	Time time.Time `json:"time" help:"when"`
	What string    `json:"what" help:"status, note, merge or split"`
	Text string    `json:"text" help:"what"`
}

// IsDismissed reports whether somebody said that the finding is invalid, or a duplicate.
func (l *Lifecycle) IsDismissed() bool { return l.Status == StatusInvalid || l.Status == StatusDup }

// StatusWords is the status in words, such as "fixed in 4.13.3".
func (l *Lifecycle) StatusWords() string {
	return StatusText(cmp.Or(l.Status, StatusOpen), l.StatusDetail)
}

// SolverKind is the kind of the solver that is wrong.
func (r *Record) SolverKind() string {
	if len(r.Plan.Targets) > 0 && r.Plan.Targets[0].Kind != "" {
		return r.Plan.Targets[0].Kind
	}
	return "unknown"
}

// Headline is the title of the finding, or else the summary of its verdict.
func (r *Record) Headline() string { return cmp.Or(r.Title, r.Verdict.Summary) }

// Name returns the name of the finding for people: its number, with flaky/ before it when it never reproduced.
func (r *Record) Name() string {
	if r.Flaky {
		return fmt.Sprintf("flaky/%d", r.Number)
	}
	return fmt.Sprint(r.Number)
}

// State is the status in words, with the address of the report, such as "fixed in 4.13.3, reported (https://...)".
func (l *Lifecycle) State() string {
	text := l.StatusWords()
	if l.Reported != "" {
		text += ", reported (" + l.Reported + ")"
	}
	return text
}

// Dir is the name of the record's folder within the findings.
func (r *Record) Dir() string { return filepath.Base(r.Path) }

// ReadRecord reads the finding in a folder.
func ReadRecord(dir string) (*Record, error) {
	path := filepath.Join(dir, recordFile)
	text, err := durable.ReadFile(dir, recordFile)
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Version > recordVersion {
		return nil, fmt.Errorf("%s: written by a newer smtlark (format %d, this one knows %d)", path, r.Version, recordVersion)
	}
	// The folder may be a stranger's.
	r.Case, r.Plan = cmp.Or(r.Case, &testcase.Wire{}), cmp.Or(r.Plan, &finding.Plan{})
	r.Path = dir
	return r, nil
}

// CaseCommand returns the command that makes a case of a campaign again: command with the seed and the number of the
// case. That is enough as long as nothing else determines the case.
func CaseCommand(command string, seed, number uint64) string {
	return fmt.Sprintf("%s --seed 0x%x --case %d", command, seed, number)
}

// replayCommand is the command that makes the case of a finding again.
func replayCommand(f *finding.Finding) string {
	command := f.Options.Command
	if command == "" {
		file := ""
		if f.Plan != nil {
			file = f.Plan.File
		}
		command = "smtlark run " + ShellWord(file)
	}
	o := &f.Case.Origin
	return CaseCommand(command, o.Seed, o.Number) + o.MixFlags() + o.ExpectFlag()
}

// RecordOf makes the record of a finding; told may be nil.
func RecordOf(f *finding.Finding, told *Lifecycle) *Record {
	r := &Record{
		Version: recordVersion, Finding: withoutFiles(f), Replay: replayCommand(f), CaseBytes: len(f.Case.Script),
		Lifecycle: Lifecycle{LastSeen: time.Now()}, findingAssessment: assessFinding(f, told),
	}
	r.Title = reportTitle(f, &r.findingAssessment)
	if f.Min != nil {
		r.MinBytes = len(f.Min.Script)
	}
	if told != nil {
		r.Lifecycle = *told
	}
	return r
}

// withoutFiles returns a finding without the contents of other files in its folder, and without data that only
// campaigns need.
func withoutFiles(f *finding.Finding) finding.Finding {
	out := *f
	out.Case, out.Min = withoutText(f.Case), withoutText(f.Min)
	out.Runs, out.Confirm, out.Plain, out.MinRuns = nil, nil, nil, nil
	out.Before = nil
	out.Upstream = upstreamRecord(f)
	out.Options, out.Operators, out.Sampled, out.Tried, out.Told = finding.Inputs{}, nil, false, 0, false
	if out.Sources = nil; needsCampaignFile(f) {
		out.Sources = &finding.Sources{File: f.Sources.File, Settings: f.Sources.Settings}
	} else {
		out.Scripted = ""
	}
	out.Plan = &finding.Plan{}
	if f.Plan != nil {
		plan := *f.Plan
		if plan.Targets = involvedTargets(f); needsCampaignFile(f) { // the oracle was shown the runs of all
			plan.Targets = shownTargets(f)
		}
		plan.BrokenSeeds, plan.Claims, plan.Counting, plan.Deadly, plan.Shapes = nil, nil, nil, nil, nil
		out.Plan = &plan
	}
	return out
}

// withoutText returns the known facts about a case without the case.
func withoutText(w *testcase.Wire) *testcase.Wire {
	if w == nil {
		return nil
	}
	out := *w
	out.Script, out.Witness, out.Trace, out.SeedScript = "", "", "", ""
	out.Origin.Answers = w.Origin.Answers.WithoutText()
	return &out
}

// upstreamRecord returns the trials of a finding for its record. It leaves out the output of the programs, which is in
// files of the folder, and the tracker's template, which is in the profile.
func upstreamRecord(f *finding.Finding) *finding.Upstream {
	if f.Upstream == nil {
		return nil
	}
	u := *f.Upstream
	u.Issue, u.Trials = "", slices.Clone(u.Trials)
	for i := range u.Trials {
		u.Trials[i].Run.Stdout, u.Trials[i].Run.Stderr = "", ""
	}
	return &u
}

// involvedTargets returns the targets of a verdict, those that are wrong first.
func involvedTargets(f *finding.Finding) []finding.Target {
	var out []finding.Target
	for _, names := range [][]string{f.Verdict.Targets, f.Verdict.Against} {
		for _, n := range names {
			if t, ok := targetNamed(f, n); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

func targetNamed(f *finding.Finding, name string) (finding.Target, bool) {
	if f.Plan != nil {
		for _, t := range f.Plan.Targets {
			if t.Name == name {
				return t, true
			}
		}
	}
	return finding.Target{}, false
}
