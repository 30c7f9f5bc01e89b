package finding

import (
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// Finding is a verdict with everything that is stored of it.
type Finding struct {
	// Number and Dir are set by Store.Save. Flaky findings are numbered on their own.
	Number int    `json:"number"`
	Dir    string `json:"-"`

	SignedVerdict
	Reproduction
	Plan    *Plan          `json:"plan"`
	Sources *Sources       `json:"sources,omitempty"` // where only the campaign file can show it again
	Options Inputs         `json:"options,omitzero"`
	Case    *testcase.Wire `json:"case"`
	Runs    []Run          `json:"runs,omitempty"`    // of the campaign
	Confirm []Run          `json:"confirm,omitempty"` // of the confirmation
	Plain   []Run          `json:"plain,omitempty"`   // of the wrong target with default options, where it has others
	Smaller
	// Sequence has the queries that the same process needs before the smallest case. For a flaky finding it has the
	// queries that the process had run when the verdict came.
	Sequence
	// Tried counts the histories of verdicts with this signature whose replay showed nothing, or was cut short by the
	// end of a campaign.
	Tried   int       `json:"tried,omitempty"`
	Reduced Reduction `json:"reduction"`
	Sightings
	Told     bool    `json:"told,omitempty"` // the user's command for new findings has been run
	Booked   int     `json:"-"`              // of Count: those that the store has added to what it knows; see Keeper.Checkpoint
	Known    bool    `json:"-"`              // stored by an earlier campaign; then only Number, Dir, SignedVerdict, Count and Examples are set
	Elapsed  float64 `json:"elapsed"`        // run time of the campaign in seconds when the verdict came
	Standing string  `json:"-"`              // status in the store, such as "open"; see Keeper

	aside bool // SetAside has removed the large parts
}

// SetAside takes away the large parts of a finding that waits, up to hundreds of kilobytes: the text of its case, its
// runs, and the cases before it.
func (f *Finding) SetAside() {
	f.Case = &testcase.Wire{Origin: f.Case.Origin}
	f.Runs, f.Sequence = nil, Sequence{}
	f.aside = true
}

// IsAside reports whether SetAside has taken something.
func (f *Finding) IsAside() bool { return f.aside }

// TakeBack restores the parts that SetAside removed, from the whole finding.
func (f *Finding) TakeBack(whole *Finding) {
	f.Case, f.Runs, f.Sequence = whole.Case, whole.Runs, whole.Sequence
	f.aside = false
}

// Reproduction tells how a verdict showed itself again in fresh processes.
type Reproduction struct {
	Flaky    bool      `json:"flaky"`                  // it was seen once and never again in Tries fresh processes
	Mode     string    `json:"mode,omitempty"`         // in which it reproduced: fresh, or own, that of each target in the campaign; "" when flaky
	Machine  string    `json:"confirmed_on,omitempty"` // a machine that has joined a cluster and confirmed it; "": the coordinator's
	Hits     int       `json:"hits"`                   // of Tries
	Tries    int       `json:"tries"`                  //
	Needs    string    `json:"needs,omitempty"`        // what default options came to, in words; "" when there are no others
	Varies   []string  `json:"varies,omitempty"`       // how the repetitions differ from one another, in words
	Modes    []InMode  `json:"modes,omitempty"`        // the results of the modes of the wrong target; nil: it has one mode only
	Upstream *Upstream `json:"upstream,omitempty"`     // what the smallest case came to with the program alone; nil: not tried
	// Stack is the stack of the process when it crashed, as far as it could be unwound; see backtrace.
	Stack *backtrace.CallStack `json:"stack,omitempty"`
}

// InMode is the result of one try of the smallest case, in a new process, in a mode of the target that is wrong.
type InMode struct {
	Mode  string `json:"mode"`
	Found bool   `json:"found,omitempty"` // the verdict came in this mode
	Shows bool   `json:"shows,omitempty"`
}

// ModesText says in words in which mode a finding was found and which modes show it; "" where the target has one only.
func (r *Reproduction) ModesText() string {
	var found, shows, not []string
	for _, m := range r.Modes {
		switch {
		case m.Found:
			found = append(found, m.Mode)
		case m.Shows:
			shows = append(shows, m.Mode)
		default:
			not = append(not, m.Mode)
		}
	}
	if found == nil {
		return ""
	}
	text := "found in mode " + found[0]
	if shows != nil {
		text += "; shows in " + strings.Join(shows, ", ") + ", too"
	}
	if not != nil {
		text += "; not in " + strings.Join(not, ", ")
	}
	return text
}

// Smaller is the reduced case of a finding.
type Smaller struct {
	Min     *testcase.Wire `json:"min,omitempty"`
	MinRuns []Run          `json:"min_runs,omitempty"`
	// MinCheck is the number of the check-sat of the verdict in the reduced case: fewer come before it than in the case.
	// nil where nobody noted it.
	MinCheck *int `json:"min_check,omitempty"`
}

// Sightings are the verdicts that are one finding.
type Sightings struct {
	Count    int       `json:"count"`             // of them, the first one included
	Examples []uint64  `json:"examples"`          // numbers of the first cases that gave them
	Members  []Member  `json:"members,omitempty"` // the first of those after the first one, and why they belong to it
	Found    time.Time `json:"found"`             // when the first one came
}

// SmallestCheck returns the number of the check-sat of the verdict, from 0, in the reduced case if there is one, else
// in the case. It returns -1 if the verdict is about no check-sat.
func (f *Finding) SmallestCheck() int {
	switch {
	case f.Min == nil || f.Verdict.Check <= 0:
		return f.Verdict.Check
	case f.MinCheck != nil:
		return *f.MinCheck
	}
	return min(f.Verdict.Check, max(0, strings.Count(f.Min.Script, "(check-sat")-1))
}

// SmallestVerdict returns the verdict as one about the smallest case.
func (f *Finding) SmallestVerdict() *oracle.Verdict {
	v := f.Verdict
	v.Check = f.SmallestCheck()
	return &v
}

// Unfinished reports whether a stored finding is still to be reduced: its reduction was left to a later run, or its
// sequence of earlier queries was not reduced yet.
func (f *Finding) Unfinished() bool {
	return f.Reduced.Pending || f.Len() > 0 && !f.Reduced.Sequence
}

// Member is a verdict that was counted at an existing finding.
type Member struct {
	N       uint64   `json:"n" help:"number of its case"`
	Targets []string `json:"targets,omitempty" help:"that were wrong"`
	Reason  string   `json:"reason" help:"why it is the same finding"`
}

// Limits on the data kept about duplicates.
const (
	MaxExamples = 20 // Finding.Examples
	MaxMembers  = 20 // Finding.Members
)

// Reduction says how a finding was reduced.
type Reduction struct {
	Machine string        `json:"machine,omitempty"` // that has joined a cluster and did it; "": the coordinator's
	Tests   int           `json:"tests"`
	Time    time.Duration `json:"-"`
	From    int           `json:"from_bytes"`
	To      int           `json:"to_bytes"`
	Reason  string        `json:"reason,omitempty"`  // why it ended early or did not take place
	Pending bool          `json:"pending,omitempty"` // it is still to be done: the next run of the campaign does it
	// Sequence reports that the cases that the process needs beforehand were reduced as far as possible, or that this
	// failed: it is not tried again.
	Sequence bool `json:"sequence,omitempty"`
	// ConfirmedBy names the solvers that gave the right answer to the reduced case, if nothing else shows that the
	// answer is right. They gave it to every intermediate case of the reduction.
	ConfirmedBy []string `json:"vouched,omitempty"`
}

// Smallest returns the reduced case of a finding, or its case.
func Smallest(f *Finding) *testcase.Wire {
	if f.Min != nil {
		return f.Min
	}
	return f.Case
}

// NeedsBoth reports whether a verdict shows only if both sides are asked: nothing else tells the right answer.
func NeedsBoth(f *Finding) bool { return f.Verdict.Kind == oracle.KindDisagreement }
