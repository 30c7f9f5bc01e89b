package frontend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/modelreader"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
	"github.com/smtlark/smtlark/solvers/frontend/stack"
)

// Solver is a solver made of solvers. It is used by one goroutine at a time.
type Solver struct {
	opt     Options
	stack   *stack.Stack
	members []*member
	second  []*member // the same, with sessions of their own for second opinions; nil until one is asked for
	order   *Experience
	cache   *cache.Client // nil: there is none
	sources []string      // whose answers those of the cache are
	settled *settled      // nil: not looked at yet
	latest  latest
	mu      sync.Mutex // held by Notify
}

// latest is what the latest question came to.
type latest struct {
	valid       bool // nothing has changed the problem since
	assumptions []smt.Term
	result      Result
	member      *member // whose answer it is; nil: nobody's
	model       *model.Model
	text        string       // of the model
	recalled    *model.Model // of the cache, where the answer is the cache's; or the one that was chosen
	chosen      bool         // no other model will do
}

// New returns a front end over targets, which have to open sessions (solvers.Opener), with terms of the arena. It starts nothing. The
// targets are the caller's to close, after the front end.
func New(a *smt.Arena, targets []solvers.Target, o Options) (*Solver, error) {
	if len(targets) == 0 {
		return nil, errors.New("a front end needs at least one solver")
	}
	switch o.Mode {
	case "":
		o.Mode = Incremental
	case Incremental, Batch, Cached:
	default:
		return nil, fmt.Errorf("%q is no mode of a front end; want %s, %s or %s", o.Mode, Incremental, Batch, Cached)
	}
	s := &Solver{opt: o, stack: stack.New(a), order: o.Experience}
	if s.order == nil {
		s.order = NewExperience()
	}
	for i, t := range targets {
		if _, ok := t.(solvers.Opener); !ok {
			return nil, fmt.Errorf("%s opens no sessions", t.Name())
		}
		s.members = append(s.members, s.newMember(i, t, o.Mode == Batch))
		s.sources = append(s.sources, t.Name())
	}
	if o.Mode != Cached {
		return s, nil
	}
	shared := o.Cache
	if shared == nil {
		var err error
		if shared, err = cache.Open(cache.Options{}); err != nil {
			return nil, err
		}
	}
	if o.Check {
		s.sources = append(s.sources, "checked")
	} else if o.Cores {
		s.sources = append(s.sources, "cores")
	}
	s.cache = shared.Client(a)
	for _, m := range s.members {
		m.cores = o.Cores && !o.Check
	}
	return s, nil
}

func (s *Solver) newMember(i int, t solvers.Target, flat bool) *member {
	lim := solvers.Limits{Wall: forever, Memory: s.opt.Memory, Output: 1 << 27}
	return &member{number: i, target: t, flat: flat, limits: lim, notify: s.notify, stats: MemberStats{Name: t.Name()}}
}

// notify tells of an event.
func (s *Solver) notify(e Event) {
	if s.opt.Notify == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opt.Notify(e)
}

// Arena returns the arena of the terms.
func (s *Solver) Arena() *smt.Arena { return s.stack.Arena() }

// Stack returns what the problem is. It is not to be changed but by the methods of the front end.
func (s *Solver) Stack() *stack.Stack { return s.stack }

// Do makes the call of a command that is due no reply. Members hear of it when the next question is asked.
func (s *Solver) Do(c *smtlib.Command) error {
	if c.Kind == smtlib.CmdAssert {
		if t := c.Terms[0]; s.Arena().Sort(t) != smt.SortBool {
			return fmt.Errorf("an assertion has to be Bool, this term is of sort %s: %s", s.Arena().SortString(s.Arena().Sort(t)), s.Arena().Brief(t))
		}
	}
	if err := s.stack.Add(c); err != nil {
		return err
	}
	if !c.Kind.IsSetting() && !c.Kind.IsDeclaration() {
		s.latest = latest{}
	}
	return nil
}

