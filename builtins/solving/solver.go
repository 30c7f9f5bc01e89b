package solving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/derive"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/process"
)

// askResources bounds what a solver may do for one question of a builtin, in its own deterministic unit, so that the
// answer does not depend on how busy the machine is: about half a second of z3 and of cvc5 and its kin, whose units are
// fifty times larger.
func askResources(p *solvers.Profile) uint64 {
	if strings.Contains(p.ResourceLimit, "rlimit-per") {
		return 20_000
	}
	return 1_000_000
}

// waitingFactor is how many times longer than its processor time a question may take by the wall clock.
const waitingFactor = 10

// AskTime is the processor time that a solver has for one question of a builtin. It ends one that has no deterministic limit, or does
// not keep it, as cvc5 on nonlinear arithmetic.
const AskTime = 3 * time.Second

// Solver is a target as scripts see it: a solver of this machine, or a stand-in for one, with mode, options and limits.
// It holds no process: see Pool.
type Solver struct {
	Found *solvers.Solver
	Opt   process.Options
	// New makes the target, in the mode that the options say; nil means that of the program or library. Tests put fakes here.
	New func(opt process.Options) solvers.Target
	// Expr is the expression of a campaign file that makes this solver again.
	Expr string
	// Made is where a campaign file made it.
	Made syntax.Position
	// Learned is what the solver said it takes; nil: it was not asked, and its profile counts.
	Learned *Learned
	// Members are the solvers that a meta solver asks, see NewCross; nil for a solver of this machine. New is set then.
	Members []*Solver
}

// CallerOf returns the place in a campaign file from which a builtin was called: the innermost one outside of the library.
func CallerOf(th *starlark.Thread) syntax.Position {
	for i := 1; i < th.CallStackDepth(); i++ {
		if pos := th.CallFrame(i).Pos; !strings.HasPrefix(pos.Filename(), "@std//") && pos.Filename() != "<builtin>" {
			return pos
		}
	}
	return syntax.Position{}
}

// Target returns a new target. The caller closes it.
func (s *Solver) Target() solvers.Target { return s.inMode(s.Opt.Mode) }

// InMode returns a new target of the same solver and options in another mode, under the same name.
func (s *Solver) InMode(m solvers.Mode) (solvers.Target, error) {
	if !s.hasMode(m) {
		return nil, fmt.Errorf("%s has no mode %s, only %v", s.Found.Name, m, s.Found.Modes())
	}
	return s.inMode(m), nil
}

func (s *Solver) inMode(m solvers.Mode) solvers.Target {
	opt := s.Opt
	opt.Mode = m
	opt.Name = s.Name()
	return s.open(opt)
}

// open makes a target.
func (s *Solver) open(opt process.Options) solvers.Target {
	switch {
	case s.New != nil:
		return s.New(opt)
	case s.Found.Library != "":
		return native.New(s.Found, opt)
	}
	return process.New(s.Found, opt)
}

// Name returns the name of the target, the same in every mode.
func (s *Solver) Name() string {
	if s.Opt.Name != "" {
		return s.Opt.Name
	}
	return process.New(s.Found, s.Opt).Name() // starts nothing
}

// AskerName implements Asker.
func (s *Solver) AskerName() string {
	name := s.Found.Name
	for _, o := range s.Opt.SMTOptions {
		name += " " + o.Name + "=" + o.Value
	}
	return strings.Join(append([]string{name}, s.Opt.Args...), " ")
}

// Ask implements Asker: a process of its own, under a deterministic limit, so that the answer follows from the question.
func (s *Solver) Ask(ctx context.Context, q *solvers.Query) (*solvers.Run, error) {
	return s.askPatiently(ctx, q, 1)
}

// askPatiently is Ask with so many times the time. That is processor time of the solver: on a busy machine the wall clock says nothing
// of how long a question is, and it only ends what waits for something.
func (s *Solver) askPatiently(ctx context.Context, q *solvers.Query, patience int) (*solvers.Run, error) {
	opt := s.Opt
	opt.Mode = solvers.Fresh
	opt.Resources = askResources(s.Found.Profile)
	opt.Limits.CPU = AskTime * time.Duration(patience)
	opt.Limits.Wall = waitingFactor * opt.Limits.CPU
	t := s.open(opt)
	defer t.Close()
	run := t.Run(ctx, q, solvers.Limits{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case run.Class == solvers.StartFailure:
		return nil, fmt.Errorf("%s: %s", s.Name(), run.Message)
	}
	return run, nil
}

// ProversKey is the slot of who is asked for proofs when a script names nobody; it is looked up when it is first needed.
var ProversKey = registry.NewKey[func() Askers]("who proves", "the host of this thread knows no solvers")

// Askers asks several solvers one after the other until one decides.
type Askers []*Solver

// AskersOf returns who is asked for models of seeds when the script names nobody: the targets by the number of theories
// that their profiles claim, the first of each kind, at most three.
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

// AskerName implements Asker.
func (as Askers) AskerName() string {
	var names []string
	for _, s := range as {
		names = append(names, s.AskerName())
	}
	return strings.Join(names, ", ")
}

// Ask implements Asker. The error is that of the last solver.
func (as Askers) Ask(ctx context.Context, q *solvers.Query) (run *solvers.Run, err error) {
	for _, s := range as {
		run, err = s.Ask(ctx, q)
		if err == nil && run.Answer().Decided() || ctx.Err() != nil {
			break
		}
	}
	return run, err
}

// Pool keeps the targets that the functions of a thread ask, so that modes reset and incremental are worth their name.
// It belongs to the goroutine of its thread.
type Pool struct{ targets map[*Solver]solvers.Target }

// PoolKey is the slot of a thread's pool. A thread without one starts a process for each question.
var PoolKey = registry.NewKey[*Pool]("the pool of solver processes", "nobody would end them")

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{targets: map[*Solver]solvers.Target{}} }

