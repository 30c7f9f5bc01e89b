package frontend

import (
	"context"
	"fmt"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend/stack"
)

// ensemble is a problem and the members that are asked about it.
type ensemble struct {
	opt     Options
	stack   *stack.Stack
	members []*member
	mu      sync.Mutex // held by Notify
}

func (e *ensemble) arena() *smt.Arena { return e.stack.Arena() }

func (e *ensemble) newMember(i int, t solvers.Target, flat bool) *member {
	lim := solvers.Limits{Wall: forever, Memory: e.opt.Memory, Output: 1 << 27, EachCall: true}
	return &member{number: i, target: t, flat: flat, limits: lim, opt: &e.opt, notify: e.notify, stats: MemberStats{Name: t.Name()}}
}

// notify tells of an event.
func (e *ensemble) notify(x Event) {
	if e.opt.Notify == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opt.Notify(x)
}

// errAgain is the error of a member that was asked again, and has not come to the answer that it had.
type errAgain string

func (e errAgain) Error() string { return string(e) }

// askAgain has a session of a member come to the answer that another one of it has given. A sat in the place of unknown will do: then the model is one,
// and not only a candidate.
func (e *ensemble) askAgain(ctx context.Context, m *member, l *latest) error {
	out := m.ask(ctx, e.stack, l.assumptions)
	problem := ""
	switch {
	case out.failed:
		problem = "has no answer now: " + out.reason
	case out.answer != l.result.Answer && (out.answer != smtlib.Sat || l.result.Answer != smtlib.Unknown):
		problem = fmt.Sprintf("answers %s where it was %s", out.answer, l.result.Answer)
	case m.session == nil: // it did not survive the question why it does not know
		problem = "ended behind its answer"
	default:
		return nil
	}
	return errAgain(m.name() + " was asked again, and " + problem)
}

// completed returns a model that interprets what is declared: what it leaves out has the values that the evaluator took for it, and what is not
// declared any more is gone.
func (e *ensemble) completed(m *model.Model) *model.Model {
	a := e.arena()
	out := m.Clone()
	domains := value.NewDomains(a, out)
	declared := map[smt.Symbol]bool{}
	for _, f := range e.stack.Declared() {
		declared[f] = true
	}
	for _, f := range out.Symbols() {
		if a.SymbolInfo(f).Kind == smt.SymDeclared && !declared[f] {
			out.Unset(f)
		}
	}
	for _, f := range e.stack.Declared() {
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
