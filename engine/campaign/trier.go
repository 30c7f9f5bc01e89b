package campaign

import (
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Trier makes the targets that reduced cases are tried with.
type Trier interface {
	// Program returns the program of a target's solver; where the target calls a library, that of the same build, or else
	// of the same version. nil when there is none.
	Program(t solvers.Target) *solvers.Solver
	// Others returns the other builds of the same kind of solver on this machine, the newest first, and its debug builds.
	Others(t solvers.Target) (others, debug []*solvers.Solver)
	// Known returns all solvers that the campaign may use, those of its targets first. Another machine needs them to do
	// the same work.
	Known(targets []solvers.Target) []*solvers.Solver
	// Settings returns the arguments and options with which a target differs from its program alone.
	Settings(t solvers.Target) (args []string, options []rule.Setting)
	// Target returns a target of mode fresh of a solver with arguments and options, and nothing that its profile adds.
	Target(s *solvers.Solver, args []string, options []rule.Setting) (solvers.Target, error)
}
