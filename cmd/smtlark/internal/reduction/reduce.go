package reduction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	evalvalue "github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

func init() {
	command.Register("reduce", newReduce)
	command.RewriteArguments("reduce", refuseOthersFlags)
}

const reduceAbout = `Makes FILE smaller while the solvers still behave the same. What is kept depends on the first run: a crash or
failed check keeps its class and message; a wrong answer (by --truth, the file's :status, or a model that is found) stays wrong; solvers that
disagree keep disagreeing; an invalid model and a false reply (see oracle.claims) stay so; otherwise the first solver's answers stay exactly the same.
--match keeps a pattern in the first solver's output instead, --slower a difference in CPU time, and --property
a property that the function holds(case, runs) of a Starlark file tests.

A trace of an API campaign, or of Murxla, is reduced by calls; the result is a trace, too. --native calls the solvers' C
libraries.

With -- COMMAND in place of --solver, any program is run: it gets the name of a file with the candidate as its last
argument, and must keep its exit code and, unless flags say otherwise, its exact output. --cross-check runs a second one.

Commands that smtlark cannot read, such as those that are new in a solver, are kept as text: they lose elements of their lists, whatever these are.

A case known to be sat stays so: the model of --witness, or one that a solver finds, is evaluated on every candidate.

If the bug shows only with the text of FILE as it is written, and not as smtlark prints it (comments, spelling, repeated
terms), commands keep their text while that is necessary.

Candidates run -j at a time, and each accepted one has shown the bug in a new process: the result does not depend on -j.
The case is run --repeat times at first; if the bug does not always show, candidates are run more often. --for includes these
runs, which take at most half of it. The smallest file so far is always on disk: ^C, a kill
or the end of --for lose nothing.

Exit codes: 0 it is smaller, 10 it is not, 64 usage, 65 FILE cannot be read, 69 no usable solver, 74 writing failed.`

type reduceOptions struct {
	solvers   []string
	out       string
	truth     string
	witness   string
	match     string
	slower    float64
	property  string
	budget    time.Duration
	tests     int
	passes    []string
	passFiles []string
	jobs      int
	repeat    int
	timeout   time.Duration
	memory    int64
	quiet     bool

	native bool
	trace  bool  // the file is one
	unread error // why a command is kept as text; nil where all can be read
	commandOptions

	pattern *regexp.Regexp
}

// commandOptions are the options for a command that is used instead of a solver, and for a second command in addition
// to either.
type commandOptions struct {
	command      []string // given after --
	first, cross outputOptions
	crossCheck   string
	crossTimeout time.Duration
	ignoreOutput bool
}

func reduceFlags(fs *pflag.FlagSet) *reduceOptions {
	o := &reduceOptions{}
	command.SolverFlag(fs, &o.solvers, nil, "may be repeated")
	fs.StringVarP(&o.out, "out", "o", "", "`file` to write; default: FILE with .min before its ending, - for the output")
	fs.StringVar(&o.truth, "truth", "", "the right `answer`, sat or unsat; default: the file's :status")
	fs.StringVar(&o.witness, "witness", "", "`file` with a model that shows that sat is right, as --truth sat does")
	fs.StringVar(&o.match, "match", "", "keep that the first solver's output matches this regular `expression`")
	fs.Float64Var(&o.slower, "slower", 0, "keep that the first solver takes this `factor` of the second one's CPU time")
	fs.StringVar(&o.property, "property", "", "keep what the function holds(case, runs) of this Starlark `file` says")
	command.DurationFlag(fs, &o.budget, "for", 0, "stop after this `time`")
	fs.IntVar(&o.tests, "tests", 0, "stop after `N` candidates")
	fs.StringSliceVar(&o.passes, "passes", nil, "`names` of passes, separated by commas; default: all")
	fs.StringArrayVar(&o.passFiles, "pass-file", nil, "also run the passes that this Starlark `file` defines (reduce.new_pass); may be repeated")
	fs.IntVarP(&o.jobs, "jobs", "j", 0, "test `N` candidates at a time (default: with --solver, where a run takes 20 ms or more, one for each processor, at most 4; else 1)")
	fs.IntVar(&o.repeat, "repeat", 3, "run the case `N` times at first, to see whether the bug always shows")
	fs.Var(command.NewDuration(&o.timeout), "timeout", "`time` limit of the first run, such as 500ms; a plain number is seconds (default 10s)")
	fs.BoolVar(&o.native, "native", false, "call the solvers' C libraries instead of their programs")
	fs.Int64Var(&o.memory, "memory", 0, "memory limit of a run in `MiB`")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing but errors")
	o.outputFlags(fs)
	return o
}

