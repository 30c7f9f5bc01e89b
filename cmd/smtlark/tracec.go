package main

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
	script "github.com/smtlark/smtlark/starlark"
)

// recordC plays a trace or a script on a library and returns the C program of the calls that this has made.
func recordC(ctx context.Context, text []byte, api, library string) (string, error) {
	found, err := script.Supply().Named(ctx, catalogue.Name{Solver: api, Path: library, Mode: solvers.Native})
	if err != nil {
		return "", err
	}
	if found.Unusable != "" {
		return "", fmt.Errorf("%s: %s", found.Name, found.Unusable)
	}
	return native.ProgramC(ctx, found, text, nil)
}