// Close ends all processes.
func (p *Pool) Close() error {
	var errs []error
	for _, t := range p.targets {
		errs = append(errs, t.Close())
	}
	clear(p.targets)
	return errors.Join(errs...)
}

// Run asks the solver in its own mode, on behalf of a thread.
func (s *Solver) Run(th *starlark.Thread, q *solvers.Query, lim solvers.Limits) (*solvers.Run, error) {
	value.SessionOf(th).NoteAsked(s.Found.Name)
	var t solvers.Target
	if p, err := PoolKey.Get(th); err == nil {
		if t = p.targets[s]; t == nil {
			t = s.Target()
			p.targets[s] = t
		}
	} else {
		t = s.Target()
		defer t.Close()
	}
	ctx := registry.Context(th)
	defer account.Begin(ctx, account.Questions, s.Name())()
	run := t.Run(ctx, q, lim)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return run, nil
}

func (s *Solver) String() string { return fmt.Sprintf("<solver %s>", s.Name()) }

func (s *Solver) Type() string { return "solver" }

func (s *Solver) Freeze() {}

func (s *Solver) Truth() starlark.Bool { return true }

// Hash implements starlark.Value.
func (s *Solver) Hash() (uint32, error) { return starlark.String(s.Name()).Hash() }

// Attr implements starlark.HasAttrs.
func (s *Solver) Attr(name string) (starlark.Value, error) { return SolverType.Attr(s, name) }

// AttrNames implements starlark.HasAttrs.
func (s *Solver) AttrNames() []string { return SolverType.AttrNames() }

// queryOf returns what a script asks a solver: a case, a Bool term, or SMT-LIB text. The script is that of the case or
// of the text, for reading models; nil for a term.
func queryOf(th *starlark.Thread, v starlark.Value) (*solvers.Query, *value.Case, error) {
	var c *value.Case
	var err error
	switch v := v.(type) {
	case *value.Case:
		c, err = value.SessionOf(th).Local(v)
	case starlark.String:
		c, err = value.ParseCase("text", []byte(v))
	case value.Term:
		q, err := queryOfTerm(v)
		return q, nil, err
	default:
		return nil, nil, fmt.Errorf("got %s, want a case, a Bool term or SMT-LIB text", v.Type())
	}
	if err != nil {
		return nil, nil, err
	}
	tc, err := c.Case()
	if err != nil {
		return nil, nil, err
	}
	return tc.Query(), c, nil
}

// queryOfTerm asks whether a formula can hold.
func queryOfTerm(t value.Term) (q *solvers.Query, err error) {
	id, err := t.ID()
	if err != nil {
		return nil, err
	}
	st := t.Store()
	a := st.Arena
	if a.Sort(id) != smt.SortBool {
		return nil, fmt.Errorf("%s has sort %s, want a Bool term", a.Brief(id), a.SortString(a.Sort(id)))
	}
	st.Walk(func(*smt.Arena) { q = solvers.FromScript(scriptOf(st, id)) })
	return q, nil
}

func solverAttr(f func(s *Solver) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) { return f(v.(*Solver)), nil }
}

const exampleAsk = "c = smt.case(\"(declare-const x Int)(assert (> x 1))(check-sat)\")\n"

