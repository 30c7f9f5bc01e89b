package meta

import (
	"errors"
	"io"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// reply is what a call gave, each kind of call its own part of it.
type reply struct {
	answer smtlib.Answer
	text   string
	values []string
	terms  []smt.Term
}

// making makes a call on one session.
type making func(s solvers.Session) (reply, error)

// relay is a session with every interface that sessions have. What it is told becomes a call, by which do knows what is
// asked, and a function that makes the call on a session below. A session below that lacks an interface says so itself.
type relay struct {
	a     *smt.Arena
	below []solvers.Session
	do    func(c *solvers.Call, on making) (reply, error)
	seed  uint64    // the latest one
	file  io.Closer // to be closed with the sessions; it may be nil
	ended bool
}

// Arena implements solvers.Session.
func (r *relay) Arena() *smt.Arena { return r.a }

// sendCommand makes the call of a command that is due no reply.
func (r *relay) sendCommand(c smtlib.Command) error {
	_, err := r.callCommand(c)
	return err
}

// callCommand makes the call of a command.
func (r *relay) callCommand(c smtlib.Command) (reply, error) {
	call := solvers.CommandCall(c)
	return r.do(&call, func(s solvers.Session) (reply, error) { return callOn(s, &call.Command) })
}

// callOn makes the call of a command on a session, without regard to what it replies to.
func callOn(s solvers.Session, c *smtlib.Command) (reply, error) {
	var err error
	var out reply
	switch solvers.ReplyTo(c.Kind, c.Name) {
	case solvers.AnswerReply:
		out.answer, err = s.CheckSat(c.Terms)
	case solvers.ValueReply:
		out.text, err = solvers.AskFor(s, c)
	default:
		if a, ok := s.(solvers.Asker); ok && (c.Kind == smtlib.CmdSetInfo || c.Kind == smtlib.CmdOther) {
			out.text, err = a.Ask(c)
		} else {
			err = solvers.Do(s, c)
		}
	}
	return out, err
}

// SetLogic implements solvers.Session.
func (r *relay) SetLogic(name string) error {
	return r.sendCommand(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: name})
}

// SetOption implements solvers.Session.
func (r *relay) SetOption(name, value string) error {
	return r.sendCommand(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + name, Text: value})
}

// DeclareSort implements solvers.Session.
func (r *relay) DeclareSort(s smt.SortSymbol) error {
	return r.sendCommand(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{s}})
}

// DeclareDatatypes implements solvers.Session.
func (r *relay) DeclareDatatypes(group []smt.SortSymbol) error {
	return r.sendCommand(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: group})
}

// Declare implements solvers.Session.
func (r *relay) Declare(f smt.Symbol) error { return r.sendCommand(smtlib.DeclareCommand(r.a, f)) }

// Define implements solvers.Session.
func (r *relay) Define(fs []smt.Symbol) error { return r.sendCommand(smtlib.DefineCommand(r.a, fs...)) }

// Assert implements solvers.Session.
func (r *relay) Assert(t smt.Term) error { return r.sendCommand(smtlib.AssertCommand(t)) }

// CheckSat implements solvers.Session.
func (r *relay) CheckSat(assumptions []smt.Term) (smtlib.Answer, error) {
	out, err := r.callCommand(smtlib.CheckCommand(assumptions))
	return out.answer, err
}

// Push implements solvers.Session.
func (r *relay) Push(n int) error { return r.sendCommand(smtlib.Command{Kind: smtlib.CmdPush, N: n}) }

// Pop implements solvers.Session.
func (r *relay) Pop(n int) error { return r.sendCommand(smtlib.Command{Kind: smtlib.CmdPop, N: n}) }

// Reset implements solvers.Resetter.
func (r *relay) Reset() error { return r.sendCommand(smtlib.Command{Kind: smtlib.CmdReset}) }

// ResetAssertions implements solvers.AssertionResetter.
func (r *relay) ResetAssertions() error {
	return r.sendCommand(smtlib.Command{Kind: smtlib.CmdResetAssertions})
}

// Ask implements solvers.Asker.
func (r *relay) Ask(c *smtlib.Command) (string, error) {
	out, err := r.callCommand(*c)
	return out.text, err
}

// Model implements solvers.Modeler.
func (r *relay) Model() (string, error) { return r.Ask(&smtlib.Command{Kind: smtlib.CmdGetModel}) }

