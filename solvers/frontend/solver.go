package frontend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// FrontEnd is a solver made of solvers. It is used by one goroutine at a time.
type FrontEnd struct {
	opt     Options
	stack   *Stack
	members []*member
	order   *Experience // of the members, in a race
	mu      sync.Mutex  // held by Notify
	latest  latest

	second []*member // the members, with sessions of their own for second opinions; nil until one is asked for

	// For cores of unsat, see core.go.
	namesOff     bool      // assertions get no names any more
	plain        []*member // by number, with sessions that get no names; nil: not needed yet
	proof        *Stack    // of the core that is confirmed
	proofSettled uint64    // the settings that it has

	cache   *cache.Client // nil: there is none
	sources []string      // the solvers that gave the answers in the cache
	settled *settled      // nil: not looked at yet

	passedOn bool // a PassedOn event was sent
	assumed  int  // constants of PassOnAssumptions
}

// latest is the result of the latest question.
type latest struct {
	valid       bool // nothing has changed the problem since
	assumptions []smt.Term
	result      Result
	member      *member // the member that answered; nil: none
	model       *model.Model
	text        string       // of the model
	recalled    *model.Model // the cache's model, if the answer is the cache's, or the chosen model
	chosen      bool         // the model was chosen: no other one will do
	core        []smt.Term   // the unsat core; nil: not known

	memberReason string // why the member does not know; the result may have reasons of others, too
}

// New returns a front end over targets, with terms of the arena. The targets must implement solvers.Opener. New starts
// no solver. The caller closes the targets after the front end.
func New(a *smt.Arena, targets []solvers.Target, o Options) (*FrontEnd, error) {
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
	s := &FrontEnd{opt: o, stack: NewStack(a), order: o.Experience}
	s.stack.KeepOptions = o.KeepOptions
	s.namesOff = o.Mode != Cached || o.NoCores || o.Check // with Check, no other member would confirm a core
	if s.order == nil {
		s.order = NewExperience()
	}
	var sources []string
	for i, t := range targets {
		if _, ok := t.(solvers.Opener); !ok {
			return nil, fmt.Errorf("%s opens no sessions", t.Name())
		}
		s.members = append(s.members, s.newMember(i, t, o.Mode == Batch))
		sources = append(sources, t.Name())
	}
	if o.Mode != Cached {
		return s, nil
	}
	shared := o.Cache
	if shared == nil {
		var err error
		if shared, err = cache.Open(cache.Storage{}); err != nil {
			return nil, err
		}
	}
	if o.Check {
		sources = append(sources, "checked")
	}
	s.cache, s.sources = shared.Client(a), sources
	for _, m := range s.members {
		m.cores = !s.namesOff
	}
	return s, nil
}

// Arena returns the arena of the terms.
func (s *FrontEnd) Arena() *smt.Arena { return s.stack.Arena() }

// Stack returns the assertion stack of the problem. Only the methods of the front end may change it.
func (s *FrontEnd) Stack() *Stack { return s.stack }

// Do adds a command without a reply to the problem. Members get it with the next question.
func (s *FrontEnd) Do(c *smtlib.Command) error {
	if c.Kind == smtlib.CmdAssert {
		// A term that only a solver understands may be Bool.
		if t := c.Terms[0]; s.Arena().Sort(t) != smt.SortBool && s.Arena().Sort(t) != smt.SortUnknown {
			return fmt.Errorf("an assertion has to be Bool, this term is of sort %s: %s", s.Arena().
				SortString(s.Arena().Sort(t)), s.Arena().Brief(t))
		}
	}
	if c.Kind == smtlib.CmdSetLogic {
		known := *c
		known.Text = logic.Usual(c.Text)
		c = &known
	}
	if err := s.stack.Add(c); err != nil {
		return err
	}
	if !c.Kind.IsSetting() && !c.Kind.IsDeclaration() {
		s.latest = latest{}
	}
	return nil
}

