package member

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// One worker does a reduction. Others that wait for a job try smaller cases for it in advance. The reducing worker
// calls all machines every second; their idle workers answer and get cases. A helper that gets a job of its own leaves
// at once, and the reducing worker tries the helper's case itself. None of this goes through the coordinator or a
// stream.

// What workers write to each other.
const (
	aboutCall   = "call"   // a worker that reduces asks who is idle
	aboutIdle   = "idle"   // a worker can help
	aboutBusy   = "busy"   // it tries the case that it was given last
	aboutAssist = "assist" // the subject of the reduction
	aboutTry    = "try"    // a case to try
	aboutTried  = "tried"  // the result of it; without text: it was refused
	aboutDrop   = "drop"   // the case is not wanted any more
)

const (
	callEvery  = time.Second
	lostAfter  = 5 * callEvery // without a word
	maxHelpers = 64            // of a reduction
	maxTasks   = 16            // number of tasks whose subjects a machine keeps
	maxLetters = 32            // that have come in part
)

// exchange carries the messages between the workers of a campaign.
type exchange struct {
	assignment *assignment
	sub        []*nats.Subscription

	mu       sync.Mutex
	closed   bool
	letters  map[string]*cluster.Parts // that have come in part, by who wrote them
	tasks    map[string][]byte         // orders to assist, by task
	order    []string                  // of tasks, the latest last
	requests map[string]*request       // for help, by the worker that reduces
}

// request is a request for help by a reducing worker of this machine.
type request struct {
	runner   *runner
	task     string
	assist   []byte
	helpers  map[string]*helper // by the worker
	informed map[string]bool    // members that have received the subject of the task
	calls    int
}

// helper is a worker that helps with a reduction.
type helper struct {
	number  uint64 // of the case that it was given; 0: none
	dropped bool   // the result for that case is not wanted any more
	next    uint64 // number of the case that it gets next
	line    []byte
	at      int // how many calls there had been when it was given the latest
	heard   time.Time
}

// openExchange begins to listen to the workers of other machines.
func openExchange(s *assignment) (*exchange, error) {
	x := &exchange{assignment: s, letters: map[string]*cluster.Parts{}, tasks: map[string][]byte{}, requests: map[string]*request{}}
	for _, name := range []string{cluster.EveryMember, s.member.name} {
		sub, err := s.member.cfg.Connection.Conn.Subscribe(s.entry.Campaign.HelpSubject(name), x.hear)
		if err != nil {
			return nil, errors.Join(err, x.close())
		}
		x.sub = append(x.sub, sub)
	}
	return x, nil
}

// close ends listening.
func (x *exchange) close() (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, sub := range x.sub {
		err = errors.Join(err, sub.Unsubscribe())
	}
	return err
}

// addressOf returns the name under which others write to a worker of this machine.
func (x *exchange) addressOf(r *runner) string {
	return x.assignment.member.name + "/" + strconv.Itoa(r.slot)
}

func memberOf(address string) string {
	name, _, _ := strings.Cut(address, "/")
	return name
}

// write sends a letter from a worker of this machine to another worker, or to the member EveryMember.
func (x *exchange) write(from *runner, to, about, task string, number uint64, text []byte) {
	header := nats.Header{
		cluster.HeaderFrom: {x.addressOf(from)}, cluster.HeaderTo: {to}, cluster.HeaderAbout: {about}, cluster.HeaderTask: {task}, cluster.HeaderCase: {strconv.FormatUint(number, 10)},
	}
	conn := x.assignment.member.cfg.Connection.Conn
	for _, m := range cluster.Split(x.assignment.entry.Campaign.HelpSubject(memberOf(to)), x.addressOf(from), header, text) {
		_ = conn.PublishMsg(m) // if the message is lost, the worker that asked tries the case itself
	}
}

// letter is a message from one worker to another.
type letter struct {
	from, to, about, task string
	number                uint64
	text                  []byte
}

