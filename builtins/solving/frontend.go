package solving

import (
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// frontendBuiltin is solver.frontend.
var frontendBuiltin = registry.Builtin{
	Name: "frontend",
	Doc:  "Several solvers behind one front end, as in smtlark solve: the first one runs, then the next one if the first has no answer, or all of them race. Crashed solvers are restarted. Use it in oracles and mutators, or as a target: a contradiction between its solvers is a finding that names one of them; a fault of the front end itself is a finding, too.",
	Ret:  "solver", Needs: "z3",
	Example: "fe = solver.frontend([solver(\"z3\", name = \"a\")], timeout = \"10s\")\nfe.name  # -> \"frontend(a)\"\nfe.check(\"(declare-const x Int)(push 1)(assert (> x x))(check-sat)\")  # -> \"unsat\"\n" +
		"\"p\" in fe.run(\"(declare-const p Bool)(assert p)(check-sat)\", model = True).model.text  # -> True\nsolver.frontend([])  # error: no solver",
	Do: registry.Into(newFrontend),
}

// frontendArgs are the arguments of solver.frontend.
type frontendArgs struct {
	Solvers   []*SolverValue `doc:"one or more, each called in mode incremental or native"`
	_         registry.KeywordOnly
	Portfolio bool           `default:"False" doc:"let the solvers race, and take the first answer"`
	Check     bool           `default:"False" doc:"return only confirmed answers: the model of sat is evaluated, and unsat needs a second solver that says unsat"`
	Tell      string         `type:"\"incremental\" | \"batch\" | \"cached\"" default:"\"incremental\"" doc:"how solvers get the problem: the changes since the last query; or the whole problem without levels; or parts that share no symbol, each asked only once up to names and order, with the answers of up to 100 queries kept in memory"`
	Timeout   *time.Duration `default:"None" doc:"wall time limit of one check-sat; after it the answer is unknown"`
	nameArgs
}

func newFrontend(c *registry.Call, a *frontendArgs) (starlark.Value, error) {
	if err := checkMembers(c, &a.Solvers); err != nil {
		return nil, err
	}
	o := frontend.Options{Mode: frontend.Mode(a.Tell), Portfolio: a.Portfolio, Check: a.Check}
	if a.Timeout != nil {
		o.Timeout = *a.Timeout
	}
	return &SolverValue{Solver: target.NewFrontend(a.Name, Engines(a.Solvers), o)}, nil
}

// checkMembers returns an error if solvers cannot be told from one another by their names, or there is none.
func checkMembers(c *registry.Call, list *[]*SolverValue) error {
	seen := map[string]bool{}
	for _, s := range *list {
		if seen[s.Name()] {
			return c.Errorf(list, "two solvers are named %q: give them names of their own", s.Name())
		}
		seen[s.Name()] = true
	}
	if len(*list) == 0 {
		return c.Errorf(list, "there is no solver in the list")
	}
	return nil
}
