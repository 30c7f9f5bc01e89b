package frontend

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// newMember returns a member over a target; flat says that it gets the problem without its levels.
func (s *FrontEnd) newMember(i int, t solvers.Target, flat bool) *member {
	lim := solvers.Limits{Wall: forever, Memory: s.opt.Memory, Output: 1 << 27, EachCall: true}
	return &member{number: i, target: t, flat: flat, limits: lim, opt: &s.opt, notify: s.notify,
		stats: MemberStats{Name: t.Name()}}
}

// notify tells of an event.
func (s *FrontEnd) notify(x Event) {
	if s.opt.Notify == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opt.Notify(x)
}

// errAgain is the error of a member that was asked again and did not give its earlier answer.
type errAgain string

func (e errAgain) Error() string { return string(e) }

// askAgain asks a session of a member again for the answer that another session of the member gave. If that answer was
// unknown, sat is accepted, too: then the model is a model, and not only a candidate.
func (s *FrontEnd) askAgain(ctx context.Context, m *member, l *latest) error {
	out := m.ask(ctx, s.stack, l.assumptions)
	problem := ""
	switch {
	case out.failed:
		problem = "has no answer now: " + out.reason
	case out.answer != l.result.Answer && (out.answer != smtlib.Sat || l.result.Answer != smtlib.Unknown):
		problem = fmt.Sprintf("answers %s where it was %s", out.answer, l.result.Answer)
	case m.session == nil: // the session died of get-info :reason-unknown
		problem = "ended behind its answer"
	default:
		return nil
	}
	return errAgain(m.name() + " was asked again, and " + problem)
}

// completed returns the model restricted to the current declarations. Symbols missing from the model get the values
// that the evaluator assumed.
func (s *FrontEnd) completed(m *model.Model) *model.Model {
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
