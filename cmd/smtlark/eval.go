package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
)

func init() {
	command.Register("eval", newEval)
}

const evalAbout = `Evaluates the assertions of FILE, exactly and without a solver, and prints true, false or unknown with the reason for each
of them. The model is a solver's reply to get-model or get-value (of z3, cvc5, cvc4, bitwuzla or boolector); without a model, only
terms without declared symbols have a value. For a false assertion it also prints the values of its subterms.

With --term the values of terms are printed instead; they are read with the names that FILE declares.

Exit codes: 0 all assertions are true, or all terms have a value; 10 one is false or unknown; 65 FILE, the model or a term cannot
be read, or FILE asserts nothing.`

type evalOptions struct {
	model    string
	terms    []string
	complete bool
	quiet    bool
	budget   int64
}

func newEval(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "eval FILE [flags]",
		Short:   "evaluate the assertions of an SMT-LIB file, or terms, under a model",
		Long:    evalAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	o := &evalOptions{}
	fs.StringVarP(&o.model, "model", "m", "", "`file` with a model, - for the standard input")
	fs.StringArrayVarP(&o.terms, "term", "t", nil, "`term` to evaluate; may be repeated")
	fs.BoolVar(&o.complete, "complete", false, "use zero, false or similar values for symbols that the model does not interpret")
	fs.Int64Var(&o.budget, "budget", eval.FileSteps, "`steps` that all assertions, or all terms, may take together, about 2 million a second; what needs more is unknown")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "print only assertions that are not true")
	command.Does(c, func(_ context.Context) int {
		if fs.NArg() != 1 {
			return e.UsageError("eval", "want one file, got %d arguments", fs.NArg())
		}
		if o.budget <= 0 {
			return e.UsageError("eval", "want a --budget above 0, got %d", o.budget)
		}
		script, err := command.ReadProblem(fs.Arg(0))
		if err != nil {
			return e.Fail(command.ExitScript, "eval", err)
		}
		model := model.New(script.Arena)
		if o.model != "" {
			if model, err = readModel(e, script, o.model); err != nil {
				return e.Fail(command.ExitScript, "eval", err)
			}
		}
		ev := eval.New(script.Arena, model)
		ev.SetCompletion(o.complete)
		if o.budget > eval.FileSteps { // who waits longer wants more tried, too
			ev.Limits.Instances *= uint64(o.budget / eval.FileSteps)
		}
		ev.Limits.Steps, ev.Limits.All, ev.Limits.Words = o.budget, eval.NewAllowance(o.budget), wordsOfFile
		if len(o.terms) > 0 {
			return o.values(e, script, ev)
		}
		if len(script.Asserts()) == 0 {
			return e.Fail(command.ExitScript, "eval", fmt.Errorf("%s: there is nothing to evaluate: no assertion; --term evaluates terms", fs.Arg(0)))
		}
		return o.asserts(e, script, ev)
	})
	return c
}

func readModel(e *command.Env, script *smtlib.Script, file string) (*model.Model, error) {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(e.Stdin)
	} else {
		text, err = system.ReadInput(file)
	}
	if err != nil {
		return nil, err
	}
	m, err := smtml.ReadModel(script, string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// values prints the value of each term on a line.
func (o *evalOptions) values(e *command.Env, script *smtlib.Script, ev *eval.Evaluator) int {
	code := command.ExitOK
	changes := meaning.OfScript(script)
	for _, text := range o.terms {
		t, err := smtlib.ParseTerm(script.Arena, script, text)
		if err != nil {
			return e.Fail(command.ExitScript, "eval", err)
		}
		v, err := ev.Eval(t)
		if why := changes.Why(script.Arena, []smt.Term{t}); why != "" && err == nil {
			err = errors.New(why)
		}
		if err != nil {
			fmt.Fprintf(e.Stdout, "unknown: %s\n", display.Text(err.Error()))
			code = command.ExitFindings
			continue
		}
		fmt.Fprintln(e.Stdout, v.Text(script.Arena))
	}
	return code
}

// wordsOfFile bounds the memory of all large values of one file, in units of 8 bytes.
const wordsOfFile = 1 << 23

// maxValueShown bounds the text of a subterm's value, in bytes. --term prints values whole.
const maxValueShown = 1000

// asserts prints the truth of each assertion.
func (o *evalOptions) asserts(e *command.Env, script *smtlib.Script, ev *eval.Evaluator) int {
	code := command.ExitOK
	changes := meaning.OfScript(script)
	for i, t := range script.Asserts() {
		if why := changes.Why(script.Arena, []smt.Term{t}); why != "" {
			code = command.ExitFindings
			fmt.Fprintf(e.Stdout, "assertion %d: unknown: %s\n  %s\n", i+1, display.Line(script.Arena.Brief(t)), display.Text(why))
			continue
		}
		v := eval.CheckTerms(ev, []smt.Term{t})
		if v.Result == value.True && !v.Completed {
			if !o.quiet {
				fmt.Fprintf(e.Stdout, "assertion %d: true: %s\n", i+1, display.Line(script.Arena.Brief(t)))
			}
			continue
		}
		code = command.ExitFindings
		result := v.Result
		if v.Completed {
			result = value.Unknown
		}
		fmt.Fprintf(e.Stdout, "assertion %d: %v: %s\n  %s\n", i+1, result, display.Line(script.Arena.Brief(t)), display.Text(v.Reason))
		for _, x := range v.Values {
			fmt.Fprintf(e.Stdout, "  %s = %s\n", display.Line(script.Arena.Brief(x.Term)), display.Text(display.Cut(x.Value.Text(script.Arena), maxValueShown)))
		}
	}
	return code
}
