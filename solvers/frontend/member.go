package frontend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
	"github.com/smtlark/smtlark/solvers/rule"
)

const (
	// forever is the limit of time where there is none.
	forever = 100 * 24 * time.Hour
	// maxTries bounds how often a member is asked a question that crashes it.
	maxTries = 3
	// grace is the time that a member gets beyond its limit before it is ended.
	grace = 500 * time.Millisecond
)

// member is one of the solvers that a front end asks, with its present session.
type member struct {
	number  int
	target  solvers.Target
	flat    bool // it is given the problem without its levels
	cores   bool // it should report unsat cores, if that costs little
	limits  solvers.Limits
	opt     *Options
	notify  func(Event)
	session solvers.Session // nil: none is open
	mirror  Mirror
	fresh   bool          // the session was told nothing but settings
	used    bool          // a session was open before: the next one is a replacement
	single  bool          // each question is put to a session of its own, which is not incremental
	asked   bool          // the session was asked a question
	timeout time.Duration // that the session knows of; 0: none
	stats   MemberStats
}

// outcome is the reply of a member to a question.
type outcome struct {
	member *member
	answer smtlib.Answer
	reason string        // why it is unknown
	failed bool          // it gave no answer at all
	took   time.Duration // wall time
}

// isUnknown reports whether the member said that it does not know.
func (o *outcome) isUnknown() bool { return !o.failed && !o.answer.Decided() }

// name returns the name of the member in messages.
func (m *member) name() string { return m.target.Name() }

// openSession opens a session where there is none.
func (m *member) openSession(ctx context.Context, st *Stack) error {
	if m.session != nil {
		return nil
	}
	s, err := meta.OpenSession(ctx, m.target, st.Arena(), m.limits)
	if err != nil {
		return err
	}
	m.session = s
	m.beginSession(ctx, st)
	if m.used {
		m.stats.Replaced++
	}
	m.used = true
	return nil
}

// beginSession makes settings of a session that was told nothing.
func (m *member) beginSession(ctx context.Context, st *Stack) {
	m.mirror, m.fresh, m.timeout, m.asked = Mirror{}, true, 0, false
	if m.single {
		_ = solvers.SetOption(ctx, m.session, "incremental", "false")
	}
	// z3 produces models by default. A solver without the option fails later, when a model is requested.
	_ = solvers.SetOption(ctx, m.session, "produce-models", "true")
	// A problem with levels is solved incrementally anyway, and then cores cost almost nothing. For other problems,
	// cores would make solvers simplify less.
	if m.cores && st.Levels() > 0 {
		m.mirror.Named = solvers.SetOption(ctx, m.session, "produce-unsat-cores", "true") == nil
	}
}

// dropSession ends the session; the next question opens a new one, which gets the whole problem.
func (m *member) dropSession() {
	if m.session == nil {
		return
	}
	_, _ = m.session.Close()
	m.session = nil
}

// bringUp sends the session the parts of the stack that it does not have, except for the commands of the problem, which
// it returns.
func (m *member) bringUp(ctx context.Context, st *Stack) ([]smtlib.Command, error) {
	if err := m.openSession(ctx, st); err != nil {
		return nil, err
	}
	u := st.UpdateOf(&m.mirror, m.flat)
	if u.Restart && !m.fresh {
		if err := m.restartSession(ctx, st, u.Unset); err != nil {
			return nil, err
		}
		u = st.UpdateOf(&m.mirror, m.flat)
	}
	for i := range u.Settings {
		err := solvers.Tell(ctx, m.session, u.Settings[i])
		if err == nil {
			continue
		}
		// The setting may be allowed at the start only, and end the session at any other time.
		if !m.fresh && ctx.Err() == nil {
			m.dropSession()
			return m.bringUp(ctx, st)
		}
		if solvers.DeadAfter(err) {
			return nil, err
		}
		// Otherwise, the solver does not know the setting and goes without it.
	}
	return u.Commands, nil
}

// restartSession makes the session empty. It uses a reset if that keeps the options of the target, and nothing else, in
// force.
func (m *member) restartSession(ctx context.Context, st *Stack, unset bool) error {
	found := m.target.Solver()
	keeps := unset && found.Profile.ResetKeepsOptions || len(found.Outlives(false)) > 0
	clean := m.target.Mode() != solvers.Native && found.Profile.HasReset && !keeps
	if clean && solvers.Tell(ctx, m.session, smtlib.Command{Kind: smtlib.CmdReset}) == nil {
		m.beginSession(ctx, st)
		return nil
	}
	m.dropSession()
	return m.openSession(ctx, st)
}

