package member

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// assignment is the place of this machine in one campaign.
type assignment struct {
	member   *member
	entry    *cluster.Listing
	manifest *cluster.Manifest
	files    *cluster.Files
	mirror   string        // the folder with the campaign's files
	used     []string      // of the cache
	solvers  []parcel.Laid // that the coordinator has sent; nil: those of this machine
	jobs     jetstream.Consumer
	exchange *exchange
	ctx      context.Context
	cancel   context.CancelFunc
	wanted   atomic.Int32 // workers
	wait     sync.WaitGroup
	busy     atomic.Int32 // workers that have a job
	served   atomic.Int64 // when it had a job the last time, in Unix nanoseconds

	mu       sync.Mutex
	working  map[int]bool // slots with a goroutine
	told     []byte       // what all workers are to know, all of it
	parts    *cluster.Parts
	runners  map[*runner]bool
	running  map[string]*runner // by the key of the job
	controls map[string]string  // of jobs, by key
	note     string             // what people should know of this machine
	refused  string             // why this machine cannot take part
}

// maxControls bounds the number of remembered controls of jobs that other machines have.
const maxControls = 10000

// openAssignment fetches the files that a campaign needs and starts to listen for jobs.
func openAssignment(m *member, e *cluster.Listing) (*assignment, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &assignment{
		member: m, entry: e, manifest: &cluster.Manifest{}, ctx: ctx, cancel: cancel,
		parts: cluster.NewParts(cluster.MaxText), working: map[int]bool{}, runners: map[*runner]bool{}, running: map[string]*runner{}, controls: map[string]string{},
	}
	s.served.Store(time.Now().UnixNano())
	if err := s.open(); err != nil {
		cancel()
		if s.exchange != nil {
			err = errors.Join(err, s.exchange.close())
		}
		return nil, err
	}
	s.wait.Go(s.present)
	s.wait.Go(func() { m.cfg.Connection.Hear(s.ctx, e, s.hear) })
	return s, nil
}

// fetchTime bounds the download of a campaign's files.
const fetchTime = 10 * time.Minute

func (s *assignment) open() error {
	ctx, cancel := context.WithTimeout(s.ctx, fetchTime)
	defer cancel()
	connection := s.member.cfg.Connection
	s.files = connection.Files(s.entry.Campaign)
	objects := filepath.Join(s.member.cfg.Cache, objectFolder)
	text, err := s.files.Get(ctx, s.entry.Manifest, objects)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, s.manifest); err != nil {
		return fmt.Errorf("the manifest of the campaign: %w", err)
	}
	if err := s.fetch(ctx, objects); err != nil {
		return err
	}
	if err := s.fetchSolvers(ctx, objects); err != nil {
		return err
	}
	touch(s.used)
	if err := trim(s.member.cfg.Cache, cmp.Or(s.member.cfg.CacheBytes, DefaultCacheBytes), time.Now()); err != nil {
		return fmt.Errorf("the cache: %w", err)
	}
	if s.exchange, err = openExchange(s); err != nil {
		return err
	}
	if s.jobs, err = connection.Stream.Consumer(ctx, s.entry.Campaign.JobStream(), cluster.Workers); err != nil {
		return fmt.Errorf("the queue of the campaign: %w", err)
	}
	return nil
}

