package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// askResources bounds the work of a solver on one question of a campaign file, in the solver's own deterministic unit,
// so that the answer does not depend on how busy the machine is: about half a second of z3 and of cvc5 and its kin,
// whose units are fifty times larger.
func askResources(p *solvers.Profile) uint64 {
	if strings.Contains(p.ResourceLimit, "rlimit-per") {
		return 20_000
	}
	return 1_000_000
}

// waitingFactor is the ratio of a question's wall-clock limit to its limit of processor time.
const waitingFactor = 10

// AskTime is the processor time that a solver has for one question of a campaign file. It ends solvers that have no
// deterministic limit or do not keep it, such as cvc5 on nonlinear arithmetic.
const AskTime = 3 * time.Second

// AskerName implements consult.Asker.
func (s *Solver) AskerName() string {
	name := s.Found.Name
	for _, o := range s.Opt.SMTOptions {
		name += " " + o.Name + "=" + o.Value
	}
	return strings.Join(append([]string{name}, s.Opt.Args...), " ")
}

// modelShare divides the limits of a question if it asks for a model of a seed. Of 120 satisfiable seeds of all logics,
// z3 4.13.3 decides 95 with the full limits and 92 with a fifth of them, which takes 60 % of the time. Cases without a
// model get random values.
const modelShare = 5

// Ask implements consult.Asker. It uses a new process with a deterministic limit, so that the answer depends only on
// the question.
func (s *Solver) Ask(ctx context.Context, q *solvers.Query) (*solvers.Run, error) {
	return s.askPatiently(ctx, q, 1)
}

// AskForModel implements consult.Asker.
func (s *Solver) AskForModel(ctx context.Context, q *solvers.Query) (*solvers.Run, error) {
	t := s.forQuestions(modelShare)
	defer t.Close()
	return s.askTarget(ctx, t, q, AskTime/modelShare)
}

// askPatiently is Ask with patience times the usual time. The time is the solver's processor time, since wall time
// means little on a busy machine. The wall-clock limit only ends solvers that wait for something.
func (s *Solver) askPatiently(ctx context.Context, q *solvers.Query, patience int) (*solvers.Run, error) {
	t := s.forQuestions(1)
	defer t.Close()
	return s.askTarget(ctx, t, q, AskTime*time.Duration(patience))
}

// forQuestions returns a target for questions of campaign files, with the deterministic limit divided by shares.
func (s *Solver) forQuestions(shares uint64) solvers.Target {
	opt := s.Opt
	opt.Mode = solvers.Fresh
	opt.Resources = askResources(s.Found.Profile) / shares
	return s.open(opt)
}