// upToDate reports whether the session knows all of the stack.
func (m *member) upToDate(st *Stack) bool {
	if m.session == nil {
		return false
	}
	u := st.UpdateOf(&m.mirror, m.flat)
	return !u.Restart && len(u.Settings) == 0 && len(u.Commands) == 0
}

// askOnce puts a question to the session.
func (m *member) askOnce(ctx context.Context, st *Stack, assumptions []smt.Term) (smtlib.Answer, error) {
	if m.single && m.asked {
		m.dropSession()
	}
	commands, err := m.bringUp(ctx, st)
	if err != nil {
		return smtlib.None, err
	}
	m.limitTime(ctx, m.opt.Timeout)
	m.fresh, m.asked = m.fresh && len(commands) == 0, true
	check := solvers.CommandCall(smtlib.CheckCommand(assumptions))
	check.Before = commands
	reply, err := m.session.Call(ctx, &check)
	if err == nil {
		st.Note(&m.mirror)
	}
	return reply.Answer, err
}

// ask asks the member a question, and asks another session once more if the first one dies.
func (m *member) ask(ctx context.Context, st *Stack, assumptions []smt.Term) *outcome {
	ctx, end := m.opt.bound(ctx)
	defer end()
	begun := time.Now()
	out := &outcome{member: m, answer: smtlib.Unknown}
	m.stats.Asked++
	for try := 1; ; try++ {
		answer, err := m.askOnce(ctx, st, assumptions)
		out.took = time.Since(begun)
		m.stats.Time += out.took
		if err == nil && answer == smtlib.Unknown {
			out.reason, err = m.reasonUnknown(ctx)
			if out.reason == reasonCanceled && m.opt.Timeout > 0 && out.took >= m.opt.Timeout { // as z3 calls it
				out.reason = reasonTimeout
			}
		}
		if answer != smtlib.None && (err == nil || answer == smtlib.Unknown && try == maxTries) {
			out.answer = answer
			return out
		}
		m.dropSession()
		if ctx.Err() != nil {
			out.failed, out.reason = true, context.Cause(ctx).Error()
			if errors.Is(context.Cause(ctx), context.Canceled) {
				out.reason = reasonCanceled
			}
			return out
		}
		again, reason := judgeFailure(err)
		if m.becomesSingle(err) {
			continue
		}
		if again && try < maxTries {
			m.notifyFailure(Replaced, reason, err, st, assumptions)
			begun = time.Now()
			continue
		}
		out.failed, out.reason = true, reason
		switch reason {
		case reasonTimeout, reasonMemory:
		default:
			out.reason = m.name() + ": " + reason
		}
		m.stats.Failed++
		m.notifyFailure(GaveUp, reason, err, st, assumptions)
		return out
	}
}

// notifyFailure reports that a call has failed. If the session has crashed, which is a fault of the member, it also
// reports the question. commands are those that come after the check-sat of the question.
func (m *member) notifyFailure(kind EventKind, message string, err error, st *Stack, assumptions []smt.Term,
	commands ...smtlib.Command) {
	e := Event{Kind: kind, Member: m.name(), Message: message}
	var x *solvers.SessionError
	if errors.As(err, &x) && (x.Class == solvers.Crash || x.Class == solvers.Assertion) {
		e.Crashed, e.Script = true, st.Script(assumptions)
		e.Script.Commands = append(e.Script.Commands, commands...)
	}
	m.notify(e)
}

// The reasons for which SMT-LIB defines words, and one more that solvers use in common.
const (
	reasonMemory   = "memout"
	reasonTimeout  = "timeout"
	reasonCanceled = "canceled"
)

var errTimeout = errors.New(reasonTimeout)

// limitTime sets the time limit of the solver, if it has an option for this that it accepts at any time. Other solvers
// are ended when their time is over.
func (m *member) limitTime(ctx context.Context, timeout time.Duration) {
	if m.timeout == timeout {
		return
	}
	m.timeout = timeout
	const none = "4294967295" // z3's value for no limit; only z3 and its relatives have the option as a command
	text, isCommand := m.target.Solver().Profile.TimeLimitText(timeout)
	words := strings.Fields(strings.Trim(text, "()"))
	if !isCommand || len(words) != 3 {
		return
	}
	if timeout == 0 {
		words[2] = none
	}
	_ = solvers.SetOption(ctx, m.session, strings.TrimPrefix(words[1], ":"), words[2])
}