// DoNow makes the call of a command that is due no reply on the members at once, for what only they know whether it is right. It is an
// error, and changes nothing, if none takes it.
func (s *Solver) DoNow(c *smtlib.Command) error {
	if err := s.Do(c); err != nil {
		return err
	}
	var errs []error
	for _, m := range s.members {
		err := m.try(s.stack)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	if c.Kind.IsSetting() {
		s.stack.RemoveSetting()
	} else {
		s.stack.RemoveLatest()
	}
	return errors.Join(errs...)
}

// Option makes a setting of the members, and reports whether one of them knows it.
func (s *Solver) Option(c *smtlib.Command) bool {
	if s.stack.Add(c) != nil {
		return false
	}
	for _, m := range s.members {
		if m.takesSetting(s.stack, c) {
			return true
		}
	}
	s.stack.RemoveSetting()
	return false
}

// Check asks whether the assertions, and the assumptions with them, can be satisfied. The answer is unknown, with the reason, where
// no member has one that counts; the error is that of the context.
func (s *Solver) Check(ctx context.Context, assumptions ...smt.Term) (Result, error) {
	s.latest = latest{}
	l := latest{valid: true, assumptions: assumptions}
	q, cacheable := s.question(assumptions)
	if !cacheable || !s.recall(&q, &l) {
		if s.opt.Cores && s.cache != nil {
			s.stack.NameAssertions()
		}
		s.askMembers(ctx, &l)
		if cacheable {
			s.remember(ctx, &q, &l)
		}
	}
	s.latest = l
	if err := ctx.Err(); err != nil {
		return Result{Answer: smtlib.Unknown, Reason: reasonCanceled}, err
	}
	return l.result, nil
}

// askMembers puts the question to the members.
func (s *Solver) askMembers(ctx context.Context, l *latest) {
	if s.opt.Portfolio && len(s.members) > 1 {
		s.race(ctx, l)
	} else {
		s.askInTurn(ctx, l)
	}
	if l.member != nil && l.result.Answer.Decided() {
		l.member.stats.Won++
	}
}

// askInTurn asks one member after the other until one has an answer that counts.
func (s *Solver) askInTurn(ctx context.Context, l *latest) {
	var reasons []string
	for _, m := range s.members {
		out := m.ask(ctx, s.stack, l.assumptions, s.opt.Timeout)
		s.takeOutcome(ctx, l, out)
		if l.result.Answer.Decided() || ctx.Err() != nil {
			return
		}
		reasons = append(reasons, l.result.Reason)
		if !out.failed && !s.opt.Check { // it did its best
			return
		}
	}
	l.result.Reason = joinReasons(reasons)
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

// takeOutcome makes an outcome the result, if it counts.
func (s *Solver) takeOutcome(ctx context.Context, l *latest, out *outcome) {
	l.result, l.member = Result{Answer: out.answer, Reason: out.reason, By: out.member.name()}, out.member
	if out.failed {
		l.member, l.result.By = nil, ""
	}
	if s.opt.Check && out.answer.Decided() {
		s.vouch(ctx, l)
	}
}

// errNoAnswer is the error of questions about an answer where there is none.
var errNoAnswer = errors.New("there is no answer to ask about: the latest check-sat is missing, or the problem has changed since")

// errChosen is the error of questions about a model that was chosen among several.
var errChosen = errors.New("the model of the optimum was put together here: it tells values that can be written down, and no solver has it")

// revive makes sure that the member of the latest answer has a session that stands behind it. One that has ended, or does not know a later
// declaration, is asked once more.
func (s *Solver) revive(ctx context.Context) (*member, error) {
	l := &s.latest
	if !l.valid {
		return nil, errNoAnswer
	}
	if l.chosen {
		return nil, errChosen
	}
	if l.member == nil && l.result.Answer.Decided() { // the cache's answer: now somebody has to stand behind it
		again := latest{valid: true, assumptions: l.assumptions}
		s.askMembers(ctx, &again)
		if again.result.Answer != l.result.Answer {
			return nil, fmt.Errorf("the cache has %s, and asked now the solvers answer %s %s", l.result.Answer, again.result.Answer, again.result.Reason)
		}
		l.member = again.member
	}
	m := l.member
	if m == nil {
		return nil, fmt.Errorf("no solver has an answer: %s", l.result.Reason)
	}
	if m.upToDate(s.stack) {
		return m, nil
	}
	out := m.ask(ctx, s.stack, l.assumptions, s.opt.Timeout)
	if out.answer != l.result.Answer {
		return nil, fmt.Errorf("%s was asked again, and answers %s where it was %s", m.name(), out.answer, l.result.Answer)
	}
	return m, nil
}

// askAnswerer makes a call on the session behind the latest answer, and once more on another one where that dies of it.
func askAnswerer[T any](ctx context.Context, s *Solver, call func(x solvers.Session) (T, error)) (out T, err error) {
	for range maxTries {
		m, err := s.revive(ctx)
		if err != nil {
			return out, err
		}
		stop := context.AfterFunc(ctx, m.end)
		if r, ok := m.session.(solvers.Renewer); ok {
			r.Renew()
		}
		out, err = call(m.session)
		stop()
		if !solvers.DeadAfter(err) || ctx.Err() != nil {
			return out, err
		}
		s.notify(Event{Kind: Replaced, Member: m.name(), Message: err.Error()})
		m.dropSession()
	}
	return out, err
}

// ModelText returns the model behind the latest answer, as SMT-LIB spells it.
func (s *Solver) ModelText(ctx context.Context) (string, error) {
	if s.latest.valid && s.latest.result.Answer == smtlib.Unsat {
		return "", errors.New("there is no model, for the answer is unsat")
	}
	if s.latest.recalled != nil && s.latest.text == "" {
		s.latest.model = s.completed(s.latest.recalled)
		s.latest.text = strings.TrimSuffix(s.latest.model.Text(), "\n")
	}
	if s.latest.text != "" {
		return s.latest.text, nil
	}
	text, err := askAnswerer(ctx, s, func(x solvers.Session) (string, error) {
		return solvers.AskFor(x, &smtlib.Command{Kind: smtlib.CmdGetModel})
	})
	if err == nil {
		s.latest.text = text
	}
	return text, err
}

// Model returns the model behind the latest answer.
func (s *Solver) Model(ctx context.Context) (*model.Model, error) {
	text, err := s.ModelText(ctx)
	if err != nil {
		return nil, err
	}
	if s.latest.model == nil {
		s.latest.model, err = modelreader.Parse(s.stack.Scope(), text)
	}
	return s.latest.model, err
}

// Values returns the values of terms in the model behind the latest answer, in SMT-LIB's spelling.
func (s *Solver) Values(ctx context.Context, ts []smt.Term) ([]string, error) {
	if s.latest.valid && s.latest.result.Answer == smtlib.Unsat {
		return nil, errors.New("there is no model, for the answer is unsat")
	}
	if s.latest.valid && s.latest.recalled != nil {
		if values, ok := s.recalledValues(ts); ok {
			return values, nil
		}
	}
	return askAnswerer(ctx, s, func(x solvers.Session) ([]string, error) {
		v, ok := x.(solvers.Valuer)
		if !ok {
			return nil, solvers.ErrUnsupported("get-value")
		}
		return v.Values(ts)
	})
}

// UnsatCore returns assertions that have no model together, in the order of the stack: those with a name, by their name.
func (s *Solver) UnsatCore(ctx context.Context) ([]smt.Term, error) {
	core, err := askAnswerer(ctx, s, func(x solvers.Session) ([]smt.Term, error) {
		v, ok := x.(solvers.Corer)
		if !ok {
			return nil, solvers.ErrUnsupported("get-unsat-core")
		}
		return v.UnsatCore()
	})
	rank := map[smt.Term]int{} // the order of the solvers' lists differs
	for i, f := range s.stack.Named() {
		if len(s.Arena().SymbolInfo(f).Params) == 0 {
			rank[s.Arena().Const(f)] = i
		}
	}
	slices.SortStableFunc(core, func(x, y smt.Term) int { return rank[x] - rank[y] })
	return core, err
}

// UnsatAssumptions returns assumptions of the latest question that have no model together with the assertions.
func (s *Solver) UnsatAssumptions(ctx context.Context) ([]smt.Term, error) {
	return askAnswerer(ctx, s, func(x solvers.Session) ([]smt.Term, error) {
		v, ok := x.(solvers.AssumptionCorer)
		if !ok {
			return nil, solvers.ErrUnsupported("get-unsat-assumptions")
		}
		return v.UnsatAssumptions()
	})
}

// Ask makes the call of another command that is due a reply, on the member behind the latest answer where it is about that, else on the
// first one that takes it.
func (s *Solver) Ask(ctx context.Context, c *smtlib.Command) (string, error) {
	ask := func(x solvers.Session) (string, error) { return solvers.AskFor(x, c) }
	if s.latest.valid && s.latest.member != nil {
		return askAnswerer(ctx, s, ask)
	}
	if s.latest.chosen && c.Kind == smtlib.CmdOther {
		return "", errChosen
	}
	var errs []error
	if s.latest.valid && s.latest.recalled != nil { // it may be about the model: one who asks of that has a solver find one
		text, err := askAnswerer(ctx, s, ask)
		if err == nil || ctx.Err() != nil {
			return text, err
		}
		errs = append(errs, err)
	}
	for _, m := range s.members {
		err := m.try(s.stack)
		if err == nil {
			var text string
			if text, err = solvers.AskFor(m.session, c); err == nil {
				return text, nil
			}
			if solvers.DeadAfter(err) {
				m.dropSession()
			}
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// CheckedModel returns the model behind the latest answer, complete, after it was evaluated on all that was asked. It is an error, and a
// Contradiction where the model is wrong, if the evaluator does not find that the model satisfies that.
func (s *Solver) CheckedModel(ctx context.Context) (*model.Model, error) {
	if s.latest.valid && s.latest.recalled != nil {
		return s.completed(s.latest.recalled), nil
	}
	m, err := s.revive(ctx)
	if err != nil {
		return nil, err
	}
	if l := &s.latest; l.result.Vouched == "" {
		by, why := s.vouchSat(ctx, l)
		if by == "" {
			return nil, fmt.Errorf("%s says sat, but %s", m.name(), why)
		}
		l.result.Vouched = by
	}
	return s.completed(s.latest.model), nil
}

// Conclude makes a result that was found by several questions the latest one, to the problem as it is now under the assumptions. A model with
// it is the one that is asked about from now on; nil: there is none.
func (s *Solver) Conclude(r Result, assumptions []smt.Term, m *model.Model) {
	s.latest = latest{valid: true, assumptions: assumptions, result: r, recalled: m, chosen: true}
}

// Timeout returns the time for one question; 0: none.
func (s *Solver) Timeout() time.Duration { return s.opt.Timeout }

// SetTimeout changes the time for one question; 0: none.
func (s *Solver) SetTimeout(d time.Duration) { s.opt.Timeout = d }

// Latest returns the latest result; it is valid as long as the problem has not changed since.
func (s *Solver) Latest() (r Result, valid bool) { return s.latest.result, s.latest.valid }

// Stats returns what each member did.
func (s *Solver) Stats() (out []MemberStats) {
	for _, m := range s.members {
		out = append(out, m.stats)
	}
	return out
}

// Close ends all sessions.
func (s *Solver) Close() error {
	for _, m := range append(s.members, s.second...) {
		m.dropSession()
	}
	return nil
}
