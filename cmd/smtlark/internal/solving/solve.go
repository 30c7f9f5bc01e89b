package solving

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register(command.Verb{Name: "solve", Summary: "solve SMT-LIB files, or commands from a pipe, with solvers below", Group: command.GroupOther, Run: runSolve})
}

const solveAbout = `A solver for SMT-LIB 2.7 that is made of other solvers: it reads the commands, keeps the problem itself, and has the solvers below
answer. One that crashes, hangs or is killed is replaced and told the problem again; whoever asks sees the answer, at worst unknown with
the reason. docs/frontend.md tells more.

It optimises, too (minimize, maximize, assert-soft, get-objectives), whatever solver is below: by a search for models that it evaluates.

With --mode cached, answers are kept in memory and in the user's cache folder by what the question says, whatever names and order it has;
a kept model counts only after it was evaluated on the question that is asked.

With -in it reads commands from the standard input and replies to each at once: it can be started in the place of "z3 -in" or "cvc5
--incremental". With one file it prints what a solver prints. With several files or a folder, whose files NAME.smt2 are solved in the order of
their names, it prints a table.

Exit codes: 0 all went well, 10 an answer contradicts :status or another solver, 64 wrong flags, 65 a file cannot be read or a command in it
was refused (with -in an error is a reply, and no more), 69 no usable solver.`

// options are the flags of the verb.
type options struct {
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
	cases     string
	folder    string // of the cache
	cacheStat bool
	clear     bool
	log       string
	replay    string
	extract   string
}

func runSolve(ctx context.Context, e *command.Env, args []string) int {
	o := &options{}
	fs := pflag.NewFlagSet("solve", pflag.ContinueOnError)
	fs.BoolVar(&o.in, "in", false, "read commands from the standard input; -in means the same")
	fs.StringArrayVar(&o.solvers, "solver", nil, "`name` of a solver below, such as z3, cvc5-1.3.2, z3:native or a path as z3=/path; may be repeated: the first one is asked, the next one where that has no answer; default: z3, or what is installed")
	fs.StringVar(&o.mode, "mode", string(frontend.Incremental), "how solvers are told the problem: incremental (what has changed since they were asked), batch (the whole problem anew), or cached (incremental, where the answer is not known)")
	fs.BoolVar(&o.portfolio, "portfolio", false, "let the solvers race, and take the first answer")
	fs.BoolVar(&o.cores, "cores", false, "with --mode cached: ask what an unsat rests on, and keep that; solvers give more wrong answers when they are asked for cores")
	fs.BoolVar(&o.check, "check", false, "let no answer through that nothing vouches for: the model of sat is evaluated, a second solver has to say unsat, too")
	command.DurationFlag(fs, &o.timeout, "timeout", 0, "`time` limit of one check-sat; default: none")
	fs.Int64Var(&o.memory, "memory", 0, "memory limit of a solver in `MiB`")
	fs.BoolVar(&o.json, "json", false, "print the table of files as JSON")
	fs.StringVar(&o.junit, "junit", "", "write the table of files to `FILE` as JUnit XML, too")
	fs.BoolVar(&o.stats, "stats", false, "tell at the end, on the standard error, what each solver did")
	fs.StringVar(&o.cases, "cases", "", "keep the questions to which answers contradict one another as files in `FOLDER`; default: smtlark-cases in the present folder, made when there is one")
	fs.StringVar(&o.folder, "cache", "", "keep the answers of --mode cached in `FOLDER`; default: smtlark/answers in the user's cache folder")
	fs.BoolVar(&o.cacheStat, "cache-stats", false, "print what the cache holds and did, and solve nothing")
	fs.BoolVar(&o.clear, "clear-cache", false, "drop all answers of the cache, and solve nothing")
	fs.StringVar(&o.log, "log", "", "append every command and every answer, with its time, to `FILE`")
	fs.StringVar(&o.replay, "replay", "", "ask again what the log `FILE` has, and print the answers and times of then and now")
	fs.StringVar(&o.extract, "extract", "", "with --replay: ask nothing, but print question `N` of the log, or the slowest, as a file of its own")
	command.UnsafeFlag(fs)
	for i, a := range args {
		if a == "-in" { // as z3 spells it; flags of one letter are none of ours
			args = slices.Clone(args)
			args[i] = "--in"
		}
	}
	if code, done := e.Parse(fs, "solve -in [flags] | FILE|FOLDER... [flags]", solveAbout, args); done {
		return code
	}
	if o.cacheStat || o.clear {
		if o.in || fs.NArg() > 0 {
			return e.UsageError("solve", "--cache-stats and --clear-cache solve nothing: want no files and no -in with them")
		}
		return o.tendCache(e)
	}
	switch {
	case o.folder != "" && o.mode != string(frontend.Cached):
		return e.UsageError("solve", "--cache is for --mode cached")
	case o.cores && o.mode != string(frontend.Cached):
		return e.UsageError("solve", "--cores is for --mode cached")
	case o.cores && o.check:
		return e.UsageError("solve", "--check and --cores exclude each other: nobody vouches for a core")
	case o.extract != "" && o.replay == "":
		return e.UsageError("solve", "--extract takes a question out of a log: want --replay FILE with it")
	case o.replay != "" && (o.in || fs.NArg() > 0 || o.log != ""):
		return e.UsageError("solve", "--replay asks what its log has: want no files, no -in and no --log with it")
	case o.replay == "" && o.in == (fs.NArg() > 0):
		return e.UsageError("solve", "want files or folders, or -in for commands from the standard input")
	case o.timeout < 0 || o.memory < 0:
		return e.UsageError("solve", "times and limits are positive")
	case o.in && (o.json || o.junit != ""):
		return e.UsageError("solve", "--json and --junit are for files")
	case slices.Contains(o.solvers, ""):
		return e.UsageError("solve", "--solver wants a name; smtlark solvers lists those of this machine")
	}
	s := &solving{options: o, env: e, past: frontend.NewExperience()}
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
	switch {
	case o.in:
		return s.pipe(ctx)
	case o.replay != "":
		return s.replayLog(ctx)
	}
	files, table, err := listFiles(fs.Args())
	if err != nil {
		return e.Fail(command.ExitScript, "solve", err)
	}
	if table || o.json || o.junit != "" {
		return s.table(ctx, files)
	}
	return s.file(ctx, files[0])
}

