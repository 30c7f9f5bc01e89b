package solving

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/solvers"
)

// action is the result of solver.action: data for a profile's api_actions. It prints as the call that makes it.
type action struct {
	registry.Object[*action]
	a solvers.Action
}

func (x *action) Hash() (uint32, error) { return starlark.String(x.a.Name).Hash() }

func (x *action) String() string { return x.a.Expression() }

// Attr implements starlark.HasAttrs.
func (x *action) Attr(name string) (starlark.Value, error) { return actionType.Attr(x, name) }

var actionType = registry.NewType[*action]("solver_action", "A command of one kind of solver that walks may call: for a profile's api_actions.", []registry.Builtin{
	{Name: "name", Doc: "Its name.", Ret: "str", Example: `solver.action("get-abduct", "(get-abduct {name} {goal})", state = "sat").name  # -> "get-abduct"`,
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*action).a.Name), nil }},
})

// actionArgs are the arguments of solver.action.
type actionArgs struct {
	Name           string   `doc:"its name in statistics and in lines such as \"action NAME\" of api_exclude"`
	Command        []string `type:"str | list[str]" doc:"the command, or several, one of which is used in each call. {formula} stands for a formula of the walk, {goal} for one that mostly holds, {term} for any term, {name} for a new name. A command that prints something is named get-..., or is one of apply, eval, display, labels, check-sat-using"`
	_              registry.KeywordOnly
	State          string  `doc:"the state of the machine in which it can be called, such as sat"`
	Weight         float64 `type:"weight" default:"1" doc:"how often it is called, as for state.add"`
	Next           string  `default:"None" doc:"the state after it; None: the state stays the same"`
	Option         string  `default:"None" doc:"an option that must be true before the call"`
	Probability    float64 `type:"probability" default:"0.1" doc:"probability that a walk sets this option"`
	NeedsModel     bool    `default:"False" doc:"call it only while the solver still has a model"`
	SpendsModel    bool    `default:"False" doc:"after it, the solver no longer has a model"`
	ChangesProblem bool    `default:"False" doc:"after it, later answers are not known: only walks with truth = None call it"`
	Doc            string  `default:"\"\"" doc:"one line about it"`
}

var actionBuiltin = registry.Builtin{
	Name: "action", Doc: "A command of one kind of solver that API walks may call, for api_actions of its profile. Machines such as the one for SMT-LIB use it in states with solver_actions(), in campaigns whose targets all have it.",
	Ret: "solver_action", Example: `mine = solver.profile(name = "mine", base = "generic", binaries = ["mine"], api_actions = [solver.action("get-oddity", "(get-oddity {formula})", state = "sat", weight = 2)])
mine.name  # -> "mine"
solver.action("x", "(push 1)", state = "sat")  # error: push is an action of the machine itself`,
	Do: registry.Into(newAction),
}

func newAction(_ *registry.Call, a *actionArgs) (starlark.Value, error) {
	x := &action{a: solvers.Action{Name: a.Name, Doc: a.Doc, Commands: a.Command, State: a.State, Next: a.Next, Weight: a.Weight, Option: strings.TrimPrefix(a.Option, ":"),
		NeedsModel: a.NeedsModel, SpendsModel: a.SpendsModel, ChangesProblem: a.ChangesProblem}}
	if a.Option != "" {
		x.a.Probability = a.Probability
	}
	if err := x.a.Validate(); err != nil {
		return nil, err
	}
	return x, nil
}

// inProfileFiles are the members of the module solver that files of profiles have beside solver.profile.
func inProfileFiles() (starlark.StringDict, error) {
	builtins := append([]registry.Builtin{actionBuiltin}, ruleBuiltins...)
	reg, err := registry.New(registry.Module{Name: "solver", Doc: "In files of profiles.", Members: builtins, Types: []*registry.Type{actionType, RuleType}})
	if err != nil {
		return nil, err
	}
	module, ok := reg.Predeclared()["solver"].(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("the module solver has no members")
	}
	out := starlark.StringDict{}
	for i := range builtins {
		if out[builtins[i].Name], err = module.Attr(builtins[i].Name); err != nil {
			return nil, err
		}
	}
	return out, nil
}
