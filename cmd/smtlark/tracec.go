package main

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/tracetext"
	script "github.com/smtlark/smtlark/starlark"
)

// recordC plays a trace on a library and returns the C program of the calls that this has made.
func recordC(ctx context.Context, t *solvers.Trace, api, library string) (string, error) {
	found, err := script.Supply().Named(ctx, catalogue.Name{Solver: api, Path: library, Mode: solvers.Native})
	if err != nil {
		return "", err
	}
	if found.Unusable != "" {
		return "", fmt.Errorf("%s: %s", found.Name, found.Unusable)
	}
	return native.ProgramC(ctx, found, tracetext.AppendTo(nil, t), nil)
}