// hear takes in a letter, or a part of one.
func (x *exchange) hear(m *nats.Msg) {
	h := m.Header
	l := letter{from: h.Get(cluster.HeaderFrom), to: h.Get(cluster.HeaderTo), about: h.Get(cluster.HeaderAbout), task: h.Get(cluster.HeaderTask)}
	l.number, _ = strconv.ParseUint(h.Get(cluster.HeaderCase), 10, 64)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return
	}
	id := l.from + " " + l.to + " " + l.about
	whole := x.letters[id]
	if whole == nil || h.Get(cluster.HeaderPart) == "0" { // a new message from the sender replaces its incomplete one
		if len(x.letters) > maxLetters {
			clear(x.letters)
		}
		whole = cluster.NewParts(cluster.MaxLetter)
		x.letters[id] = whole
	}
	text, err := whole.Add(h, m.Data)
	if err != nil || text == nil && h.Get(cluster.HeaderParts) != "1" {
		return
	}
	delete(x.letters, id)
	l.text = text
	switch l.about {
	case aboutCall:
		x.answerCall(&l)
	case aboutAssist:
		x.learnTask(l.task, l.text)
	case aboutTry:
		x.tryFor(&l)
	case aboutIdle, aboutBusy:
		x.noteHelper(&l)
	case aboutTried:
		x.noteTried(&l)
	case aboutDrop:
		for _, r := range x.assignment.allRunners() {
			if x.addressOf(r) == l.to {
				r.cutHelp(l.from)
			}
		}
	}
}

// answerCall reports which workers of this machine can help, or already do.
func (x *exchange) answerCall(l *letter) {
	for _, r := range x.assignment.allRunners() {
		switch helps, idle := r.helpsWith(); {
		case idle:
			x.write(r, l.from, aboutIdle, l.task, 0, nil)
		case helps == l.from:
			x.write(r, l.from, aboutBusy, l.task, 0, nil)
		}
	}
}

// learnTask stores the subject of a task.
func (x *exchange) learnTask(task string, text []byte) {
	if x.tasks[task] == nil {
		x.order = append(x.order, task)
		for len(x.order) > maxTasks {
			delete(x.tasks, x.order[0])
			x.order = slices.Delete(x.order, 0, 1)
		}
	}
	x.tasks[task] = text
}

// tryFor has a case tried by one of our workers, where that is idle.
func (x *exchange) tryFor(l *letter) {
	s := x.assignment
	all := s.allRunners()
	i := slices.IndexFunc(all, func(r *runner) bool { return x.addressOf(r) == l.to })
	if i < 0 {
		return // the worker that asks hears no more of it, and gives it up
	}
	r, assist := all[i], x.tasks[l.task]
	if assist == nil || !r.beginHelp(l.from, l.task, assist, l.text) {
		x.write(r, l.from, aboutTried, l.task, l.number, nil)
		return
	}
	s.wait.Go(func() {
		out := r.finish(s.ctx, maxTry)
		var tried []byte
		for line := range bytes.Lines(out.text) {
			if wire.Ends(bytes.TrimSpace(line)) {
				tried = line
			}
		}
		r.endHelp(out)
		x.write(r, l.from, aboutTried, l.task, l.number, tried)
	})
}

// maxTry bounds the silence of a worker that tries a case for another one.
const maxTry = 2 * time.Minute

// request begins to ask for help for a worker that reduces, until the returned function is called.
func (x *exchange) request(r *runner, task string) (end func()) {
	q := &request{runner: r, task: task, helpers: map[string]*helper{}, informed: map[string]bool{}}
	from := x.addressOf(r)
	x.mu.Lock()
	x.requests[from] = q
	x.mu.Unlock()
	ctx, cancel := context.WithCancel(x.assignment.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			x.call(q)
			select {
			case <-ctx.Done():
				return
			case <-time.After(callEvery):
			}
		}
	}()
	return func() {
		cancel()
		<-done
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.requests, from)
	}
}

// call asks for idle workers, and drops helpers that are silent.
func (x *exchange) call(q *request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	q.calls++
	before := len(q.helpers)
	for name, h := range q.helpers {
		if time.Since(h.heard) > lostAfter {
			q.giveUp(h)
			delete(q.helpers, name)
		}
	}
	if len(q.helpers) < before {
		q.tellCount()
	}
	x.write(q.runner, cluster.EveryMember, aboutCall, q.task, 0, nil)
}

