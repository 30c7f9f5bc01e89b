package worker

import (
	"errors"
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// reporter sends the coordinator a worker's reports other than results of cases: its CPU time, its current activity,
// prints of the campaign file, and fatal errors.
type reporter struct {
	out    *wire.Writer
	ledger *account.Ledger
	prints campaign.Printed
}

// beatEvery is the interval at which a worker reports its spending and its activity.
const beatEvery = time.Second

// beat sends these reports until done is closed.
func (r *reporter) beat(done <-chan struct{}) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			spent, purpose, what := r.ledger.Read()
			if r.out.Line(&wire.Beat{Spending: wire.Spending{Spent: spent}, Text: doing(spent, purpose, what)}, true) != nil {
				return // the coordinator is gone; other code then ends the worker
			}
		}
	}
}

// doing describes what a case is waiting for, or how far a reduction has got; "" if there is nothing to add.
func doing(spent account.Account, purpose account.Purpose, what string) string {
	switch purpose {
	case account.Models:
		return fmt.Sprintf("models of %d seeds, now %s", spent[purpose].Times, what)
	case account.Options:
		return what
	case account.Questions:
		return "the campaign file asks " + what
	case account.Cases, account.Reduction:
		return what
	}
	return ""
}

// spent returns the CPU time that the worker has used so far.
func (r *reporter) spent() wire.Spending {
	a, _, _ := r.ledger.Read()
	return wire.Spending{Spent: a}
}

// purposeOf returns the purpose of the CPU time of a job.
func purposeOf(o wire.Order) account.Purpose {
	switch o.(type) {
	case *wire.Confirm, *wire.Reproduce:
		return account.Confirmation
	case *wire.Reduce, *wire.Assist, *wire.Try:
		return account.Reduction
	case *wire.Recheck:
		return account.Recheck
	}
	return account.Cases
}

// print reports a line printed by the campaign file.
func (r *reporter) print(text string) {
	if text = r.prints.Pass(text); text != "" {
		_ = r.out.Line(&wire.Printed{Text: text}, true)
	}
}

// printsEnd ends the prints of one case and reports how many lines were left out.
func (r *reporter) printsEnd(of string) {
	if text := r.prints.Over(of); text != "" {
		_ = r.out.Line(&wire.Printed{Text: text}, true)
	}
}

// at reports the place in the script of a step that takes long.
func (r *reporter) at(place string) {
	_ = r.out.Line(&wire.ScriptAt{Place: finding.Clip(campaign.OneLine(place), 500)}, true)
}

// failed reports that the campaign cannot start or go on, and ends the worker.
func (r *reporter) failed(err error) error {
	fault := campaign.FaultScript
	var le *campaign.LoadError
	if errors.As(err, &le) {
		fault = le.Fault
	}
	if e := r.out.Line(&wire.Failed{Fault: fault, Text: finding.Clip(err.Error(), finding.MaxOutput)}, true); e != nil {
		return e
	}
	return errWorkerDone
}
