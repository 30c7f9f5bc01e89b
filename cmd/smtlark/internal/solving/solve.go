package solving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("solve", newSolve)
	command.RewriteArguments("solve", spellIn)
}

const solveAbout = `Solves SMT-LIB 2.7 with the solvers of this machine. It reads the commands itself, keeps the problem, and asks the solvers below. One that
crashes, hangs or is killed is replaced and told the problem again; the client sees the answer, at worst unknown with the reason.

  smtlark solve formula.smt2            print what a solver prints
  smtlark solve -in                     read commands from the standard input: in the place of "z3 -in" or "cvc5 --incremental"
  smtlark solve seeds --json            solve all files NAME.smt2 of a folder, in the order of their names, and print a table
  smtlark solve formula.smt2 --term x   print all values of x in models of the file; --core: a minimal unsatisfiable core
  smtlark solve -in --solver z3 --solver cvc5 --portfolio --check
  smtlark solve -in --solver z3 -- -T:5 sat.random_seed=42
                                        behind -- are arguments of the solver

minimize, maximize, assert-soft and get-objectives work with any solver below, by a search for models that are evaluated.

With --mode cached, answers are kept in memory and in the user's cache folder by what the question says, whatever names and order it has;
a kept model counts only after it was evaluated on the question that is asked.

With --out, what solvers do wrong becomes findings when the session has ended: wrong answers and models (see --check), and crashes. With -in
a separate process makes them then, so that nobody waits for the end of the session.

docs/frontend.md tells more.

Exit codes: 0 all went well, 10 an answer contradicts :status or another solver or there are findings, or there are more values than --limit or no
minimal core, 11 only flaky findings, 64 wrong flags, 65 a file cannot be read or a command in it
was refused (with -in an error is a reply, and no more), 69 no usable solver, 130 ^C or SIGTERM came before the end.`

// options are the flags of the verb.
type options struct {
	enumeration
	in        bool
	solvers   []string
	mode      string
	portfolio bool
	cores     bool
	check     bool
	timeout   time.Duration
	memory    int64
	json      bool
	junit     string
	stats     bool
	models    string
	cases     string
	out       string // of findings
	folder    string // of the cache
	cacheStat bool
	clear     bool
	log       string
	replay    string
	extract   string
}

// spellIn takes the flag -in as z3 spells it: flags of one letter are none of ours.
func spellIn(args []string) ([]string, error) {
	end := slices.Index(args, "--") // behind it are arguments of a solver
	if end < 0 {
		end = len(args)
	}
	at := slices.Index(args[:end], "-in")
	if at < 0 {
		return args, nil
	}
	args = slices.Clone(args)
	args[at] = "--in"
	return args, nil
}

