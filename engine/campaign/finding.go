package campaign

import (
	"time"

	"github.com/smtlark/smtlark/engine/testcase"
)

// Finding is a verdict with everything that is stored of it.
type Finding struct {
	// Number and Dir are set by Store.Save. Flaky findings are numbered on their own.
	Number int
	Dir    string

	SignedVerdict
	Plan     *PlanInfo
	Options  Options
	Flaky    bool   // it was seen once and never again in Tries fresh processes
	Mode     string // the mode in which it reproduced; "" when flaky
	Hits     int    // of Tries
	Tries    int
	Case     *testcase.Wire
	Runs     []RunInfo // of the campaign
	Confirm  []RunInfo // of the confirmation
	Min      *testcase.Wire
	MinRuns  []RunInfo
	Reduced  Reduction
	Count    int           // verdicts with this signature, this one included
	Examples []uint64      // numbers of the first cases that gave them
	Known    bool          // stored by an earlier campaign; then only Number, Dir, SignedVerdict, Count and Examples are set
	Elapsed  time.Duration // run time of the campaign when the verdict came
	Found    time.Time
}

// maxExamples bounds Finding.Examples.
const maxExamples = 20

// Reduction says how a finding was reduced.
type Reduction struct {
	Tests  int           `json:"tests"`
	Time   time.Duration `json:"-"`
	From   int           `json:"from_bytes"`
	To     int           `json:"to_bytes"`
	Reason string        `json:"reason,omitempty"` // why it ended early or did not take place
}

// Store keeps findings. Its methods are called by one goroutine; other processes may use the same store at the same
// time. An error means that the disk is full or not writable: the campaign then ends.
type Store interface {
	// Known returns what is stored already; a verdict with a known signature is counted, not stored again.
	Known() ([]*Finding, error)
	// Save stores a finding and sets its Number and Dir. When another campaign has stored its signature meanwhile, f
	// becomes that finding, with Known set.
	Save(f *Finding) error
	// Update stores what changed of a saved finding: its reduced case, its count and its examples. For a Known finding
	// Count is what this campaign adds.
	Update(f *Finding) error
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
