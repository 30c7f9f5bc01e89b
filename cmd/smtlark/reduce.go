package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solver"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	register(verb{Name: "reduce", Summary: "make an SMT-LIB file smaller while solvers show the same bug", Group: groupCampaigns, Run: runReduce})
}

const reduceAbout = `Makes FILE smaller while the solvers still show what they show on it. What that is follows from what they do: a crash or
failed check keeps its class and message; a wrong answer (by --truth, or the file's :status) stays wrong; solvers that
disagree keep disagreeing; an invalid model stays invalid; otherwise the first solver's answers stay exactly the same.
--match keeps a pattern in the first solver's output instead, --slower a difference in CPU time.

A case known to be sat stays so: the model of --witness, or one that a solver finds, is evaluated on every candidate.

Each candidate runs in a new process. ^C ends early; the smallest file so far is written whatever happens.

Exit codes: 0 it is smaller, 10 it is not, 64 usage, 65 FILE cannot be read, 69 no usable solver, 74 writing failed.`

type reduceOptions struct {
	solvers []string
	out     string
	truth   string
	witness string
	match   string
	slower  float64
	budget  time.Duration
	tests   int
	passes  []string
	timeout time.Duration
	memory  int64
	quiet   bool

	pattern *regexp.Regexp
}

func reduceFlags() (*pflag.FlagSet, *reduceOptions) {
	o := &reduceOptions{}
	fs := pflag.NewFlagSet("reduce", pflag.ContinueOnError)
	fs.StringArrayVar(&o.solvers, "solver", nil, "`name` of a solver, such as z3, cvc5-1.3.2, z3:incremental or a path as z3=/path; may be repeated")
	fs.StringVarP(&o.out, "out", "o", "", "`file` to write; default: FILE with .min before its ending, - for the output")
	fs.StringVar(&o.truth, "truth", "", "the right `answer`, sat or unsat; default: the file's :status")
	fs.StringVar(&o.witness, "witness", "", "`file` with a model that shows that sat is right")
	fs.StringVar(&o.match, "match", "", "keep that the first solver's output matches this regular `expression`")
	fs.Float64Var(&o.slower, "slower", 0, "keep that the first solver takes this `factor` of the second one's CPU time")
	fs.DurationVar(&o.budget, "for", 0, "stop after this `time`")
	fs.IntVar(&o.tests, "tests", 0, "stop after `N` candidates")
	fs.StringSliceVar(&o.passes, "passes", nil, "`names` of passes, separated by commas; default: all")
	fs.DurationVar(&o.timeout, "timeout", 10*time.Second, "`time` limit of the first run; candidates get twice what it took")
	fs.Int64Var(&o.memory, "memory", 0, "memory limit of a run in `MiB`")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing but errors")
	return fs, o
}

// Validate checks the flags together.
func (o *reduceOptions) Validate() (err error) {
	switch {
	case len(o.solvers) == 0:
		return errors.New("which solver? give --solver NAME")
	case o.truth != "" && o.truth != "sat" && o.truth != "unsat":
		return fmt.Errorf("--truth %s: want sat or unsat", o.truth)
	case o.match != "" && o.slower != 0:
		return errors.New("--match and --slower exclude each other")
	case o.slower < 0 || o.budget < 0 || o.tests < 0 || o.timeout <= 0 || o.memory < 0:
		return errors.New("factors, times and limits are positive")
	case o.slower > 0 && len(o.solvers) != 2:
		return errors.New("--slower compares two solvers: give --solver twice, the slow one first")
	}
	for _, p := range o.passes {
		if !slices.Contains(reduce.PassNames(), p) {
			hint := ""
			if near := registry.Nearest(p, reduce.PassNames()); near != "" {
				hint = fmt.Sprintf(" (did you mean %s?)", near)
			}
			return fmt.Errorf("--passes %s: no pass has that name%s; there are %s", p, hint, strings.Join(reduce.PassNames(), ", "))
		}
	}
	if o.match != "" {
		if o.pattern, err = regexp.Compile(o.match); err != nil {
			return fmt.Errorf("--match: %w", err)
		}
	}
	return nil
}

