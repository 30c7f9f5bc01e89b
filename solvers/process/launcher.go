package process

import (
	"context"
	"os"
	"slices"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// launcher starts the processes of a target: the program of a solver with its arguments, in a folder of their own.
type launcher struct {
	solver *solvers.Solver
	opt    TargetOptions
	args   []string // arguments that do not depend on the case
	extra  []string // preamble commands: the profile's, and options
	env    []string
	folder *Folder // where the processes run, nil until the first
	// counter counts the edges that processes take, from the first run on that asks for it.
	counter Counter
}

// newLauncher makes a launcher, with the target's options spelt as the solver's profile says.
func newLauncher(s *solvers.Solver, opt TargetOptions) *launcher {
	p := s.Profile
	l := &launcher{solver: s, opt: opt, args: slices.Concat(p.Args, s.Args, opt.Args), extra: slices.Clone(p.Preamble)}
	for _, o := range opt.SMTOptions {
		l.addOption(p.OptionText(o))
	}
	if opt.TimeLimit > 0 {
		l.addOption(p.TimeLimitText(opt.TimeLimit))
	}
	if opt.Resources > 0 {
		l.addOption(p.ResourceLimitText(opt.Resources))
	}
	// Messages are classified by their English text.
	own := append([]string{"LC_ALL=C"}, s.Environ()...)
	if l.env = confine.SolverEnviron(own...); opt.Unconfined { // the user's own command
		l.env = append(os.Environ(), own...)
	}
	return l
}

// start starts a process with an argument vector as a user would type it. If input is true, the process reads from a
// pipe.
func (l *launcher) start(ctx context.Context, argv []string, input bool, lim solvers.Limits) (*child, error) {
	return l.startIn(ctx, l.folder.Dir, argv, input, lim)
}

// startIn is start in another folder.
func (l *launcher) startIn(ctx context.Context, dir string, argv []string, input bool,
	lim solvers.Limits) (*child, error) {
	env := l.env
	if count := l.counter.Environ(); count != nil {
		env = slices.Concat(env, count)
	}
	return startChild(ctx, l.folder.starter, l.execArgv(argv), env, dir, input, lim, l.solver.MemoryLimit())
}

// addOption adds a command to the preamble, or an argument.
func (l *launcher) addOption(text string, isCommand bool) {
	switch {
	case text == "":
	case isCommand:
		l.extra = append(l.extra, text)
	default:
		l.args = append(l.args, text)
	}
}

// openFolder makes the folder. The processes also run in it, so files that a solver leaves behind are removed with it.
func (l *launcher) openFolder() (err error) {
	if l.folder != nil {
		return nil
	}
	if l.opt.Unconfined {
		l.folder, err = newFolder(l.opt.TempDir)
		return err
	}
	if l.folder, err = NewFolder(l.opt.TempDir); err == nil {
		l.env = confine.Environ(l.env, l.folder.Dir)
	}
	return err
}

// execArgv converts an argument vector as a user would type it to the one to start, with a start script replaced by the
// program that it starts.
func (l *launcher) execArgv(argv []string) []string {
	if len(l.solver.Exec) == 0 {
		return argv
	}
	return append(slices.Clip(l.solver.Exec), argv[1:]...)
}

// preambleOf returns the commands that come before the case.
func (l *launcher) preambleOf(q *solvers.Query) []string {
	if !q.Models && !q.Cores {
		return l.extra
	}
	return append(slices.Clone(l.extra), askingOptions(q, l.solver.Profile)...)
}

// askingOptions returns the commands that come before a case whose models or cores are asked for.
func askingOptions(q *solvers.Query, p *solvers.Profile) (all []string) {
	if q.Models {
		all = append(all, p.ModelOptions...)
	}
	if q.Cores {
		all = append(all, p.CoreOptions...)
	}
	return all
}

// removeFolder removes the folder and the files that solvers left in it.
func (l *launcher) removeFolder() error {
	if l.folder == nil {
		return nil
	}
	err := l.folder.Close()
	l.folder = nil
	return err
}
