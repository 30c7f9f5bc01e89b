package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// worker is a worker to the coordinator. Each of its jobs is done by whichever machine takes it.
type worker struct {
	workers *Workers
	ctx     context.Context // ends with the orders
	cancel  context.CancelFunc
	silence func(wire.Order) time.Duration
	batches chan *batch

	ended sync.Once
	done  chan struct{}
	how   string // from done on, as number
	last  uint64

	// Of the job that it waits for, under the lock of the workers:
	order     wire.Order
	line      []byte
	key       string
	sequence  uint64 // of the job in its stream
	published bool
	began     bool      // a machine has it
	heard     time.Time // of it
	spender   int
	machine   string
}

// batch is the result of a job.
type batch struct {
	text    []byte // reports, a line each
	died    string // how the process died that did it; "": it lives
	number  uint64 // the case that it ran then plus 1
	spender int
	machine string // that sent it
}

// Send implements coordinator.Worker.
func (p *worker) Send(line []byte) error {
	o, err := wire.ParseOrder(line[:len(line)-1])
	if err != nil {
		return err
	}
	switch o := o.(type) {
	case *wire.StopRange:
		p.interrupt(cluster.ControlStop)
	case *wire.Cut:
		p.interrupt(cluster.ControlCut)
	case *wire.MakeCases:
		p.give(o, line, o.Job)
	case *wire.Confirm:
		p.give(o, line, o.Job)
	case *wire.Reduce:
		p.give(o, line, o.Job)
	case *wire.Recheck:
		p.give(o, line, o.Job)
	default:
		return fmt.Errorf("order %q is not for joined machines", o.Kind())
	}
	return nil
}

// give publishes a job.
func (p *worker) give(o wire.Order, line []byte, job uint64) {
	key := p.workers.keyOf(job)
	p.workers.mu.Lock()
	p.order, p.line, p.key, p.published, p.began, p.heard = o, line, key, false, false, time.Now()
	p.workers.open[key] = p
	p.workers.mu.Unlock()
	p.publish()
}

// publish puts the job into the queue; it returns when it is there.
func (p *worker) publish() {
	p.workers.mu.Lock()
	key, line := p.key, p.line
	header := nats.Header{cluster.HeaderJob: {key}, cluster.HeaderSilence: {strconv.FormatInt(int64(p.silence(p.order)), 10)}}
	p.workers.mu.Unlock()
	parts := cluster.Split(p.workers.entry.Campaign.JobSubject(key), key+"/"+rand.Text()[:6], header, line)
	message := parts[0]
	if len(parts) > 1 { // too long for the queue: it is a file, which the job names
		message = nats.NewMsg(message.Subject)
		message.Header = header
		err := cluster.Patiently(p.ctx, func(ctx context.Context) error {
			stored, err := p.workers.files.Put(ctx, line)
			message.Header.Set(cluster.HeaderFile, stored.SHA256)
			return err
		})
		if err != nil {
			return
		}
	}
	_ = cluster.Patiently(p.ctx, func(ctx context.Context) error {
		ack, err := p.workers.conn.Stream.PublishMsg(ctx, message)
		if err != nil {
			return err
		}
		p.workers.mu.Lock()
		defer p.workers.mu.Unlock()
		if p.key == key {
			p.sequence, p.published, p.heard = ack.Sequence, true, time.Now()
		}
		return nil
	})
}

// interrupt ends the job before its time. One that no machine has is taken back.
func (p *worker) interrupt(what string) {
	p.workers.mu.Lock()
	key, cases, began := p.key, (*wire.MakeCases)(nil), p.began
	if p.workers.open[key] == p {
		cases, _ = p.order.(*wire.MakeCases)
	}
	p.workers.mu.Unlock()
	if cases == nil || began || !p.withdraw() {
		p.workers.control(key, what)
		return
	}
	text, err := wire.Marshal(&wire.RangeDone{Job: cases.Job, Next: cases.From})
	if err == nil {
		p.deliver(&batch{text: append(text, '\n')})
	}
}