func runReduce(ctx context.Context, e *env, args []string) int {
	fs, o := reduceFlags()
	if code, done := e.parse(fs, "reduce FILE --solver NAME [flags]", reduceAbout, args); done {
		return code
	}
	if fs.NArg() != 1 {
		return e.usageError("reduce", "want one file, got %d arguments", fs.NArg())
	}
	if err := o.Validate(); err != nil {
		return e.usageError("reduce", "%v", err)
	}
	file := fs.Arg(0)
	c, err := o.read(file)
	if err != nil {
		return e.fail(exitScript, "reduce", err)
	}
	found, targets, err := o.targets()
	if err != nil {
		return e.fail(exitSolver, "reduce", err)
	}
	defer func() {
		for _, t := range targets {
			_ = t.Close()
		}
	}()
	job := &reduction{e: e, o: o, c: c, found: found, targets: targets}
	return job.run(ctx, file)
}

// read parses the file and what is known about it.
func (o *reduceOptions) read(file string) (*testcase.Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := smtlib.Parse(file, text, smt.NewArena())
	if err != nil {
		return nil, err
	}
	c := &testcase.Case{Script: s, Expect: value.Statuses(s)}
	if o.truth != "" {
		truth, _ := smtlib.ParseAnswer(o.truth)
		c.Expect = make([]smtlib.Answer, s.CheckSats())
		for i := range c.Expect {
			c.Expect[i] = truth
		}
	}
	if o.witness != "" {
		model, err := os.ReadFile(o.witness)
		if err != nil {
			return nil, err
		}
		if c.Witness, err = eval.ParseModel(s, string(model)); err != nil {
			return nil, fmt.Errorf("%s: %w", o.witness, err)
		}
		if v := eval.CheckModel(s, c.Witness); v.Result == eval.False {
			return nil, fmt.Errorf("%s is no model of %s: %s", o.witness, file, v.String(s.Arena))
		}
	}
	return c, nil
}

// targets finds the solvers.
func (o *reduceOptions) targets() (found []*solvers.Solver, targets []solvers.Target, err error) {
	for _, text := range o.solvers {
		s, mode, err := findSolver(script.Supply(), text)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, s)
		lim := solvers.Limits{Wall: o.timeout, Memory: o.memory << 20}
		targets = append(targets, process.New(s, process.Options{Mode: mode, Limits: lim}))
	}
	return found, targets, nil
}

