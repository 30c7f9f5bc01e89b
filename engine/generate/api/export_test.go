package api

import "github.com/smtlark/smtlark/solvers"

// The library as loaded by packages above this one; the external test package sets these functions.
var (
	// StandardMachine is the machine of SMT-LIB.
	StandardMachine func() (*Machine, error)
	// SolverActions are the actions that the profile of a kind of solver declares.
	SolverActions func(kind string) ([]solvers.Action, error)
)

// standard returns a copy of the machine of the library.
func standard() *Machine {
	m, err := StandardMachine()
	if err != nil {
		panic(err)
	}
	return m.Clone()
}

// standardFor returns the machine with the actions of a kind of solver.
func standardFor(kind string) *Machine {
	actions, err := SolverActions(kind)
	if err != nil {
		panic(err)
	}
	return standard().With(actions)
}