func newSolve(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "solve -in [flags] [-- ARGUMENT...] | FILE|FOLDER... [flags] [-- ARGUMENT...]",
		Short:   "solve SMT-LIB files, or commands from a pipe, with solvers below",
		Long:    solveAbout,
		GroupID: command.GroupOther,
	}
	fs := c.Flags()
	o := &options{}
	fs.BoolVar(&o.in, "in", false, "read commands from the standard input; -in means the same")
	command.SolverFlag(fs, &o.solvers, nil, "may be repeated: the first one is asked, the next one where that has no answer or says unknown; default: z3, or what is installed")
	fs.StringVar(&o.mode, "mode", string(frontend.Incremental), "how solvers are told the problem: incremental (what has changed since they were asked), batch (the whole problem anew), or cached (incremental, where the answer is not known)")
	fs.BoolVar(&o.portfolio, "portfolio", false, "let the solvers race, and take the first answer")
	fs.BoolVar(&o.cores, "cores", true, "with --mode cached: ask for unsat cores and cache them (needs push and pop; off with --check)")
	fs.BoolVar(&o.check, "check", false, "let no answer through that nothing confirms: the model of sat is evaluated, a second solver has to say unsat, too")
	command.DurationFlag(fs, &o.timeout, "timeout", 0, "`time` limit of one command in each solver; default: none")
	fs.Int64Var(&o.memory, "memory", 0, "memory limit of a solver in `MiB`")
	o.addFlags(fs, "") // -timeout is not to be read as -t imeout
	fs.BoolVar(&o.json, "json", false, "print the table of files, or what --term or --core finds, as JSON")
	fs.StringVar(&o.junit, "junit", "", "write the table of files to `FILE` as JUnit XML, too")
	fs.BoolVar(&o.stats, "stats", false, "tell at the end, on the standard error, what each solver did")
	fs.StringVar(&o.models, "models", string(smtml.ModelSMTLIB), "`format` of what get-model replies: smt2, or json or scfg as Smt.ml has them")
	fs.StringVar(&o.cases, "cases", "", "keep the questions to which answers contradict one another as files in `FOLDER`; default: smtlark-cases in the present folder, made when there is one")
	fs.StringVar(&o.out, "out", "", "make findings of what solvers do wrong (answers and models that are wrong, crashes): confirmed and reduced, in `FOLDER`, as run keeps them")
	fs.StringVar(&o.folder, "cache", "", "keep the answers of --mode cached in `FOLDER`; default: smtlark/answers in the user's cache folder")
	fs.BoolVar(&o.cacheStat, "cache-stats", false, "print what the cache holds and did, and solve nothing")
	fs.BoolVar(&o.clear, "clear-cache", false, "drop all answers of the cache, and solve nothing")
	fs.StringVar(&o.log, "log", "", "append every command and every answer, with its time, to `FILE`")
	fs.StringVar(&o.replay, "replay", "", "ask again what the log `FILE` has, and print the answers and times of then and now")
	fs.StringVar(&o.extract, "extract", "", "with --replay: ask nothing, but print question `N` of the log, or the slowest, as a file of its own")
	command.UnsafeFlag(fs)
	command.ProfileFlag(fs)
	command.Choices(c, "mode", "incremental", "batch", "cached")
	command.Choices(c, "models", "smt2", "json", "scfg")
	command.Does(c, func(ctx context.Context) int {
		files, arguments := fs.Args(), []string(nil)
		if n := fs.ArgsLenAtDash(); n >= 0 {
			files, arguments = files[:n], files[n:]
		}
		if o.cacheStat || o.clear {
			if o.in || len(files) > 0 {
				return e.UsageError("solve", "--cache-stats and --clear-cache solve nothing: want no files and no -in with them")
			}
			return o.tendCache(e)
		}
		switch {
		case o.folder != "" && o.mode != string(frontend.Cached):
			return e.UsageError("solve", "--cache is for --mode cached")
		case fs.Changed("cores") && o.mode != string(frontend.Cached):
			return e.UsageError("solve", "--cores is for --mode cached")
		case o.extract != "" && o.replay == "":
			return e.UsageError("solve", "--extract takes a question out of a log: want --replay FILE with it")
		case o.replay != "" && (o.in || len(files) > 0 || o.log != ""):
			return e.UsageError("solve", "--replay asks what its log has: want no files, no -in and no --log with it")
		case !slices.Contains([]smtml.ModelFormat{smtml.ModelSMTLIB, smtml.ModelJSON, smtml.ModelSCFG}, smtml.ModelFormat(o.models)):
			return e.UsageError("solve", "--models %q: want smt2, json or scfg", o.models)
		case o.out != "" && o.cases != "":
			return e.UsageError("solve", "--out and --cases exclude each other: the questions of findings are kept in the folder of --out")
		case o.replay == "" && o.in == (len(files) > 0):
			return e.UsageError("solve", "want files or folders, or -in for commands from the standard input")
		case o.timeout < 0 || o.memory < 0:
			return e.UsageError("solve", "times and limits are positive")
		case o.wanted() && (o.in || o.replay != "" || o.junit != "" || o.log != ""):
			return e.UsageError("solve", "--term and --core are about one file: want no -in, no --junit, no --log and no --replay with them")
		case o.wanted() && o.mistake(len(files)) != "":
			return e.UsageError("solve", "%s", o.mistake(len(files)))
		case fs.Changed("limit") && len(o.terms) == 0:
			return e.UsageError("solve", "--limit is for --term")
		case o.in && (o.json || o.junit != ""):
			return e.UsageError("solve", "--json and --junit are for files")
		case len(arguments) > 0 && len(o.solvers) > 1:
			return e.UsageError("solve", "arguments behind -- are for one solver: give each its own, as in --solver \"%s %s\"", o.solvers[0], arguments[0])
		case slices.ContainsFunc(arguments, func(a string) bool { return a == "" || strings.ContainsAny(a, " \t\n") }):
			return e.UsageError("solve", "arguments behind -- have no blanks and are not empty, got %q", arguments)
		case slices.Contains(o.solvers, ""):
			return e.UsageError("solve", "--solver wants a name; smtlark solvers lists those of this machine")
		}
		s := &solving{options: o, arguments: arguments, env: e, past: frontend.NewExperience(), verb: "solve"}
		s.kept.out = o.out
		if o.extract != "" {
			return s.extractQuestion()
		}
		if err := s.openTargets(ctx); err != nil {
			return e.Fail(command.ExitSolver, "solve", err)
		}
		defer s.closeTargets()
		if o.mode == string(frontend.Cached) {
			known, err := o.openCache()
			if err != nil {
				return e.Fail(command.ExitDisk, "solve", err)
			}
			s.known = known
			defer known.Close()
		}
		if o.in {
			command.KeepHeapSmall()
		}
		told := ctx // by a signal to end
		ctx, end := untilClientGoes(ctx, e.Stdout)
		defer end()
		code := s.serve(ctx, files)
		if errors.Is(context.Cause(ctx), errClientGone) {
			if code == command.ExitOK { // else a reply that could not be written has said so
				_ = e.Fail(command.ExitDisk, "solve", errClientGone)
			}
			code = command.ExitDisk
		}
		if found := s.settle(ctx, o.in); code == command.ExitOK {
			code = found
		}
		if code == command.ExitOK && told.Err() != nil {
			code = command.ExitInterrupted // not all was answered
		}
		return code
	})
	return c
}

