package frontend

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

const (
	// firstDelay is the head start of the first member if nothing is known about it.
	firstDelay = 30 * time.Millisecond
	// shortestDelay is less than a process takes to start: a member that usually answers at once is waited for this long.
	shortestDelay = 20 * time.Millisecond
	// longestDelay bounds how long the others wait for a member that is usually slow.
	longestDelay = time.Second
)

// askMembers asks the members the question.
func (s *FrontEnd) askMembers(ctx context.Context, l *latest) {
	// If only some members understand a command, its meaning is that of the first of them.
	if s.opt.Portfolio && len(s.members) > 1 && !s.stack.HasOwn("") {
		s.race(ctx, l)
	} else {
		s.askInTurn(ctx, l)
	}
	if l.member != nil && l.result.Answer.Decided() {
		l.member.stats.Won++
	}
}

// askInTurn asks one member after the other until one has an answer that counts.
func (s *FrontEnd) askInTurn(ctx context.Context, l *latest) {
	var reasons []string
	var outs []*outcome
	for _, m := range s.members {
		out := m.ask(ctx, s.stack, l.assumptions)
		s.takeOutcome(ctx, l, out)
		if l.result.Answer.Decided() || ctx.Err() != nil {
			return
		}
		outs = append(outs, out)
		reasons = append(reasons, l.result.Reason)
		if out.isUnknown() && s.stack.HasOwn("") { // which means what the first that takes it takes it for
			break
		}
	}
	s.takeUnknown(ctx, l, outs, reasons)
}

// takeUnknown makes the result unknown, with all reasons. It uses the unknown of the first member that returned it,
// because the session of that member may have a candidate model.
func (s *FrontEnd) takeUnknown(ctx context.Context, l *latest, outs []*outcome, reasons []string) {
	if first := slices.IndexFunc(outs, (*outcome).isUnknown); first >= 0 {
		s.takeOutcome(ctx, l, outs[first])
	}
	l.result.Reason = joinReasons(reasons)
}

// takeOutcome makes an outcome the result, if it counts, and drops all data of the previous outcome.
func (s *FrontEnd) takeOutcome(ctx context.Context, l *latest, out *outcome) {
	*l = latest{valid: true, assumptions: l.assumptions, member: out.member, memberReason: out.reason}
	l.result = Result{Answer: out.answer, Reason: out.reason, By: out.member.name()}
	if out.failed {
		l.member, l.result.By = nil, ""
	}
	if s.opt.Check && out.answer.Decided() {
		s.confirm(ctx, l)
	}
}

// joinReasons makes one reason of several; a word of SMT-LIB stays alone.
func joinReasons(reasons []string) string {
	var out []string
	for _, r := range reasons {
		if r != "" && (len(out) == 0 || out[len(out)-1] != r) {
			out = append(out, r)
		}
	}
	return strings.Join(out, "; ")
}

// race lets the members race. They start one after the other, those that did best with similar questions first, and the
// first answer that counts ends the others. No terms are made during the race: members only print them.
func (s *FrontEnd) race(ctx context.Context, l *latest) {
	key := s.questionKey()
	order, delay := s.order.plan(key, s.members)
	racing, end := context.WithCancel(ctx)
	defer end()
	came := make(chan *outcome, len(order))
	started := 0
	start := func() {
		m := s.members[order[started]]
		started++
		go func() { came <- m.ask(racing, s.stack, l.assumptions) }()
	}
	start()
	var failed []*outcome
	var decided []*outcome
	for running := 1; running > 0; {
		var next <-chan time.Time
		if started < len(order) && len(decided) == 0 {
			timer := time.NewTimer(delay)
			defer timer.Stop()
			next = timer.C
		}
		select {
		case <-next:
			start()
			running++
			delay *= 2
			continue
		case out := <-came:
			running--
			if !out.answer.Decided() {
				failed = append(failed, out)
				if started < len(order) && len(decided) == 0 && ctx.Err() == nil {
					start()
					running++
				}
				continue
			}
			decided = append(decided, out)
			// End the other members first: only then may terms be made, for models.
			end()
		}
	}
	s.settleRace(ctx, l, &raced{key, order, decided, failed})
}

// raced is the result of a race.
type raced struct {
	key             kindOfQuestion
	order           []int // in which they were to start
	decided, failed []*outcome
}