// askTarget asks a target with a limit of most processor time, plus the startup time of slow programs.
func (s *Solver) askTarget(
	ctx context.Context, t solvers.Target, q *solvers.Query, most time.Duration,
) (*solvers.Run, error) {
	more, measured := startupTimes.Load(s.Found)
	if measured {
		most += more.(time.Duration)
	}
	run := askWithin(ctx, t, q, most)
	spent := run.Class == solvers.Timeout && run.CPU >= most/2 // what waits for something has not begun slowly
	if spent && !measured && ctx.Err() == nil {
		if more := s.measureStartup(ctx); more > 0 {
			run = askWithin(ctx, t, q, most+more)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case run.Class == solvers.StartFailure:
		return nil, fmt.Errorf("%s: %s", s.Name(), run.Message)
	}
	return run, nil
}

func askWithin(ctx context.Context, t solvers.Target, q *solvers.Query, most time.Duration) *solvers.Run {
	return t.Run(ctx, q, solvers.Limits{CPU: most, Wall: waitingFactor * most})
}

// startupTimes has, by *solvers.Solver, the extra processor time that each question gets because the program starts
// slowly.
var startupTimes sync.Map

// A program that takes slowStartup or more for the simplest question, as Java programs do, gets startupFactor times
// that time as extra time for each question: it compiles while it runs. Princess takes 1.6 s for one assertion and 2.9
// s for a dozen.
const (
	slowStartup   = 300 * time.Millisecond
	startupFactor = 4
)

// measureStartup times the simplest question. It returns and remembers the extra time that other questions get.
func (s *Solver) measureStartup(ctx context.Context) time.Duration {
	t := s.forQuestions(1)
	defer t.Close()
	control, err := smtlib.Parse("control", []byte(learn.Control), smt.NewArena())
	if err != nil { // it is a constant
		panic(err)
	}
	run := askWithin(ctx, t, solvers.FromScript(control), startupFactor*AskTime)
	if ctx.Err() != nil {
		return 0
	}
	more := time.Duration(0)
	if run.CPU >= slowStartup && run.Class != solvers.Timeout {
		more = startupFactor * run.CPU
	}
	startupTimes.Store(s.Found, more)
	return more
}

// Takes is Interview.Takes with a process for each question.
func (s *Solver) Takes(ctx context.Context, options []rule.Setting, script string) (bool, error) {
	i := &Interview{s: s}
	return i.Takes(ctx, options, script)
}

// Interview asks a solver many questions. A C library gets all questions in one process, each with a new solver object,
// since loading the library takes ten times as long as answering. If a question ends that process or times out, it is
// repeated in a process of its own, and the second answer counts.
type Interview struct {
	s      *Solver
	target solvers.Target // nil: each question is asked in a process of its own
}

// Interview returns an Interview of the solver. The caller closes it.
func (s *Solver) Interview() *Interview {
	if s.New != nil || s.Found.Library == "" {
		return &Interview{s: s}
	}
	return &Interview{s, s.forQuestions(1)}
}

// Close ends the process.
func (i *Interview) Close() {
	if i.target != nil {
		_ = i.target.Close() // its files are temporary
	}
}

// ask asks one question with patience times the usual time.
func (i *Interview) ask(ctx context.Context, q *solvers.Query, patience int) (*solvers.Run, error) {
	if i.target == nil {
		return i.s.askPatiently(ctx, q, patience)
	}
	run, err := i.s.askTarget(ctx, i.target, q, AskTime*time.Duration(patience))
	if err != nil || run.Class == solvers.OK || slices.Contains(refusals, run.Class) {
		return run, err
	}
	return i.s.askPatiently(ctx, q, patience)
}

// Askers asks several solvers one after the other until one decides.
type Askers []*Solver

// AskersOf returns the default solvers to ask for models of seeds: at most three targets, one of each kind, ordered by
// the number of theories in their profiles.
func AskersOf(targets []*Solver) Askers {
	var out Askers
	kinds := map[string]bool{}
	for _, s := range targets {
		if k := s.Found.Profile.Name; !kinds[k] {
			kinds[k] = true
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *Solver) int { return len(b.Found.Profile.Theories) - len(a.Found.Profile.Theories) })
	return out[:min(len(out), 3)]
}

// AskerName implements consult.Asker.
func (as Askers) AskerName() string {
	var names []string
	for _, s := range as {
		names = append(names, s.AskerName())
	}
	return strings.Join(names, ", ")
}

// Ask implements consult.Asker. The error is that of the last solver.
func (as Askers) Ask(ctx context.Context, q *solvers.Query) (run *solvers.Run, err error) {
	return as.untilDecided(ctx, q, (*Solver).Ask)
}

// AskForModel implements consult.Asker, as Ask does.
func (as Askers) AskForModel(ctx context.Context, q *solvers.Query) (run *solvers.Run, err error) {
	return as.untilDecided(ctx, q, (*Solver).AskForModel)
}

func (as Askers) untilDecided(ctx context.Context, q *solvers.Query, ask func(s *Solver, ctx context.Context, q *solvers.Query) (*solvers.Run, error)) (run *solvers.Run, err error) {
	for _, s := range as {
		run, err = ask(s, ctx, q)
		if err == nil && run.Answer().Decided() || ctx.Err() != nil {
			break
		}
	}
	return run, err
}

// AskAgain returns a function that asks targets by name, each time in a new process of mode fresh.
func AskAgain(ctx context.Context, targets map[string]*Solver) oracle.AskFunc {
	return func(target string, q *solvers.Query, lim solvers.Limits) *solvers.Run {
		s := targets[target]
		if s == nil {
			return nil
		}
		defer account.Begin(ctx, account.Questions, target)()
		return s.runAfresh(ctx, q, lim)
	}
}

// runAfresh runs a query in a new process of mode fresh.
func (s *Solver) runAfresh(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	t := s.inMode(solvers.Fresh)
	defer t.Close()
	return t.Run(ctx, q, lim)
}

// TargetPool keeps open the targets that functions of a campaign file ask, so that processes in modes reset and
// incremental are reused. It belongs to one goroutine. A nil pool starts a process for each question.
type TargetPool struct{ targets map[*Solver]solvers.Target }

// NewPool returns an empty pool.
func NewPool() *TargetPool { return &TargetPool{targets: map[*Solver]solvers.Target{}} }

// Run asks a solver in its own mode.
func (p *TargetPool) Run(ctx context.Context, s *Solver, q *solvers.Query, lim solvers.Limits) (*solvers.Run, error) {
	var t solvers.Target
	if p == nil {
		t = s.Target()
		defer t.Close()
	} else if t = p.targets[s]; t == nil {
		t = s.Target()
		p.targets[s] = t
	}
	defer account.Begin(ctx, account.Questions, s.Name())()
	run := t.Run(ctx, q, lim)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return run, nil
}

// Close ends all processes.
func (p *TargetPool) Close() error {
	var errs []error
	for _, t := range p.targets {
		errs = append(errs, t.Close())
	}
	clear(p.targets)
	return errors.Join(errs...)
}

// Enumerate opens a session of the solver (or its front end) for enumerating results of a script, calls use with it,
// and closes the session and the target.
func (s *Solver) Enumerate(
	ctx context.Context, script *smtlib.Script, use func(context.Context, solvers.Caller) error,
) error {
	t := s.Target()
	if s.Opt.Mode != solvers.Native && s.hasMode(solvers.Incremental) {
		t = s.inMode(solvers.Incremental)
	}
	defer t.Close()
	front, isFront, err := dialogue.FrontOf(t, script.Arena)
	switch {
	case err != nil:
		return err
	case isFront:
		defer front.Close()
		if err := frontend.Prepare(ctx, front, script); err != nil {
			return err
		}
		return use(ctx, front)
	}
	session, err := frontend.Open(ctx, t, script)
	if err != nil {
		return err
	}
	defer session.Close()
	return use(ctx, session)
}
