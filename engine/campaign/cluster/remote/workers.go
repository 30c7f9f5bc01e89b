// Package remote is the coordinator's side of a cluster: workers whose jobs any joined machine may do.
package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// Workers hands the jobs of one campaign to the machines that have joined, and takes in the result of them.
type Workers struct {
	ctx      context.Context
	cancel   context.CancelFunc
	conn     *cluster.Connection
	entry    cluster.Listing
	files    *cluster.Files
	replicas int
	print    func(string) // lines for the user
	drain    func()       // ends the campaign as if it was interrupted
	machine  string       // that the coordinator runs on
	talked   chan struct{}
	consume  jetstream.ConsumeContext
	presence *nats.Subscription
	began    *nats.Subscription

	mu       sync.Mutex
	open     map[string]*worker // by the key of the job that it waits for
	parts    map[string]*cluster.Parts
	waiting  int // bytes of the parts
	members  map[string]member
	spenders map[string]int
	counts   Counts
	status   cluster.Status
	paused   bool
}

// Counts counts the results that have arrived.
type Counts struct {
	Results int // that counted
	Again   int // of jobs that had a result already, or that nobody waits for any more
}

// member is a machine that has joined, as its latest report describes it.
type member struct {
	cluster.Presence
	heard  time.Time
	joined bool // it has offered workers
}

// ClusterPlan is a campaign to be run on a cluster.
type ClusterPlan struct {
	Campaign cluster.Campaign
	Name     string
	Version  string // of smtlark
	Manifest cluster.Manifest
	Paths    []string // the files of the campaign, in an order that does not change
	// SolverPaths are the files of the solvers that are sent with it, in the order of the manifest.
	SolverPaths [][]string
	Term        cluster.LeaderTerm
	Priority    int      // as in cluster.Listing
	Labels      []string // as in cluster.Listing
	Replicas    int      // of its streams
	Embedded    bool     // the server ends with the coordinator
	Print       func(string)
	Machine     string // that the coordinator runs on
	Drain       func() // ends the campaign as if it was interrupted
}

// solverBytes is the size of the solvers that are sent.
func (p *ClusterPlan) solverBytes() (n int64) {
	for i := range p.Manifest.Solvers {
		n += p.Manifest.Solvers[i].Bytes()
	}
	return n
}

