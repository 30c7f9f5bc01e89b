package solving

import (
	"context"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers"
)

// Caller calls a function of a campaign file.
type Caller func(fn starlark.Callable, args starlark.Tuple) (starlark.Value, error)

// LivePlayer is a technique whose cases hold actions of the campaign file, which are played on a live solver.
type LivePlayer interface {
	starlark.Callable
	// Live returns the functions that run such actions, by the action's name.
	Live() map[string]starlark.Callable
	// Play plays one action. call calls a function of the campaign file. The error is a *solvers.ExpectationError, an
	// error of the session, or an error of the campaign file.
	Play(ctx context.Context, call Caller, s solvers.Session, c *solvers.Call) error
}

// Learner is a technique whose cases depend on what targets accept: the targets are asked before the first case.
type Learner interface{ LearnsFacts() }

// Claimer is a technique of API fuzzing that knows the operators and actions that it can make for targets. Their names
// are sorted.
type Claimer interface {
	Claims(targets []*target.Solver) (operators, actions []string, err error)
}
