package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register(command.Verb{Name: "check", Summary: "let solvers solve an SMT-LIB file and check their models", Group: command.GroupCampaigns, Run: runCheck})
}

const checkAbout = `Runs each solver on FILE, asks for a model after each sat and evaluates the assertions under the model, exactly. A
model is valid, invalid (the false assertion is printed with the values of its subterms), or undecided with the reason.
If a solver says unsat, a short search for a model tries to show that it is wrong.

Exit codes: 0 nothing is wrong, 10 a model is invalid or an answer contradicts FILE's :status or a model, 65 FILE cannot be read, 69
a solver is missing or does not start.`

type checkOptions struct {
	solvers []string
	timeout time.Duration
	memory  int64
	search  int
}

func runCheck(ctx context.Context, e *command.Env, args []string) int {
	o := &checkOptions{}
	fs := pflag.NewFlagSet("check", pflag.ContinueOnError)
	command.SolverFlag(fs, &o.solvers, nil, "may be repeated; default: all that are installed")
	command.DurationFlag(fs, &o.timeout, "timeout", 10*time.Second, "`time` limit of a solver")
	fs.Int64Var(&o.memory, "memory", 0, "memory limit of a solver in `MiB`")
	fs.IntVar(&o.search, "search", 1000, "`steps` of the search for a model after unsat")
	command.UnsafeFlag(fs)
	if code, done := e.Parse(fs, "check FILE [flags]", checkAbout, args); done {
		return code
	}
	switch {
	case fs.NArg() != 1:
		return e.UsageError("check", "want one file, got %d arguments", fs.NArg())
	case o.timeout <= 0 || o.memory < 0 || o.search < 0:
		return e.UsageError("check", "times and limits are positive")
	}
	s, err := readSMT(fs.Arg(0))
	if err != nil {
		return e.Fail(command.ExitScript, "check", err)
	}
	if s.CheckSats() == 0 {
		s = s.WithCommands(append(s.Commands, smtlib.Command{Kind: smtlib.CmdCheckSat}))
	}
	if len(o.solvers) == 0 {
		if o.solvers = installedNames(); len(o.solvers) == 0 {
			return e.Fail(command.ExitSolver, "check", errors.New("no usable solver was found; smtlark solvers tells why, --solver KIND=PATH names a program"))
		}
	}
	code := command.ExitOK
	for _, name := range o.solvers {
		c, err := o.one(ctx, e, s, name)
		if err != nil {
			return e.Fail(command.ExitSolver, "check", err)
		}
		code = max(code, c)
	}
	return code
}

// installedNames lists the solvers of this machine that read files.
func installedNames() (names []string) {
	found, err := script.Supply().Installed()
	if err != nil {
		return nil
	}
	for _, s := range found {
		if slices.Contains(s.Modes(), solvers.Fresh) {
			names = append(names, s.Name)
		}
	}
	return names
}

// one runs a solver and prints what is to be said of each of its answers.
func (o *checkOptions) one(ctx context.Context, e *command.Env, s *smtlib.Script, name string) (int, error) {
	target, err := command.TargetNamed(ctx, name, false, false, solvers.Limits{Wall: o.timeout, Memory: o.memory << 20})
	if err != nil {
		return 0, err
	}
	defer func() { _ = target.Close() }()
	run := target.Run(ctx, solvers.FromScript(s).WithModel(), solvers.Limits{})
	if run.Class == solvers.StartFailure {
		return 0, errors.New(target.Name() + ": " + run.Message)
	}
	code, check, value := command.ExitOK, 0, 0
	for i := range s.Commands {
		c := &s.Commands[i]
		switch solvers.ReplyTo(c.Kind, c.Name) {
		case solvers.ValueReply:
			value++
			continue
		case solvers.NoReply:
			continue
		}
		answer, model := smtlib.None, ""
		if check < len(run.Answers) {
			answer = run.Answers[check]
		}
		if value < len(run.Values) {
			model = run.Values[value]
		}
		text, wrong := o.judge(s, check, answer, model, run.IsRounded(model))
		if answer == smtlib.None {
			text = fmt.Sprintf("no answer (%v) %s", run.Class, run.Message)
		}
		if wrong {
			code = command.ExitFindings
		}
		where := ""
		if s.CheckSats() > 1 {
			where = fmt.Sprintf(" check-sat %d:", check+1)
		}
		fmt.Fprintf(e.Stdout, "%s:%s %s\n", display.Line(target.Name()), where, display.Text(text))
		check++
		// WithModel has asked for a model behind this check.
		value++
	}
	return code, nil
}

// judge says what is to be said of one answer and its model, and whether something is wrong. A model with rounded numbers cannot be.
func (o *checkOptions) judge(s *smtlib.Script, check int, answer smtlib.Answer, model string, rounded bool) (text string, wrong bool) {
	text = answer.String()
	if status := s.Status(); check == s.CheckSats()-1 && status.Decided() && answer.Decided() && status != answer {
		text, wrong = text+fmt.Sprintf(", but :status is %v", status), true
	}
	asserts := s.AssertsAt(check)
	switch answer {
	case smtlib.Sat:
		m, err := modelreader.Parse(s, model)
		if err != nil {
			return text + "; " + err.Error(), wrong
		}
		v := eval.CheckTerms(eval.New(s.Arena, m), asserts)
		switch {
		case v.Result == value.False && rounded:
			return text + "; the model is undecided: the solver rounds irrational numbers to six places", wrong
		case v.Result == value.False:
			return text + "; the model is invalid: " + v.String(s.Arena), true
		case v.Result == value.Unknown:
			return text + "; the model is undecided: " + v.String(s.Arena), wrong
		case v.Completed:
			return text + "; the model is valid with default values for what it leaves open (" + v.Reason + ")", wrong
		}
		return text + "; the model is valid", wrong
	case smtlib.Unsat:
		if m, r := search.GuidedModel(scope.WithAsserts(s, asserts), rng.New(1), o.search); r == value.True {
			return text + ", but there is a model:\n" + m.Text(), true
		}
	}
	return text, wrong
}