// serve does the work that the flags and arguments request.
func (s *solving) serve(ctx context.Context, args []string) int {
	switch {
	case s.in:
		return s.pipe(ctx)
	case s.replay != "":
		return s.replayLog(ctx)
	case s.wanted():
		return s.enumerate(ctx, args[0])
	}
	files, table, err := listFiles(s.env, args)
	if err != nil {
		return s.env.Fail(command.ExitScript, "solve", err)
	}
	if table || s.json || s.junit != "" {
		return s.table(ctx, files)
	}
	return s.file(ctx, files[0])
}

// solving is one call of the verb.
type solving struct {
	*options
	env     *command.Env
	targets []solvers.Target
	// arguments of the first solver, from behind --
	arguments []string
	known     *cache.Cache // of mode cached; nil: there is none
	past      *frontend.Experience
	atPath    []bool // of each target: its program was named by its path
	kept      questions
	verb      string // that was called
	wrong     int    // answers that contradict :status or another answer
}

// openTargets makes the targets below. With --check there is a second one of another kind.
func (s *solving) openTargets(ctx context.Context) error {
	names := s.solvers
	if len(names) == 0 || s.check && len(names) == 1 {
		more, err := installedKinds()
		if err != nil {
			return err
		}
		for _, name := range more {
			if len(names) == 0 || len(names) == 1 && s.check && name != names[0] {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return errors.New("no usable solver was found; smtlark solvers tells why, --solver KIND=PATH names a program")
	}
	for i, name := range names {
		n, err := command.SolverOfFlag(name)
		if err != nil {
			return err
		}
		if i == 0 {
			n.Args = append(n.Args, s.arguments...)
		}
		t, err := command.TargetOf(ctx, n, false, true, solvers.Limits{Memory: s.memory << 20})
		if err != nil {
			return err
		}
		s.targets, s.atPath = append(s.targets, t), append(s.atPath, strings.Contains(name, "="))
	}
	return nil
}

// installedKinds lists the kinds of solvers of this machine that read commands from a pipe, the most general first.
func installedKinds() (kinds []string, err error) {
	found, err := script.Supply().Installed()
	if err != nil {
		return nil, err
	}
	for _, preferred := range []string{"z3", "cvc5", ""} {
		for _, x := range found {
			name := x.Profile.Name
			if (preferred == "" || name == preferred) && !slices.Contains(kinds, name) && slices.Contains(x.Modes(), solvers.Incremental) {
				kinds = append(kinds, name)
			}
		}
	}
	return kinds, nil
}

func (s *solving) closeTargets() {
	for _, t := range s.targets {
		_ = t.Close()
	}
}

// newSolver makes a front end over an arena.
func (s *solving) newSolver(a *smt.Arena, all *eval.Allowance) (*frontend.FrontEnd, error) {
	return frontend.New(a, s.targets, frontend.Options{
		Allowance:   all,
		Cache:       s.known,
		Check:       s.check,
		Experience:  s.past,
		KeepOptions: s.targets[0].Solver().Profile.ResetKeepsOptions,
		Memory:      s.memory << 20,
		Mode:        frontend.Mode(s.mode),
		NoCores:     !s.cores,
		Notify:      s.tell,
		Portfolio:   s.portfolio,
		Timeout:     s.timeout,
	})
}

// newDialogue makes the dialogue of a client with a front end.
func (s *solving) newDialogue(f *frontend.FrontEnd, in io.Reader, e *command.Env) *dialogue.Dialogue {
	d := dialogue.New(f, in, e.Stdout)
	d.Version, d.Models = command.Version(), smtml.ModelFormat(s.models)
	d.LikeZ3 = s.targets[0].Solver().Profile.Echo == "plain"
	if s.check {
		d.Confirm = func(ctx context.Context, c *smtlib.Command, reply string) error {
			return s.confirmReply(ctx, f, c, reply)
		}
	}
	return d
}

// pipe serves a client on the standard input and output.
func (s *solving) pipe(ctx context.Context) int {
	f, err := s.newSolver(smt.NewArena(), nil)
	if err != nil {
		return s.env.Fail(command.ExitUsage, "solve", err)
	}
	d := s.newDialogue(f, newClientInput(ctx, s.env.Stdin), s.env)
	d.Checked = func(at smtlib.Pos, r frontend.Result, status smtlib.Answer, _ time.Duration) {
		s.compareStatus(fmt.Sprintf("line %d", at.Line), f, r, status)
	}
	done := make(chan error, 1)
	go func() { done <- s.run(ctx, f, d) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		// The open question and the read that waits for the client end with the context; a write to a client that does not
		// read need not.
		const patience = 2 * time.Second
		select {
		case err = <-done:
		case <-time.After(patience):
		}
	}
	s.printStats(f)
	_ = f.Close()
	switch {
	case err != nil:
		return s.env.Fail(command.ExitDisk, "solve", err)
	case s.wrong > 0:
		return command.ExitFindings
	}
	return command.ExitOK
}

// file solves one file and prints the output that a solver would print.
func (s *solving) file(ctx context.Context, path string) int {
	in, err := command.OpenProblem(path)
	if err != nil {
		return s.env.Fail(command.ExitScript, "solve", err)
	}
	defer in.Close()
	f, err := s.newSolver(smt.NewArena(), eval.NewAllowance(eval.FileSteps))
	if err != nil {
		return s.env.Fail(command.ExitUsage, "solve", err)
	}
	defer f.Close()
	d := s.newDialogue(f, in, s.env)
	d.Checked = func(at smtlib.Pos, r frontend.Result, status smtlib.Answer, _ time.Duration) {
		s.compareStatus(fmt.Sprintf("%s:%d", path, at.Line), f, r, status)
	}
	err = s.run(ctx, f, d)
	s.printStats(f)
	switch {
	case err != nil:
		return s.env.Fail(command.ExitScript, "solve", err)
	case s.wrong > 0:
		return command.ExitFindings
	case d.Errors() > 0:
		return command.ExitScript
	}
	return command.ExitOK
}

// listFiles returns the files that are named, and those in the folders that are; table says that there is more than one
// answer to show.
func listFiles(e *command.Env, args []string) (files []string, table bool, err error) {
	for _, arg := range args {
		st, err := os.Stat(arg)
		if err != nil {
			return nil, false, err
		}
		if !st.IsDir() {
			files = append(files, arg)
			continue
		}
		table = true
		below, err := e.FilesBelow(arg)
		if err != nil {
			return nil, false, err
		}
		files = append(files, below...)
	}
	if len(files) == 0 {
		return nil, false, errors.New("there is no file NAME.smt2 in " + args[0])
	}
	return files, table || len(files) > 1, nil
}