// becomesSingle reports whether a call failed because the solver does not support the problem incrementally, such as
// cvc5 with separation logic. From then on, the member gets the whole problem for each question.
func (m *member) becomesSingle(err error) bool {
	if m.single || err == nil || !strings.Contains(err.Error(), "incremental") {
		return false
	}
	switch solvers.ClassOf(err) {
	case solvers.Unsupported, solvers.Refusal, solvers.SolverError:
		m.single, m.flat = true, true
		m.dropSession()
	}
	return m.single
}

// judgeFailure says why there is no answer, and whether another session may have one.
func judgeFailure(err error) (again bool, reason string) {
	var e *solvers.SessionError
	if !errors.As(err, &e) {
		return false, "no answer"
	}
	text := e.Class.String()
	if e.Message != "" {
		text += ": " + e.Message
	}
	switch e.Class {
	case solvers.Timeout:
		return false, reasonTimeout
	case solvers.OutOfMemory:
		return true, reasonMemory
	case solvers.Crash, solvers.Assertion, solvers.Killed, solvers.Garbage, solvers.OutputLimit, solvers.StartFailure,
		solvers.Cancelled:
		return true, text
	case solvers.ParseError, solvers.Refusal, solvers.Unsupported: // it would be refused again
		return false, text
	}
	return e.Dead, text
}

// reasonUnknown asks why the latest answer is unknown. It returns an error if the session dies because of this
// question.
func (m *member) reasonUnknown(ctx context.Context) (string, error) {
	const none = "incomplete"
	// Some solvers exit on commands that they do not know.
	if slices.Contains(m.target.Solver().Lacks(), rule.Action.Of("get-info")) {
		return none, nil
	}
	reply, err := solvers.Say(ctx, m.session, smtlib.Command{Kind: smtlib.CmdGetInfo, Name: ":reason-unknown"})
	if err != nil {
		if solvers.DeadAfter(err) {
			m.dropSession()
			return none, err
		}
		return none, nil
	}
	xs, err := smtlib.ParseSExprs(reply.Text)
	if err != nil || len(xs) != 1 || len(xs[0].List) != 2 {
		return none, nil
	}
	return cmp.Or(unquoted(xs[0].List[1].String()), none), nil
}

// unquoted returns the content of a string literal, and anything else as it is.
func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// try sends a single command that was just added to the stack. It returns nil if the solver accepts the command. If the
// solver refuses it, the session is dropped, because its state is not known.
func (m *member) try(ctx context.Context, st *Stack) error {
	_, err := untilAlive(ctx, m, st, nil, nil, func(ctx context.Context) (struct{}, error) {
		commands, err := m.bringUp(ctx, st)
		if err == nil && len(commands) > 0 {
			m.fresh = false
			err = solvers.Tell(ctx, m.session, commands...)
		}
		return struct{}{}, err
	})
	if err != nil {
		m.dropSession()
		return fmt.Errorf("%s: %w", m.name(), err)
	}
	st.Note(&m.mirror)
	return nil
}

// takeSetting sends one setting to a session without settings; it returns nil if the session accepts it.
func (m *member) takeSetting(ctx context.Context, st *Stack, c *smtlib.Command) error {
	if m.session != nil && !m.fresh { // some settings are accepted at the start only
		m.dropSession()
	}
	_, err := untilAlive(ctx, m, st, nil, nil, func(ctx context.Context) (struct{}, error) {
		err := m.openSession(ctx, st)
		if err == nil {
			err = solvers.Tell(ctx, m.session, *c)
		}
		return struct{}{}, err
	})
	return err
}

// untilAlive makes a call on a member's session within the time of one command. If the call kills the session, it is
// repeated on another session, since a death is not a refusal. A session that has died is dropped. The question that
// killed it is the problem with a check-sat under the assumptions, followed by commands.
func untilAlive[T any](ctx context.Context, m *member, st *Stack, assumptions []smt.Term, commands []smtlib.Command,
	call func(context.Context) (T, error)) (out T, err error) {
	ctx, end := m.opt.bound(ctx)
	defer end()
	for try := 1; ; try++ {
		out, err = call(ctx)
		over := err != nil && ctx.Err() != nil
		if !over && !solvers.DeadAfter(err) {
			return out, err
		}
		m.dropSession()
		if over {
			return out, m.opt.endOf(ctx, err)
		}
		if m.becomesSingle(err) {
			continue
		}
		again, reason := judgeFailure(err)
		if !again || try == maxTries {
			return out, err
		}
		m.notifyFailure(Replaced, reason, err, st, assumptions, commands...)
	}
}
