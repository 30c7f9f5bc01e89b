package frontend

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// confirm looks for evidence that the answer sat or unsat is right, and changes the answer to unknown if there is none.
func (s *FrontEnd) confirm(ctx context.Context, l *latest) {
	var why string
	switch l.result.Answer {
	case smtlib.Sat:
		l.result.ConfirmedBy, why = s.confirmSat(ctx, l)
	case smtlib.Unsat:
		l.result.ConfirmedBy, why = s.confirmUnsat(ctx, l)
	}
	if l.result.ConfirmedBy != "" || !l.result.Answer.Decided() {
		return
	}
	s.notify(Event{Kind: Unconfirmed, Member: l.member.name(), Message: fmt.Sprintf("its %s is kept back: %s",
		l.result.Answer, why)})
	l.result = Result{Answer: smtlib.Unknown, Reason: fmt.Sprintf("%s says %s, but %s", l.member.name(), l.result.Answer,
		why)}
}

// confirmSat evaluates the assertions in the model.
func (s *FrontEnd) confirmSat(ctx context.Context, l *latest) (by, why string) {
	v, why := s.modelVerdict(ctx, l)
	switch {
	case v == nil:
		return "", why
	case v.Result == value.True:
		return "the model, by evaluation", ""
	case v.Result == value.False:
		s.contradiction(l.member.name(), "its model makes an assertion false: "+v.String(s.Arena()), l.assumptions)
		return "", "its model makes an assertion false"
	}
	return "", "its model leaves an assertion open: " + v.Reason
}

// modelVerdict reads the model of a sat answer and evaluates the assertions in it. If there is no model, it returns nil
// and the reason.
func (s *FrontEnd) modelVerdict(ctx context.Context, l *latest) (v *eval.ModelCheck, why string) {
	if s.stack.HasOwn("") {
		return nil, "the problem has commands that only a solver understands"
	}
	m := l.member
	c := smtlib.Command{Kind: smtlib.CmdGetModel}
	ask := func(ctx context.Context) (solvers.Reply, error) {
		if m.session == nil {
			if err := s.askAgain(ctx, m, l); err != nil {
				return solvers.Reply{}, err
			}
		}
		return solvers.Say(ctx, m.session, c)
	}
	reply, err := untilAlive(ctx, m, s.stack, l.assumptions, []smtlib.Command{c}, ask)
	if err != nil {
		return nil, "it has no model: " + err.Error()
	}
	text := reply.Text
	l.text = text
	// A model that is printed with rounded decimals proves nothing.
	if m.target.Solver().Profile.RoundsReals && solvers.HasRoundedReal(text) {
		return nil, "its model has rounded numbers"
	}
	if l.model, err = modelreader.Parse(s.stack.Scope(), text); err != nil {
		if !emptyModel(text) {
			return nil, "its model cannot be read: " + err.Error()
		}
		l.model = model.New(s.Arena())
	}
	asserts := append(s.stack.Assertions(), l.assumptions...)
	ev := eval.New(s.Arena(), l.model)
	ev.Limits.All = s.opt.Allowance
	return eval.CheckTerms(ev, asserts), ""
}

// emptyModel reports whether a reply is a model without any definitions.
func emptyModel(text string) bool {
	xs, err := smtlib.ParseSExprs(text)
	return err == nil && len(xs) <= 1
}

// confirmUnsat asks the other members in separate sessions, which get the whole problem without its levels.
func (s *FrontEnd) confirmUnsat(ctx context.Context, l *latest) (by, why string) {
	if s.second == nil {
		for i, m := range s.members {
			s.second = append(s.second, s.newMember(i, m.target, true))
		}
	}
	if len(s.second) == 1 {
		return "", "there is no second solver to say so"
	}
	why = "no other solver says so"
	for _, m := range s.second {
		if m.number == l.member.number {
			continue
		}
		out := m.ask(ctx, s.stack, l.assumptions)
		switch out.answer {
		case smtlib.Unsat:
			return m.name(), ""
		case smtlib.Unknown:
			why += "; " + m.name() + ": " + out.reason
		case smtlib.Sat:
			return s.settleContradiction(ctx, l, out)
		}
	}
	return "", why
}

// settleContradiction decides between unsat from one member and sat from another one: the model of the latter decides,
// if it can be evaluated.
func (s *FrontEnd) settleContradiction(ctx context.Context, l *latest, out *outcome) (by, why string) {
	first := l.member
	other := &latest{valid: true, assumptions: l.assumptions, member: out.member,
		result: Result{Answer: smtlib.Sat, By: out.member.name()}}
	verdict, open := s.modelVerdict(ctx, other)
	proven := "which of them is wrong is open"
	switch {
	case verdict == nil:
		proven += ": " + open
	case verdict.Result == value.True:
		proven = "the model proves sat"
	case verdict.Result == value.False:
		proven = "its model is wrong, which leaves the answer open"
	default:
		proven += ": " + verdict.Reason
	}
	s.contradiction(first.name(), fmt.Sprintf("it says unsat, %s says sat: %s", out.member.name(), proven), l.assumptions)
	if verdict != nil && verdict.Result == value.True {
		other.result.ConfirmedBy = "the model, by evaluation"
		*l = *other
		return l.result.ConfirmedBy, ""
	}
	return "", out.member.name() + " says sat"
}

// contradiction reports two answers that contradict one another.
func (s *FrontEnd) contradiction(member, message string, assumptions []smt.Term) {
	s.notify(Event{Kind: Contradiction, Member: member, Message: message, Script: s.stack.Script(assumptions)})
}