// DoNow sends commands without replies to the members at once, because only the members can tell whether the commands
// are valid. If no member accepts all of them, it returns an error and changes nothing.
func (s *FrontEnd) DoNow(ctx context.Context, commands ...*smtlib.Command) error {
	for i, c := range commands {
		if err := s.Do(c); err != nil {
			s.undo(commands[:i])
			return err
		}
	}
	var errs []error
	for _, m := range s.members {
		err := m.try(ctx, s.stack)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	s.undo(commands)
	return errors.Join(distinct(errs)...)
}

// undo takes the latest commands from the stack.
func (s *FrontEnd) undo(commands []*smtlib.Command) {
	for _, c := range commands {
		if c.Kind.IsSetting() {
			s.stack.RemoveSetting()
		} else {
			s.stack.RemoveLatest()
		}
	}
}

// PassOn is DoNow for commands that the front end does not understand, with the reason. For members that accept them,
// they become part of the problem; the first time that this happens is an event.
func (s *FrontEnd) PassOn(ctx context.Context, why error, commands ...*smtlib.Command) error {
	if err := s.DoNow(ctx, commands...); err != nil {
		return err
	}
	if by := slices.IndexFunc(s.members, func(m *member) bool { return m.upToDate(s.stack) }); by >= 0 && !s.passedOn {
		s.passedOn = true
		s.notify(Event{Kind: PassedOn, Member: s.members[by].name(), Message: why.Error() +
			"; it stands as it is, and as long as it does, answers are those of the solver below, unchecked"})
	}
	return nil
}

// PassOnAssumptions is PassOn for formulas that a question assumes. It returns constants to assume in place of the
// formulas: each implies its formula, on the level of the question.
func (s *FrontEnd) PassOnAssumptions(ctx context.Context, why error, texts []string) ([]smt.Term, error) {
	a := s.Arena()
	var terms []smt.Term
	var commands []*smtlib.Command
	for _, text := range texts {
		s.assumed++
		name := s.stack.FreshName(fmt.Sprintf("assumption!%d", s.assumed))
		f := a.Declare(name, nil, smt.SortBool)
		declare := smtlib.DeclareCommand(a, f)
		terms = append(terms, a.Const(f))
		commands = append(commands, &declare, &smtlib.Command{Kind: smtlib.CmdOther, Name: "assert", Text: "(assert (=> " +
			smt.QuoteSymbol(name) + " " + text + "))"})
	}
	return terms, s.PassOn(ctx, why, commands...)
}

// Option sends a setting to the members, and reports whether any member knows it. It returns an error if none does and
// at least one does not answer in time.
func (s *FrontEnd) Option(ctx context.Context, c *smtlib.Command) (known bool, err error) {
	if err := s.stack.Add(c); err != nil {
		return false, err
	}
	for _, m := range s.members {
		refusal := m.takeSetting(ctx, s.stack, c)
		if refusal == nil {
			return true, nil
		}
		if errors.Is(refusal, errTimeout) {
			err = cmp.Or(err, refusal)
		}
	}
	s.stack.RemoveSetting()
	return false, err
}

// Check asks whether the assertions and assumptions are satisfiable together. The answer is unknown, with the reason,
// if no member has an answer that counts. It returns an error if the context ends.
func (s *FrontEnd) Check(ctx context.Context, assumptions ...smt.Term) (Result, error) {
	s.latest = latest{}
	l := latest{valid: true, assumptions: assumptions}
	q, cacheable := s.question(assumptions)
	if !cacheable || !s.recall(&q, &l) {
		s.answer(ctx, &l)
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

// errNoAnswer is the error of questions about an answer if there is no answer.
var errNoAnswer = errors.New("there is no answer to ask about: the latest check-sat is missing, or the problem has changed since")

// errChosen is the error of questions about a model that was chosen among several.
var errChosen = errors.New("smtlark put the model of the optimum together, so no solver has it: ask only for values that can be written down")

// revive makes sure that the member of the latest answer has a session in the state of that answer. If the session has
// ended or lacks a later declaration, the member is asked once more.
func (s *FrontEnd) revive(ctx context.Context) (*member, error) {
	l := &s.latest
	if !l.valid {
		return nil, errNoAnswer
	}
	if l.chosen {
		return nil, errChosen
	}
	if l.member == nil && l.result.Answer.Decided() { // the answer is the cache's: a member must now give it, too
		again := latest{valid: true, assumptions: l.assumptions}
		s.answer(ctx, &again)
		if again.result.Answer != l.result.Answer {
			return nil, fmt.Errorf("the cache has the answer %s, but the solvers, asked now, answer %s %s", l.result.Answer,
				again.result.Answer, again.result.Reason)
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
	return m, s.askAgain(ctx, m, l)
}

// askAnswerer sends a command to the session that gave the latest answer, and again to a new session if that one dies.
func (s *FrontEnd) askAnswerer(ctx context.Context, c *smtlib.Command) (out solvers.Reply, err error) {
	for range maxTries {
		var m *member
		if m, err = s.revive(ctx); err != nil {
			return out, err
		}
		ctx, end := s.opt.bound(ctx)
		out, err = solvers.Say(ctx, m.session, *c)
		dead, over := solvers.DeadAfter(err), ctx.Err() != nil
		end()
		if dead && over {
			m.dropSession()
			return out, s.opt.endOf(ctx, err)
		}
		if !dead {
			return out, err
		}
		m.dropSession()
		if again, _ := judgeFailure(err); !again {
			return out, err
		}
		m.notifyFailure(Replaced, err.Error(), err, s.stack, s.latest.assumptions, *c)
	}
	return out, err
}

// ModelText returns the model behind the latest answer, as SMT-LIB spells it.
func (s *FrontEnd) ModelText(ctx context.Context) (string, error) {
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
	reply, err := s.askAnswerer(ctx, &smtlib.Command{Kind: smtlib.CmdGetModel})
	if err == nil {
		s.latest.text = s.withoutOwnNames(reply.Text)
	}
	return s.latest.text, err
}

// Model returns the model behind the latest answer.
func (s *FrontEnd) Model(ctx context.Context) (*model.Model, error) {
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
func (s *FrontEnd) Values(ctx context.Context, ts []smt.Term) ([]string, error) {
	if s.latest.valid && s.latest.result.Answer == smtlib.Unsat {
		return nil, errors.New("there is no model, for the answer is unsat")
	}
	if s.latest.valid && s.latest.recalled != nil {
		if values, ok := s.recalledValues(ts); ok {
			return values, nil
		}
	}
	reply, err := s.askAnswerer(ctx, &smtlib.Command{Kind: smtlib.CmdGetValue, Terms: ts})
	return reply.Values, err
}

// UnsatCore returns assertions that have no model together, in the order of the stack: those with a name, by their
// name.
func (s *FrontEnd) UnsatCore(ctx context.Context) ([]smt.Term, error) {
	reply, err := s.askAnswerer(ctx, &smtlib.Command{Kind: smtlib.CmdGetUnsatCore})
	core := reply.Terms
	rank := map[smt.Term]int{} // the order of the solvers' lists differs
	for i, f := range s.stack.Named() {
		if len(s.Arena().SymbolInfo(f).Params) == 0 {
			rank[s.Arena().Const(f)] = i
		}
	}
	core = slices.DeleteFunc(core, func(t smt.Term) bool { // these have names made by the front end
		_, named := rank[t]
		return !named && s.latest.member != nil && s.latest.member.mirror.Named
	})
	slices.SortStableFunc(core, func(x, y smt.Term) int { return rank[x] - rank[y] })
	return core, err
}

// UnsatAssumptions returns assumptions of the latest question that have no model together with the assertions, in the
// order of the question.
func (s *FrontEnd) UnsatAssumptions(ctx context.Context) ([]smt.Term, error) {
	reply, err := s.askAnswerer(ctx, &smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions})
	core := reply.Terms
	asked := s.latest.assumptions
	for i, t := range core {
		if !slices.Contains(asked, t) { // z3 reports the definition instead of the name
			if at := slices.IndexFunc(asked, func(x smt.Term) bool { return s.unfolded(x) == t }); at >= 0 {
				core[i] = asked[at]
			}
		}
	}
	// z3 also lists names of assertions, if cores are on.
	core = slices.DeleteFunc(core, func(t smt.Term) bool { return !slices.Contains(asked, t) })
	// The order of the solvers' lists differs.
	slices.SortStableFunc(core, func(x, y smt.Term) int { return slices.Index(asked, x) - slices.Index(asked, y) })
	return core, err
}

// unfolded returns a literal with its name replaced by the definition.
func (s *FrontEnd) unfolded(t smt.Term) smt.Term {
	const deepest = 16 // definitions of names by names; a recursive one has no end
	a, negated := s.Arena(), false
	for range deepest {
		switch {
		case a.Op(t) == smt.OpNot:
			t, negated = a.Args(t)[0], !negated
			continue
		case a.Op(t) == smt.OpApply && len(a.Args(t)) == 0:
			if body := a.SymbolInfo(a.SymbolOf(t)).Body; body != 0 {
				t = body
				continue
			}
		}
		break
	}
	if negated {
		return a.Not(t)
	}
	return t
}

// Ask sends any other command that has a reply. If there is an answer, it goes to the member that gave it, else to the
// first member that accepts it.
func (s *FrontEnd) Ask(ctx context.Context, c *smtlib.Command) (string, error) {
	var errs []error
	if s.latest.valid && s.latest.member != nil {
		reply, err := s.askAnswerer(ctx, c)
		if err == nil || !errors.As(err, new(errAgain)) {
			return reply.Text, err
		}
		errs = append(errs, err) // the command may not concern the answer, so try other members
	}
	if s.latest.chosen && c.Kind == smtlib.CmdOther {
		return "", errChosen
	}
	// The command may concern the model, so a solver must find one first.
	if s.latest.valid && s.latest.recalled != nil {
		reply, err := s.askAnswerer(ctx, c)
		if err == nil || ctx.Err() != nil {
			return reply.Text, err
		}
		errs = append(errs, err)
	}
	for _, m := range s.members {
		ask := func(ctx context.Context) (solvers.Reply, error) {
			if err := m.try(ctx, s.stack); err != nil {
				return solvers.Reply{}, err
			}
			return solvers.Say(ctx, m.session, *c)
		}
		reply, err := untilAlive(ctx, m, s.stack, nil, []smtlib.Command{*c}, ask)
		if err == nil {
			return reply.Text, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(distinct(errs)...)
}

// CheckedModel returns the completed model of the latest answer, after evaluating all assertions and assumptions in it.
// It returns an error if the evaluator cannot show that the model satisfies them. If the model is wrong, this is also a
// Contradiction.
func (s *FrontEnd) CheckedModel(ctx context.Context) (*model.Model, error) {
	if s.latest.valid && s.latest.recalled != nil {
		return s.completed(s.latest.recalled), nil
	}
	m, err := s.revive(ctx)
	if err != nil {
		return nil, err
	}
	if l := &s.latest; l.result.ConfirmedBy == "" {
		by, why := s.confirmSat(ctx, l)
		if by == "" {
			return nil, fmt.Errorf("%s says sat, but %s", m.name(), why)
		}
		l.result.ConfirmedBy = by
	}
	return s.completed(s.latest.model), nil
}

// Conclude makes r the latest result: the answer to the current problem under the assumptions, which several questions
// led to. Later questions about the model use m; nil means that there is no model.
func (s *FrontEnd) Conclude(r Result, assumptions []smt.Term, m *model.Model) {
	s.latest = latest{valid: true, assumptions: assumptions, result: r, recalled: m, chosen: true}
}

// Timeout returns the time for one question; 0: none.
func (s *FrontEnd) Timeout() time.Duration { return s.opt.Timeout }

// SetTimeout changes the time for one question; 0: none.
func (s *FrontEnd) SetTimeout(d time.Duration) { s.opt.Timeout = d }

// Latest returns the latest result, which is valid until the problem changes.
func (s *FrontEnd) Latest() (r Result, valid bool) { return s.latest.result, s.latest.valid }

// Question returns the latest question as a script of its own, without levels; nil if the problem has changed since.
func (s *FrontEnd) Question() *smtlib.Script {
	if !s.latest.valid {
		return nil
	}
	return s.stack.Script(s.latest.assumptions)
}

// Stats returns what each member did.
func (s *FrontEnd) Stats() (out []MemberStats) {
	for i, m := range s.members {
		x := m.stats
		if s.plain != nil { // plain members do work for this member
			y := &s.plain[i].stats
			x.Asked, x.Failed, x.Replaced, x.Time = x.Asked+y.Asked, x.Failed+y.Failed, x.Replaced+y.Replaced, x.Time+y.Time
		}
		out = append(out, x)
	}
	return out
}

// Close ends all sessions.
func (s *FrontEnd) Close() error {
	for _, m := range slices.Concat(s.members, s.second, s.plain) {
		m.dropSession()
	}
	return nil
}

// Release drops the terms, sorts and symbols that were made in the arena after a mark; the problem must not use them.
// Sessions know symbols by their numbers, so all are restarted.
func (s *FrontEnd) Release(m smt.Mark) {
	_ = s.Close()
	for _, x := range slices.Concat(s.members, s.second, s.plain) {
		x.used = false // the next session replaces none that has failed
	}
	s.latest = latest{}
	s.proof, s.proofSettled = NewStack(s.Arena()), 0
	s.stack.ForgetNames()
	s.Arena().Release(m)
	if s.cache != nil {
		s.cache.Released()
	}
}

// remember stores the answer of a member in the cache, with the model or, if cores are produced, the core, so that it
// can answer more questions.
func (s *FrontEnd) remember(ctx context.Context, q *cache.Question, l *latest) {
	if l.member == nil || !l.result.Answer.Decided() {
		return
	}
	if l.result.Answer == smtlib.Unsat {
		s.cache.Keep(q, smtlib.Unsat, nil, l.core)
		return
	}
	// These questions do not affect the client's answer: if they fail, nothing is cached.
	s.latest = *l
	defer func() { *l = s.latest }()
	if m, err := s.Model(ctx); err == nil {
		s.cache.Keep(q, smtlib.Sat, m, nil)
	}
}

// recalledValues evaluates terms in the model of the cache; ok is false if one of them has no value there that can be
// written as a term.
func (s *FrontEnd) recalledValues(ts []smt.Term) (values []string, ok bool) {
	ev := eval.New(s.Arena(), s.latest.recalled)
	ev.SetCompletion(true)
	for _, t := range ts {
		v, err := ev.Eval(t)
		if err != nil || v.Opaque() {
			return nil, false
		}
		values = append(values, v.Text(s.Arena()))
	}
	return values, true
}

// withoutOwnNames removes the names of the front end from the text of a model: z3 includes the values of named
// assertions.
func (s *FrontEnd) withoutOwnNames(text string) string {
	if !strings.Contains(text, OwnPrefix) {
		return text
	}
	xs, err := smtlib.ParseSExprs(text)
	if err != nil || len(xs) != 1 {
		return text
	}
	var out strings.Builder
	out.WriteString("(\n")
	for _, x := range xs[0].List {
		if len(x.List) < 2 || !s.stack.IsOwnName(x.List[1].Symbol()) {
			out.WriteString("  " + x.String() + "\n")
		}
	}
	return out.String() + ")"
}

// distinct removes repeated errors: a member may have been asked twice.
func distinct(errs []error) (out []error) {
	for _, err := range errs {
		if !slices.ContainsFunc(out, func(x error) bool { return x.Error() == err.Error() }) {
			out = append(out, err)
		}
	}
	return out
}
