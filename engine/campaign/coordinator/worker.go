package coordinator

import (
	"bufio"
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Worker is a worker as the coordinator uses it, on this machine or on another one.
type Worker interface {
	// Send passes on an order, a line with its newline. It may wait.
	Send(order []byte) error
	// CloseOrders signals that there are no more orders. The worker then ends.
	CloseOrders()
	// Receive waits for reports. The error that ends them comes with the last reports or after them; it is io.EOF after
	// a regular end.
	Receive() ([]wire.Report, error)
	// Wait waits for the worker to end and describes how it ended.
	Wait() string
	// Number returns, after the end, the number plus 1 of the case that was running; 0 if that is not known.
	Number() uint64
	// Kill kills the worker and all processes that it has started.
	Kill()
	// Memory is its resident memory in bytes, 0 where that is not known.
	Memory() int64
	// EndOrphans ends background programs left by the worker's solvers. The worker itself continues.
	EndOrphans()
	// PID is its process ID, 0 for a process of another machine.
	PID() int
	// Machine is the machine that sent the latest reports, "" for this one.
	Machine() string
	// Spender identifies the account that the latest reports are about if several processes do the work of one worker;
	// 0 means the worker's own.
	Spender() int
}

// RemoteWorkers are the workers of the machines that have joined a campaign.
type RemoteWorkers interface {
	// Slots returns the number of jobs that they can do at the same time, and Wanted the number to give them so that
	// none waits.
	Slots() int
	Wanted() int
	// NewWorker returns a worker whose jobs may be done by any of these machines. Such a worker has loaded the
	// campaign. silence tells how long the process that does a job may be silent.
	NewWorker(silence func(wire.Order) time.Duration) Worker
	// Machines returns the statistics of each machine.
	Machines() []metrics.MachineStats
	// Tell sends an order to all their workers, also to those that start later.
	Tell(o wire.Order) error
}

// Machine implements Worker.
func (p *piped) Machine() string { return "" }

// piped is a worker process of this machine.
type piped struct {
	*process.Process
	reader *bufio.Reader
	long   []byte
}

func newPiped(p *process.Process) *piped {
	return &piped{Process: p, reader: bufio.NewReaderSize(p.Out, 256<<10)}
}

// Send implements Worker.
func (p *piped) Send(order []byte) error {
	_, err := p.In.Write(order)
	return err
}

// CloseOrders implements Worker.
func (p *piped) CloseOrders() { p.In.Close() }

// maxTogether bounds the reports that are handed over together.
const maxTogether = 64

// Receive implements Worker.
func (p *piped) Receive() (reports []wire.Report, err error) {
	for {
		line, err := wire.ReadLine(p.reader, &p.long)
		if err != nil {
			p.Out.Close()
			return reports, err
		}
		report, err := wire.ParseReport(line)
		if err != nil {
			p.Out.Close()
			return reports, fmt.Errorf("a report that cannot be read (%v): %s", err, finding.Clip(string(line), 200))
		}
		reports = append(reports, report)
		if p.reader.Buffered() == 0 || len(reports) == maxTogether {
			return reports, nil
		}
	}
}

// Spender implements Worker.
func (p *piped) Spender() int { return 0 }
