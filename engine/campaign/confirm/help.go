package confirm

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// Helpers are other workers that try smaller cases of the running reduction ahead of their turn. The zero value stands
// for no helpers, until Count says otherwise.
type Helpers struct {
	mu      sync.Mutex
	count   int
	number  uint64                        // of the latest case that was given
	waiting map[uint64]chan *wire.Outcome // for what comes of them, by number
}

// Count records how many helpers there are.
func (h *Helpers) Count(o *wire.HelperCount) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count = o.Count
}

// Hear takes in the result of a case.
func (h *Helpers) Hear(o *wire.Tried) {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := h.waiting[o.Number]
	if told == nil {
		return // of an earlier reduction
	}
	delete(h.waiting, o.Number)
	if o.Void {
		close(told)
		return
	}
	told <- &o.Outcome
}

// begin returns the help for a reduction.
func (h *Helpers) begin(d *reduction) *help {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = map[uint64]chan *wire.Outcome{}
	return &help{helpers: h, reduction: d, given: map[driver.CaseKey]given{}}
}

// end says that a reduction is over: the next one begins without helpers.
func (h *Helpers) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count, h.waiting = 0, nil
}

// help is the help of other workers for one reduction. It implements driver.Helpers.
type help struct {
	helpers   *Helpers
	reduction *reduction
	asked     bool // they have received the subject of the reduction
	given     map[driver.CaseKey]given
}

// given is a case that a helper has.
type given struct {
	number uint64
	told   chan *wire.Outcome
}

// Free implements driver.Helpers.
func (h *help) Free() int {
	h.helpers.mu.Lock()
	defer h.helpers.mu.Unlock()
	return h.helpers.count - len(h.helpers.waiting)
}

// Give implements driver.Helpers.
func (h *help) Give(c *testcase.Case) {
	d, key := h.reduction, driver.Key(c)
	if _, known := d.memo.Lookup(key); known || h.given[key].told != nil {
		return
	}
	if !h.asked {
		h.asked = true
		_ = d.w.out.Line(d.assistance(), true) // where the reports do not go through, the worker ends elsewhere
	}
	told := make(chan *wire.Outcome, 1)
	h.helpers.mu.Lock()
	h.helpers.number++
	number := h.helpers.number
	h.helpers.waiting[number] = told
	h.helpers.mu.Unlock()
	h.given[key] = given{number, told}
	_ = d.w.out.Line(&wire.Try{Number: number, Case: c.Wire(), Limits: d.lim, Runs: d.repeats.Tries()}, true)
}

// Drop implements driver.Helpers. It keeps the outcomes found so far, as the same case may come again.
func (h *help) Drop() {
	var numbers []uint64
	h.helpers.mu.Lock()
	for key, g := range h.given {
		if h.helpers.waiting[g.number] != nil {
			delete(h.helpers.waiting, g.number)
			delete(h.given, key)
			numbers = append(numbers, g.number)
		}
	}
	h.helpers.mu.Unlock()
	if len(numbers) > 0 {
		slices.Sort(numbers)
		_ = h.reduction.w.out.Line(&wire.Drop{Numbers: numbers}, true)
	}
}

// outcomeOf waits for the helpers' outcome on a case. It returns nil if they were not given the case, or have no
// outcome.
func (h *help) outcomeOf(ctx context.Context, c *testcase.Case) *wire.Outcome {
	if h == nil || len(h.given) == 0 {
		return nil
	}
	key := driver.Key(c)
	g, ok := h.given[key]
	if !ok {
		return nil
	}
	delete(h.given, key)
	select {
	case out := <-g.told:
		return out
	case <-ctx.Done():
		return nil
	}
}

// assistance returns the facts about the reduction that helpers need.
func (d *reduction) assistance() *wire.Assist {
	a := &wire.Assist{Subject: wire.Subject{Case: d.orig.Wire(), Verdict: d.verdict, Mode: d.mode, Sequence: d.ahead}, AsItIs: d.asks}
	if d.references != nil {
		for _, x := range d.references.trusted {
			a.Trusted = append(a.Trusted, wire.Reliable{Name: x.displayName(), Limit: x.limit})
		}
	}
	return a
}

// assistant tries cases for the reduction of another worker. The terms of a case live in the arena of the case as it
// was found, so that assertions of that case are recognized in it. They are released after each case.
type assistant struct{ *questioning }

// assist begins to help with a reduction.
func (w *Confirmer) assist(ctx context.Context, o *wire.Assist) (*assistant, error) {
	c, err := o.Case.Case(nil)
	if err != nil {
		return nil, fmt.Errorf("smtlark cannot read back the case it printed: %w", err)
	}
	w.ahead = o.Sequence
	q := &questioning{w: w, ctx: ctx, orig: c, verdict: o.Verdict, truth: claim.TruthOf(c), oracles: w.plan.OraclesNamed(o.Verdict.Oracle), asks: o.AsItIs}
	if q.targets = w.replicasIn(w.inOneMode(neededTargets(o.Verdict), o.Verdict), modeNamed(o.Mode)); len(q.targets) == 0 {
		return nil, errTargetsGone
	}
	if len(o.Trusted) > 0 {
		q.references = w.referencesNamed(o.Verdict, o.Trusted)
	}
	return &assistant{q}, nil
}

// tryOne tries one case.
func (a *assistant) tryOne(ctx context.Context, o *wire.Try) (out *wire.Outcome, err error) {
	arena := a.orig.Script.Arena
	m := arena.Mark()
	defer arena.Release(m)
	c, err := o.Case.Case(arena)
	if err != nil {
		return nil, err
	}
	c.Origin.Answers = nil
	a.ctx, a.lim = ctx, o.Limits
	a.repeats.AtMost(o.Runs)
	err = campaign.Protect(func() { out = a.try(c) })
	return out, err
}

// close closes the assistant's targets and references.
func (a *assistant) close() {
	closeReplicas(a.targets)
	a.references.closeAll()
}

// maxTryTime bounds the time for trying one case for another worker, regardless of the limits that this one requests.
const maxTryTime = time.Minute

// tryForOthers tries a case of another worker's reduction.
func (w *Confirmer) tryForOthers(job context.Context, o *wire.Try) error {
	r := &wire.Tried{Number: o.Number, Void: true}
	if w.assistant == nil && w.assistance != nil {
		var err error
		if w.assistant, err = w.assist(job, w.assistance); err != nil {
			w.assistance = nil // whoever asks finds others
		}
	}
	if w.assistant != nil {
		ctx, cancel := context.WithTimeout(job, maxTryTime)
		defer cancel()
		if out, err := w.assistant.tryOne(ctx, o); err == nil && ctx.Err() == nil {
			r.Void, r.Outcome = false, *out
		}
	}
	return w.out.Line(r, true)
}