// settleRace takes the first answer, or the reasons why there is none. If two answers contradict one another, it takes
// the proven one.
func (s *FrontEnd) settleRace(ctx context.Context, l *latest, r *raced) {
	s.learnFrom(r)
	if len(r.decided) == 0 {
		var reasons []string
		for _, out := range r.failed {
			s.takeOutcome(ctx, l, out)
			reasons = append(reasons, out.reason)
		}
		s.takeUnknown(ctx, l, r.failed, reasons)
		return
	}
	first := r.decided[0]
	other := slices.IndexFunc(r.decided, func(o *outcome) bool { return o.answer != first.answer })
	if other < 0 {
		s.takeOutcome(ctx, l, first)
		if !l.result.Answer.Decided() {
			s.askLosers(ctx, l, r)
		}
		return
	}
	sat, unsat := first, r.decided[other]
	if sat.answer != smtlib.Sat {
		sat, unsat = unsat, sat
	}
	l.member, l.result = unsat.member, Result{Answer: smtlib.Unsat, By: unsat.member.name()}
	if _, why := s.settleContradiction(ctx, l, sat); why != "" {
		l.result = Result{Answer: smtlib.Unknown, Reason: unsat.member.name() + " says unsat, " + why}
	}
}

// askLosers asks, one after the other, the members that were ended before they answered, because nothing confirms the
// answer that ended them.
func (s *FrontEnd) askLosers(ctx context.Context, l *latest, r *raced) {
	reasons := []string{l.result.Reason}
	for _, i := range r.order {
		spoke := func(o *outcome) bool { return o.member.number == i && o.reason != reasonCanceled }
		if slices.ContainsFunc(r.decided, spoke) || slices.ContainsFunc(r.failed, spoke) || ctx.Err() != nil {
			continue
		}
		s.takeOutcome(ctx, l, s.members[i].ask(ctx, s.stack, l.assumptions))
		if l.result.Answer.Decided() {
			return
		}
		reasons = append(reasons, l.result.Reason)
	}
	l.result.Reason = joinReasons(reasons)
}

// learnFrom records how the members did: which one won, and which ones started before the winner but had no answer.
func (s *FrontEnd) learnFrom(r *raced) {
	winner := len(r.order)
	if len(r.decided) > 0 {
		first := r.decided[0]
		winner = slices.Index(r.order, first.member.number)
		s.order.note(r.key, first.member.name(), true, first.took)
	}
	for _, out := range r.failed {
		if out.reason != reasonCanceled || slices.Index(r.order, out.member.number) < winner {
			s.order.note(r.key, out.member.name(), false, out.took)
		}
	}
}

// kindOfQuestion is the key of questions on which the same member does best.
type kindOfQuestion struct {
	logic  string
	size   int // bits of the number of assertions
	levels bool
}

func (s *FrontEnd) questionKey() kindOfQuestion {
	return kindOfQuestion{s.stack.Logic(), bits.Len(uint(len(s.stack.Assertions()))), s.stack.Levels() > 0}
}

// Experience records how well solvers did on questions; it determines the order in which a race starts them. Several
// front ends over the same solvers may share it, also at the same time.
type Experience struct {
	mu    sync.Mutex
	known map[kindOfQuestion]map[string]record // by the name of the solver
}

// record tells how one member did with the questions of a key.
type record struct {
	won, lost int
	time      time.Duration // of a question that it won, averaged over the latest ones
}

// NewExperience returns an empty Experience.
func NewExperience() *Experience { return &Experience{known: map[kindOfQuestion]map[string]record{}} }

// records returns the records of a key, or those of all questions if there are none for the key yet.
func (o *Experience) records(key kindOfQuestion) map[string]record {
	if r := o.known[key]; r != nil {
		return r
	}
	return o.known[kindOfQuestion{}]
}

// plan returns the members in the order in which they should start, and how long the first is alone.
func (o *Experience) plan(key kindOfQuestion, members []*member) (order []int, delay time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rs := o.records(key)
	for i := range members {
		order = append(order, i)
	}
	if rs == nil {
		return order, firstDelay
	}
	record := func(i int) record { return rs[members[i].name()] }
	// The share of questions won, counting one extra win and one extra loss for each solver.
	share := func(i int) float64 { return float64(record(i).won+1) / float64(record(i).won+record(i).lost+2) }
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(share(k), share(i)), cmp.Compare(record(i).time, record(k).time))
	})
	return order, min(max(3*record(order[0]).time, shortestDelay), longestDelay)
}

// note records the result of a solver for a question of a key.
func (o *Experience) note(key kindOfQuestion, name string, won bool, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range []kindOfQuestion{key, {}} {
		if o.known[k] == nil {
			o.known[k] = map[string]record{}
		}
		r := o.known[k][name]
		switch {
		case !won:
			r.lost++
		case r.won == 0:
			r.won, r.time = 1, took
		default:
			r.won++
			r.time += (took - r.time) / 8
		}
		o.known[k][name] = r
	}
}