// Open makes the streams of a campaign and its files, and tells machines of it.
func Open(ctx context.Context, conn *cluster.Connection, p *ClusterPlan) (*Workers, error) {
	d := &Workers{
		conn: conn, replicas: p.Replicas, print: p.Print, drain: p.Drain, machine: p.Machine, talked: make(chan struct{}), open: map[string]*worker{}, parts: map[string]*cluster.Parts{}, members: map[string]member{}, spenders: map[string]int{},
		entry: cluster.Listing{Campaign: p.Campaign, Name: p.Name, Run: rand.Text()[:8], Term: p.Term, Version: p.Version, Protocol: wire.ProtocolVersion, Priority: p.Priority, Labels: p.Labels},
	}
	js := conn.Stream
	if err := cluster.OpenStreams(ctx, js, p.Campaign, d.entry.Run, p.Replicas, p.Embedded); err != nil {
		return nil, err
	}
	files, err := cluster.OpenFiles(ctx, js, p.Campaign, p.Replicas, p.solverBytes())
	if err != nil {
		return nil, err
	}
	d.files = files
	if p.Manifest.Packed, err = files.PutSolvers(ctx, p.Manifest.Solvers, p.SolverPaths); err != nil {
		return nil, err
	}
	if p.Manifest.Files, err = files.Pack(ctx, p.Paths); err != nil {
		return nil, err
	}
	text, err := json.Marshal(&p.Manifest)
	if err != nil {
		return nil, err
	}
	if d.entry.Manifest, err = files.Put(ctx, text); err != nil {
		return nil, err
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if err := d.listen(ctx); err != nil {
		d.cancel()
		return nil, err
	}
	if err := cluster.Announce(ctx, js, &d.entry, p.Replicas); err != nil {
		d.cancel()
		return nil, err
	}
	board, err := cluster.OpenBoard(ctx, js, p.Replicas)
	if err != nil {
		d.cancel()
		return nil, err
	}
	go d.look()
	go d.talk(board)
	return d, nil
}

// listen begins to take in what machines say.
func (d *Workers) listen(ctx context.Context) error {
	results, err := d.conn.Stream.Consumer(ctx, d.entry.Campaign.ResultStream(), cluster.Coordinator(d.entry.Run))
	if err != nil {
		return err
	}
	if d.consume, err = results.Consume(d.takeResult, jetstream.PullMaxMessages(256)); err != nil {
		return err
	}
	if d.presence, err = d.conn.Conn.Subscribe(d.entry.Campaign.PresenceSubject("*"), d.takePresence); err != nil {
		return err
	}
	d.began, err = d.conn.Conn.Subscribe(d.entry.Campaign.BeganSubject(cluster.AnyOf(d.entry.Run)), func(m *nats.Msg) {
		key := strings.TrimPrefix(m.Subject, d.entry.Campaign.BeganSubject(""))
		d.mu.Lock()
		defer d.mu.Unlock()
		if p := d.open[key]; p != nil {
			p.began, p.heard = true, time.Now()
		}
	})
	return err
}

// Close announces that the campaign is over and removes its streams and files from the cluster.
func (d *Workers) Close(ctx context.Context) error {
	d.entry.Over = true
	err := cluster.Announce(ctx, d.conn.Stream, &d.entry, d.replicas)
	lost := errors.Is(err, cluster.ErrLost) // the present entry belongs to another process
	late := time.Now().Add(farewellTime)
	for !lost && time.Now().Before(late) && d.hears(2*cluster.PresenceEvery) { // a machine that has learned of the end says nothing any more
		time.Sleep(50 * time.Millisecond)
	}
	d.consume.Stop()
	d.cancel()
	<-d.talked
	if lost {
		return errors.Join(err, d.presence.Unsubscribe(), d.began.Unsubscribe())
	}
	return errors.Join(err, d.presence.Unsubscribe(), d.began.Unsubscribe(), cluster.DropStreams(ctx, d.conn.Stream, d.entry.Campaign))
}

// Counts returns how many results have come so far.
func (d *Workers) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

// takePresence takes in that a machine is there.
func (d *Workers) takePresence(m *nats.Msg) {
	var p cluster.Presence
	if json.Unmarshal(m.Data, &p) != nil || p.Member == "" || len(p.Member) > maxName || p.Slots < 0 || p.Slots > maxSlots {
		return
	}
	p.Machine, p.Note, p.Refused = display.Cut(display.Line(p.Machine), maxName), display.Cut(display.Line(p.Note), maxSaid), display.Cut(display.Line(p.Refused), maxSaid)
	p.Labels = p.Labels[:min(len(p.Labels), maxLabels)]
	d.mu.Lock()
	before, known := d.members[p.Member]
	if !known && len(d.members) >= maxMembers {
		d.mu.Unlock()
		return
	}
	d.members[p.Member] = member{p, time.Now(), before.joined || p.Slots > 0}
	d.mu.Unlock()
	if p.Note != "" && p.Note != before.Note {
		d.print(p.Machine + ": " + p.Note)
	}
	switch {
	case p.Refused != "" && p.Refused != before.Refused:
		d.print(fmt.Sprintf("%s cannot take part: %s", p.Machine, p.Refused))
	case !before.joined && p.Slots > 0 && p.Refused == "":
		d.print(fmt.Sprintf("%s has joined with %d workers", p.Machine, p.Slots))
	}
}

// farewellTime bounds the time that machines have to learn that the campaign is over.
const farewellTime = 6 * time.Second

// hears reports whether a machine has said within a time that it is there.
func (d *Workers) hears(within time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.members {
		if time.Since(m.heard) < within {
			return true
		}
	}
	return false
}

// Bounds on the information that machines send about themselves: simultaneous jobs of one machine and of all, number of
// machines, length of a name and of a text, number of labels.
const (
	maxSlots    = 4096
	maxAllSlots = 1 << 15
	maxMembers  = 1 << 12
	maxName     = 200
	maxSaid     = 1000
	maxLabels   = 64
)

// Slots implements coordinator.RemoteWorkers.
func (d *Workers) Slots() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, m := range d.members {
		if time.Since(m.heard) > cluster.Absent {
			delete(d.members, name)
			continue
		}
		if m.Refused == "" {
			n += m.Slots
		}
	}
	return min(n, maxAllSlots)
}

// Wanted implements coordinator.RemoteWorkers: a quarter more than are done at a time wait in the queue, so that no
// machine waits for us.
func (d *Workers) Wanted() int {
	n := d.Slots()
	d.mu.Lock()
	defer d.mu.Unlock()
	if n == 0 || d.paused {
		return 0
	}
	return n + n/4 + 1
}

