package enumerate

import (
	"context"
	"errors"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Open opens a session of a target that knows the settings and declarations of a script, and is prepared for Models and Core.
func Open(ctx context.Context, target solvers.Target, script *smtlib.Script) (solvers.Session, error) {
	opener, ok := target.(solvers.Opener)
	if !ok {
		return nil, errors.New(target.Name() + " cannot be asked again and again")
	}
	s, err := opener.Open(ctx, script.Arena, solvers.LimitsOf(target))
	if err != nil {
		return nil, err
	}
	if err := Prepare(s, script); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Prepare tells a session that was told nothing the settings and declarations of a script, and prepares it for Models and Core.
func Prepare(s solvers.Session, script *smtlib.Script) error {
	err := s.SetOption("produce-models", "true")
	if err == nil {
		_ = s.SetOption("produce-unsat-assumptions", "true") // not all have it, and all can do without
		if logic := script.Logic(); logic != "" {
			err = s.SetLogic(logic)
		}
	}
	for _, c := range script.Declarations() {
		if err == nil {
			err = solvers.Do(s, &c)
		}
	}
	return err
}
