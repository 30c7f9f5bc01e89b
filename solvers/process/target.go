package process

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// TargetOptions say how a target uses its solver. The zero value is a target in mode fresh with defaults.
type TargetOptions struct {
	Name       string // default: solver name/mode, and the options if there are any
	Mode       solvers.Mode
	Args       []string       // further arguments
	SMTOptions []rule.Setting // further options, spelt as the profile says, in this order
	Limits     solvers.Limits // for runs that give none; zero fields are taken from DefaultLimits
	TimeLimit  time.Duration  // the solver's own limit for one check-sat, 0 for none; ends in unknown, not in a kill
	Resources  uint64         // the solver's own deterministic limit for one check-sat, 0 for none
	MaxRuns    int            // runs of one persistent process before it is replaced; default 1000
	// Processes is the number of persistent processes kept for cases of different logic or options, beside shared ones;
	// default 2.
	Processes    int
	StartTimeout time.Duration // until the first reply of a persistent process; default 10 s
	TempDir      string        // where the target makes its own folder; default os.TempDir()
	Dir          string        // where processes of mode fresh run; default that folder
	// Coverage selects whether an instrumented solver counts the edges that it takes, see solvers.Counter. If nil, it
	// counts them if it is instrumented.
	Coverage *bool
	// Unconfined processes may write where the user may (see solvers/confine): for the user's own commands.
	Unconfined bool
}

// processTarget is a solvers.Target over child processes.
type processTarget struct {
	*launcher
	name       string
	broken     string  // why no run can start
	statistics bool    // counters of the solver stand for edges
	plan       planner // for mode fresh: the text of files with markers, and how to read the output
	frame      framer
	cases      caseWriter // of processes of mode fresh
	lasting    persistent // for modes reset and incremental
}

// New makes a target. It starts nothing; whatever is wrong with the solver shows as runs of class StartFailure.
func New(s *solvers.Solver, opt TargetOptions) solvers.Target {
	opt.Mode = cmp.Or(opt.Mode, solvers.Fresh)
	opt.Limits = opt.Limits.Or(DefaultLimits)
	if opt.MaxRuns <= 0 {
		opt.MaxRuns = 1000
	}
	if opt.Processes <= 0 {
		opt.Processes = 2
	}
	if opt.StartTimeout <= 0 {
		opt.StartTimeout = 10 * time.Second
	}
	p := s.Profile
	l := newLauncher(s, opt)
	t := &processTarget{launcher: l, name: NameOf(s, opt), plan: planner{profile: p},
		lasting: persistent{launcher: l, plan: planner{profile: p}}}
	// Every run reports the target's error, as with a solver that does not start, so that a campaign continues with its
	// other targets.
	if err := p.Validate(); err != nil {
		t.broken = err.Error()
	} else if s.Unusable != "" {
		t.broken = s.Unusable
	} else if !slices.Contains(s.Modes(), opt.Mode) {
		t.broken = fmt.Sprintf("%s has no mode %s (it has %v)", s.Name, opt.Mode, s.Modes())
		if why := s.Broken[opt.Mode]; why != "" {
			t.broken = fmt.Sprintf("%s does not work in mode %s: %s", s.Name, opt.Mode, why)
		}
	}
	return t
}

// Limits returns the limits of runs that give none.
func (t *processTarget) Limits() solvers.Limits { return t.opt.Limits }

// NameOf returns the name of the target of a solver with options.
func NameOf(s *solvers.Solver, opt TargetOptions) string {
	if opt.Name != "" {
		return opt.Name
	}
	name := s.Name + "/" + string(cmp.Or(opt.Mode, solvers.Fresh))
	for _, o := range opt.SMTOptions {
		name += " " + o.Name + "=" + o.Value
	}
	if len(opt.Args) > 0 {
		name += " " + strings.Join(opt.Args, " ")
	}
	return name
}

func (t *processTarget) Name() string            { return t.name }
func (t *processTarget) Solver() *solvers.Solver { return t.solver }
func (t *processTarget) Mode() solvers.Mode      { return t.opt.Mode }

// Run asks the solver. See solvers.Target.
func (t *processTarget) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	if q.Counts && t.statistics {
		return t.runWithStatistics(ctx, q, lim)
	}
	run := t.newRun(q)
	lim = lim.Or(t.opt.Limits)
	if !t.solver.Profile.CheckSatUsing {
		q = q.WithoutTactics()
	}
	q = q.WithoutFiles(t.solver.Profile)
	if without, places := q.WithoutModels(t.solver.Profile.NoModelsOf); without != q {
		q = without
		whole := run.Values
		run.Values = make([]string, len(places))
		defer func() { run.Values = solvers.SpreadValues(whole, run.Values, places) }()
	}
	switch {
	case t.broken != "":
		run.Class, run.Message = solvers.StartFailure, t.broken
	case ctx.Err() != nil:
		run.Class, run.Message = solvers.Cancelled, ctx.Err().Error()
	case q.Trace.Several() && t.opt.Mode != solvers.Fresh: // a process for each solver of the trace
		return solvers.RunLive(ctx, t, q, lim, nil)
	default:
		if err := t.openFolder(); err != nil {
			run.Class, run.Message = solvers.StartFailure, err.Error()
			break
		}
		if q.Counts {
			if err := t.prepareCounter(ctx); err != nil && t.opt.Coverage != nil {
				run.Class, run.Message = solvers.StartFailure, err.Error()
				break
			}
		}
		f := surveyQuery(q, t.solver.Profile)
		if t.opt.Mode == solvers.Fresh || f.multiline && !t.solver.Profile.MultilineTokens {
			t.runFresh(ctx, run, q, &f, lim)
		} else {
			t.lasting.runCases(ctx, run, q, &f, lim)
		}
	}
	return run
}

// newRun returns a run that has not begun, with empty slots for the answers and values of the query.
func (t *processTarget) newRun(q *solvers.Query) *solvers.Run {
	return &solvers.Run{
		Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, RoundsReals: t.solver.Profile.RoundsReals,
		Mode: t.opt.Mode, ExitCode: -1,
		Answers: make([]smtlib.Answer, q.Count(solvers.AnswerReply)), Values: make([]string, q.Count(solvers.ValueReply)),
	}
}

// Close ends the processes and removes the folder.
func (t *processTarget) Close() error {
	t.lasting.dropAll()
	t.counter.Close()
	t.cases.close() // Windows removes no open file
	return t.removeFolder()
}
