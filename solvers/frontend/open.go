package frontend

import (
	"context"
	"errors"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Open opens a session of a target that knows the settings and declarations of a script, and is prepared for Models
// and Core.
func Open(ctx context.Context, target solvers.Target, script *smtlib.Script) (solvers.Session, error) {
	opener, ok := target.(solvers.Opener)
	if !ok {
		return nil, errors.New(target.Name() + " cannot be asked again and again")
	}
	s, err := opener.Open(ctx, script.Arena, solvers.LimitsOf(target))
	if err != nil {
		return nil, err
	}
	if err := Prepare(ctx, s, script); err != nil {
		_, closing := s.Close()
		return nil, errors.Join(err, closing)
	}
	return s, nil
}

// Prepare sends the settings and declarations of a script to a new session, and prepares the session for Models and
// Core.
func Prepare(ctx context.Context, s solvers.Caller, script *smtlib.Script) error {
	if err := solvers.SetOption(ctx, s, "produce-models", "true"); err != nil {
		return err
	}
	_ = solvers.SetOption(ctx, s, "produce-unsat-assumptions", "true") // optional: not all solvers have it
	if logic := script.Logic(); logic != "" {
		if err := solvers.Tell(ctx, s, smtlib.Command{Kind: smtlib.CmdSetLogic, Text: logic}); err != nil {
			return err
		}
	}
	return solvers.Tell(ctx, s, script.Declarations()...)
}