// findSolver finds NAME, NAME:MODE or NAME=PATH.
func findSolver(supply *solver.Supply, text string) (*solvers.Solver, solvers.Mode, error) {
	mode := solvers.Fresh
	name, path, atPath := strings.Cut(text, "=")
	if !atPath {
		if n, m, ok := strings.Cut(text, ":"); ok {
			name = n
			if mode, ok = solvers.ParseMode(m); !ok {
				return nil, "", fmt.Errorf("--solver %s: %q is no mode; want fresh, reset or incremental", text, m)
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

// reduction is one run of the verb.
type reduction struct {
	e       *env
	o       *reduceOptions
	c       *testcase.Case
	found   []*solvers.Solver
	targets []solvers.Target
}

func (r *reduction) say(format string, args ...any) {
	if !r.o.quiet {
		fmt.Fprintf(r.e.Stderr, format+"\n", args...)
	}
}

func (r *reduction) run(ctx context.Context, file string) int {
	first := reduce.Ask(ctx, r.targets, r.c, r.o.match == "" && r.o.slower == 0, solvers.Limits{})
	for i, run := range first {
		r.say("%s: %s", r.targets[i].Name(), oracle.Outcome(run))
		if run.Class == solvers.StartFailure {
			return r.e.fail(exitSolver, "reduce", fmt.Errorf("%s: %s", r.targets[i].Name(), run.Message))
		}
	}
	prop, truth, err := r.property(first)
	if err != nil {
		return r.e.usageError("reduce", "%v", err)
	}
	if !truth {
		r.c.Expect, r.c.Witness = nil, nil
	} else if slices.Contains(r.c.Expect, smtlib.Sat) && r.c.Witness == nil {
		r.findWitness(ctx)
	}
	pred := prop.Predicate(ctx, r.targets, reduce.Limits(first))
	if !pred(r.c) {
		return r.e.fail(exitFindings, "reduce", fmt.Errorf("not reproducible: a second run does not show it (%s)", prop.Name))
	}
	r.say("keeps: %s", prop.Name)
	work := ctx
	if r.o.budget > 0 {
		var cancel context.CancelFunc
		work, cancel = context.WithTimeout(ctx, r.o.budget)
		defer cancel()
	}
	pred = prop.Predicate(work, r.targets, reduce.Limits(first))
	begun := time.Now()
	res, err := reduce.Run(work, r.c, pred, reduce.Options{Passes: r.o.passes, Tests: r.o.tests, Progress: func(s reduce.Step) {
		r.say("%6.1fs %5d tests  weight %6d  %s", time.Since(begun).Seconds(), s.Tests, s.Weight, s.Pass)
	}})
	if err != nil {
		return r.e.fail(exitInternal, "reduce", err)
	}
	return r.finish(file, res, time.Since(begun))
}

// property finds out what there is to keep; truth tells whether the right answer is part of it.
func (r *reduction) property(first []*solvers.Run) (p reduce.Property, truth bool, err error) {
	switch {
	case r.o.pattern != nil:
		if p = reduce.Output(r.o.pattern); !p.Holds(r.c, first) {
			return p, false, errors.New("--match: the first solver's output does not match")
		}
		return p, r.o.truth != "", nil
	case r.o.slower > 0:
		if p = reduce.Slower(r.o.slower, 100*time.Millisecond); !p.Holds(r.c, first) {
			return p, false, fmt.Errorf("--slower: %s took %v, %s took %v", first[0].Target, first[0].CPU, first[1].Target, first[1].CPU)
		}
		return p, false, nil
	}
	for _, o := range []oracle.Oracle{oracle.Crash(), oracle.KnownAnswer(), oracle.Disagreement(), oracle.Model()} {
		for _, v := range o.Judge(r.c, first) {
			if v.Kind == oracle.KindKnownAnswer && v.Want == smtlib.Unsat && len(r.targets) == 1 {
				return p, false, errors.New("the wrong answer is sat: give a second --solver that says unsat, so that it can tell whether a smaller file still is")
			}
			if p = reduce.Verdict(o, v); !p.Holds(r.c, first) {
				return p, false, errors.New("the wrong answer is sat, and none of the solvers says unsat: nothing can tell whether a smaller file still is unsat")
			}
			return reduce.Verdict(o, v), v.Kind == oracle.KindKnownAnswer, nil
		}
	}
	return reduce.Outcome(first[0]), r.o.truth != "", nil
}

// findWitness asks the solvers for a model that holds by evaluation.
func (r *reduction) findWitness(ctx context.Context) {
	script := r.c.Script
	for _, run := range reduce.Ask(ctx, r.targets, r.c, true, solvers.Limits{}) {
		for _, text := range run.Values {
			m, err := eval.ParseModel(script, text)
			if err == nil && eval.CheckModel(script, m).Result == eval.True {
				r.c.Witness = m
				r.say("witness: the model of %s", run.Target)
				return
			}
		}
	}
	r.say("no witness is known: assertions are dropped, and not changed")
}

// finish writes the result.
func (r *reduction) finish(file string, res *reduce.Result, took time.Duration) int {
	before, after := r.c.Text(), res.Case.Text()
	st := res.Stats
	r.say("%d -> %d bytes, weight %d -> %d; %d tests in %.1f s, %d repeated, %d not sat any more",
		len(before), len(after), st.Before, st.After, st.Tests, took.Seconds(), st.Repeated, st.Untrue)
	if !st.Done {
		r.say("stopped early")
	}
	out := r.o.out
	if out == "" {
		out = strings.TrimSuffix(file, ".smt2") + ".min.smt2"
	}
	if out == "-" {
		fmt.Fprintf(r.e.Stdout, "%s", after)
	} else if err := os.WriteFile(out, after, 0o644); err != nil {
		return r.e.fail(exitDisk, "reduce", err)
	} else {
		r.say("%s", out)
	}
	if st.Kept == 0 {
		return exitFindings
	}
	return exitOK
}
