package meta

import (
	"slices"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Checked is a session that checks what its solver gives besides answers: models by our own evaluator, unsat cores and unsat
// assumptions by a second solver that is opened anew for each. What cannot be known, and an answer unknown, is never a
// problem. Every call is forwarded unchanged.
type Checked struct {
	relay
	s solvers.Session
	// Second opens another solver over the same arena; nil: cores are not checked.
	second   func() (solvers.Session, error)
	done     []smtlib.Command // since the latest reset, for the second solver and for the names in models
	asserted [][]smt.Term     // by assertion level
	assumed  []smt.Term
	Problems []Problem
	// Name is that of the solver, for Measure.
	Name string
}

// NewChecked returns a session that checks another one.
func NewChecked(s solvers.Session, second func() (solvers.Session, error)) *Checked {
	x := &Checked{s: s, second: second, asserted: [][]smt.Term{nil}}
	x.relay = relay{s.Arena(), x.forward}
	return x
}

func (x *Checked) forward(c *smtlib.Command) (smtlib.Answer, string, error) {
	a, text, err := on(x.s, c)
	if err != nil {
		return a, text, err
	}
	switch c.Kind {
	case smtlib.CmdReset:
		x.done, x.asserted = nil, [][]smt.Term{nil}
	case smtlib.CmdResetAssertions:
		x.done = slices.DeleteFunc(x.done, func(d smtlib.Command) bool { return d.Kind != smtlib.CmdSetOption && d.Kind != smtlib.CmdSetLogic })
		x.asserted = [][]smt.Term{nil}
	case smtlib.CmdPush:
		x.asserted = append(x.asserted, make([][]smt.Term, c.N)...)
	case smtlib.CmdPop:
		x.asserted = x.asserted[:max(1, len(x.asserted)-c.N)]
	case smtlib.CmdAssert:
		top := len(x.asserted) - 1
		x.asserted[top] = append(x.asserted[top], c.Terms[0])
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming:
		x.assumed = c.Terms
	case smtlib.CmdGetModel:
		x.model(text)
	}
	if c.Kind.IsDeclaration() || c.Kind == smtlib.CmdSetLogic || c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdPop {
		x.done = append(x.done, *c)
	}
	return a, text, nil
}

// all returns what the latest check-sat was about.
func (x *Checked) all() []smt.Term { return append(slices.Concat(x.asserted...), x.assumed...) }

// model checks a model by the evaluator.
func (x *Checked) model(text string) {
	script := &smtlib.Script{Arena: x.a, Name: "session", Commands: x.done}
	m, err := eval.ParseModel(script, text)
	if err != nil {
		return // what is no model at all is for who asked
	}
	if v := eval.CheckTerms(eval.New(x.a, m), x.all()); v.Result == eval.False {
		x.Problems = append(x.Problems, Problem{"invalid-model", 0, v.String(x.a)})
	}
}

// UnsatCore implements solvers.Corer.
func (x *Checked) UnsatCore() ([]smt.Term, error) {
	k, ok := x.s.(solvers.Corer)
	if !ok {
		return nil, solvers.ErrUnsupported("get-unsat-core")
	}
	core, err := k.UnsatCore()
	if err == nil {
		x.recheck(append(slices.Clone(core), x.assumed...), "the unsat core is sat")
	}
	return core, err
}

// UnsatAssumptions implements solvers.AssumptionCorer.
func (x *Checked) UnsatAssumptions() ([]smt.Term, error) {
	k, ok := x.s.(solvers.AssumptionCorer)
	if !ok {
		return nil, solvers.ErrUnsupported("get-unsat-assumptions")
	}
	needed, err := k.UnsatAssumptions()
	if err == nil {
		x.recheck(append(slices.Concat(x.asserted...), needed...), "the unsat assumptions are sat")
	}
	return needed, err
}

// recheck asks a second, fresh solver about some of the assertions.
func (x *Checked) recheck(ts []smt.Term, what string) {
	if x.second == nil {
		return
	}
	s, err := x.second()
	if err != nil {
		return
	}
	defer s.Close()
	for i := range x.done {
		if c := &x.done[i]; c.Kind != smtlib.CmdPush && c.Kind != smtlib.CmdPop {
			if solvers.Do(s, c) != nil {
				return
			}
		}
	}
	for _, t := range ts {
		if s.Assert(t) != nil {
			return
		}
	}
	if a, err := s.CheckSat(nil); err == nil && a == smtlib.Sat {
		x.Problems = append(x.Problems, Problem{"invalid-core", 0, what})
	}
}

// Values implements solvers.Valuer.
func (x *Checked) Values(ts []smt.Term) ([]string, error) {
	if v, ok := x.s.(solvers.Valuer); ok {
		return v.Values(ts)
	}
	return nil, solvers.ErrUnsupported("get-value")
}

// MakeSort implements solvers.TermMaker.
func (x *Checked) MakeSort(s smt.Sort) error {
	if m, ok := x.s.(solvers.TermMaker); ok {
		return m.MakeSort(s)
	}
	return nil
}

// MakeTerm implements solvers.TermMaker.
func (x *Checked) MakeTerm(t smt.Term) error {
	if m, ok := x.s.(solvers.TermMaker); ok {
		return m.MakeTerm(t)
	}
	return nil
}

// Seed implements solvers.Seeded.
func (x *Checked) Seed(n uint64) {
	if s, ok := x.s.(solvers.Seeded); ok {
		s.Seed(n)
	}
}

// Measure implements solvers.Measured: what was wrong goes into Failed.
func (x *Checked) Measure(r *solvers.Run) {
	if m, ok := x.s.(solvers.Measured); ok {
		m.Measure(r)
	}
	for _, p := range x.Problems {
		r.Failed = append(r.Failed, x.Name+": "+p.Kind+": "+p.Message)
	}
}

// Close implements solvers.Session.
func (x *Checked) Close() error { return x.s.Close() }
