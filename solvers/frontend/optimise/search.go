package optimise

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// search asks a front end about its problem and about extensions of it, which it asserts on separate levels.
type search struct {
	ctx         context.Context
	s           *frontend.FrontEnd
	a           *smt.Arena
	assumptions []smt.Term
	timeout     time.Duration // of the front end; 0: none
	end         time.Time     // when the time is over, if there is a timeout
	soft        int           // constants that were declared for soft formulas
}

// candidate is a model that satisfies the problem, as the evaluator found.
type candidate struct {
	model *model.Model
	ev    *eval.Evaluator
}

// undecided is the error that a question could not be decided, with the reason.
type undecided struct{ reason string }

func (u *undecided) Error() string { return u.reason }

// newSearch begins a search.
func newSearch(ctx context.Context, s *frontend.FrontEnd, assumptions []smt.Term) *search {
	x := &search{ctx: ctx, s: s, a: s.Arena(), assumptions: assumptions, timeout: s.Timeout()}
	if x.timeout > 0 {
		x.end = time.Now().Add(x.timeout)
	}
	return x
}

// check asks the front end, within the remaining time.
func (x *search) check(assumptions []smt.Term) (frontend.Result, error) {
	if x.timeout > 0 {
		left := time.Until(x.end)
		if left <= 0 {
			return frontend.Result{Answer: smtlib.Unknown, Reason: timeIsOver}, nil
		}
		x.s.SetTimeout(left)
		defer x.s.SetTimeout(x.timeout)
	}
	r, err := x.s.Check(x.ctx, assumptions...)
	if r.Answer == smtlib.Unknown && x.timeout > 0 && time.Until(x.end) <= 0 {
		r.Reason = timeIsOver // solvers may word the reason differently
	}
	return r, err
}

// timeIsOver is the word that solvers use for this reason.
const timeIsOver = "timeout"

// tell makes commands without a reply.
func (x *search) tell(commands ...smtlib.Command) error {
	for i := range commands {
		if err := x.s.Do(&commands[i]); err != nil {
			return err
		}
	}
	return nil
}

// level calls a function in a level of its own, which is then popped with all its declarations, even if the client has
// made declarations global.
func (x *search) level(perform func() error) error {
	keeps := x.s.Stack().KeepsDeclarations()
	if err := x.tell(globalDeclarations(false), smtlib.Command{Kind: smtlib.CmdPush, N: 1}); err != nil {
		return err
	}
	return errors.Join(perform(), x.tell(smtlib.Command{Kind: smtlib.CmdPop, N: 1}, globalDeclarations(keeps)))
}

// globalDeclarations returns the command that sets whether declarations outlive their level. It is not sent to solvers.
func globalDeclarations(on bool) smtlib.Command {
	return smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":global-declarations", Text: strconv.FormatBool(on)}
}

// ask returns a model of the problem in which the formulas also hold; nil if there is none. The error is of type
// undecided if no solver can tell.
func (x *search) ask(formulas ...smt.Term) (c *candidate, err error) {
	err = x.level(func() error {
		for _, f := range formulas {
			if err := x.tell(smtlib.AssertCommand(f)); err != nil {
				return err
			}
		}
		r, err := x.check(nil)
		if err != nil {
			return err
		}
		c, err = x.takeAnswer(r)
		return err
	})
	return c, err
}

// takeAnswer returns the model behind an answer that was just given; nil if it is unsat.
func (x *search) takeAnswer(r frontend.Result) (*candidate, error) {
	switch r.Answer {
	case smtlib.Unsat:
		return nil, nil
	case smtlib.Sat:
		m, err := x.s.CheckedModel(x.ctx)
		if err != nil {
			if x.ctx.Err() != nil {
				return nil, x.ctx.Err()
			}
			return nil, &undecided{err.Error()}
		}
		return x.candidateOf(m), nil
	}
	return nil, &undecided{r.Reason}
}

// candidateOf returns a candidate with a model that is known to satisfy the problem.
func (x *search) candidateOf(m *model.Model) *candidate {
	c := &candidate{m, eval.New(x.a, m)}
	c.ev.SetCompletion(true)
	return c
}

// number returns the value of a term in a candidate.
func (x *search) number(c *candidate, t smt.Term) (*big.Rat, error) {
	v := c.ev.Value(t)
	if r := numberOf(v); r != nil {
		return r, nil
	}
	why := "it is no rational number"
	if err := v.Err(); err != nil {
		why = err.Error()
	}
	return nil, &undecided{fmt.Sprintf("the value of %s in a model is not known: %s", x.a.Brief(t), why)}
}

// numberOf returns the number that an Int, a Real or a bit vector is; nil if the value is none.
func numberOf(v value.Value) *big.Rat {
	if r, ok := v.Rat(); ok {
		return r
	}
	if n, ok := v.Int(); ok {
		return new(big.Rat).SetInt(n)
	}
	if n, ok := v.BV(); ok {
		return new(big.Rat).SetInt(n)
	}
	return nil
}

// moved returns the candidate shifted by factor times the direction by; nil unless the evaluator finds the result to be
// a model.
func (x *search) moved(c *candidate, symbols []smt.Symbol, by []*big.Rat, factor *big.Rat) *candidate {
	m := c.model.Clone()
	for i, f := range symbols {
		if by[i].Sign() == 0 {
			continue
		}
		r := numberOf(c.ev.Value(x.a.Const(f)))
		if r == nil {
			return nil
		}
		r = new(big.Rat).Add(r, new(big.Rat).Mul(by[i], factor))
		switch {
		case x.a.SymbolInfo(f).Result == smt.SortReal:
			m.Set(f, value.Real(r))
		case r.IsInt():
			m.Set(f, value.Int(new(big.Int).Set(r.Num())))
		default:
			return nil
		}
	}
	out := x.candidateOf(m)
	if eval.CheckTerms(out.ev, x.s.Stack().Assertions()).Result != value.True {
		return nil
	}
	return out
}

// constant returns the term of a number of the sort of a term.
func (x *search) constant(r *big.Rat, of smt.Term) smt.Term {
	switch x.a.SortKind(x.a.Sort(of)) {
	case smt.KindInt:
		return x.a.IntVal(r.Num())
	case smt.KindReal:
		return x.a.RealVal(r)
	}
	return x.a.BV(x.a.Width(x.a.Sort(of)), r.Num())
}

// compared returns a formula which says that a term is at least a score, or more than it; with sign -1, that it is at
// most the negated score, or less.
func (x *search) compared(t smt.Term, sign int, score *big.Rat, strict bool) smt.Term {
	ops := [4]smt.Op{smt.OpGe, smt.OpGt, smt.OpLe, smt.OpLt}
	if x.a.SortKind(x.a.Sort(t)) == smt.KindBitVec {
		ops = [4]smt.Op{smt.OpBVUge, smt.OpBVUgt, smt.OpBVUle, smt.OpBVUlt}
	}
	i := 0
	if sign < 0 {
		i, score = 2, new(big.Rat).Neg(score)
	}
	if strict {
		i++
	}
	return x.a.MustApp(ops[i], t, x.constant(score, t))
}
