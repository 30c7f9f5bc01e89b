package wire

import (
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers/backtrace"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// Report is a message of a worker to the coordinator.
type Report interface {
	// Kind returns the name of the message on the wire.
	Kind() string
}

// Spending has the CPU time that the worker has used so far: with the end of each job, and with each beat.
type Spending struct {
	Spent account.Account `json:"spent,omitempty"`
}

// Account returns the time spent.
func (s *Spending) Account() account.Account { return s.Spent }

// Hello is the first report of a worker.
type Hello struct {
	Protocol int `json:"protocol"`
	PID      int `json:"pid"`
}

// Loaded says that the campaign was loaded.
type Loaded struct {
	Plan    *finding.Plan    `json:"plan"`
	Sources *finding.Sources `json:"sources,omitempty"`
	// Files are those that the campaign read or listed, seeds among them, by their absolute paths, sorted; where Load asks
	// for them.
	Files []string `json:"files,omitempty"`
	// Solvers lists the solvers that the campaign may use, its targets' first, with the paths of their files; where
	// Load asks for them.
	Solvers []Packed `json:"solvers,omitempty"`
	Spending
}

// Packed is a solver that may be sent to other machines.
type Packed struct {
	parcel.Parcel
	Paths []string `json:"paths"` // of its files on this machine
}

// Failed says that the campaign cannot be loaded, or that the worker cannot go on.
type Failed struct {
	Fault campaign.Blame `json:"fault"`
	Text  string         `json:"text"`
}

// CaseBegun announces a case, before anything of it happens.
type CaseBegun struct {
	N uint64 `json:"n"`
}

// CaseResult reports the result of a case.
type CaseResult struct {
	N    uint64 `json:"n"`
	Make int64  `json:"make"` // microseconds
	Hash string `json:"hash,omitempty"`
	// Technique and Steps say what made the case; an empty technique is that of the plan. Repeat: it was there before.
	Technique string           `json:"technique,omitempty"`
	Steps     []string         `json:"steps,omitempty"`
	Repeat    bool             `json:"repeat,omitempty"`
	Features  []uint32         `json:"features,omitempty"` // of a mixture whose weights follow the yield
	Hazard    *hazard.CaseNote `json:"hazard,omitempty"`   // note about shapes and failure, for some cases of a mixture
	// Took is set if the case took edges of solvers that its worker had not reported before.
	Took *growth.Report `json:"took,omitempty"`
	Runs string         `json:"runs,omitempty"` // see metrics.AppendRunCodes
	// Verdicts are the verdicts of the oracles. If one of them is not known yet, Case and Details are set, and Ahead
	// has the cases that the process had run before.
	Verdicts []finding.SignedVerdict `json:"verdicts,omitempty"`
	Case     *testcase.Wire          `json:"case,omitempty"`
	Details  []finding.Run           `json:"details,omitempty"`
	Ahead    finding.Sequence        `json:"ahead,omitzero"`
	// Suppressed has, for each verdict that the campaign file knows, the name of what knows it.
	Suppressed []string `json:"suppressed,omitempty"`
}

// IsPlain reports whether the results of its runs are all there is to report about the case, as with nearly all cases.
func (r *CaseResult) IsPlain() bool {
	return r.Verdicts == nil && r.Details == nil && r.Suppressed == nil && r.Hazard == nil && r.Took == nil
}

// Counted reports the result of consecutive cases for which only their makers and the endings of their runs are worth
// reporting. It replaces their announcements and results.
type Counted struct {
	N uint64 `json:"n"` // the first one
	metrics.Sum
}

// CaseSkipped says that there is no such case.
type CaseSkipped struct {
	N         uint64 `json:"n"`
	Reason    string `json:"text,omitempty"`
	Technique string `json:"technique,omitempty"` // that skipped, where it is not the plan's own
}

// CaseFailed says that the campaign file, or smtlark itself, failed on a case.
type CaseFailed struct {
	N     uint64         `json:"n"`
	Fault campaign.Blame `json:"fault"`
	Text  string         `json:"text"`
	// Expect is the flag that the command which makes the case again needs, with a blank before it.
	Expect string `json:"expect,omitempty"`
	// OverBudget reports that a call exceeded its budget, which may happen in one case among thousands.
	OverBudget bool `json:"over_budget,omitempty"`
}

// CaseStopped says that the campaign file ends the campaign in the place of a case.
type CaseStopped struct {
	N      uint64 `json:"n"`
	Reason string `json:"text"`
}

// RangeDone ends MakeCases. Its counts cover the time since the last RangeDone.
type RangeDone struct {
	Job      uint64               `json:"job"`
	Next     uint64               `json:"next"`             // the first case of the range that was not run
	Broken   []finding.BrokenSeed `json:"broken,omitempty"` // seeds found broken
	Tally    *metrics.Tally       `json:"tally,omitempty"`  // operators
	Coverage *metrics.Coverage    `json:"coverage,omitempty"`
	Cells    *metrics.CellStats   `json:"cells,omitempty"`   // that were answered
	Options  metrics.OptionStats  `json:"options,omitempty"` // of which settings were tried
	Refused  metrics.Refusals     `json:"refused,omitempty"`
	Spending
}

// Repetitions sums up the repetitions of a case in new processes.
type Repetitions struct {
	Hits    int             `json:"hits"`
	Tries   int             `json:"tries"`
	Mode    string          `json:"mode,omitempty"`    // in which it showed
	Details []finding.Run   `json:"details,omitempty"` // the first repetition that shows the verdict, else the first one
	Said    *oracle.Verdict `json:"said,omitempty"`    // the oracle's verdict on that repetition
	Varies  []string        `json:"varies,omitempty"`  // see Finding
}

// Confirmed ends Confirm.
type Confirmed struct {
	Job uint64 `json:"job"`
	Repetitions
	Case     *testcase.Wire       `json:"case,omitempty"`     // with the additions needed to show the verdict again, if the case alone does not
	Plain    []finding.Run        `json:"plain,omitempty"`    // with default options
	Needs    string               `json:"needs,omitempty"`    // see Finding
	Tried    int                  `json:"tried,omitempty"`    // see Finding
	Cut      bool                 `json:"cut,omitempty"`      // it did not come to its end
	Upstream *finding.Upstream    `json:"upstream,omitempty"` // see Finding
	Modes    []finding.InMode     `json:"modes,omitempty"`    // see Finding
	Refuted  *finding.Refutation  `json:"refuted,omitempty"`  // why it is no finding, however often it shows
	Stack    *backtrace.CallStack `json:"stack,omitempty"`    // see Finding
	Ahead    finding.Sequence     `json:"ahead,omitzero"`     // see Finding.Sequence
	Error    string               `json:"text,omitempty"`
	Spending
}

// Smallest is the smallest case so far of a reduction; without a case, nothing was smaller.
type Smallest struct {
	Case        *testcase.Wire   `json:"case,omitempty"`
	Details     []finding.Run    `json:"details,omitempty"`
	Said        *oracle.Verdict  `json:"said,omitempty"`    // the oracle's verdict on it
	ConfirmedBy []string         `json:"vouched,omitempty"` // see Reduction
	Ahead       finding.Sequence `json:"ahead,omitzero"`    // see Finding.Sequence
	Bytes       int              `json:"bytes,omitempty"`
	Tests       int              `json:"tests,omitempty"` // cases tried so far
}

// Smaller says that a reduction has come to a smaller case.
type Smaller struct {
	Job uint64 `json:"job"`
	Smallest
}

// Reduced ends Reduce.
type Reduced struct {
	Job uint64 `json:"job"`
	Smallest
	Reason   string            `json:"text,omitempty"`      // why it ended early, or did not take place
	NotApart bool              `json:"not_apart,omitempty"` // it has the cause of one of Reduce.Apart
	Fault    campaign.Blame    `json:"fault,omitempty"`
	Needs    string            `json:"needs,omitempty"` // see Finding
	Plain    []finding.Run     `json:"plain,omitempty"`
	Upstream *finding.Upstream `json:"upstream,omitempty"`
	Modes    []finding.InMode  `json:"modes,omitempty"` // see Finding
	Spending
}

// Rechecked ends Recheck.
type Rechecked struct {
	Job    uint64               `json:"job"`
	Checks []finding.Check      `json:"checks,omitempty"`
	Blind  bool                 `json:"blind,omitempty"` // only its oracle can tell whether the finding still shows
	Stack  *backtrace.CallStack `json:"stack,omitempty"` // see Finding
	Error  string               `json:"text,omitempty"`
	Spending
}

// Reproduced ends Reproduce.
type Reproduced struct {
	Job     uint64           `json:"job"`
	Replays []finding.Replay `json:"replays,omitempty"`
	Fault   campaign.Blame   `json:"fault,omitempty"`
	Error   string           `json:"text,omitempty"`
}

// Shown ends Show.
type Shown struct {
	N    uint64         `json:"n"`
	Case *testcase.Wire `json:"case"`
}

// Printed is output of the campaign file.
type Printed struct {
	Text string `json:"text"`
}

// Stage describes in words how far a job about a verdict has come. It may be sent at any time during the job.
type Stage struct {
	Text string `json:"text"`
}

// Beat reports a worker's CPU time and activity every second. It is no sign of life: a hanging worker continues to send
// it.
type Beat struct {
	Text string `json:"text,omitempty"`
	Spending
}

// ScriptAt reports the place of a script that has computed for long: "function (file:line:col)".
type ScriptAt struct {
	Place string `json:"text"`
}

// Kind implements Report.
func (*Hello) Kind() string { return "hello" }

// Kind implements Report.
func (*Loaded) Kind() string { return "plan" }

// Kind implements Report.
func (*Failed) Kind() string { return "failed" }

// Kind implements Report.
func (*CaseBegun) Kind() string { return "case" }

// Kind implements Report.
func (*CaseResult) Kind() string { return "result" }

// Kind implements Report.
func (*Counted) Kind() string { return "counted" }

// Kind implements Report.
func (*CaseSkipped) Kind() string { return "skip" }

// Kind implements Report.
func (*CaseFailed) Kind() string { return "error" }

// Kind implements Report.
func (*CaseStopped) Kind() string { return "stop" }

// Kind implements Report.
func (*RangeDone) Kind() string { return "done" }

// Kind implements Report.
func (*Confirmed) Kind() string { return "confirmed" }

// Kind implements Report.
func (*Smaller) Kind() string { return "best" }

// Kind implements Report.
func (*Reduced) Kind() string { return "reduced" }

// Kind implements Report.
func (*Rechecked) Kind() string { return "rechecked" }

// Kind implements Report.
func (*Reproduced) Kind() string { return "reproduced" }

// Kind implements Report.
func (*Shown) Kind() string { return "shown" }

// Kind implements Report.
func (*Printed) Kind() string { return "print" }

// Kind implements Report.
func (*Stage) Kind() string { return "stage" }

// Kind implements Report.
func (*Beat) Kind() string { return "beat" }

// Kind implements Report.
func (*ScriptAt) Kind() string { return "at" }

// reports makes an empty report of each kind.
var reports = kindsOf(
	func() Report { return &Hello{} }, func() Report { return &Loaded{} }, func() Report { return &Failed{} }, func() Report { return &CaseBegun{} },
	func() Report { return &CaseResult{} }, func() Report { return &Counted{} }, func() Report { return &CaseSkipped{} }, func() Report { return &CaseFailed{} }, func() Report { return &CaseStopped{} },
	func() Report { return &RangeDone{} }, func() Report { return &Confirmed{} }, func() Report { return &Smaller{} }, func() Report { return &Reduced{} },
	func() Report { return &Rechecked{} }, func() Report { return &Reproduced{} }, func() Report { return &Shown{} }, func() Report { return &Printed{} },
	func() Report { return &Stage{} }, func() Report { return &Beat{} }, func() Report { return &ScriptAt{} }, func() Report { return &Assist{} }, func() Report { return &Try{} }, func() Report { return &Tried{} }, func() Report { return &Drop{} },
)
