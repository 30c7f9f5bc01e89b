package campaign

import (
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers/backtrace"
	"github.com/smtlark/smtlark/solvers/build"
)

// Finding is a verdict with everything that is stored of it.
type Finding struct {
	// Number and Dir are set by Store.Save. Flaky findings are numbered on their own.
	Number int    `json:"number"`
	Dir    string `json:"-"`

	SignedVerdict
	Plan    *PlanInfo      `json:"plan"`
	Sources *Sources       `json:"sources,omitempty"` // where only the campaign file can show it again
	Options Options        `json:"options"`
	Flaky   bool           `json:"flaky,omitempty"` // it was seen once and never again in Tries fresh processes
	Mode    string         `json:"mode,omitempty"`  // the mode in which it reproduced; "" when flaky
	Hits    int            `json:"hits"`            // of Tries
	Tries   int            `json:"tries"`
	Case    *testcase.Wire `json:"case"`
	Runs    []RunInfo      `json:"runs"`               // of the campaign
	Confirm []RunInfo      `json:"confirm"`            // of the confirmation
	Min     *testcase.Wire `json:"min,omitempty"`      // the reduced case
	MinRuns []RunInfo      `json:"min_runs,omitempty"` // of the reduced case
	// MinCheck is the number of the check-sat of the verdict in the reduced case: fewer come before it than in the case. nil
	// where nobody noted it.
	MinCheck *int `json:"min_check,omitempty"`
	// Sequence is what the same process needs to have had before the smallest case. Of a flaky finding it is what it had had
	// before when the verdict came.
	Sequence
	// Tried counts the histories of verdicts with this signature that were replayed in vain, or that the end of a campaign
	// cut short.
	Tried    int       `json:"tried,omitempty"`
	Needs    string    `json:"needs,omitempty"`    // what default options came to, in words; "" when there are no others
	Varies   []string  `json:"varies,omitempty"`   // how the repetitions differ from one another, in words
	Plain    []RunInfo `json:"plain,omitempty"`    // of the wrong target with default options, where it has others
	Upstream *Upstream `json:"upstream,omitempty"` // what the smallest case came to with the program alone; nil: not tried
	// Stack is where it died, of a crash, as far as that could be unwound; see backtrace.
	Stack    *backtrace.Stack `json:"stack,omitempty"`
	Reduced  Reduction        `json:"reduction"`         //
	Count    int              `json:"count"`             // verdicts of this finding, this one included
	Booked   int              `json:"-"`                 // of Count: those that the store has added to what it knows; see Keeper.Checkpoint
	Examples []uint64         `json:"examples"`          // numbers of the first cases that gave them
	Members  []Member         `json:"members,omitempty"` // the first of the others, and why they belong to it
	Known    bool             `json:"-"`                 // stored by an earlier campaign; then only Number, Dir, SignedVerdict, Count and Examples are set
	Elapsed  time.Duration    `json:"elapsed"`           // run time of the campaign when the verdict came
	Found    time.Time        `json:"found"`             //
	Status   string           `json:"-"`                 // of the store, such as "open"; see Keeper
}

// SmallestCheck returns the number of the check-sat of the verdict, from 0, in the reduced case if there is one, else in the
// case. -1: it is about none.
func (f *Finding) SmallestCheck() int {
	switch {
	case f.Min == nil || f.Verdict.Check <= 0:
		return f.Verdict.Check
	case f.MinCheck != nil:
		return *f.MinCheck
	}
	return min(f.Verdict.Check, max(0, strings.Count(f.Min.Script, "(check-sat")-1))
}

// smallestVerdict returns the verdict as one about the smallest case.
func (f *Finding) smallestVerdict() *oracle.Verdict {
	v := f.Verdict
	v.Check = f.SmallestCheck()
	return &v
}

// unfinished reports whether a stored finding is still to be reduced: it was left to a later run, or nobody has tried yet to
// make what comes before it less.
func (f *Finding) unfinished() bool {
	return f.Reduced.Pending || f.Len() > 0 && !f.Reduced.Sequence
}

// Member is a verdict that was counted as a finding that was there already.
type Member struct {
	N       uint64   `json:"n"`                 // number of its case
	Targets []string `json:"targets,omitempty"` // that were wrong
	Reason  string   `json:"reason"`            // why it is the same finding
}

