package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/engine/generate/api/murxla"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/tracetext"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
)

// SolverFlag defines --solver, which takes one solver or, as "may be repeated" in more says, several.
func SolverFlag[T string | []string](fs *pflag.FlagSet, p *T, value T, more string) {
	help := "a solver, by `name`: " + catalogue.NameForms
	if more != "" {
		help += "; " + more
	}
	switch p := any(p).(type) {
	case *string:
		fs.StringVar(p, "solver", any(value).(string), help)
	case *[]string:
		fs.StringArrayVar(p, "solver", any(value).([]string), help)
	}
}

// SolverName reads the name of a solver: a kind, a version, a path, a mode, arguments.
func SolverName(text string) (n catalogue.Name, err error) {
	if n, err = catalogue.ParseName(text); err == nil {
		n, err = script.Supply().Resolve(n)
	}
	if err == nil {
		n, err = n.Absolute()
	}
	return n, err
}

// SolverOfFlag reads a value of --solver, which its errors name.
func SolverOfFlag(text string) (catalogue.Name, error) {
	n, err := SolverName(text)
	if err != nil {
		err = fmt.Errorf("--solver %w", err)
	}
	return n, err
}

// SolverExpr returns the expression of a campaign file for a value of --solver. A path that the user typed is trusted.
func SolverExpr(text string) (string, error) {
	n, err := SolverOfFlag(text)
	if err != nil {
		return "", err
	}
	out := "solver(" + syntax.Quote(n.Solver, false)
	if n.IsLibrary() {
		n.Mode = solvers.Native
	}
	if n.Path != "" {
		if err := trust.ForNow(n.Path); err != nil {
			return "", err
		}
		out += ", path = " + syntax.Quote(n.Path, false)
	}
	if n.Mode != "" {
		out += ", mode = " + syntax.Quote(string(n.Mode), false)
	}
	if len(n.Args) > 0 {
		var args []string
		for _, arg := range n.Args {
			args = append(args, syntax.Quote(arg, false))
		}
		out += ", args = [" + strings.Join(args, ", ") + "]"
	}
	return out + ")", nil
}

// TargetNamed makes a target of a value of --solver, as TargetOf does.
func TargetNamed(ctx context.Context, text string, library, stepwise bool, lim solvers.Limits) (solvers.Target, error) {
	n, err := SolverOfFlag(text)
	if err != nil {
		return nil, err
	}
	return TargetOf(ctx, n, library, stepwise, lim)
}

// TargetOf makes a target from a name. It uses the C library if the caller or the name asks for it. A program is used
// step by step if it supports this and no mode is given.
func TargetOf(ctx context.Context, n catalogue.Name, library, stepwise bool, lim solvers.Limits) (solvers.Target, error) {
	text := n.String()
	if library {
		if len(n.Args) > 0 {
			return nil, fmt.Errorf("--solver %s: the C library is asked for, which takes no arguments", text)
		}
		if n.Mode != "" && n.Mode != solvers.Native {
			return nil, fmt.Errorf("--solver %s: the C library is asked for, whose mode is native", text)
		}
		n.Mode = solvers.Native
	}
	found, err := script.Supply().Named(ctx, n)
	if err != nil {
		return nil, err
	}
	for _, arg := range n.Args {
		if found.Profile.HoldsBackArgument(arg) != "" {
			return nil, fmt.Errorf("--solver %s: the argument %q names a file or makes %s write one, and solvers do not write files of yours; --unsafe-solver lets them (docs/trust.md)", text, arg, found.Name)
		}
	}
	if in := found.Profile.ConfigurationOf(n.Args, nil); in != nil {
		if found, err = found.Configured(in); err != nil {
			return nil, err
		}
	}
	switch {
	case found.Library != "" && len(n.Args) > 0:
		return nil, fmt.Errorf("--solver %s: %s is a C library, which takes no arguments", text, found.Name)
	case found.Library != "":
		return native.New(found, process.TargetOptions{Limits: lim}), nil
	case n.Mode == "" && stepwise && slices.Contains(found.Modes(), solvers.Incremental):
		n.Mode = solvers.Incremental
	case n.Mode == "":
		n.Mode = solvers.Fresh
	}
	return process.New(found, process.TargetOptions{Mode: n.Mode, Args: n.Args, Limits: lim}), nil
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
