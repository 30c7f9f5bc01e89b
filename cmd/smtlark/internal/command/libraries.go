package command

import (
	"context"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
)

// InstalledLibraries returns the C libraries found, each with the results of two tiny questions.
func InstalledLibraries(ctx context.Context, supply *catalogue.Catalogue) ([]*solvers.Solver, error) {
	profiles, err := supply.Profiles()
	if err != nil {
		return nil, err
	}
	found := supply.Libraries(ctx, profiles...)
	native.Preflight(ctx, found)
	return found, nil
}
