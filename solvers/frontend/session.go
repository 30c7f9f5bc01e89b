package frontend

import (
	"context"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// session is a front end that is called as its members are.
type session struct {
	ctx context.Context
	s   *Solver
}

// Session returns the front end as a session, for what asks sessions. Its questions end with the context, and Close closes the front end.
func (s *Solver) Session(ctx context.Context) solvers.Session { return &session{ctx, s} }

func (x *session) Arena() *smt.Arena { return x.s.Arena() }

func (x *session) do(c smtlib.Command) error { return x.s.Do(&c) }

// SetLogic implements solvers.Session, and so do the next ones.
func (x *session) SetLogic(name string) error {
	return x.do(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: name})
}

func (x *session) SetOption(name, value string) error {
	return x.do(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + name, Text: value})
}

func (x *session) DeclareSort(s smt.SortSymbol) error {
	return x.do(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{s}})
}

func (x *session) DeclareDatatypes(group []smt.SortSymbol) error {
	return x.do(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: group})
}

func (x *session) Declare(f smt.Symbol) error   { return x.do(smtlib.DeclareCommand(x.Arena(), f)) }
func (x *session) Define(fs []smt.Symbol) error { return x.do(smtlib.DefineCommand(x.Arena(), fs...)) }
func (x *session) Assert(t smt.Term) error      { return x.do(smtlib.AssertCommand(t)) }
func (x *session) Push(n int) error             { return x.do(smtlib.Command{Kind: smtlib.CmdPush, N: n}) }
func (x *session) Pop(n int) error              { return x.do(smtlib.Command{Kind: smtlib.CmdPop, N: n}) }
func (x *session) Close() error                 { return x.s.Close() }

func (x *session) CheckSat(assumptions []smt.Term) (smtlib.Answer, error) {
	r, err := x.s.Check(x.ctx, assumptions...)
	return r.Answer, err
}

// Model implements solvers.Modeler.
func (x *session) Model() (string, error) { return x.s.ModelText(x.ctx) }

// Values implements solvers.Valuer.
func (x *session) Values(ts []smt.Term) ([]string, error) { return x.s.Values(x.ctx, ts) }

// UnsatAssumptions implements solvers.AssumptionCorer.
func (x *session) UnsatAssumptions() ([]smt.Term, error) { return x.s.UnsatAssumptions(x.ctx) }