// knownPasses returns an error for an unknown pass.
func (o *reduceOptions) knownPasses(custom []reduce.Custom) error {
	known := reduce.PassNames()
	for _, k := range custom {
		known = append(known, k.Name)
	}
	for _, p := range o.passes {
		if !slices.Contains(known, p) {
			hint := ""
			if near := spelling.Nearest(p, known); near != "" {
				hint = fmt.Sprintf(" (did you mean %s?)", near)
			}
			return fmt.Errorf("--passes %s: no pass has that name%s; there are %s", p, hint, strings.Join(known, ", "))
		}
	}
	return nil
}

// Validate checks the flags together.
func (o *reduceOptions) Validate() (err error) {
	switch {
	case len(o.solvers) == 0 && len(o.command) == 0:
		return errors.New("which solver? give --solver NAME, or a command after --")
	case len(o.solvers) > 0 && len(o.command) > 0:
		return errors.New("--solver and a command after -- exclude each other")
	case o.truth != "" && o.truth != "sat" && o.truth != "unsat":
		return fmt.Errorf("--truth %s: want sat or unsat", o.truth)
	case o.match != "" && o.slower != 0 || o.property != "" && (o.match != "" || o.slower != 0):
		return errors.New("--match, --slower and --property exclude each other")
	case o.slower < 0 || o.budget < 0 || o.tests < 0 || o.timeout <= 0 || o.memory < 0 || o.jobs < 0 || o.repeat <= 0:
		return errors.New("factors, times, numbers and limits are positive")
	case o.slower > 0 && o.targetCount() != 2:
		return errors.New("--slower compares two solvers: give --solver twice, the slow one first")
	case o.slower > 0 && o.jobs > 1:
		return errors.New("--slower measures time, which other jobs would disturb: leave -j out")
	}
	if len(o.passFiles) == 0 { // of those of files it is known when they are loaded
		if err := o.knownPasses(nil); err != nil {
			return err
		}
	}
	if o.match != "" {
		if o.pattern, err = property.Pattern(o.match); err != nil {
			return fmt.Errorf("--match: %w", err)
		}
	}
	return o.validateOutput()
}

func (o *reduceOptions) targetCount() int {
	n := len(o.solvers)
	if len(o.command) > 0 {
		n++
	}
	if o.crossCheck != "" {
		n++
	}
	return n
}

func newReduce(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "reduce FILE [OUT] {--solver NAME | -- COMMAND ARGS...} [flags]",
		Short:   "reduce an SMT-LIB file while solvers show the same bug",
		Long:    reduceAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	o := reduceFlags(fs)
	command.SafetyFlags(fs)
	command.ProfileFlag(fs)
	command.Choices(c, "truth", "sat", "unsat")
	command.Does(c, func(ctx context.Context) int {
		files := fs.Args()
		if at := fs.ArgsLenAtDash(); at >= 0 {
			files, o.command = files[:at], files[at:]
		}
		switch {
		case len(files) == 0 || len(files) > 2 && len(o.command) > 0:
			return e.UsageError("reduce", "want one file, and perhaps the file to write, got %d arguments", len(files))
		case len(files) > 2:
			return e.UsageError("reduce", "want one file, and perhaps the file to write, got %d arguments; a command comes after --", len(files))
		case len(files) == 2 && o.out != "":
			return e.UsageError("reduce", "the file to write is given twice: %s and --out %s", files[1], o.out)
		case len(files) == 2:
			o.out = files[1]
		}
		if err := o.Validate(); err != nil {
			return e.UsageError("reduce", "%v", err)
		}
		file := files[0]
		c, err := o.read(file)
		if err != nil {
			return e.Fail(command.ExitScript, "reduce", err)
		}
		if ending := map[bool]string{false: ".smt2", true: ".trace"}[o.trace]; o.out == "" {
			o.out = strings.TrimSuffix(file, ending) + ".min" + ending
		}
		job := &reduction{e: e, o: o, c: c}
		defer job.close()
		if o.unread != nil {
			job.say("what cannot be read is reduced as text: %v", o.unread)
		}
		work := ctx
		if o.budget > 0 {
			var cancel context.CancelFunc
			work, cancel = context.WithTimeout(ctx, o.budget)
			defer cancel()
		}
		if err := job.openSets(ctx, max(1, o.jobs)); err != nil {
			return e.Fail(command.ExitSolver, "reduce", err)
		}
		return job.run(ctx, work)
	})
	return c
}

