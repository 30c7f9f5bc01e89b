package frontend

import (
	"context"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/solvers"
)

// For its cache, a front end computes unsat cores: it sends assertions to the sessions of its members with its own
// names, so that they can report which assertions they needed. With names, solvers are wrong more often: z3 up to 5.4.1
// answers unsat for some problems for which it answers sat without names. So such an unsat counts only after a session
// without names has answered unsat for the core alone.

// answer asks the members the question, and makes sure that their answer can be trusted.
func (s *FrontEnd) answer(ctx context.Context, l *latest) {
	if !s.namesOff {
		if s.stack.Option(":produce-proofs") == "true" { // the proof would be of the problem with names
			s.dropNames()
		} else {
			s.stack.NameAssertions()
		}
	}
	s.askMembers(ctx, l)
	s.believe(ctx, l)
}

// believe confirms an answer from a session with names. If it cannot, sessions without names answer the question again.
func (s *FrontEnd) believe(ctx context.Context, l *latest) {
	m := l.member
	if m == nil || !m.mirror.Named || ctx.Err() != nil || s.stack.HasOwn("") { // a core says nothing of what has no names
		return
	}
	switch l.result.Answer {
	case smtlib.Unsat:
		if core, ok := s.coreOf(ctx, l); ok && s.confirms(ctx, m, core) {
			l.core = core
			return
		}
	case smtlib.Unknown:
		if l.memberReason == reasonTimeout || l.memberReason == reasonMemory {
			return // asking again would not help
		}
	default: // a sat answer can be checked by its model
		return
	}
	s.notify(Event{Kind: Unconfirmed, Member: m.name(), Message: "its " + l.result.Answer.String() +
		" is not confirmed by what it says where assertions have no names: it is asked again without"})
	s.dropNames()
	*l = latest{valid: true, assumptions: l.assumptions}
	s.askMembers(ctx, l)
}

// dropNames stops sending names to all sessions.
func (s *FrontEnd) dropNames() {
	s.namesOff = true
	for _, m := range s.members {
		if m.cores = false; m.mirror.Named {
			m.dropSession()
		}
	}
}

// coreOf asks the session that has just answered unsat for the assertions that its answer rests on, and adds the
// assumptions. An answer that depends on nothing has no core.
func (s *FrontEnd) coreOf(ctx context.Context, l *latest) (core []smt.Term, ok bool) {
	m := l.member
	if m.session == nil {
		return nil, false
	}
	ctx, end := s.opt.bound(ctx)
	defer end()
	reply, err := solvers.Say(ctx, m.session, smtlib.Command{Kind: smtlib.CmdGetUnsatCore})
	if err != nil {
		if solvers.DeadAfter(err) {
			m.dropSession()
		}
		return nil, false
	}
	core, ok = s.stack.Core(reply.Terms, l.assumptions)
	return core, ok && len(core) > 0
}

// confirms reports whether a session of the member that gets only a core answers unsat.
func (s *FrontEnd) confirms(ctx context.Context, m *member, core []smt.Term) bool {
	if s.plain == nil {
		for i, x := range s.members {
			s.plain = append(s.plain, s.newMember(i, x.target, false))
		}
		s.proof = NewStack(s.Arena())
	}
	if n := s.stack.Settled(); s.proofSettled != n {
		s.proofSettled = n
		_ = s.proof.Add(&smtlib.Command{Kind: smtlib.CmdReset})
		for _, x := range s.stack.Settings() {
			_ = s.proof.Add(&x)
		}
	}
	// Assert the core on a new level, which is popped before the next core.
	if s.proof.Levels() > 0 {
		_ = s.proof.Add(&smtlib.Command{Kind: smtlib.CmdPop, N: 1})
	}
	_ = s.proof.Add(&smtlib.Command{Kind: smtlib.CmdPush, N: 1})
	for _, x := range new(scope.Declared).Missing(s.Arena(), core) {
		_ = s.proof.Add(&x)
	}
	for _, t := range core {
		x := smtlib.AssertCommand(t)
		_ = s.proof.Add(&x)
	}
	return s.plain[m.number].ask(ctx, s.proof, nil).answer == smtlib.Unsat
}
