package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// RecordVersion is the version of the format of finding.json; it grows when a field changes its meaning.
const RecordVersion = 1

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
	Provenance
	Target []finding.Target `json:"targets"` // those of the verdict
	Limits solvers.Limits   `json:"limits"`
	CaseFiles
	Reduction finding.Reduction `json:"reduction"`
	finding.Sightings
	Elapsed float64 `json:"elapsed"` // seconds into the campaign
	Lifecycle
	Assessment        // what the developers of the solver ask first
	Path       string `json:"-"` // of its folder
	folderName string
}

// Provenance is where the case of a finding comes from, and what makes it again.
type Provenance struct {
	Origin testcase.Origin `json:"origin"`
	File   string          `json:"file"`   // the campaign file
	Replay string          `json:"replay"` // the command that makes the case again
	// Where only the campaign file can show it again (Scripted): which file that is in the folder, and what --set gave it.
	CampaignFile string            `json:"campaign_file,omitempty"`
	Settings     map[string]string `json:"settings,omitempty"`
}

// CaseFiles is what is known of case.smt2 and min.smt2. Sizes are in bytes; MinBytes is 0 when there is no min.smt2.
type CaseFiles struct {
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
	StatusDetail string         `json:"status_detail,omitempty"` // version, number or address that belongs to it
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

// State is the status in words, such as "fixed in 4.13.3".
func (r *Record) State() string {
	if r.Status == "" {
		return StatusOpen
	}
	return statusText(r.Status, r.StatusDetail)
}

// folder is the name of the record's folder below that of all findings.
func (r *Record) folder() string {
	if r.Flaky {
		return filepath.Join(flakyDir, r.folderName)
	}
	return r.folderName
}

// Dir is the name of the record's folder within the findings.
func (r *Record) Dir() string { return r.folderName }

// ReadRecord reads the finding in a folder.
func ReadRecord(dir string) (*Record, error) {
	path := filepath.Join(dir, recordFile)
	text, err := ReadFile(dir, recordFile)
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Version > RecordVersion {
		return nil, fmt.Errorf("%s: written by a newer smtlark (format %d, this one knows %d)", path, r.Version, RecordVersion)
	}
	r.folderName = filepath.Base(dir)
	return r, nil
}

// caseOf is the command that makes a case of a campaign again, command, as long as nothing else decides about it.
func caseOf(command string, seed, number uint64) string {
	return fmt.Sprintf("%s --seed 0x%x --case %d", command, seed, number)
}

// Recorded returns the answers of solvers that a case of a campaign was made with when it became a finding in a folder. command
// is the command that runs the campaign, without its seed.
func Recorded(out, command string, seed, number uint64) (testcase.Answers, error) {
	r, err := OpenReader(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing was found there yet
	}
	if err != nil {
		return nil, err
	}
	all, err := r.Findings()
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	for _, rec := range all {
		if rec.Replay == caseOf(command, seed, number)+rec.Origin.MixFlags()+rec.Origin.ExpectFlag() {
			return rec.Origin.Answers, err
		}
	}
	return nil, err
}

// record makes the record of a finding; a may be nil.
func record(f *finding.Finding, a *about) *Record {
	v := &f.Verdict
	r := &Record{
		Version: RecordVersion, Number: f.Number, Summary: v.Summary, Kind: v.Kind, Oracle: v.Oracle,
		SignedVerdict: f.SignedVerdict, Reproduction: f.Reproduction, Repeat: f.Repeat, Sightings: f.Sightings, Elapsed: f.Elapsed.Seconds(), Reduction: f.Reduced,
		Provenance: Provenance{Origin: f.Case.Origin}, CaseFiles: CaseFiles{Expect: f.Case.Expect, CaseBytes: len(f.Case.Script)}, Lifecycle: Lifecycle{LastSeen: time.Now()},
	}
	r.Operators, r.Sampled, r.Scripted = nil, false, "" // what only campaigns ask for
	if f.Plan != nil {
		r.File, r.Limits = f.Plan.File, f.Plan.Limits
		r.Target = involved(f)
		if scripted(f) { // the oracle was shown the runs of all
			r.Target = shownTargets(f)
		}
	}
	command := "smtlark run " + ShellWord(r.File)
	if f.Options.Command != "" {
		command = f.Options.Command
	}
	r.Replay = caseOf(command, r.Origin.Seed, r.Origin.Number) + r.Origin.MixFlags() + r.Origin.ExpectFlag()
	r.Origin.Answers = r.Origin.Answers.WithoutText() // they are in a file of their own
	if f.Min != nil {
		r.MinBytes, r.MinExpect, r.MinCheck = len(f.Min.Script), f.Min.Expect, f.MinCheck
	}
	r.Assessment, r.Upstream = assess(f, a), upstreamRecord(f)
	r.Title = title(f, &r.Assessment)
	if scripted(f) {
		r.Scripted, r.CampaignFile, r.Settings = f.Scripted, campaignFile(f.Sources), f.Sources.Settings
	}
	if a != nil {
		r.Status, r.StatusDetail, r.History, r.Checks, r.Signatures = a.row.status, a.row.detail, a.history, a.checks, a.signatures
		r.LastSeen = parseTime(a.row.seen)
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

// involved returns the targets of a verdict, those that are wrong first.
func involved(f *finding.Finding) []finding.Target {
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
