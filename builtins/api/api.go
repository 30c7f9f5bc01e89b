// Package api is the Starlark modules api and gen: the state machine of API fuzzing and the technique that walks it,
// and the solver manager, which has the sorts and terms at hand and makes new ones.
package api

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Module returns the module and its types. standard returns the SMT-LIB machine, which the library builds with this
// module; solverActions returns the names of actions that solver profiles declare.
func Module(standard func() (*engine.Machine, error), solverActions func() []string) registry.Module {
	return registry.Module{
		Name:  "api",
		Doc:   `API fuzzing: random walks through a state machine of a solver's calls. smtlib_api of @std//smtlib_api.star makes the machine of SMT-LIB from the functions of this module. All parts of a machine can be extended, reweighted and removed.`,
		Types: []*registry.Type{machineType, stateType, walkType, liveType, conditionsType, conditionType},
		Members: []registry.Builtin{
			{Name: "when", Doc: "The conditions for the states and transitions of machines.", Ret: "conditions", Value: conditions{}},
			{
				Name: "machine", Doc: "Makes a state machine. With start, the machine is new and has only that state; otherwise it is a copy of the SMT-LIB machine that smtlib_api of @std//smtlib_api.star makes.",
				Words: map[string]string{"theories": strings.Join(gen.TheoryNames(), ", "), "places": strings.Join(rule.PlacesOfSorts, ", ")},
				Ret:   "machine", Example: "api.machine(theories = [\"BV\"]).states[:3]  # -> [\"new\", \"opt\", \"set_logic\"]\nm = api.machine(start = \"ask\")\n" +
					"_ = [m.state(\"ask\").add(\"mk-const\", 5).add(\"check-sat\", 1, next = \"final\"), m.state(\"final\")]\napi.fuzz(m)(None, rng(1)).text.endswith(\"(check-sat)\\n\")  # -> True",
				Do: registry.Into(func(c *registry.Call, a *apiMachineArgs) (starlark.Value, error) {
					return newMachine(c, a, standard, solverActions)
				}),
			},
			{
				Name: "fuzz", Doc: "The technique that walks a machine. Every case is a trace of calls; solvers that read text get it as SMT-LIB commands.",
				Ret: "callable(seeds: corpus, rng) -> case", Example: "t = api.fuzz(api.machine(theories = [\"BV\"]), truth = \"sat\")\n\"unsat\" in t(None, rng(3)).expect  # -> False", Do: registry.Into(fuzz),
			},
			{
				Name: "under_options", Doc: "The technique that puts solver options before the cases of another technique. It chooses options of the target's profile (api_options) that the target accepts together; it asks the target once. Cases for several kinds of solvers do not change.",
				Ret: "callable(seeds: corpus, rng) -> case", Example: "t = api.under_options(lambda seeds, rng: smt.case(\"(check-sat)\"))\nt(corpus.texts([]), rng(1)).text  # -> \"(check-sat)\\n\"", Do: registry.Into(underOptions),
			},
			{
				Name: "one_option", Doc: "The technique that puts one option of the targets before each case. It goes through every option that the solver declares (in `z3 -pd`, in `--help` of cvc5, cvc4, Bitwuzla and Boolector, by a library, or in the profile), with each value except the default. It leaves out options whose names are about output, limits or queries; it tries a setting that the solver refuses only once.",
				Ret: "callable(seeds: corpus, rng) -> case", Example: "api.one_option({\"\": lambda seeds, rng: smt.case(\"(check-sat)\")})  # -> <built-in function api.one_option>", Do: registry.Into(oneOption),
			},
			{
				Name: "probe", Doc: "The technique that tests single operators at the boundaries of their domains: it fixes operands to boundary values and compares the result with the value that the evaluator computes. It covers pairs of operands and boundary classes in order, for each operator that walks of the machine can make.",
				Ret: "callable", Example: "p = api.probe(api.machine(theories = [\"BV\"], max_width = 200))\np(None, rng(3)).expect[0] in (\"sat\", \"unsat\")  # -> True", Do: registry.Into(probing),
			},
		},
	}
}

// machine is a state machine in a script, with the settings for what its walks generate.
type machine struct {
	registry.Object[*machine]

	engine.Design
	frozen  bool
	customs map[string]*custom
	// ofSolvers are the names of actions that profiles of solvers declare.
	ofSolvers func() []string
}

func (m *machine) String() string {
	return fmt.Sprintf("<machine of %d states and %d actions>", len(m.Machine.States), len(m.Machine.Actions))
}

// Freeze implements starlark.Value.
func (m *machine) Freeze() { m.frozen = true }

// Attr implements starlark.HasAttrs.
func (m *machine) Attr(name string) (starlark.Value, error) { return machineType.Attr(m, name) }

// MachineOf returns the machine of a script's value.
func MachineOf(v starlark.Value) (*engine.Machine, error) {
	m, ok := v.(*machine)
	if !ok {
		return nil, fmt.Errorf("got %s, want a machine", v.Type())
	}
	return m.Machine, nil
}

// change returns an error if the machine cannot be changed any more.
func (m *machine) change() error {
	if m.frozen {
		return fmt.Errorf("this machine is frozen, since the file that made it is loaded: change it at the top level of that file, or make another one")
	}
	return nil
}

