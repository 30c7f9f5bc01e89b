package api_test

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	api.StandardMachine = script.StandardMachine
	api.SolverActions = func(kind string) ([]solvers.Action, error) {
		profiles, err := script.Supply().Profiles()
		for _, p := range profiles {
			if p.Name == kind {
				return p.APIActions, nil
			}
		}
		return nil, fmt.Errorf("no profile %q: %w", kind, err)
	}
}
