package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend/enumerate"
)

func init() {
	command.Register(command.Verb{Name: "enumerate", Summary: "all values that terms can have, or a minimal unsatisfiable core", Group: command.GroupOther, Run: runEnumerate})
}

const enumerateAbout = `Has a solver tell, by as many questions as it takes, all values that the terms of --term have together in models of what FILE asserts
at its last check-sat; or with --core those of its assertions that have no model together and of which none can be left out. Any
solver that takes push, pop and assumptions will do: it is asked again without the values that it gave, or without the assertions
that it did not need, one after the other.

Exit codes: 0 all values are printed, or a minimal core; 10 there are more values than --limit, there is no core since the assertions have a model, or
it may not be minimal; 64 wrong flags, 65 FILE or a term cannot be read, 69 the solver is missing, or does not decide.`

func runEnumerate(ctx context.Context, e *command.Env, args []string) int {
	fs := pflag.NewFlagSet("enumerate", pflag.ContinueOnError)
	terms := fs.StringArrayP("term", "t", nil, "`term` whose values are wanted, of the constants that FILE declares; may be repeated")
	core := fs.Bool("core", false, "print a minimal unsatisfiable core")
	limit := fs.Int("limit", 1000, "how many values at most; 0 for all there are")
	solver := fs.String("solver", "z3", "`name` of the solver, such as cvc5, z3-4.13.3 or a path as z3=/path")
	var timeout time.Duration
	command.DurationFlag(fs, &timeout, "timeout", time.Minute, "`time` limit of all questions together")
	command.UnsafeFlag(fs)
	if code, done := e.Parse(fs, "enumerate FILE (--term TERM... | --core) [flags]", enumerateAbout, args); done {
		return code
	}
	switch {
	case fs.NArg() != 1:
		return e.UsageError("enumerate", "want one file, got %d arguments", fs.NArg())
	case *core == (len(*terms) > 0):
		return e.UsageError("enumerate", "want terms by --term, or --core")
	case *limit < 0 || timeout <= 0:
		return e.UsageError("enumerate", "limits are positive")
	}
	script, err := readSMT(fs.Arg(0))
	if err != nil {
		return e.Fail(command.ExitScript, "enumerate", err)
	}
	var wanted []smt.Term
	for _, text := range *terms {
		t, err := smtlib.ParseTerm(script.Arena, script, text)
		if err != nil {
			return e.Fail(command.ExitScript, "enumerate", err)
		}
		wanted = append(wanted, t)
	}
	target, err := command.TargetNamed(ctx, *solver, false, true, solvers.Limits{Wall: timeout})
	if err != nil {
		return e.Fail(command.ExitSolver, "enumerate", err)
	}
	defer target.Close()
	s, err := enumerate.Open(ctx, target, script)
	if err != nil {
		return e.Fail(command.ExitSolver, "enumerate", err)
	}
	defer s.Close()
	code := command.ExitOK
	if *core {
		code, err = printCore(e, s, script)
	} else {
		code, err = printModels(e, s, script, wanted, *limit)
	}
	if err != nil {
		return e.Fail(command.ExitSolver, "enumerate", err)
	}
	return code
}

// printModels prints the values of terms as solvers reply to get-value.
func printModels(e *command.Env, s solvers.Session, script *smtlib.Script, terms []smt.Term, limit int) (int, error) {
	for _, t := range script.Asserts() {
		if err := s.Assert(t); err != nil {
			return 0, err
		}
	}
	n := 0
	complete, err := enumerate.Models(s, script, terms, limit, func(values []value.TermValue) error {
		n++
		line := "("
		for i, x := range values {
			if i > 0 {
				line += " "
			}
			line += "(" + smtlib.TermText(script.Arena, x.Term) + " " + x.Value.Text(script.Arena) + ")"
		}
		_, err := fmt.Fprintln(e.Stdout, line+")")
		return err
	})
	if err != nil {
		return 0, err
	}
	if !complete {
		fmt.Fprintf(e.Stdout, "; %d, and there may be more\n", n)
		return command.ExitFindings, nil
	}
	fmt.Fprintf(e.Stdout, "; %d, which are all\n", n)
	return command.ExitOK, nil
}

// printCore prints the assertions of a core.
func printCore(e *command.Env, s solvers.Session, script *smtlib.Script) (int, error) {
	asserts := script.Asserts()
	core, minimal, err := enumerate.Core(s, asserts)
	if err != nil {
		return 0, err
	}
	if core == nil {
		fmt.Fprintf(e.Stdout, "; the %d assertions have a model\n", len(asserts))
		return command.ExitFindings, nil
	}
	for _, t := range core {
		fmt.Fprintf(e.Stdout, "(assert %s)\n", smtlib.TermText(script.Arena, t))
	}
	if !minimal {
		fmt.Fprintf(e.Stdout, "; %d of %d assertions; the solver did not decide whether each is needed\n", len(core), len(asserts))
		return command.ExitFindings, nil
	}
	fmt.Fprintf(e.Stdout, "; %d of %d assertions, none of which can be left out\n", len(core), len(asserts))
	return command.ExitOK, nil
}