func newMachine(c *registry.Call, a *apiMachineArgs, standard func() (*engine.Machine, error), solverActions func() []string) (starlark.Value, error) {
	m := &machine{ofSolvers: solverActions, customs: map[string]*custom{}, Design: engine.Design{Operators: map[string]string{}}}
	if a.Start != nil {
		if *a.Start == "" {
			return nil, c.Errorf(&a.Start, "it is empty; want the name of a state")
		}
		m.Machine = &engine.Machine{Actions: map[string]*engine.Action{}}
		m.Machine.AddState(*a.Start, engine.Plain)
	} else {
		all, err := standard()
		if err != nil {
			return nil, err
		}
		m.Machine = all.Clone()
	}
	m.Gen = gen.Config{Theories: a.Theories, Quantifiers: a.Quantifiers, Linear: a.Linear, MaxWidth: a.MaxWidth, MaxDepth: a.MaxDepth, HigherOrder: a.HigherOrder}
	if a.Theories != nil && len(a.Theories) == 0 {
		return nil, c.Errorf(&a.Theories, "it is empty; None stands for all")
	}
	if a.MaxCalls < 1 {
		return nil, c.Errorf(&a.MaxCalls, "%d is below 1", a.MaxCalls)
	}
	m.Machine.MaxCalls, m.AllTheories = a.MaxCalls, a.AllTheories
	check := m.Gen
	if _, err := check.Fill(); err != nil {
		return nil, c.Errorf(&a.Theories, "%v", err)
	}
	for i, line := range a.Exclude {
		l, err := rule.ParseLack(line)
		if err == nil && l.AboutWalks() {
			err = fmt.Errorf("%q is about walks and not about terms: use machine.exclude", line)
		}
		if err != nil {
			return nil, c.Errorf(&a.Exclude, "element %d: %v", i, err)
		}
		m.Gen.Rules.Exclude = append(m.Gen.Rules.Exclude, l)
	}
	return m, nil
}

// fuzzArgs are the arguments of api.fuzz.
type fuzzArgs struct {
	Machine *machine
	_       registry.KeywordOnly
	Options bool   `default:"False" doc:"also set random options of the targets, from their profiles (api_options)"`
	Expert  bool   `default:"False" doc:"use options of the tier expert"`
	Truth   string `type:"\"by-construction\" | \"sat\" | None" default:"\"by-construction\"" doc:"which answers are known: by-construction keeps an assignment, asserts formulas that hold under it and injects unsat cores; sat does the same without unsat cores; None asserts any formula"`
	Name    string `default:"\"api.fuzz\"" doc:"name of the technique in findings and statistics"`
}

// fuzz makes the technique. It checks the machine now, so that a mistake is reported where it was made.
func fuzz(c *registry.Call, a *fuzzArgs) (starlark.Value, error) {
	m := a.Machine
	if err := m.Machine.Check(); err != nil {
		return nil, err
	}
	aim := engine.Aim{Truth: engine.ByBoth, Options: a.Options, Expert: a.Expert, LibraryOptions: target.LibraryOptions}
	switch {
	case a.Truth == "":
		aim.Truth = engine.Unconstrained
	case a.Truth == "sat":
		aim.Truth = engine.BySat
	}
	return newTechnique(a.Name, m, aim), nil
}

// technique is a function of (seeds, rng) that walks a machine.
type technique struct {
	callable
	m   *machine
	aim engine.Aim
}

// newTechnique returns the walks of a machine.
func newTechnique(name string, m *machine, aim engine.Aim) *technique {
	t := &technique{callable: callable{builtin: "api.fuzz", name: name, parts: []starlark.Value{m}}, m: m, aim: aim}
	t.make = t.walk
	return t
}

// walk makes a case.
func (t *technique) walk(th *starlark.Thread, _ starlark.Tuple, r *value.Rng, src *rng.Source) (starlark.Value, error) {
	st := value.SessionOf(th).Scratch()
	cfg, err := t.configOf(th)
	if err != nil {
		return nil, err
	}
	w := &walker{th: th, st: st, m: t.m}
	if err := target.LearnOptions(registry.Context(th), cfg, turnOf(r, src), solving.TargetsOf(th), value.SessionOf(th).Models); err != nil {
		return nil, err
	}
	cfg.Host = w
	if cfg.Truth == engine.ByBoth {
		if cfg.Laws, err = value.LawsOf(th); err != nil {
			return nil, err
		}
	}
	run, err := engine.NewWalk(st.Arena, src, cfg)
	if err != nil {
		return nil, err
	}
	if w.err != nil {
		return nil, w.err
	}
	return value.NewCase(st, run.Case("case")), nil
}

// Claims implements solving.Claimer.
func (t *technique) Claims(targets []*target.Solver) (operators, actions []string, err error) {
	cfg, err := t.config(targets)
	if err != nil {
		return nil, nil, err
	}
	return cfg.Claims()
}

// apiMachineArgs are the arguments of api.machine.
type apiMachineArgs struct {
	_           registry.KeywordOnly
	Theories    []string `default:"None" doc:"such as [\"BV\", \"Array\", \"UF\"]: {theories}, or names of the operator table; None: all that the targets support"`
	Quantifiers bool     `default:"False" doc:"make forall and exists"`
	Linear      bool     `default:"False" doc:"no products and quotients in arithmetic"`
	MaxWidth    int      `type:"count" default:"0" doc:"greatest width of a bit vector; 0: 64, and 200 in one walk of ten"`
	MaxDepth    int      `type:"count" default:"0" doc:"greatest depth of a term; 0: no bound"`
	MaxCalls    int      `default:"400" doc:"greatest number of calls of a walk"`
	AllTheories bool     `default:"False" doc:"every walk uses all theories; otherwise each walk leaves out a random number of them"`
	Exclude     []string `default:"[]" doc:"what the machine must not make: \"operator NAME\", \"sort KIND\", or \"POSITION KIND\" with one of the positions {places}"`
	HigherOrder bool     `default:"False" doc:"make functions as values, partial applications and lambdas, if the targets support them: in cvc5 they have function sorts, in z3 they are arrays"`
	Start       *string  `default:"None" doc:"the state in which walks of a new machine start"`
}
