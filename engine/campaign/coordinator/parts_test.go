package coordinator

import (
	"time"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// parts are those of a coordinator that take in verdicts and what comes of them, without workers. It notes what they ask of the
// campaign.
type parts struct {
	in    *intake
	s     *settlement
	told  []wire.Order
	again []uint64
	err   error
}

func (p *parts) tellWorkers(o wire.Order)       { p.told = append(p.told, o) }
func (p *parts) runAgain(n uint64)              { p.again = append(p.again, n) }
func (p *parts) replayCommand(uint64) string    { return "replay" }
func (p *parts) drainFor(string, time.Duration) {}
func (p *parts) failWith(err error)             { p.err = err }
func (p *parts) diskError(err error)            { p.err = err }

func newParts(plan *finding.Plan, store finding.Store) *parts {
	p := &parts{}
	stats := &metrics.Stats{Progress: metrics.Progress{State: metrics.StateRunning}}
	life := &lifecycle{stats: stats, begun: time.Unix(0, 0), now: time.Unix(1, 0)}
	cfg := &Config{Store: store}
	r := &register{
		controls: p, journal: &journal{log: noLog{}, print: func(Line, string) {}, stats: stats, onDiskError: p.diskError},
		archive: newArchive(cfg, life, p.diskError), life: life, plan: plan, ledger: ledger.New(plan, plan.Reduces && store != nil),
	}
	queue, tried := &settleQueue{}, histories{}
	p.in = &intake{register: r, queue: queue, histories: tried}
	p.s = &settlement{register: r, in: p.in, queue: queue, histories: tried}
	return p
}
