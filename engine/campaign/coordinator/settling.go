package coordinator

import (
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// controls has the methods of the coordinator that the code settling verdicts may call.
type controls interface {
	// tellWorkers sends an order to all workers.
	tellWorkers(wire.Order)
	// runAgain requeues a case whose verdict was not examined.
	runAgain(n uint64)
	// replayCommand identifies a case and gives the command that runs it again.
	replayCommand(n uint64) string
	// drainFor stops handing out cases. Verdicts are confirmed and reduced for as long as limit.
	drainFor(reason string, limit time.Duration)
	// failWith ends the campaign because of an error, and diskError because something could not be stored.
	failWith(error)
	diskError(error)
}

// settling takes in the verdicts of cases (intake.go) and the results of confirming and reducing them (settlement.go).
// It counts and reports the resulting findings (register.go) and stores them (archive.go). Work that does not fit into
// the time limit is left to the next run.
type settling struct {
	control controls
	cfg     *Config
	life    *lifecycle
	plan    *finding.Plan
	stats   *metrics.Stats
	journal *journal
	ledger  *ledger.Ledger
	queue   *settleQueue
	keeper  finding.Keeper // nil: the store is no Keeper, or the campaign is a single case
	options finding.Inputs
	sources *finding.Sources // of the campaign file

	histories   histories
	distrust    wire.Distrust // seeds whose label is wrong, with the reason
	unexplained int           // refuted claims that no seed's label explains
	shown       bool          // a small case has been printed

	settled       []*finding.Finding // held verdicts that are settled, until the next checkpoint
	unheld        []uint64           // cases whose verdicts could not be held
	left          int                // verdicts that are left to the next run
	leftLikeKnown int                // of them, those that resemble an existing finding
	unreduced     int                // findings whose reduction is left to the next run
	noted         time.Time          // when the progress was noted
}

func newSettling(s settling) *settling {
	s.ledger = ledger.New(s.plan, s.plan.Reduces && s.cfg.Store != nil && s.cfg.Case == nil)
	s.queue = &settleQueue{}
	s.histories = histories{}
	if s.cfg.Case == nil {
		s.keeper, _ = s.cfg.Store.(finding.Keeper)
	}
	s.options = s.cfg.Options
	s.options.Grown = nil // texts that are there already
	return &s
}
