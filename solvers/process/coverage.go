package process

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// Counter is the map in which the processes of a target count the edges that they take.
type Counter struct {
	edges *coverage.Map // nil: edges are not counted
	err   error
	asked bool
	taken coverage.Taken // by the latest run
}

// sizes caches the map sizes that programs reported, by path: most targets of a campaign are modes of the same few
// programs.
var sizes sync.Map

// sizeTime bounds how long a program may take to report the size of its map.
const sizeTime = 20 * time.Second

// Prepare makes the map on its first call, if the solver is instrumented and wanted is not false. A solver that is not
// instrumented counts nothing, which is not an error. Its processes are started in folder, with argv and env.
func (c *Counter) Prepare(ctx context.Context, s *solvers.Solver, wanted *bool, argv, env []string,
	folder *Folder) error {
	if c.asked {
		return c.err
	}
	c.asked = true
	if !CanCount(s, wanted) {
		return nil
	}
	program := ProgramOf(s)
	size, ok := sizes.Load(program)
	if !ok {
		n, err := askSize(ctx, program, argv, env, folder)
		if err != nil {
			c.err = err
			return err
		}
		size, _ = sizes.LoadOrStore(program, n)
	}
	c.edges, c.err = coverage.NewMap(size.(int))
	return c.err
}

// CanCount reports whether a solver is instrumented and wanted is not false.
func CanCount(s *solvers.Solver, wanted *bool) bool {
	return (wanted == nil || *wanted) && coverage.Instrumented(s.Files())
}

// ProgramOf returns the path of the file that counts the edges of a solver: its library, else its program.
func ProgramOf(s *solvers.Solver) string {
	if s.Library != "" {
		return s.Library
	}
	return s.Path
}

// askSize asks a program how many edges it has.
func askSize(ctx context.Context, program string, argv, env []string, folder *Folder) (int, error) {
	lim := solvers.Limits{Wall: sizeTime}.Or(DefaultLimits)
	c, err := startChild(ctx, folder.starter, argv, append(env[:len(env):len(env)], coverage.SizeEnviron()...), folder.Dir,
		false, lim, workerMemory)
	if err != nil {
		return 0, err
	}
	defer c.killAndClose()
	return coverage.ParseSize(program, readToEnd(ctx, c, lim, false))
}

// Environ returns the variables to add to the environment of processes.
func (c *Counter) Environ() []string {
	if c.edges == nil {
		return nil
	}
	return c.edges.Environ()
}

// Size returns the number of possible edges; 0 where none are counted.
func (c *Counter) Size() int {
	if c.edges == nil {
		return 0
	}
	return c.edges.Size()
}

// Begin forgets the counts before a run.
func (c *Counter) Begin() {
	if c.edges != nil {
		c.edges.Clear()
	}
}

// End returns the edges that a run took, or nil if they are not counted.
func (c *Counter) End() *coverage.Taken {
	if c.edges == nil {
		return nil
	}
	c.edges.Take(&c.taken)
	return &c.taken
}

// Close gives the map back.
func (c *Counter) Close() {
	if c.edges != nil {
		_ = c.edges.Close()
	}
	*c = Counter{}
}

// Counts implements solvers.Counter.
func (t *processTarget) Counts(ctx context.Context) (int, error) {
	switch {
	case t.broken != "":
		return 0, nil
	case t.statistics:
		return coverage.StatisticsSize, nil
	case !CanCount(t.solver, t.opt.Coverage):
		return 0, nil
	}
	if err := t.openFolder(); err != nil {
		return 0, err
	}
	err := t.prepareCounter(ctx)
	return t.counter.Size(), err
}

// UseStatistics implements solvers.Counter.
func (t *processTarget) UseStatistics() {
	t.statistics = t.solver.Profile.Statistics && !CanCount(t.solver, t.opt.Coverage)
}

// runWithStatistics runs the query, followed by a command that asks for statistics. Except for its output, the run
// equals that of the query alone.
func (t *processTarget) runWithStatistics(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	own := *q
	own.Counts = false
	// Commands after exit are not sent.
	if slices.ContainsFunc(q.Commands, func(c solvers.PrintedCommand) bool { return headOf(c.Text) == "exit" }) {
		return t.Run(ctx, &own, lim)
	}
	own.Commands = append(slices.Clone(q.Commands), solvers.PrintedCommand{Text: "(get-info :all-statistics)",
		Reply: solvers.ValueReply})
	run := t.Run(ctx, &own, lim)
	if n := q.Count(solvers.ValueReply); len(run.Values) > n {
		if reply := run.Values[n]; run.Class == solvers.OK && reply != "" {
			run.Coverage = coverage.OfStatistics([]byte(reply))
		}
		run.Values = run.Values[:n]
	}
	return run
}

// Modules implements solvers.Counter: it starts the program, which waits for input meanwhile.
func (t *processTarget) Modules(ctx context.Context) ([]coverage.Module, error) {
	if t.statistics {
		return nil, nil
	}
	if err := t.openFolder(); err != nil {
		return nil, err
	}
	if err := t.prepareCounter(ctx); err != nil {
		return nil, err
	}
	c, err := t.start(ctx, slices.Concat([]string{t.solver.Path}, t.args, t.solver.Profile.SessionArgs), true,
		t.opt.Limits)
	if err != nil {
		return nil, err
	}
	defer c.killAndClose()
	return AwaitModules(ctx, c.process.pid, ProgramOf(t.solver), c.isDead)
}

// prepareCounter makes the map that processes started from now on count in.
func (l *launcher) prepareCounter(ctx context.Context) error {
	return l.counter.Prepare(ctx, l.solver, l.opt.Coverage, l.execArgv([]string{l.solver.Path}), l.env, l.folder)
}
