package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// programNamed makes a target of a solver's program by its name, in mode incremental where it has that.
func programNamed(ctx context.Context, text string) (solvers.Target, error) {
	n, err := catalogue.ParseName(text)
	if err == nil {
		n, err = script.Supply().Resolve(n)
	}
	if err != nil {
		return nil, fmt.Errorf("--solver %w", err)
	}
	found, err := script.Supply().Named(ctx, n)
	if err != nil {
		return nil, err
	}
	if found.Library != "" {
		return nil, fmt.Errorf("--solver %s: it is a C library, and a program is wanted", text)
	}
	if n.Mode == "" {
		n.Mode = solvers.Fresh
		if slices.Contains(found.Modes(), solvers.Incremental) {
			n.Mode = solvers.Incremental
		}
	}
	const output = 1 << 30 // bytes: a limit that measured programs cannot reach
	limits := solvers.Limits{Wall: time.Hour, Output: output}
	return process.New(found, process.TargetOptions{Mode: n.Mode, Args: n.Args, Limits: limits}), nil
}