// openSets makes sets of targets until there are n. A target serves one goroutine at a time, so each job has its own.
func (r *reduction) openSets(ctx context.Context, n int) error {
	for len(r.sets) < n {
		targets, err := r.o.targets(ctx)
		if err != nil {
			return err
		}
		r.sets = append(r.sets, targets)
	}
	return nil
}

const (
	// worthJobs is the least time of a first run for which candidates are tested several at a time by default.
	worthJobs = 20 * time.Millisecond
	// mostJobs bounds the default number of such jobs.
	mostJobs = 4
)

// defaultJobs returns the number of candidates to test at a time if the user does not say. Commands of the user may not
// work if several run at the same time, and measured times would be disturbed.
func (r *reduction) defaultJobs(prop property.Property, first []*solvers.Run) int {
	took := time.Duration(0)
	for _, run := range first {
		took += run.Wall
	}
	if len(r.o.command) > 0 || r.o.crossCheck != "" || prop.Timed || took < worthJobs {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), mostJobs)
}

// read parses the file, with its label and witness.
func (o *reduceOptions) read(file string) (*testcase.Case, error) {
	text, err := system.ReadInput(file)
	if err != nil {
		return nil, err
	}
	c, err := o.parse(file, text)
	if err != nil {
		return nil, err
	}
	s := c.Script
	if o.unread != nil && (o.truth != "" || o.witness != "") {
		return nil, fmt.Errorf("--truth and --witness need a file that can be read whole, as smaller cases are evaluated: %w", o.unread)
	}
	if o.truth != "" {
		truth, _ := smtlib.ParseAnswer(o.truth)
		c.Expect = make([]smtlib.Answer, s.CheckSats())
		for i := range c.Expect {
			c.Expect[i] = truth
		}
	}
	if o.witness != "" {
		model, err := system.ReadInput(o.witness)
		if err != nil {
			return nil, err
		}
		if c.Witness, err = modelreader.Parse(s, string(model)); err != nil {
			return nil, fmt.Errorf("%s: %w", o.witness, err)
		}
		if o.truth == "" {
			o.believeWitness(c, s)
		}
	}
	if c.Witness != nil {
		if v := checkWitness(c, s); v.Result == evalvalue.False {
			return nil, fmt.Errorf("%s is no model of %s: %s", cmp.Or(o.witness, "its witness"), file, v.String(s.Arena))
		}
	}
	return c, nil
}

// believeWitness assumes that sat is the right answer of each check-sat whose assertions the witness satisfies: a user
// who passes a model without --truth implies this.
func (o *reduceOptions) believeWitness(c *testcase.Case, s *smtlib.Script) {
	if len(c.Expect) == 0 {
		c.Expect = make([]smtlib.Answer, s.CheckSats())
	}
	for i := range c.Expect {
		if eval.CheckModel(scope.WithAsserts(s, s.AssertsAt(i)), c.Witness).Result == evalvalue.True {
			c.Expect[i], o.truth = smtlib.Sat, smtlib.Sat.String()
		}
	}
}