// solving is one call of the verb.
type solving struct {
	*options
	env     *command.Env
	targets []solvers.Target
	known   *cache.Cache // of mode cached; nil: there is none
	past    *frontend.Experience
	wrong   int // answers that contradict :status or another answer
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
	for _, name := range names {
		t, err := command.TargetNamed(ctx, name, false, true, solvers.Limits{Memory: s.memory << 20})
		if err != nil {
			return err
		}
		s.targets = append(s.targets, t)
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

// newSolver makes a front end.
func (s *solving) newSolver() (*frontend.Solver, error) {
	return frontend.New(smt.NewArena(), s.targets, frontend.Options{
		Mode: frontend.Mode(s.mode), Cache: s.known, Portfolio: s.portfolio, Cores: s.cores, Experience: s.past, Check: s.check, Timeout: s.timeout, Memory: s.memory << 20, Notify: s.tell,
	})
}

// newDialogue makes the dialogue of a client with a front end.
func (s *solving) newDialogue(f *frontend.Solver, in *os.File, e *command.Env) *dialogue.Dialogue {
	d := dialogue.New(f, e.Stdin, e.Stdout)
	if in != nil {
		d = dialogue.New(f, in, e.Stdout)
	}
	d.Version = command.Version()
	d.PlainEcho = s.targets[0].Solver().Profile.Echo == "plain"
	return d
}

// pipe serves a client on the standard input and output.
func (s *solving) pipe(ctx context.Context) int {
	f, err := s.newSolver()
	if err != nil {
		return s.env.Fail(command.ExitUsage, "solve", err)
	}
	d := s.newDialogue(f, nil, s.env)
	d.Checked = func(at smtlib.Pos, r frontend.Result, status smtlib.Answer, _ time.Duration) {
		s.compareStatus(fmt.Sprintf("line %d", at.Line), r, status)
	}
	done := make(chan error, 1)
	go func() { done <- s.run(ctx, f, d) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		// A question that is open ends with the context, a read that waits for the client does not.
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

// file solves one file and prints what a solver prints.
func (s *solving) file(ctx context.Context, path string) int {
	in, err := os.Open(path)
	if err != nil {
		return s.env.Fail(command.ExitScript, "solve", err)
	}
	defer in.Close()
	f, err := s.newSolver()
	if err != nil {
		return s.env.Fail(command.ExitUsage, "solve", err)
	}
	defer f.Close()
	d := s.newDialogue(f, in, s.env)
	d.Checked = func(at smtlib.Pos, r frontend.Result, status smtlib.Answer, _ time.Duration) {
		s.compareStatus(fmt.Sprintf("%s:%d", path, at.Line), r, status)
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

// listFiles returns the files that are named, and those in the folders that are; table says that there is more than one answer to show.
func listFiles(args []string) (files []string, table bool, err error) {
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
		err = filepath.WalkDir(arg, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".smt2" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, false, err
		}
	}
	if len(files) == 0 {
		return nil, false, errors.New("there is no file NAME.smt2 in " + args[0])
	}
	return files, table || len(files) > 1, nil
}