// SolverType describes the attributes and methods of solver values.
var SolverType = registry.NewType("solver", "A target: a solver found on this machine with its mode, options and limits.", []registry.Builtin{
	{Name: "name", Doc: "The name of the target, as runs and findings show it.", Ret: "str", Needs: "z3", Example: "solver(\"z3\", name = \"mine\").name  # -> \"mine\"",
		Get: solverAttr(func(s *Solver) starlark.Value { return starlark.String(s.Name()) })},
	{Name: "kind", Doc: "The name of the solver's profile.", Ret: "str", Needs: "z3", Example: "solver(\"z3\").kind  # -> \"z3\"",
		Get: solverAttr(func(s *Solver) starlark.Value { return starlark.String(s.Found.Profile.Name) })},
	{Name: "version", Doc: "The version that the solver says it is.", Ret: "str", Needs: "z3", Example: "solver(\"z3\").version != \"\"  # -> True",
		Get: solverAttr(func(s *Solver) starlark.Value { return starlark.String(s.Found.Version) })},
	{Name: "mode", Doc: "How it is fed: fresh, reset, incremental or native.", Ret: "str", Needs: "z3", Example: "solver(\"z3\", mode = \"incremental\").mode  # -> \"incremental\"",
		Get: solverAttr(func(s *Solver) starlark.Value { return starlark.String(s.Opt.Mode) })},
	{Name: "path", Doc: "The program, or the library.", Ret: "str", Needs: "z3", Example: "solver(\"z3\").path.startswith(\"/\")  # -> True",
		Get: solverAttr(func(s *Solver) starlark.Value { return starlark.String(cmp.Or(s.Found.Library, s.Found.Path)) })},
	{Name: "theories", Doc: "The theories that its profile claims.", Ret: "list[str]", Needs: "z3", Example: "\"Strings\" in solver(\"z3\").theories  # -> True",
		Get: solverAttr(func(s *Solver) starlark.Value { return stringList(s.Found.Profile.Theories) })},
	{Name: "run", Doc: "Asks the solver and returns all that it did. In campaigns, modes reset and incremental keep their process for the next question.",
		Params: []registry.Param{
			{Name: "question", Type: "case | term | str", Doc: "a case, a Bool term, or SMT-LIB text"},
			{Name: "*"},
			{Name: "model", Type: "bool", Default: "False", Doc: "ask for a model after each sat"},
			{Name: "timeout", Type: "duration | None", Default: "None", Doc: "wall time; None is the solver's own limit"},
		},
		Ret: "run", Needs: "z3", Example: exampleAsk + "solver(\"z3\").run(c).answer  # -> \"sat\"", Do: registry.Method(solverRun)},
	{Name: "check", Doc: "Asks the solver and returns its last answer: \"sat\", \"unsat\", \"unknown\", or \"none\" when it gave none.",
		Params: []registry.Param{{Name: "question", Type: "case | term | str", Doc: "a case, a Bool term, or SMT-LIB text"}},
		Ret:    "str", Needs: "z3", Example: "p = smt.const(\"p\", smt.Bool)\nsolver(\"z3\").check(smt.and_(p, smt.not_(p)))  # -> \"unsat\"",
		Do: registry.Method(func(c *registry.Call, s *Solver, a *struct{ Question starlark.Value }) (starlark.Value, error) {
			q, _, err := queryOf(c.Thread, a.Question)
			if err != nil {
				return nil, err
			}
			run, err := s.Run(c.Thread, q, solvers.Limits{})
			if err != nil {
				return nil, err
			}
			return starlark.String(run.Answer().String()), nil
		})},
})

// runArgs are the arguments of solver.run.
type runArgs struct {
	Question starlark.Value
	Model    bool
	Timeout  *time.Duration
}

func solverRun(c *registry.Call, s *Solver, a *runArgs) (starlark.Value, error) {
	q, k, err := queryOf(c.Thread, a.Question)
	if err != nil {
		return nil, err
	}
	if a.Model {
		q = q.WithModel()
	}
	var lim solvers.Limits
	if a.Timeout != nil {
		lim.Wall = *a.Timeout
	}
	run, err := s.Run(c.Thread, q, lim)
	if err != nil {
		return nil, err
	}
	again := AskAgain(registry.Context(c.Thread), map[string]*Solver{run.Target: s})
	return &Run{R: run, Query: func() *solvers.Query { return q }, Case: k, By: s, Seeds: oracle.NewSeedRuns(again), Models: a.Model}, nil
}

func stringList(ss []string) starlark.Value {
	out := make([]starlark.Value, len(ss))
	for i, s := range ss {
		out[i] = starlark.String(s)
	}
	return starlark.NewList(out)
}

// scriptOf returns a script that asserts a term.
func scriptOf(st *value.Store, t smt.Term) *smtlib.Script {
	cmds := append(derive.Declarations(st.Arena, []smt.Term{t}), smtlib.AssertCommand(t), smtlib.Command{Kind: smtlib.CmdCheckSat})
	return &smtlib.Script{Arena: st.Arena, Name: "term", Commands: cmds}
}

// OptionList turns a dict of options into a list, sorted by name, so that the command line does not depend on how
// the dict was written.
func OptionList(m map[string]string) []solvers.Option {
	var out []solvers.Option
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, solvers.Option{Name: k, Value: m[k]})
	}
	return out
}