// parse reads a trace or a script.
func (o *reduceOptions) parse(file string, text []byte) (*testcase.Case, error) {
	t, is, err := command.ReadCalls(file, text)
	if o.trace = is; err != nil {
		return nil, err
	} else if is {
		return testcase.FromTrace(file, t), nil
	}
	s, err := smtlib.ParseOwned(file, text, smt.NewArena())
	if err != nil {
		unread := err
		if s, err = smtlib.ParseAnyway(file, text, smt.NewArena()); err != nil {
			return nil, unread
		}
		o.unread = unread
		return &testcase.Case{Script: s.AsWritten(text)}, nil // the right answers are unknown
	}
	return &testcase.Case{Script: s.AsWritten(text), Expect: s.Statuses()}, nil
}

// targets makes one set of targets.
func (o *reduceOptions) targets(ctx context.Context) (targets []solvers.Target, err error) {
	lim := solvers.Limits{Wall: o.timeout, Memory: o.memory << 20}
	if len(o.command) > 0 {
		t, err := commandTarget("command", o.command, lim)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	for _, text := range o.solvers {
		t, err := o.target(ctx, text, lim)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	if o.crossCheck != "" {
		t, err := o.crossTarget(lim)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// reduction is one run of the verb.
type reduction struct {
	e    *command.Env
	o    *reduceOptions
	c    *testcase.Case     // of a script, with the text that the file has
	sets [][]solvers.Target // one for each job

	asked []solvers.Target // those that oracles ask again

	begun  time.Time
	saved  time.Time
	mu     sync.Mutex
	failed error // to save, or of a script
}

// fail notes the first error of the search, which ends it.
func (r *reduction) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

func (r *reduction) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *reduction) close() {
	for _, set := range append(slices.Clone(r.sets), r.asked) {
		for _, t := range set {
			_ = t.Close()
		}
	}
}

func (r *reduction) say(format string, args ...any) {
	if !r.o.quiet {
		fmt.Fprintln(r.e.Stderr, display.Text(fmt.Sprintf(format, args...)))
	}
}

// run reduces the case; work ends when the time of --for is used up, ctx when the user interrupts.
func (r *reduction) run(ctx, work context.Context) int {
	custom, err := r.passesOf(ctx)
	if err != nil {
		return r.e.ScriptError(err)
	}
	if err := r.o.knownPasses(custom); err != nil {
		return r.e.UsageError("reduce", "%v", err)
	}
	targets := r.sets[0]
	first := property.Ask(work, targets, r.c, len(r.o.command) == 0 && r.o.match == "" && r.o.slower == 0, solvers.Limits{})
	if code, over := r.overBudget(ctx, work, "its first run"); over {
		return code
	}
	for i, run := range first {
		r.say("%s: %s", targets[i].Name(), r.describe(run))
		if run.Class == solvers.StartFailure {
			return r.e.Fail(command.ExitSolver, "reduce", fmt.Errorf("%s: %s", targets[i].Name(), run.Message))
		}
	}
	prop, truth, err := r.property(work, first)
	if err != nil {
		return r.e.UsageError("reduce", "%v", err)
	}
	if !truth {
		// The kept property does not depend on a known answer, so smaller cases may have any answer.
		r.c.Expect, r.c.Witness = nil, nil
	} else if slices.Contains(r.c.Expect, smtlib.Sat) && r.c.Witness == nil {
		if r.findWitness(work); r.c.Witness == nil {
			prop = r.otherTruth(first, prop)
		}
	}
	limit := property.Limit(first)
	if prop.Timed && slices.ContainsFunc(first, func(r *solvers.Run) bool { return r.Class == solvers.Timeout }) {
		limit = r.o.timeout
	}
	jobs := cmp.Or(r.o.jobs, r.defaultJobs(prop, first))
	if err := r.openSets(ctx, jobs); err != nil {
		return r.e.Fail(command.ExitSolver, "reduce", err)
	}
	runner := property.NewRunner(prop, r.sets, limit)
	shown, ran := r.start(work, runner, r.repeats(work, first))
	if r.failure() != nil {
		return r.e.Fail(command.ExitScript, "reduce", r.failure())
	}
	if shown == 0 {
		if code, over := r.overBudget(ctx, work, "a second run"); over {
			return code
		}
		return r.e.Fail(command.ExitFindings, "reduce", fmt.Errorf("not reproducible: %d more runs do not show it (%s)%s", ran, prop.Name, r.varying(work, first)))
	}
	fewer := ""
	if ran < r.o.repeat {
		fewer = fmt.Sprintf("; --for %v leaves no time for %d", r.o.budget, r.o.repeat)
	}
	r.say("keeps: %s (%s%s)", prop.Name, property.Flakiness(shown, ran, runner.Tries()), fewer)
	r.warnEmpty(work, runner)
	r.begun = time.Now()
	res, err := r.reduceCase(work, reduce.Options{
		Passes: r.o.passes, Custom: custom, Tests: r.o.tests, Asker: runner, Jobs: jobs, Progress: r.progress,
		Done: func() bool { return r.failure() != nil },
	})
	if err != nil {
		return r.e.Fail(command.ExitInternal, "reduce", err)
	}
	return r.finish(res)
}

// overBudget reports whether it is over before anything could be reduced, in which run of the file, and the exit code.
func (r *reduction) overBudget(ctx, work context.Context, during string) (code int, over bool) {
	switch {
	case ctx.Err() != nil:
		return r.e.Fail(command.ExitFindings, "reduce", errors.New("interrupted before it began")), true
	case work.Err() != nil:
		return r.e.Fail(command.ExitFindings, "reduce", fmt.Errorf("--for %v was over during %s, so nothing is reduced: the file takes long. Give a longer --for or a shorter --timeout (now %v)",
			r.o.budget, during, r.o.timeout)), true
	}
	return 0, false
}

// repeats returns how often to run the case to check that it always shows the kept property: at least once, but leaving
// half of the time for the candidates.
func (r *reduction) repeats(work context.Context, first []*solvers.Run) int {
	end, limited := work.Deadline()
	took := time.Duration(0)
	for _, run := range first {
		took += run.Wall
	}
	if !limited || took <= 0 {
		return r.o.repeat
	}
	spare := time.Until(end) - r.o.budget/2
	return max(1, min(r.o.repeat, int(spare/took)))
}

// start decides which text of the case to reduce: the one that smtlark prints or, if that does not show the kept
// property, the original one. It runs the text n times and returns how often it showed the property, and the number of
// runs.
func (r *reduction) start(work context.Context, runner *property.Runner, n int) (shown, ran int) {
	if r.o.trace {
		return runner.Measure(work, driver.Detach(r.c), n)
	}
	written := *r.c
	r.c.Script = r.c.Script.Reprinted()
	if shown, ran = runner.Measure(work, driver.Detach(r.c), n); shown > 0 || work.Err() != nil || r.failure() != nil {
		return shown, ran
	}
	r.c = &written
	if shown, ran = runner.Measure(work, driver.Detach(r.c), n); shown > 0 {
		r.say("%s triggers the bug as it is written, but not as smtlark prints it: commands keep their own text as long as that matters", r.c.Script.Name)
	}
	return shown, ran
}

// warnEmpty warns if even an empty file shows the property. Usually the command or function then does not check what
// the user meant.
func (r *reduction) warnEmpty(ctx context.Context, runner *property.Runner) {
	if r.o.trace {
		return
	}
	s, err := smtlib.Parse("empty", nil, smt.NewArena())
	if err != nil {
		return
	}
	if shown, _ := runner.Measure(ctx, driver.Detach(&testcase.Case{Script: s}), 1); shown > 0 {
		fmt.Fprintf(r.e.Stderr, "%s an empty file shows it, too: nothing of %s matters for it. Does the command succeed for the wrong reason?\n",
			command.Yellow("warning:"), r.c.Script.Name)
	}
}

// describe says how a run ended. A command need not answer as a solver does.
func (r *reduction) describe(run *solvers.Run) string {
	if len(r.o.command) == 0 || run.Class == solvers.StartFailure {
		return oracle.Outcome(run)
	}
	switch {
	case run.Class == solvers.Timeout:
		return "time limit"
	case run.Signal != "":
		return run.Signal
	}
	return fmt.Sprintf("exit code %d", run.ExitCode)
}

// progress reports a step and saves it to disk; large cases are saved only a few times a second.
func (r *reduction) progress(s reduce.Step) {
	r.say("%6.1fs %5d tests  weight %6d  %s", time.Since(r.begun).Seconds(), s.Tests, s.Weight, s.Pass)
	if r.o.out == "-" || s.Weight > 4096 && time.Since(r.saved) < 200*time.Millisecond {
		return
	}
	r.saved = time.Now()
	if err := save(r.o.out, r.o.text(s.Case)); err != nil {
		r.fail(err)
	}
}

// save writes a file atomically, so that the file is complete at any time.
func save(name string, text []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, text, 0o644) // such as /dev/stdout
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".smtlark-reduce-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once it has its name
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// property finds out which property to keep; truth says whether the right answer is part of it.
func (r *reduction) property(ctx context.Context, first []*solvers.Run) (p property.Property, truth bool, err error) {
	switch {
	case r.o.property != "":
		p, err = r.scripted(ctx)
		return p, r.o.truth != "", err
	case r.o.pattern != nil:
		if p = property.Output(0, r.o.pattern, property.Streams{Stdout: true, Stderr: true}); !p.Holds(r.c, first) {
			return p, false, errors.New("--match: the first solver's output does not match")
		}
		return r.alsoCross(p, first), r.o.truth != "", nil
	case len(r.o.command) > 0 && r.o.slower == 0 || r.o.first.any():
		p, err = r.ending(first)
		return p, r.o.truth != "", err
	case r.o.slower > 0:
		if p = property.Slower(r.o.slower, 100*time.Millisecond); !p.Holds(r.c, first) {
			return p, false, fmt.Errorf("--slower: %s took %v, %s took %v", first[0].Target, first[0].CPU, first[1].Target, first[1].CPU)
		}
		return p, false, nil
	}
	for _, o := range append([]oracle.Oracle{oracle.Crash(), oracle.KnownAnswer(), oracle.KnownValue(), oracle.Disagreement(), oracle.Model()}, r.asking(ctx)...) {
		verdicts := o.Judge(r.c, first)
		if len(verdicts) == 0 {
			continue
		}
		v := verdicts[0]
		if v.IsWrongAnswer() && v.Want == smtlib.Unsat {
			// A label or a user can be wrong; then there is nothing to reduce, and a smaller file would accuse a solver that is
			// right.
			if ruling := r.settle(ctx, v.Check, v.Want); ruling.Standing == claim.Refuted {
				return p, false, fmt.Errorf("nothing is wrong with the answer sat: the file, or --truth, says unsat, but by exact evaluation a model that %s gives satisfies it", ruling.By)
			}
		}
		if v.IsWrongAnswer() && v.Want == smtlib.Unsat && len(r.sets[0]) == 1 {
			return p, false, errors.New("the wrong answer is sat: give a second --solver that says unsat, so that it can tell whether a smaller file still is")
		}
		if p = property.Verdict(o, v); !p.Holds(r.c, first) {
			return p, false, errors.New("the wrong answer is sat, and none of the solvers says unsat: nobody can tell whether a smaller file is still unsat")
		}
		return property.Verdict(o, v), v.IsWrongAnswer(), nil
	}
	if r.o.truth == "" && r.refutesUnsat(ctx, first[0]) {
		return r.property(ctx, first)
	}
	return property.Outcome(first[0]), r.o.truth != "", nil
}

// maxModels bounds the checks of a file for which a model is looked for: that takes up to seconds for each.
const maxModels = 4

// refutesUnsat looks for a model where a solver says unsat and the file does not say what is right. If there is one, sat
// is the right answer from then on.
func (r *reduction) refutesUnsat(ctx context.Context, run *solvers.Run) bool {
	if r.o.trace || r.o.unread != nil || r.c.Expect != nil {
		return false
	}
	s := r.c.Script
	changes, tried := meaning.OfScript(s), 0
	for check := range min(len(run.Answers), s.CheckSats()) {
		if run.Answers[check] != smtlib.Unsat || changes.Why(s.Arena, s.AssertsAt(check)) != "" {
			continue
		}
		if tried++; tried > maxModels {
			return false
		}
		ruling := r.settle(ctx, check, smtlib.Unsat)
		if ruling.Standing == claim.Refuted && ruling.Model != nil {
			r.c.Expect = make([]smtlib.Answer, s.CheckSats())
			r.c.Expect[check] = smtlib.Sat
			r.c.Witness = ruling.Model
			r.say("witness: by exact evaluation, a model that %s gives satisfies the file", ruling.By)
			return true
		}
	}
	return false
}

// settle finds out whether an answer is right at a check of the file.
func (r *reduction) settle(ctx context.Context, check int, want smtlib.Answer) claim.Ruling {
	k := claim.Claim{Script: r.c.Script, Check: check, Want: want}
	return k.Settle(ctx, r.sets[0], solvers.Limits{Wall: r.o.timeout})
}

// findWitness looks for a model that holds by evaluation wherever sat is the right answer.
func (r *reduction) findWitness(ctx context.Context) {
	tried := 0
	for check, want := range r.c.Expect {
		if want != smtlib.Sat {
			continue
		}
		if tried++; tried > maxModels {
			return
		}
		ruling := r.settle(ctx, check, want)
		if ruling.Standing != claim.Proven || ruling.Model == nil {
			return
		}
		r.c.Witness = ruling.Model
		if checkWitness(r.c, r.c.Script).Result == evalvalue.True {
			r.say("witness: the model of %s", ruling.By)
			return
		}
		r.c.Witness = nil // another check has other assertions
	}
}

// otherTruth keeps a wrong unsat without a witness: by a solver that goes on saying sat if there is one, and else by
// asserting less and less.
func (r *reduction) otherTruth(first []*solvers.Run, prop property.Property) property.Property {
	unknown := &testcase.Case{Script: r.c.Script}
	if r.o.pattern == nil && r.o.property == "" && !r.o.first.any() && len(r.o.command) == 0 {
		for _, v := range oracle.Disagreement().Judge(unknown, first) {
			if p := property.Verdict(oracle.Disagreement(), v); p.Holds(unknown, first) {
				r.say("no witness is known: the reduction keeps the disagreement of the solvers")
				r.c.Expect = nil
				return p
			}
		}
	}
	r.say("no witness is known: assertions are dropped, but not changed")
	return prop
}

// finish writes the result.
func (r *reduction) finish(res *reduce.Result) int {
	before, after := r.o.text(r.c), r.o.text(res.Case)
	st := res.Stats
	r.say("%s, weight %d -> %d; %d tests in %.1f s, %d repeated, %d not sat any more",
		r.o.extent(before, after), st.Before, st.After, st.Tests, time.Since(r.begun).Seconds(), st.Repeated, st.Untrue)
	if st.TimedOut > 0 {
		r.say("%d candidates ended at the time limit: --timeout raises it", st.TimedOut)
	}
	if st.Flaky > 0 {
		r.say("%d steps were taken back: their results did not trigger the bug when they were run again", st.Flaky)
	}
	if !st.Done {
		r.say("stopped early")
	}
	if r.o.out == "-" {
		fmt.Fprintf(r.e.Stdout, "%s", after)
	} else if err := save(r.o.out, after); err != nil {
		return r.e.Fail(command.ExitDisk, "reduce", err)
	} else {
		r.say("%s", r.o.out)
	}
	if err := r.failure(); err != nil {
		return r.e.Fail(command.ExitScript, "reduce", err)
	}
	if st.Kept == 0 {
		return command.ExitFindings
	}
	return command.ExitOK
}