// callGetter makes a call that solvers have an interface of their own for.
func callGetter[I any](r *relay, c smtlib.Command, get func(x I, out *reply) error) (reply, error) {
	call := solvers.CommandCall(c)
	return r.do(&call, func(s solvers.Session) (out reply, err error) {
		x, ok := s.(I)
		if !ok {
			return out, solvers.ErrUnsupported(c.Kind.String())
		}
		err = get(x, &out)
		return out, err
	})
}

// Values implements solvers.Valuer.
func (r *relay) Values(ts []smt.Term) ([]string, error) {
	out, err := callGetter(r, smtlib.Command{Kind: smtlib.CmdGetValue, Terms: ts}, func(x solvers.Valuer, out *reply) (err error) {
		out.values, err = x.Values(ts)
		return err
	})
	if err == nil && len(out.values) != len(ts) { // of a writer that asks nobody
		err = solvers.ErrUnsupported("get-value")
	}
	return out.values, err
}

// UnsatCore implements solvers.Corer.
func (r *relay) UnsatCore() ([]smt.Term, error) {
	out, err := callGetter(r, smtlib.Command{Kind: smtlib.CmdGetUnsatCore}, func(x solvers.Corer, out *reply) (err error) {
		out.terms, err = x.UnsatCore()
		return err
	})
	return out.terms, err
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (r *relay) UnsatAssumptions() ([]smt.Term, error) {
	out, err := callGetter(r, smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions}, func(x solvers.AssumptionCorer, out *reply) (err error) {
		out.terms, err = x.UnsatAssumptions()
		return err
	})
	return out.terms, err
}

// callMaker makes a call on the sessions below that make terms when they are told to.
func (r *relay) callMaker(c solvers.Call, make func(m solvers.TermMaker) error) error {
	_, err := r.do(&c, func(s solvers.Session) (reply, error) {
		if m, ok := s.(solvers.TermMaker); ok {
			return reply{}, make(m)
		}
		return reply{}, nil
	})
	return err
}

// MakeSort implements solvers.TermMaker.
func (r *relay) MakeSort(s smt.Sort) error {
	return r.callMaker(solvers.Call{Kind: solvers.CallMakeSort, Sort: s}, func(m solvers.TermMaker) error { return m.MakeSort(s) })
}

// MakeTerm implements solvers.TermMaker.
func (r *relay) MakeTerm(t smt.Term) error {
	return r.callMaker(solvers.Call{Kind: solvers.CallMakeTerm, Term: t}, func(m solvers.TermMaker) error { return m.MakeTerm(t) })
}

// Transfer implements solvers.Transferrer: each session below takes the terms over from the one in its place below the
// other meta session, if that is one of as many.
func (r *relay) Transfer(from solvers.Session, ts []smt.Term) error {
	c := solvers.Call{Kind: solvers.CallTransfer, Args: ts}
	_, err := r.do(&c, func(s solvers.Session) (reply, error) {
		f := from
		if m, ok := from.(interface{ sessions() []solvers.Session }); ok && len(m.sessions()) == len(r.below) {
			f = m.sessions()[slices.Index(r.below, s)]
		}
		return reply{}, solvers.TakeOver(f, s, ts)
	})
	return err
}

func (r *relay) sessions() []solvers.Session { return r.below }

// Renew implements solvers.Renewer.
func (r *relay) Renew() {
	for _, s := range r.below {
		if x, ok := s.(solvers.Renewer); ok {
			x.Renew()
		}
	}
}

// Seed implements solvers.Seeded.
func (r *relay) Seed(n uint64) {
	r.seed = n
	for _, s := range r.below {
		if x, ok := s.(solvers.Seeded); ok {
			x.Seed(n)
		}
	}
}

// Measure implements solvers.Measured.
func (r *relay) Measure(out *solvers.Run) {
	for _, s := range r.below {
		if m, ok := s.(solvers.Measured); ok {
			m.Measure(out)
		}
	}
}

// Close closes the sessions below, and the file once.
func (r *relay) Close() error {
	var errs []error
	for _, s := range r.below {
		errs = append(errs, s.Close())
	}
	if r.file != nil && !r.ended {
		errs = append(errs, r.file.Close())
	}
	r.ended = true
	return errors.Join(errs...)
}
