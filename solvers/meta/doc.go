// Package meta makes sessions of sessions: one that writes what it is told as SMT-LIB or as a trace (Writer, Tee), one that
// asks several solvers and votes (Cross), and one that checks what a solver gives besides its answer (Checked). Each
// forwards every call, options and extensions included.
package meta

import (
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Problem is something wrong that a meta session has seen.
type Problem struct {
	Kind    string // disagreement, invalid-model, invalid-core, or a class of errors such as crash
	Solver  int    // number of the solver that is to blame, from 0; -1 for none in particular
	Message string
}

// relay turns the calls of a session into commands, so that a meta session has one place to forward them.
type relay struct {
	a  *smt.Arena
	do func(c *smtlib.Command) (smtlib.Answer, string, error)
}

func (r *relay) Arena() *smt.Arena { return r.a }

func (r *relay) plain(c smtlib.Command) error {
	_, _, err := r.do(&c)
	return err
}

func (r *relay) SetLogic(name string) error {
	return r.plain(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: name})
}

func (r *relay) SetOption(name, value string) error {
	return r.plain(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + name, Text: value})
}

func (r *relay) DeclareSort(s smt.SortSymbol) error {
	return r.plain(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{s}})
}

func (r *relay) DeclareDatatypes(group []smt.SortSymbol) error {
	return r.plain(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: group})
}

func (r *relay) Declare(f smt.Symbol) error { return r.plain(smtlib.DeclareCommand(r.a, f)) }

func (r *relay) Define(fs []smt.Symbol) error {
	kind := smtlib.CmdDefineFun
	if len(fs) > 1 {
		kind = smtlib.CmdDefineFunsRec
	} else if r.a.SymbolInfo(fs[0]).Recursive {
		kind = smtlib.CmdDefineFunRec
	}
	return r.plain(smtlib.Command{Kind: kind, Symbols: fs})
}

func (r *relay) Assert(t smt.Term) error { return r.plain(smtlib.AssertCommand(t)) }

func (r *relay) CheckSat(assumptions []smt.Term) (smtlib.Answer, error) {
	c := smtlib.Command{Kind: smtlib.CmdCheckSat}
	if len(assumptions) > 0 {
		c = smtlib.Command{Kind: smtlib.CmdCheckSatAssuming, Terms: assumptions}
	}
	a, _, err := r.do(&c)
	return a, err
}

func (r *relay) Push(n int) error { return r.plain(smtlib.Command{Kind: smtlib.CmdPush, N: n}) }
func (r *relay) Pop(n int) error  { return r.plain(smtlib.Command{Kind: smtlib.CmdPop, N: n}) }

// Reset implements solvers.Resetter.
func (r *relay) Reset() error { return r.plain(smtlib.Command{Kind: smtlib.CmdReset}) }

// ResetAssertions implements solvers.AssertionResetter.
func (r *relay) ResetAssertions() error {
	return r.plain(smtlib.Command{Kind: smtlib.CmdResetAssertions})
}

// Ask implements solvers.Asker.
func (r *relay) Ask(c *smtlib.Command) (string, error) {
	_, text, err := r.do(c)
	return text, err
}

// Model implements solvers.Modeler.
func (r *relay) Model() (string, error) { return r.Ask(&smtlib.Command{Kind: smtlib.CmdGetModel}) }

// on makes the call of a command on a session.
func on(s solvers.Session, c *smtlib.Command) (smtlib.Answer, string, error) {
	switch solvers.ReplyTo(c.Kind, c.Name) {
	case solvers.AnswerReply:
		a, err := s.CheckSat(c.Terms)
		return a, "", err
	case solvers.ValueReply:
		text, err := solvers.AskFor(s, c)
		return smtlib.None, text, err
	}
	return smtlib.None, "", solvers.Do(s, c)
}
