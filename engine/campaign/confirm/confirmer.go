package confirm

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// arbiter finds out, with models and with other solvers, whether the answers that a verdict assumes to be right are
// right.
type arbiter struct{ *instances }

// Confirmer settles a verdict: it confirms it in fresh processes, reduces its case, looks at it again with other
// versions, and replays it.
type Confirmer struct {
	repeater
	replayer
	*instances
	*teller
	helpers    *Helpers
	assistance *wire.Assist // which reduction of another worker Try is about; nil: none
	assistant  *assistant   // for it; nil until there is a case to try
}

// teller tells the coordinator what has come of a job.
type teller struct {
	out    *wire.Writer
	ledger *account.Ledger
}

// NewConfirmer returns the confirmer of a plan. It writes its reports to out and books its CPU time in ledger. helpers
// help with its reductions.
func NewConfirmer(plan *campaign.Plan, out *wire.Writer, ledger *account.Ledger, helpers *Helpers) *Confirmer {
	in := &instances{plan: plan, models: oracle.NeedsModels(plan.Oracles)}
	tell := &teller{out, ledger}
	return &Confirmer{instances: in, teller: tell, repeater: repeater{in, tell}, replayer: replayer{arbiter{in}, tell}, helpers: helpers}
}

// Do obeys one order. An error is one of writing the report.
func (w *Confirmer) Do(ctx context.Context, o wire.Order) error {
	if o, ok := o.(*wire.Try); ok {
		return w.tryForOthers(ctx, o)
	}
	w.Close()
	w.ahead = finding.Sequence{}
	switch o := o.(type) {
	case *wire.Assist:
		w.assistance = o
		return nil
	case *wire.Confirm:
		return w.confirmVerdict(ctx, o)
	case *wire.Reduce:
		w.ahead = o.Sequence
		return w.reduceFinding(ctx, o)
	case *wire.Recheck:
		return w.recheckStored(ctx, o)
	case *wire.Reproduce:
		return w.reproduceAll(ctx, o)
	}
	return fmt.Errorf("worker: order %q is not about a verdict", o.Kind())
}

// Close closes the targets and references that the confirmer opened for other workers.
func (w *Confirmer) Close() {
	if w.assistant != nil {
		w.assistant.close()
	}
	w.assistant, w.assistance = nil, nil
}

// endJob sends the report that ends a job, including the CPU time that the worker has spent so far.
func (w *teller) endJob(r wire.Report, s *wire.Spending) error {
	s.Spent, _, _ = w.ledger.Read()
	return w.out.Line(r, true)
}

// tellStage describes to the coordinator the current stage of a confirmation or a reduction.
func (w *teller) tellStage(text string) {
	_ = w.out.Line(&wire.Stage{Text: text}, true) // if the coordinator is gone, other code ends the worker
}

// Question returns the query for a case: with models, if oracles want them.
func Question(c *testcase.Case, models bool) *solvers.Query {
	q := c.Query()
	if models {
		q = q.WithModel()
	}
	return q
}

// Judge asks oracles; an error is one that an oracle reports of itself.
func Judge(oracles []oracle.Oracle, c *testcase.Case, runs []*solvers.Run) ([]oracle.Verdict, error) {
	verdicts := oracle.Judge(oracles, c, runs)
	return verdicts, oracle.Errors(oracles)
}
