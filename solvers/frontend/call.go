package frontend

import (
	"context"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Call implements solvers.Caller: a front end takes the same calls as its members. It ignores calls that only make
// terms, since terms are made where they are used.
func (s *FrontEnd) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	if c.Kind != solvers.CallCommand {
		return solvers.Reply{}, nil
	}
	return solvers.OneByOne(c, func(c *solvers.Call) (solvers.Reply, error) { return s.callCommand(ctx, &c.Command) })
}

func (s *FrontEnd) callCommand(ctx context.Context, c *smtlib.Command) (r solvers.Reply, err error) {
	switch c.Kind {
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming, smtlib.CmdCheckSatUsing:
		result, err := s.Check(ctx, c.Terms...)
		return solvers.Reply{Answer: result.Answer}, err
	case smtlib.CmdGetModel:
		r.Text, err = s.ModelText(ctx)
	case smtlib.CmdGetValue:
		values, err := s.Values(ctx, c.Terms)
		if err != nil {
			return r, err
		}
		return solvers.ReplyOfValues(s.Arena(), c.Terms, values), nil
	case smtlib.CmdGetUnsatCore:
		core, err := s.UnsatCore(ctx)
		if err != nil {
			return r, err
		}
		return solvers.ReplyOfTerms(s.Arena(), core), nil
	case smtlib.CmdGetUnsatAssumptions:
		needed, err := s.UnsatAssumptions(ctx)
		if err != nil {
			return r, err
		}
		return solvers.ReplyOfTerms(s.Arena(), needed), nil
	default:
		if solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply {
			r.Text, err = s.Ask(ctx, c)
			return r, err
		}
		if !solvers.SaysNothing(c) {
			err = s.Do(c)
		}
	}
	return r, err
}