// NewWorker implements coordinator.RemoteWorkers.
func (d *Workers) NewWorker(silence func(wire.Order) time.Duration) coordinator.Worker {
	p := &worker{workers: d, silence: silence, batches: make(chan *batch, 4), done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(d.ctx)
	return p
}

// Tell implements coordinator.RemoteWorkers.
func (d *Workers) Tell(o wire.Order) error {
	text, err := wire.Marshal(o)
	if err != nil {
		return err
	}
	go d.tell(nats.Header{}, text)
	return nil
}

// tell publishes something that all workers are to know.
func (d *Workers) tell(header nats.Header, text []byte) {
	for _, m := range cluster.Split(d.entry.Campaign.StateSubject(d.entry.Run), rand.Text(), header, text) {
		_ = cluster.Patiently(d.ctx, func(ctx context.Context) error {
			_, err := d.conn.Stream.PublishMsg(ctx, m)
			return err
		})
	}
}

// control publishes a control, such as cluster.ControlCut, for a running job.
func (d *Workers) control(key, what string) {
	d.tell(nats.Header{cluster.HeaderJob: {key}, cluster.HeaderControl: {what}}, nil)
}

// takeResult processes the result of a job, or a part of it. A job that two machines have done counts once.
func (d *Workers) takeResult(m jetstream.Msg) {
	// The message is acknowledged before anything else, because one that cannot be read now cannot be read later
	// either. If the coordinator dies now, the cases are made again.
	_ = m.Ack()
	h := m.Headers()
	key, attempt := h.Get(cluster.HeaderJob), h.Get(cluster.HeaderAttempt)
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.open[key]
	if p == nil {
		if h.Get(cluster.HeaderPart) == "0" {
			d.counts.Again++
		}
		return
	}
	id := key + "/" + attempt
	whole := d.parts[id]
	if whole == nil {
		whole = cluster.NewParts(cluster.MaxResult)
		d.parts[id] = whole
	}
	before := whole.Bytes()
	text, err := whole.Add(h, m.Data())
	if d.waiting += whole.Bytes() - before; d.waiting > maxWaiting && text == nil && err == nil { // of results that never come to an end
		d.dropParts("")
		return
	}
	from := d.machineOf(h.Get(cluster.HeaderSpender))
	if err != nil {
		d.dropParts(id)
		p.deliver(&batch{died: "a result that cannot be read: " + err.Error(), machine: from})
		return
	}
	if text == nil && h.Get(cluster.HeaderParts) != "1" {
		return
	}
	d.dropParts(key + "/")
	delete(d.open, key)
	d.counts.Results++
	number, _ := strconv.ParseUint(h.Get(cluster.HeaderNumber), 10, 64)
	died := h.Get(cluster.HeaderDied)
	if text, err := strconv.Unquote(died); err == nil {
		died = text
	}
	p.deliver(&batch{text: text, died: died, number: number, spender: d.spenderOf(h.Get(cluster.HeaderSpender)), machine: from})
}

// maxWaiting bounds the kept parts of incomplete results, in bytes.
const maxWaiting = 4 * cluster.MaxResult

// dropParts drops the parts of results whose ids have a given prefix.
func (d *Workers) dropParts(beginning string) {
	for id, parts := range d.parts {
		if strings.HasPrefix(id, beginning) {
			d.waiting -= parts.Bytes()
			delete(d.parts, id)
		}
	}
}

// machineOf returns the name that the machine of a process gives itself, or the process if the machine has not reported
// its presence.
func (d *Workers) machineOf(process string) string {
	name := process
	if i := strings.LastIndexByte(process, '-'); i > 0 {
		name = process[:i]
	}
	if m, ok := d.members[name]; ok && m.Machine != "" {
		return m.Machine
	}
	return display.Cut(display.Line(process), maxName)
}

// firstSpender is above the numbers of workers.
const firstSpender = 1 << 20

// spenderOf numbers the processes of other machines.
func (d *Workers) spenderOf(process string) int {
	if d.spenders[process] == 0 {
		if len(d.spenders) >= maxMembers*maxSlots/64 { // somebody makes them up
			return firstSpender
		}
		d.spenders[process] = firstSpender + len(d.spenders)
	}
	return d.spenders[process]
}

// lookEvery is the interval at which a campaign looks for jobs that got lost with the disk of a server; a job counts as
// lost after lostAfter.
const (
	lookEvery = 5 * time.Second
	lostAfter = 30 * time.Second
)

// look publishes those jobs again that the cluster has lost.
func (d *Workers) look() {
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		ctx, cancel := context.WithTimeout(d.ctx, lookEvery)
		stream, err := d.conn.Stream.Stream(ctx, d.entry.Campaign.JobStream())
		cancel()
		if err != nil || stream.CachedInfo().State.Msgs > 0 {
			continue
		}
		var lost []*worker
		d.mu.Lock()
		for _, p := range d.open {
			if p.published && time.Since(p.heard) > lostAfter {
				p.heard = time.Now()
				lost = append(lost, p)
			}
		}
		d.mu.Unlock()
		for _, p := range lost {
			p.publish()
		}
	}
}

// Members lists the machines that have joined, in words.
func (d *Workers) Members() (out []cluster.Presence) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.members {
		out = append(out, m.Presence)
	}
	return out
}

var _ coordinator.RemoteWorkers = (*Workers)(nil)

// keyOf is the key of a job: unlike those of other runs of the campaign.
func (d *Workers) keyOf(job uint64) string { return cluster.KeyOf(d.entry.Run, job) }