// giveUp reports that a helper's case will have no result.
func (q *request) giveUp(h *helper) {
	for _, number := range []uint64{h.number, h.next} {
		if number != 0 {
			q.runner.order(&wire.Tried{Number: number, Void: true})
		}
	}
	h.number, h.next, h.line, h.dropped = 0, 0, nil, false
}

// tellCount tells the worker that reduces how many help it.
func (q *request) tellCount() { q.runner.order(&wire.HelperCount{Count: len(q.helpers)}) }

// noteHelper records that a worker can help, or already does.
func (x *exchange) noteHelper(l *letter) {
	q := x.requests[l.to]
	if q == nil || q.task != l.task {
		return
	}
	h := q.helpers[l.from]
	switch {
	case h != nil:
		h.heard = time.Now()
		if l.about == aboutIdle && q.calls > h.at+1 { // it has not received the case that it was given
			q.giveUp(h)
		}
	case l.about == aboutIdle && len(q.helpers) < maxHelpers:
		q.helpers[l.from] = &helper{heard: time.Now()}
		q.tellCount()
	}
}

// noteTried takes in the result of a case.
func (x *exchange) noteTried(l *letter) {
	q := x.requests[l.to]
	if q == nil || q.task != l.task || q.helpers[l.from] == nil {
		return
	}
	h := q.helpers[l.from]
	h.heard = time.Now()
	if h.number != l.number {
		return
	}
	report, err := wire.ParseReport(bytes.TrimSpace(l.text))
	if tried, ok := report.(*wire.Tried); err == nil && ok {
		tried.Number = l.number
		q.runner.order(tried)
		next, line := h.next, h.line
		h.number, h.next, h.line, h.dropped = 0, 0, nil, false
		if next != 0 {
			x.giveTo(q, l.from, next, line)
		}
		return
	}
	q.giveUp(h) // it is busy with something else, or no longer has the subject of the task
	delete(q.helpers, l.from)
	delete(q.informed, memberOf(l.from))
	q.tellCount()
}

// pass forwards a line that a reducing worker has written for its helpers.
func (x *exchange) pass(r *runner, line []byte) {
	report, err := wire.ParseReport(line)
	if err != nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	q := x.requests[x.addressOf(r)]
	switch report := report.(type) {
	case *wire.Assist:
		if q != nil {
			q.assist = bytes.Clone(line)
		}
	case *wire.Try:
		if q == nil || !x.give(q, report.Number, line) {
			r.order(&wire.Tried{Number: report.Number, Void: true})
		}
	case *wire.Drop:
		if q != nil {
			x.drop(q, report.Numbers)
		}
	}
}

// drop tells helpers that cases are not wanted any more.
func (x *exchange) drop(q *request, numbers []uint64) {
	for name, h := range q.helpers {
		if h.next != 0 && slices.Contains(numbers, h.next) {
			h.next, h.line = 0, nil
		}
		if h.number != 0 && !h.dropped && slices.Contains(numbers, h.number) {
			h.dropped = true
			x.write(q.runner, name, aboutDrop, q.task, h.number, nil)
		}
	}
}

// give gives a case to a helper; false where none is free, or soon will be.
func (x *exchange) give(q *request, number uint64, line []byte) bool {
	var free, soon []string
	for name, h := range q.helpers {
		switch {
		case h.number == 0:
			free = append(free, name)
		case h.dropped && h.next == 0:
			soon = append(soon, name)
		}
	}
	switch {
	case q.assist == nil:
		return false
	case len(free) > 0:
		x.giveTo(q, slices.Min(free), number, line)
	case len(soon) > 0:
		h := q.helpers[slices.Min(soon)]
		h.next, h.line = number, bytes.Clone(line)
	default:
		return false
	}
	return true
}

// giveTo gives a case to a helper that has none.
func (x *exchange) giveTo(q *request, to string, number uint64, line []byte) {
	if member := memberOf(to); !q.informed[member] {
		q.informed[member] = true
		x.write(q.runner, to, aboutAssist, q.task, 0, append(bytes.Clone(q.assist), '\n'))
	}
	h := q.helpers[to]
	h.number, h.at = number, q.calls
	x.write(q.runner, to, aboutTry, q.task, number, append(bytes.Clone(line), '\n'))
}
