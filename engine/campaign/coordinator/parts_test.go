package coordinator

import (
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// parts has the parts of a coordinator that process verdicts and their results, without workers. It records their calls
// to the campaign.
type parts struct {
	s     *settling
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
	p.s = newSettling(settling{
		control: p, cfg: &Config{Store: store}, life: life, plan: plan, stats: stats,
		journal: &journal{log: noLog{}, print: func(Line, string) {}, stats: stats, onDiskError: p.diskError},
	})
	return p
}
