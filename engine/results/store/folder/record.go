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
	"github.com/smtlark/smtlark/solvers"
)

// recordVersion is the version of the format of finding.json; it grows when a field changes its meaning.
const recordVersion = 1

// Record is finding.json: what a reader of the folder of a finding wants to know beside the cases and runs, which are files of
// their own.
type Record struct {
	Version int    `json:"version"`
	Number  int    `json:"number"`
	Summary string `json:"summary"`
	Title   string `json:"title"` // the headline of README.md
	Kind    string `json:"kind"`
	Oracle  string `json:"oracle"`
	finding.SignedVerdict
	finding.Reproduction
	// Repeat is how often the same process is given the case before the time that counts.
	Repeat int `json:"repeat,omitempty"`
	// AtOnce says that it shows only where the process is given everything in one input, as repro.sh does.
	AtOnce bool `json:"at_once,omitempty"`
	caseProvenance
	Target []finding.Target `json:"targets"` // those of the verdict
	Limits solvers.Limits   `json:"limits"`
	caseFiles
	Reduction finding.Reduction `json:"reduction"`
	finding.Sightings
	Elapsed float64 `json:"elapsed"` // seconds into the campaign
	Lifecycle
	findingAssessment        // what the developers of the solver ask first
	Path              string `json:"-"` // of its folder
}

// caseProvenance is where the case of a finding comes from, and what makes it again.
type caseProvenance struct {
	Origin testcase.Origin `json:"origin"`
	File   string          `json:"file"`   // the campaign file
	Replay string          `json:"replay"` // the command that makes the case again
	// Where only the campaign file can show it again (Scripted): which file that is in the folder, and what --set gave it.
	CampaignFile string            `json:"campaign_file,omitempty"`
	Settings     map[string]string `json:"settings,omitempty"`
}

// caseFiles is what is known of case.smt2 and min.smt2. Sizes are in bytes; MinBytes is 0 when there is no min.smt2.
type caseFiles struct {
	Expect    []string `json:"expect,omitempty"` // what is known about the answers of case.smt2
	CaseBytes int      `json:"case_bytes"`
	MinBytes  int      `json:"min_bytes"`
	MinExpect []string `json:"min_expect,omitempty"`
	MinCheck  *int     `json:"min_check,omitempty"` // the check-sat of the verdict in the reduced case, from 0
}

// Lifecycle is what became of a finding since it was found.
type Lifecycle struct {
	LastSeen     time.Time      `json:"last_seen"`
	Status       string         `json:"status,omitempty"`        // see StatusOpen and the others; "" of older versions: open
	StatusDetail string         `json:"status_detail,omitempty"` // version or number that belongs to it
	Reported     string         `json:"reported,omitempty"`      // address of the report to the developers of the solver
	History      []Entry        `json:"history,omitempty"`       // changes of status, notes, merges
	Checks       []VersionCheck `json:"checks,omitempty"`        // what versions of the solver did, the last time they were asked
	Signatures   []Signed       `json:"signatures,omitempty"`    // all that are counted here
}

// Entry is something that happened to a finding.
type Entry struct {
	Time time.Time `json:"time" help:"when"`
	What string    `json:"what" help:"status, note, merge or split"`
	Text string    `json:"text" help:"what"`
}

// Name is what people call the finding: its number, with flaky/ before it when it never reproduced.
func (r *Record) Name() string {
	if r.Flaky {
		return fmt.Sprintf("flaky/%d", r.Number)
	}
	return fmt.Sprint(r.Number)
}

// State is the status in words, with the address of the report, such as "fixed in 4.13.3, reported (https://...)".
func (l *Lifecycle) State() string {
	text := StatusText(cmp.Or(l.Status, StatusOpen), l.StatusDetail)
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
	r.Path = dir
	return r, nil
}

// CaseCommand is the command that makes a case of a campaign again, command, as long as nothing else decides about it.
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
	v := &f.Verdict
	r := &Record{
		Version: recordVersion, Number: f.Number, Summary: v.Summary, Kind: v.Kind, Oracle: v.Oracle,
		SignedVerdict: f.SignedVerdict, Reproduction: f.Reproduction, Repeat: f.Repeat, AtOnce: f.AtOnce, Sightings: f.Sightings, Elapsed: f.Elapsed.Seconds(), Reduction: f.Reduced,
		caseProvenance: caseProvenance{Origin: f.Case.Origin}, caseFiles: caseFiles{Expect: f.Case.Expect, CaseBytes: len(f.Case.Script)}, Lifecycle: Lifecycle{LastSeen: time.Now()},
	}
	r.Operators, r.Sampled, r.Scripted = nil, false, "" // what only campaigns ask for
	if f.Plan != nil {
		r.File, r.Limits = f.Plan.File, f.Plan.Limits
		r.Target = involvedTargets(f)
		if needsCampaignFile(f) { // the oracle was shown the runs of all
			r.Target = shownTargets(f)
		}
	}
	r.Replay = replayCommand(f)
	r.Origin.Answers = r.Origin.Answers.WithoutText() // they are in a file of their own
	if f.Min != nil {
		r.MinBytes, r.MinExpect, r.MinCheck = len(f.Min.Script), f.Min.Expect, f.MinCheck
	}
	r.findingAssessment, r.Upstream = assessFinding(f, told), upstreamRecord(f)
	r.Title = reportTitle(f, &r.findingAssessment)
	if needsCampaignFile(f) {
		r.Scripted, r.CampaignFile, r.Settings = f.Scripted, campaignFile(f.Sources), f.Sources.Settings
	}
	if told != nil {
		r.Lifecycle = *told
	}
	return r
}

// upstreamRecord returns what a record says of the trials of a finding: what the programs wrote is in files of its folder,
// and the template of the tracker in its profile.
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
