package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/api/murxla"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/tracetext"
	script "github.com/smtlark/smtlark/starlark"
)

// SolverExpr writes the expression for NAME or NAME:MODE.
func SolverExpr(s string) (string, error) {
	name, mode, ok := strings.Cut(s, ":")
	if name == "" {
		return "", fmt.Errorf("--solver %q: want NAME or NAME:MODE", s)
	}
	if !ok {
		return fmt.Sprintf("solver(%q)", name), nil
	}
	if _, known := solvers.ParseMode(mode); !known {
		return "", fmt.Errorf("--solver %s: %q is no mode; want fresh, reset, incremental or native", s, mode)
	}
	return fmt.Sprintf("solver(%q, mode = %q)", name, mode), nil
}

// FindSolver finds NAME, NAME:MODE or NAME=PATH.
func FindSolver(supply *catalogue.Catalogue, text string) (*solvers.Solver, solvers.Mode, error) {
	mode := solvers.Fresh
	name, path, atPath := strings.Cut(text, "=")
	if !atPath {
		if n, m, ok := strings.Cut(text, ":"); ok {
			name = n
			if mode, ok = solvers.ParseMode(m); !ok {
				return nil, "", fmt.Errorf("--solver %s: %q is no mode of a solver; want fresh, reset, incremental or native", text, m)
			}
		}
		s, err := supply.Find(name, "")
		return s, mode, err
	}
	ps, err := supply.Profiles()
	if err != nil {
		return nil, "", err
	}
	for _, p := range ps {
		if p.Name == name {
			s, err := supply.At(p, path, "")
			return s, mode, err
		}
	}
	return nil, "", fmt.Errorf("--solver %s: no kind of solver is named %q", text, name)
}

// TargetNamed makes a target of NAME, NAME:MODE or NAME=PATH: of the C library if it shall or the mode says so, and stepwise,
// where a program can be used so and no mode is given.
func TargetNamed(ctx context.Context, text string, library, stepwise bool, lim solvers.Limits) (solvers.Target, error) {
	name, path, atPath := strings.Cut(text, "=")
	bare, mode, _ := strings.Cut(name, ":")
	s, m, err := FindSolver(script.Supply(), text)
	if library || mode == string(solvers.Native) || err != nil && mode == "" && !atPath && catalogue.NamesLibrary(bare) {
		found, err := FindLibrary(ctx, script.Supply(), bare, path)
		if err != nil {
			return nil, err
		}
		return native.New(found, process.Options{Limits: lim}), nil
	}
	if err != nil {
		return nil, err
	}
	if stepwise && mode == "" && slices.Contains(s.Modes(), solvers.Incremental) {
		m = solvers.Incremental
	}
	return process.New(s, process.Options{Mode: m, Limits: lim}), nil
}

// FindLibrary finds the C library of a kind of solver, of a name such as z3-4.13.3, or at a path.
func FindLibrary(ctx context.Context, supply *catalogue.Catalogue, name, path string) (*solvers.Solver, error) {
	ps, err := supply.Profiles()
	if err != nil {
		return nil, err
	}
	for _, p := range ps {
		if p.Name != name {
			continue
		}
		if path != "" {
			return supply.LibraryAt(ctx, p, path, "")
		}
		return supply.FindLibrary(ctx, p, "")
	}
	return supply.LibraryNamed(ctx, name)
}

// ReadCalls reads a trace, ours or one of Murxla's, if the text is one.
func ReadCalls(name string, text []byte) (t *solvers.Trace, is bool, err error) {
	read := tracetext.Read
	if !tracetext.IsTrace(text) {
		if !murxla.IsTrace(text) {
			return nil, false, nil
		}
		read = murxla.Read
	}
	if t, err = read(text, nil); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return t, true, err
}
