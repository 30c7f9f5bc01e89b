package wire

import (
	"time"

	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// Order is a message of the coordinator to a worker.
type Order interface {
	// Kind returns the name of the message on the wire.
	Kind() string
}

// Load is the first order: the campaign to load. It is answered by Loaded or Failed.
type Load struct {
	Protocol int             `json:"protocol"`
	File     string          `json:"file,omitempty"`
	Options  *finding.Inputs `json:"options,omitempty"`
	Hash     bool            `json:"hash,omitempty"`    // results carry a hash of the case
	Files    bool            `json:"files,omitempty"`   // Loaded lists the files that the campaign is made of
	Ship     bool            `json:"ship,omitempty"`    // and its solvers
	Modules  bool            `json:"modules,omitempty"` // and the files of solvers that count edges: the first worker is asked, and no other
}

// MakeCases is a range of cases to make and run. Each is answered by CaseBegun and one of CaseResult, CaseSkipped,
// CaseFailed and CaseStopped; then comes RangeDone.
type MakeCases struct {
	Job    uint64 `json:"job"`
	From   uint64 `json:"from"`
	To     uint64 `json:"to"`               // the first case that is not in it
	Detail bool   `json:"detail,omitempty"` // results carry what each target did
	Mixture
}

// Mixture says how to draw the parts of a mixture in the cases of an order.
type Mixture struct {
	Epoch   int      `json:"epoch,omitempty"` // that the weights are of
	Weights []uint32 `json:"weights,omitempty"`
	Avoid   []string `json:"avoid,omitempty"` // operators that cases do without, see hazard.Avoided
	Modes   []uint32 `json:"modes,omitempty"` // weights of the modes of the plan; nil: targets are asked in all of theirs
}

// Subject is a verdict that an order is about, with what shows it.
type Subject struct {
	Case    *testcase.Wire  `json:"case,omitempty"`
	Verdict *oracle.Verdict `json:"verdict,omitempty"`
	Mode    string          `json:"mode,omitempty"`  // in which the verdict was confirmed
	Times   int             `json:"times,omitempty"` // that it is repeated
	// Sequence has the cases that ran before this one in its process, if the verdict is not confirmed. Otherwise it has
	// only those that the verdict needs.
	finding.Sequence
}

// Confirm asks to try a verdict again in fresh processes. It is answered by Confirmed.
type Confirm struct {
	Job uint64 `json:"job"`
	Subject
}

// Reduce asks for a smaller case of a verdict. It is answered by any number of Smaller and then Reduced.
type Reduce struct {
	Job    uint64        `json:"job"`
	Budget time.Duration `json:"budget"`
	Subject
	// Apart are findings with the same symptom whose skeletons the case has: if the case shows the verdict without the
	// causes of those findings, it is reduced to a case without them.
	Apart []Apart `json:"apart,omitempty"`
}

// Apart is a finding that a reduction keeps apart from: its smallest case, and the skeleton of that.
type Apart struct {
	Skeleton []string       `json:"skeleton"`
	Case     *testcase.Wire `json:"case"`
}

// Recheck asks to look at a finding of the store again, with the versions that the campaign has. It is answered by
// Rechecked.
type Recheck struct {
	Job  uint64        `json:"job"`
	Plan *finding.Plan `json:"known,omitempty"` // of the campaign that found it
	Subject
}

// Reproduce asks to run the reproductions of a repro.star. It is answered by Reproduced.
type Reproduce struct {
	Job   uint64 `json:"job"`
	Times int    `json:"times"`
}

// Show asks for the text of one case. It is answered by Shown, CaseSkipped or CaseFailed.
type Show struct {
	Job uint64 `json:"job"`
	N   uint64 `json:"n"`
}

// Known names signatures whose cases need not be sent any more.
type Known struct {
	Keys []string `json:"keys"`
	// Skeletons has, for vague signatures, the skeletons of their findings so far; an empty list means that they are
	// not known yet.
	Skeletons map[string][][]string `json:"skeletons,omitempty"`
}

// Forget names signatures whose cases are to be sent again.
type Forget struct {
	Keys []string `json:"keys"`
}

// DistrustSeeds names seeds whose labels are wrong: cases whose known answers rest on them are skipped.
type DistrustSeeds struct {
	Seeds Distrust `json:"distrust"`
}

// Grow says from which cases that have become seeds the cases of an epoch are made. It comes before the first order of
// the epoch.
type Grow struct {
	growth.News
}

// StopRange ends the running range after its current case.
type StopRange struct{}

// Cut cancels the running job.
type Cut struct{}

// Kind implements Order.
func (*Load) Kind() string { return "hello" }

// Kind implements Order.
func (*MakeCases) Kind() string { return "cases" }

// Kind implements Order.
func (*Confirm) Kind() string { return "confirm" }

// Kind implements Order.
func (*Reduce) Kind() string { return "reduce" }

// Kind implements Order.
func (*Recheck) Kind() string { return "recheck" }

// Kind implements Order.
func (*Reproduce) Kind() string { return "reproduce" }

// Kind implements Order.
func (*Show) Kind() string { return "show" }

// Kind implements Order.
func (*Known) Kind() string { return "known" }

// Kind implements Order.
func (*Forget) Kind() string { return "forget" }

// Kind implements Order.
func (*DistrustSeeds) Kind() string { return "distrust" }

// Kind implements Order.
func (*Grow) Kind() string { return "grow" }

// Kind implements Order.
func (*StopRange) Kind() string { return "stop" }

// Kind implements Order.
func (*Cut) Kind() string { return "cut" }

// orders makes an empty order of each kind.
var orders = kindsOf(
	func() Order { return &Load{} }, func() Order { return &MakeCases{} }, func() Order { return &Confirm{} }, func() Order { return &Reduce{} },
	func() Order { return &Recheck{} }, func() Order { return &Reproduce{} }, func() Order { return &Show{} }, func() Order { return &Known{} },
	func() Order { return &Forget{} }, func() Order { return &DistrustSeeds{} }, func() Order { return &Grow{} }, func() Order { return &StopRange{} }, func() Order { return &Cut{} },
	func() Order { return &HelperCount{} }, func() Order { return &Assist{} }, func() Order { return &Try{} }, func() Order { return &Tried{} },
)
