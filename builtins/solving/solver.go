package solving

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
)

// SolverValue is a target.Solver as scripts see it.
type SolverValue struct {
	registry.Object[*SolverValue]

	*target.Solver
	// Made is the position in the campaign file at which the solver was made.
	Made syntax.Position
	// Missing is the reason why the solver is not on this machine, if the value is only a placeholder.
	Missing error
}

// Engines returns the engine's solvers behind script values.
func Engines(list []*SolverValue) []*target.Solver {
	var out []*target.Solver
	for _, s := range list {
		out = append(out, s.Solver)
	}
	return out
}

// CallerOf returns the place in a campaign file from which a builtin was called: the innermost one outside of the
// library.
func CallerOf(th *starlark.Thread) syntax.Position {
	for i := 1; i < th.CallStackDepth(); i++ {
		if pos := th.CallFrame(i).Pos; !strings.HasPrefix(pos.Filename(), "@std//") && pos.Filename() != "<builtin>" {
			return pos
		}
	}
	return syntax.Position{}
}

// ProversKey is the slot of the solvers that prove something when a script names none. They are looked up when they are
// first needed.
var ProversKey = registry.NewKey[func() target.Askers]("who proves", "the host of this thread knows no solvers")

// PoolKey is the slot of the pool of a thread, see target.TargetPool. A thread without one starts a process for each
// question.
var PoolKey = registry.NewKey[*target.TargetPool]("the pool of solver processes", "nobody would end them")

// Run asks the solver in its own mode, on behalf of a thread.
func (s *SolverValue) Run(th *starlark.Thread, q *solvers.Query, lim solvers.Limits) (*solvers.Run, error) {
	value.SessionOf(th).NoteAsked(s.Found.Name)
	pool, err := PoolKey.Get(th)
	if err != nil {
		pool = nil
	}
	return pool.Run(registry.Context(th), s.Solver, q, lim)
}

func (s *SolverValue) String() string { return fmt.Sprintf("<solver %s>", s.Name()) }

// Hash implements starlark.Value.
func (s *SolverValue) Hash() (uint32, error) { return starlark.String(s.Name()).Hash() }

// Attr implements starlark.HasAttrs.
func (s *SolverValue) Attr(name string) (starlark.Value, error) { return SolverType.Attr(s, name) }

// queryOf returns the query for v: a case, a Bool term, or SMT-LIB text. It also returns the case, or the parsed text
// as a case, for reading models; nil for a term.
func queryOf(th *starlark.Thread, v starlark.Value) (*solvers.Query, value.Case, error) {
	var c value.Case
	var err error
	switch v := v.(type) {
	case value.Case:
		c, err = value.LocalOf(th, v)
	case starlark.String:
		c, err = value.ParseCase("text", []byte(v))
	case value.Term:
		q, err := queryOfTerm(v)
		return q, c, err
	default:
		return nil, c, fmt.Errorf("got %s, want a case, a Bool term or SMT-LIB text", v.Type())
	}
	if err != nil {
		return nil, c, err
	}
	tc, err := c.TestCase()
	if err != nil {
		return nil, c, err
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
	st.Walk(func(*smt.Arena) { q = solvers.FromScript(derive.Question(a, id)) })
	return q, nil
}

func solverAttr(f func(s *SolverValue) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) { return f(v.(*SolverValue)), nil }
}

const exampleAsk = "c = smt.case(\"(declare-const x Int)(assert (> x 1))(check-sat)\")\n"

// SolverType describes the attributes and methods of solver values.
var SolverType = registry.NewType[*SolverValue]("solver", "A target: a solver found on this machine with its mode, options and limits.", []registry.Builtin{
	{Name: "name", Doc: "The name of the target, as runs and findings show it.", Ret: "str", Needs: "z3", Example: "solver(\"z3\", name = \"mine\").name  # -> \"mine\"",
		Get: solverAttr(func(s *SolverValue) starlark.Value { return starlark.String(s.Name()) })},
	{Name: "kind", Doc: "The name of the solver's profile.", Ret: "str", Needs: "z3", Example: "solver(\"z3\").kind  # -> \"z3\"",
		Get: solverAttr(func(s *SolverValue) starlark.Value { return starlark.String(s.Found.Profile.Name) })},
	{Name: "version", Doc: "The version that the solver reports.", Ret: "str", Needs: "z3", Example: "solver(\"z3\").version != \"\"  # -> True",
		Get: solverAttr(func(s *SolverValue) starlark.Value { return starlark.String(s.Found.Version) })},
	{Name: "mode", Doc: "How the solver is used: fresh, reset, incremental or native.", Ret: "str", Needs: "z3", Example: "solver(\"z3\", mode = \"incremental\").mode  # -> \"incremental\"",
		Get: solverAttr(func(s *SolverValue) starlark.Value { return starlark.String(s.Opt.Mode) })},
	{Name: "path", Doc: "The program, or the library.", Ret: "str", Needs: "z3", Example: "solver(\"z3\").path.startswith(\"/\")  # -> True",
		Get: solverAttr(func(s *SolverValue) starlark.Value { return starlark.String(cmp.Or(s.Found.Library, s.Found.Path)) })},
	{Name: "theories", Doc: "The theories that its profile claims.", Ret: "list[str]", Needs: "z3", Example: "\"Strings\" in solver(\"z3\").theories  # -> True",
		Get: solverAttr(func(s *SolverValue) starlark.Value { return stringList(s.Found.Profile.Theories) })},
	{Name: "run", Doc: "Asks the solver and returns the whole run. In campaigns, modes reset and incremental keep their process for the next question.",
		Ret: "run", Needs: "z3", Example: exampleAsk + "solver(\"z3\").run(c).answer  # -> \"sat\"", Do: registry.Method(solverRun)},
	{Name: "check", Doc: "Asks the solver and returns its last answer: \"sat\", \"unsat\", \"unknown\", or \"none\" when it gave none.",
		Ret: "str", Needs: "z3", Example: "p = smt.const(\"p\", smt.Bool)\nsolver(\"z3\").check(smt.and_(p, smt.not_(p)))  # -> \"unsat\"",
		Do: registry.Method(func(c *registry.Call, s *SolverValue, a *struct {
			Question starlark.Value `type:"case | term | str" doc:"a case, a Bool term, or SMT-LIB text"`
		}) (starlark.Value, error) {
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
	optimiseBuiltin, allValuesBuiltin, minimalCoreBuiltin,
})

// runArgs are the arguments of solver.run.
type runArgs struct {
	Question starlark.Value `type:"case | term | str" doc:"a case, a Bool term, or SMT-LIB text"`
	_        registry.KeywordOnly
	Model    bool           `default:"False" doc:"ask for a model after each sat"`
	Timeout  *time.Duration `default:"None" doc:"wall time; None is the solver's own limit"`
}

func solverRun(c *registry.Call, s *SolverValue, a *runArgs) (starlark.Value, error) {
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
	again := target.AskAgain(registry.Context(c.Thread), map[string]*target.Solver{run.Target: s.Solver})
	return &RunValue{R: run, Query: func() *solvers.Query { return q }, Case: k, By: s, Seeds: oracle.NewSeedRuns(again), Models: a.Model}, nil
}

func stringList(ss []string) starlark.Value {
	out := make([]starlark.Value, len(ss))
	for i, s := range ss {
		out[i] = starlark.String(s)
	}
	return starlark.NewList(out)
}
