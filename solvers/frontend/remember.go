package frontend

import (
	"context"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// question is what the cache is asked; ok is false where the problem has commands that only solvers understand.
func (s *Solver) question(assumptions []smt.Term) (q cache.Question, ok bool) {
	if s.cache == nil || s.stack.HasOwn("") {
		return q, false
	}
	if n := s.stack.Settled(); s.settled == nil || s.settled.number != n {
		s.settled = &settled{n, s.stack.Logic(), s.bearingOptions()}
	}
	return cache.Question{Logic: s.settled.logic, Options: s.settled.options, Asserts: append(s.stack.Assertions(), assumptions...)}, true
}

// settled is what the settings come to for the cache.
type settled struct {
	number  uint64 // stack.Stack.Settled
	logic   string
	options []string
}

// bearingOptions returns who answers and the options that can change what sat and unsat mean: neither what is produced beside the answer
// nor seeds and limits do.
func (s *Solver) bearingOptions() []string {
	options := slices.Clone(s.sources)
	for _, c := range s.stack.Settings() {
		harmless := strings.HasPrefix(c.Name, ":produce-") || c.Name == ":random-seed" || c.Name == ":reproducible-resource-limit"
		if c.Kind == smtlib.CmdSetOption && !harmless {
			options = append(options, c.Name+" "+c.Text)
		}
	}
	return options
}

// recall takes the answer of the cache, if it has one.
func (s *Solver) recall(q *cache.Question, l *latest) bool {
	e, ok := s.cache.Look(q)
	if !ok {
		return false
	}
	l.result = Result{Answer: e.Answer, By: "cache"}
	if e.Answer == smtlib.Sat {
		l.recalled = e.Model
		l.result.Vouched = "the model, by evaluation"
	} else {
		l.result.Vouched = "an earlier answer to the same question, or to a part of it"
	}
	return true
}

// remember gives the cache the answer of a member, with what makes it more useful: the model, or the core where cores are produced.
func (s *Solver) remember(ctx context.Context, q *cache.Question, l *latest) {
	if l.member == nil || !l.result.Answer.Decided() {
		return
	}
	if l.result.Answer == smtlib.Unsat {
		core, believable := s.coreOf(ctx, l)
		if believable {
			s.cache.Keep(q, smtlib.Unsat, nil, core)
		} else {
			s.askWithoutCores(ctx, q, l)
		}
		return
	}
	// What is asked here is not an answer to the client: where it fails, nothing is kept.
	s.latest = *l
	defer func() { *l = s.latest }()
	if m, err := s.Model(ctx); err == nil {
		s.cache.Keep(q, smtlib.Sat, m, nil)
	}
}

// coreOf asks the session that has just answered unsat for the assertions that its answer rests on, and adds the assumptions; nil where it
// was not prepared to say so. An answer that rests on nothing is not to be believed: z3 up to 5.4.1 says so, wrongly, of some assertions that
// have names, and sat where they have none.
func (s *Solver) coreOf(ctx context.Context, l *latest) (core []smt.Term, believable bool) {
	m := l.member
	if m.session == nil || !m.mirror.Named {
		return nil, true
	}
	x, ok := m.session.(solvers.Corer)
	if !ok {
		return nil, true
	}
	defer context.AfterFunc(ctx, m.end)()
	named, err := x.UnsatCore()
	if err != nil {
		if solvers.DeadAfter(err) {
			m.dropSession()
		}
		return nil, true
	}
	if len(named) == 0 {
		return nil, len(l.assumptions) > 0
	}
	if core = s.stack.Core(named); core != nil {
		core = append(core, l.assumptions...)
	}
	return core, true
}

// askWithoutCores puts the question once more, to sessions that are not told names and are asked for no cores from now on.
func (s *Solver) askWithoutCores(ctx context.Context, q *cache.Question, l *latest) {
	s.notify(Event{Kind: Unvouched, Member: l.member.name(), Message: "its unsat rests on no assertion: it is asked again without names of assertions"})
	for _, m := range s.members {
		if m.cores = false; m.mirror.Named {
			m.dropSession()
		}
	}
	*l = latest{valid: true, assumptions: l.assumptions}
	s.askMembers(ctx, l)
	s.remember(ctx, q, l)
}

// completed returns a model that interprets what is declared: what it leaves out has the values that the evaluator took for it, and what is not
// declared any more is gone.
func (s *Solver) completed(m *model.Model) *model.Model {
	a := s.Arena()
	out := m.Clone()
	domains := value.NewDomains(a, out)
	declared := map[smt.Symbol]bool{}
	for _, f := range s.stack.Declared() {
		declared[f] = true
	}
	for _, f := range out.Symbols() {
		if a.SymbolInfo(f).Kind == smt.SymDeclared && !declared[f] {
			out.Unset(f)
		}
	}
	for _, f := range s.stack.Declared() {
		info := a.SymbolInfo(f)
		switch {
		case len(info.Params) == 0:
			if _, ok := out.Value(f); !ok && out.Func(f) == nil {
				out.Set(f, domains.Default(info.Result))
			}
		case out.Func(f) == nil:
			out.SetFunc(f, model.NewFunc(info.Params, domains.Default(info.Result)))
		}
	}
	return out
}

// recalledValues evaluates terms in the model of the cache; ok is false where one of them has no value there that can be written down.
func (s *Solver) recalledValues(ts []smt.Term) (values []string, ok bool) {
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