// withdraw takes the job back. It returns false if the result has already arrived. If a machine has begun the job, its
// work is wasted.
func (p *worker) withdraw() bool {
	p.workers.mu.Lock()
	waits, sequence, published := p.workers.open[p.key] == p, p.sequence, p.published
	if waits {
		delete(p.workers.open, p.key)
	}
	p.workers.mu.Unlock()
	if waits && published {
		ctx, cancel := context.WithTimeout(p.workers.ctx, 2*time.Second)
		defer cancel()
		if stream, err := p.workers.conn.Stream.Stream(ctx, p.workers.entry.Campaign.JobStream()); err == nil {
			_ = stream.DeleteMsg(ctx, sequence) // where it fails, a machine does it in vain
		}
	}
	return waits
}

// deliver hands over the result of a job. It never blocks, because a worker has only one job at a time.
func (p *worker) deliver(b *batch) {
	select {
	case p.batches <- b:
	default:
		p.end("more results than jobs", 0)
	}
}

// CloseOrders implements coordinator.Worker.
func (p *worker) CloseOrders() {
	p.withdraw()
	p.end("exit 0", 0)
}

// Kill implements coordinator.Worker.
func (p *worker) Kill() {
	p.workers.mu.Lock()
	key, began := p.key, p.began
	p.workers.mu.Unlock()
	if p.withdraw() && began {
		go p.workers.control(key, cluster.ControlDrop)
	}
	p.end("killed", 0)
}

func (p *worker) end(how string, number uint64) {
	p.ended.Do(func() {
		p.how, p.last = how, number
		close(p.done)
		p.cancel()
	})
}

// Receive implements coordinator.Worker.
func (p *worker) Receive() ([]wire.Report, error) {
	select {
	case b := <-p.batches:
		return p.read(b)
	default:
	}
	select {
	case b := <-p.batches:
		return p.read(b)
	case <-p.done:
		return nil, io.EOF
	}
}

// maxReports bounds the reports of one job. A job of cases has some thousand cases with a few reports each.
const maxReports = 200_000

// Machine implements coordinator.Worker.
func (p *worker) Machine() string {
	p.workers.mu.Lock()
	defer p.workers.mu.Unlock()
	return p.machine
}

// read parses the result of a job.
func (p *worker) read(b *batch) (reports []wire.Report, err error) {
	p.workers.mu.Lock()
	p.spender, p.machine = b.spender, b.machine
	order := p.order
	p.workers.mu.Unlock()
	if bytes.Count(b.text, []byte{'\n'}) > maxReports {
		p.end(fmt.Sprintf("more than %d reports of one job", maxReports), 0)
		return nil, fmt.Errorf("more than %d reports of one job", maxReports)
	}
	for line := range bytes.Lines(b.text) {
		report, err := wire.ParseReport(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			p.end(err.Error(), 0)
			return reports, fmt.Errorf("a report that cannot be read: %w", err)
		}
		reports = append(reports, report)
	}
	if b.died == "" && (len(reports) == 0 || !concludes(order, reports[len(reports)-1])) {
		b.died, b.number = "a result that does not end its job", 0 // nothing else would
	}
	if b.died != "" {
		p.end(b.died, b.number)
		return reports, io.EOF
	}
	return reports, nil
}

// concludes reports whether a report is the one that ends a job.
func concludes(o wire.Order, r wire.Report) bool {
	var ends bool
	switch o.(type) {
	case *wire.MakeCases:
		_, ends = r.(*wire.RangeDone)
	case *wire.Confirm:
		_, ends = r.(*wire.Confirmed)
	case *wire.Reduce:
		_, ends = r.(*wire.Reduced)
	case *wire.Recheck:
		_, ends = r.(*wire.Rechecked)
	}
	return ends
}

// Wait implements coordinator.Worker.
func (p *worker) Wait() string {
	<-p.done
	return p.how
}

// Number implements coordinator.Worker.
func (p *worker) Number() uint64 {
	<-p.done
	return p.last
}

// Memory implements coordinator.Worker: the machine that does a job looks after its processes.
func (p *worker) Memory() int64 { return 0 }

// EndOrphans implements coordinator.Worker.
func (p *worker) EndOrphans() {}

// PID implements coordinator.Worker.
func (p *worker) PID() int { return 0 }

// Spender implements coordinator.Worker.
func (p *worker) Spender() int {
	p.workers.mu.Lock()
	defer p.workers.mu.Unlock()
	return p.spender
}