// Bounds of what is remembered of duplicates.
const (
	maxExamples = 20 // Finding.Examples
	maxMembers  = 20 // Finding.Members
)

// Reduction says how a finding was reduced.
type Reduction struct {
	Tests   int           `json:"tests"`
	Time    time.Duration `json:"-"`
	From    int           `json:"from_bytes"`
	To      int           `json:"to_bytes"`
	Reason  string        `json:"reason,omitempty"`  // why it ended early or did not take place
	Pending bool          `json:"pending,omitempty"` // it is still to be done: the next run of the campaign does it
	// Sequence says that what the process needs to have had before was made as little as it would go, or that this was tried
	// in vain: it is not done again.
	Sequence bool `json:"sequence,omitempty"`
	// Vouched names the solvers that gave the right answer to the reduced case, where nothing else shows that it is: they
	// gave it to every case on the way.
	Vouched []string `json:"vouched,omitempty"`
}

// Store keeps findings. Its methods are called by one goroutine; other processes may use the same store at the same
// time. An error means that the disk is full or not writable: the campaign then ends.
type Store interface {
	// Known returns what is stored already; a verdict with a known signature is counted, not stored again.
	Known() ([]*Finding, error)
	// Save stores a finding and sets its Number and Dir. When another campaign has stored its signature meanwhile, f
	// becomes that finding, with Known set.
	Save(f *Finding) error
	// Update stores what changed of a saved finding: its reduced case, its signature and its examples. For a Known finding
	// Count is what this campaign adds. A store that is no Keeper takes the count, too.
	Update(f *Finding) error
}

// Keeper is a Store that also keeps what a campaign needs to go on after it was killed at any moment.
type Keeper interface {
	// Hold remembers a verdict that is not settled yet: neither saved nor counted.
	Hold(f *Finding) error
	// Held returns what an earlier run of the same campaign held and did not release. Count is what was booked of it: 0
	// where the case is made again.
	Held() ([]*Finding, error)
	// Checkpoint remembers, in one step that is done whole or not at all, which cases are done, how many verdicts they gave
	// (Count less Booked of saved or held findings, which is added to what the store has, whoever else adds to it), and
	// which held verdicts are settled. It sets Booked.
	Checkpoint(p Progress, counted, settled []*Finding) error
	// InVain returns, by the key of their signature, how often histories of flaky findings were replayed in vain.
	InVain() (map[string]int, error)
	// Again returns the stored findings that are worth another look, complete: all but those set aside by people.
	Again() ([]*Finding, error)
	// Checked takes in what came of looking again at a finding of Again. When that changed its status, text says so in a
	// line.
	Checked(f *Finding, checks []Check) (text string, err error)
}

// Merger is a Store that counts a finding as a duplicate of another one, and keeps both. It does not where people have said
// what became of the finding.
type Merger interface {
	Join(to, from *Finding, reason string) (joined bool, err error)
}

// Progress says which cases of a campaign are done: those below Next without those of Open.
type Progress struct {
	Next uint64
	Open [][2]uint64 // ranges from..to-1, not done
}

// First is the first case that is not done.
func (p *Progress) First() uint64 {
	if len(p.Open) > 0 {
		return p.Open[0][0]
	}
	return p.Next
}

// Check is what one version of a solver did with the case of a stored finding.
type Check struct {
	Kind    string `json:"kind"` // of the solver
	Version string `json:"version"`
	Hits    int    `json:"hits"`
	Tries   int    `json:"tries"`
	Outcome string `json:"outcome"` // what it did, in words
	// Target is the target of the plan that was asked, and Build its build: builds of one version are not the same.
	Target string      `json:"target,omitempty"`
	Build  *build.Info `json:"build,omitempty"`
}

// Log keeps the history of a campaign. An error means that the disk is full or not writable.
type Log interface {
	// Event adds an event with its fields.
	Event(name string, fields map[string]any) error
	// Stats replaces the statistics.
	Stats(s *Stats) error
}

// NoLog is a Log that keeps nothing.
type NoLog struct{}

// Event does nothing.
func (NoLog) Event(string, map[string]any) error { return nil }

// Stats does nothing.
func (NoLog) Stats(*Stats) error { return nil }
