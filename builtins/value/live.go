package value

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/solvers"
)

// LivePlayer is a technique whose cases hold actions of the campaign file, which are played on a live solver.
type LivePlayer interface {
	starlark.Callable
	// Live reports whether there are such actions.
	Live() bool
	// Play plays one. call calls a function of the file. An error is a *solvers.ExpectationError, that of the session, or
	// one of the file.
	Play(call func(fn starlark.Callable, args starlark.Tuple) (starlark.Value, error), s solvers.Session, c *solvers.Call) error
}