// fetch downloads the files of the campaign into a folder of its own, laid out as on the coordinator's machine. It
// downloads them once.
func (s *assignment) fetch(ctx context.Context, objects string) error {
	mirrors := filepath.Join(s.member.cfg.Cache, campaignFolder)
	s.mirror = filepath.Join(mirrors, s.entry.Manifest.SHA256)
	s.used = append(s.used, s.mirror)
	if _, err := os.Stat(s.mirror); err == nil {
		return nil
	}
	if err := os.MkdirAll(mirrors, 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(mirrors, ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := s.files.Unpack(ctx, s.manifest.Files, objects, fresh); err != nil {
		return err
	}
	for _, folder := range append([]string{s.manifest.Root, "/out"}, s.manifest.Options.Read...) {
		if err := os.MkdirAll(below(fresh, folder), 0o700); err != nil {
			return err
		}
	}
	err = os.Rename(fresh, s.mirror)
	if _, there := os.Stat(s.mirror); there == nil { // another process of this machine was faster
		return nil
	}
	return err
}

// fetchSolvers lays out the solvers that the coordinator has sent. A solver that arrives with another hash is refused,
// and this machine continues with the solvers it has.
func (s *assignment) fetchSolvers(ctx context.Context, objects string) error {
	if len(s.manifest.Solvers) == 0 {
		return nil
	}
	if why := s.member.cfg.Strangers; why != "" {
		s.say("the solvers that the coordinator sends do not run here, since nothing would confine them (" + why + "); going on with those of this machine. join --trust runs them")
		return nil
	}
	folder := filepath.Join(s.member.cfg.Cache, solverFolder)
	for i := range s.manifest.Solvers {
		p := &s.manifest.Solvers[i]
		laid, err := p.Lay(folder, func(f *parcel.File) (string, error) {
			path, err := s.files.SolverFile(ctx, f, s.manifest.Packed, objects)
			s.used = append(s.used, path)
			return path, err
		})
		var corrupt *cluster.CorruptError
		if errors.As(err, &corrupt) {
			s.say(fmt.Sprintf("%s of the coordinator is refused: %v; going on with the solvers of this machine", p.Name, err))
			s.solvers = nil
			return nil
		}
		if err != nil {
			return fmt.Errorf("solver %s of the coordinator: %w", p.Name, err)
		}
		s.used = append(s.used, filepath.Join(folder, p.Folder()))
		s.solvers = append(s.solvers, *laid)
	}
	return nil
}

// say prints a message for the users of this machine, and sends it to those at the coordinator.
func (s *assignment) say(note string) {
	s.member.cfg.Print(note)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note = note
}

// below returns the local path that mirrors an absolute path of the coordinator's machine.
func below(mirror, path string) string {
	return filepath.Join(mirror, filepath.FromSlash(strings.TrimPrefix(filepath.ToSlash(path), "/")))
}

// hear handles the messages that all workers get, and the controls of running jobs.
func (s *assignment) hear(h nats.Header, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key, what := h.Get(cluster.HeaderJob), h.Get(cluster.HeaderControl); what != "" {
		if len(s.controls) > maxControls {
			clear(s.controls)
		}
		s.controls[key] = what
		if r := s.running[key]; r != nil {
			r.interrupt(what)
		}
		return
	}
	text, err := s.parts.Add(h, data)
	if err != nil || text == nil {
		if err != nil {
			s.parts = cluster.NewParts(cluster.MaxText)
		}
		return
	}
	s.parts = cluster.NewParts(cluster.MaxText)
	text = append(text, '\n')
	s.told = append(s.told, text...)
	for r := range s.runners {
		r.send(text)
	}
}

// present says that this machine is there until the assignment is closed.
func (s *assignment) present() {
	for touched := time.Now(); ; {
		s.sayPresent()
		if time.Since(touched) > touchEvery {
			touched = time.Now()
			touch(s.used)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(cluster.PresenceEvery):
		}
	}
}

// refuse ends the work for a campaign that this machine cannot do, and tells the coordinator.
func (s *assignment) refuse(why string) {
	s.mu.Lock()
	if s.refused == "" {
		s.refused = why
	}
	s.mu.Unlock()
	s.sayPresent()
	_ = s.member.cfg.Connection.Conn.FlushTimeout(2 * time.Second)
}

func (s *assignment) sayPresent() {
	cfg := &s.member.cfg
	p := cluster.Presence{Member: s.member.name, Machine: cfg.Machine, Labels: cfg.Labels, Slots: int(s.wanted.Load())}
	s.mu.Lock()
	p.Refused, p.Note = s.refused, s.note
	s.mu.Unlock()
	if text, err := json.Marshal(&p); err == nil {
		_ = cfg.Connection.Conn.Publish(s.entry.Campaign.PresenceSubject(s.member.name), text)
	}
}

func (s *assignment) refusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// resize sets the number of workers to n. Surplus workers end after their jobs.
func (s *assignment) resize(n int) {
	if s.wanted.Swap(int32(n)) == 0 {
		s.served.Store(time.Now().UnixNano()) // it has had no chance to find a job
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for slot := range n {
		if !s.working[slot] {
			s.working[slot] = true
			s.wait.Go(func() { s.work(slot) })
		}
	}
}

// rests reports whether there has been no job for the campaign for a while. A campaign without workers here never
// rests, because nobody would notice a job for it.
func (s *assignment) rests(now time.Time) bool {
	return s.wanted.Load() > 0 && s.busy.Load() == 0 && now.UnixNano()-s.served.Load() > int64(restTime)
}

// leave lets the workers end after their jobs.
func (s *assignment) leave() { s.wanted.Store(0) }

// close waits until the workers have ended, unless the campaign is over: then nobody needs their results.
func (s *assignment) close() {
	if !s.member.left.Load() {
		s.cancel()
	}
	s.mu.Lock()
	working := len(s.working)
	s.mu.Unlock()
	for ; working > 0; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		working = len(s.working)
		s.mu.Unlock()
	}
	_ = s.exchange.close() // a connection that is gone takes nothing in either
	s.cancel()
	s.wait.Wait()
}

// takeTime bounds a worker's wait for a job before it checks whether it is still wanted.
const takeTime = time.Second

// work takes jobs one after the other.
func (s *assignment) work(slot int) {
	var r *runner
	defer func() {
		if r != nil {
			r.beginJob()
			s.drop(r)
		}
		s.mu.Lock()
		delete(s.working, slot)
		s.mu.Unlock()
	}()
	for int32(slot) < s.wanted.Load() && s.ctx.Err() == nil && s.refusal() == "" {
		if r = s.living(r, slot); r == nil { // before a job waits for it
			return
		}
		m, err := s.jobs.Next(jetstream.FetchMaxWait(takeTime))
		if err != nil {
			if !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
				select {
				case <-s.ctx.Done():
				case <-time.After(300 * time.Millisecond):
				}
			}
			continue
		}
		s.busy.Add(1)
		if r.beginJob(); r.isDead() { // it died of its work for another worker
			if r = s.living(r, slot); r == nil {
				_ = m.Nak()
				s.busy.Add(-1)
				return
			}
			r.beginJob()
		}
		lives := s.do(m, r)
		s.busy.Add(-1)
		s.served.Store(time.Now().UnixNano())
		if !lives {
			s.drop(r)
			r = nil
			continue
		}
		r.endJob()
	}
}

// living returns a live worker: the existing one, or a new one. It returns nil if there can be none.
func (s *assignment) living(r *runner, slot int) *runner {
	if r != nil && !r.isDead() {
		return r
	}
	if r != nil {
		s.drop(r)
	}
	r, err := s.newRunner(slot)
	if err != nil && s.ctx.Err() == nil {
		s.refuse(err.Error())
	}
	return r
}

// allRunners lists the workers.
func (s *assignment) allRunners() []*runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.runners))
}

// drop ends a worker process.
func (s *assignment) drop(r *runner) {
	s.mu.Lock()
	delete(s.runners, r)
	s.mu.Unlock()
	r.end()
}

// do lets a worker do a job, and reports the result. It returns false if the worker did not survive the job.
func (s *assignment) do(m jetstream.Msg, r *runner) bool {
	h := m.Headers()
	key := h.Get(cluster.HeaderJob)
	stop := s.keep(m, key)
	defer stop()
	order, err := s.orderOf(m)
	if err != nil {
		if s.ctx.Err() == nil {
			s.tell(key, r, &outcome{died: "its order cannot be read: " + err.Error()})
			_ = m.Ack()
		}
		return true
	}
	if about, err := m.Metadata(); err == nil && about.NumDelivered > cluster.MaxGiven {
		s.tell(key, r, &outcome{died: fmt.Sprintf("%d machines were given the job, and nothing was heard of any of them", cluster.MaxGiven)})
		_ = m.Ack()
		return true
	}
	silence, _ := strconv.ParseInt(h.Get(cluster.HeaderSilence), 10, 64)
	s.mu.Lock()
	s.running[key] = r
	r.send(order)
	if what := s.controls[key]; what != "" {
		r.interrupt(what)
	}
	s.mu.Unlock()
	end := func() {}
	if wire.IsReduce(order) {
		end = s.exchange.request(r, key)
	}
	out := r.finish(s.ctx, time.Duration(silence))
	end()
	s.mu.Lock()
	delete(s.running, key)
	s.mu.Unlock()
	if s.manifest.Sum {
		out.text = wire.SumResults(out.text, len(s.manifest.Builds))
	}
	if !out.dropped {
		s.tell(key, r, out)
	}
	if s.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(s.ctx, 2*time.Second)
		_ = m.DoubleAck(ctx) // where that fails, another machine does it again, and that does not count
		cancel()
	}
	return out.died == "" && !out.dropped
}

// keep reports that a job is in progress, until the returned function is called.
func (s *assignment) keep(m jetstream.Msg, key string) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			_ = s.member.cfg.Connection.Conn.Publish(s.entry.Campaign.BeganSubject(key), nil)
			select {
			case <-done:
				return
			case <-s.ctx.Done():
				return
			case <-time.After(cluster.JobLease / 4):
			}
			_ = m.InProgress()
		}
	}()
	return func() { close(done) }
}

// orderOf returns the order that a job is, as a line.
func (s *assignment) orderOf(m jetstream.Msg) ([]byte, error) {
	if hash := m.Headers().Get(cluster.HeaderFile); hash != "" {
		ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
		defer cancel()
		return s.files.Get(ctx, cluster.Stored{SHA256: hash}, filepath.Join(s.member.cfg.Cache, objectFolder))
	}
	whole := cluster.NewParts(cluster.MaxText)
	text, err := whole.Add(m.Headers(), m.Data())
	if err == nil && text == nil {
		err = errors.New("a part of it is missing")
	}
	return text, err
}

// tell reports the result of a job, and repeats that until it succeeds.
func (s *assignment) tell(key string, r *runner, out *outcome) {
	attempt := fmt.Sprintf("%s-%d-%d", s.member.name, r.number, r.jobs.Add(1))
	header := nats.Header{cluster.HeaderJob: {key}, cluster.HeaderAttempt: {attempt}, cluster.HeaderSpender: {fmt.Sprintf("%s-%d", s.member.name, r.number)}}
	if out.died != "" {
		header.Set(cluster.HeaderDied, strconv.Quote(out.died))
		header.Set(cluster.HeaderNumber, strconv.FormatUint(out.number, 10))
	}
	for _, part := range cluster.Split(s.entry.Campaign.ResultSubject(key), attempt, header, out.text) {
		_ = cluster.Patiently(s.ctx, func(ctx context.Context) error {
			_, err := s.member.cfg.Connection.Stream.PublishMsg(ctx, part)
			return err
		})
	}
}
