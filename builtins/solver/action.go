package solver

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/solvers"
)

// action is what solver.action makes: data for a profile's api_actions. It prints as the call that makes it.
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
	Name                                    string
	Command                                 []string
	State                                   string
	Weight                                  float64
	Next, Option                            string
	Probability                             float64
	NeedsModel, SpendsModel, ChangesProblem bool
	Doc                                     string
}

var actionBuiltin = registry.Builtin{
	Name: "action", Doc: "A command of one kind of solver that API walks may call, for api_actions of its profile. Machines such as that of SMT-LIB use it in the states with solver_actions(), in campaigns whose targets all have it.",
	Params: []registry.Param{
		{Name: "name", Type: "str", Doc: "what statistics call it, and lines such as \"action NAME\" of api_exclude"},
		{Name: "command", Type: "str | list[str]", Doc: "the command, or several, one of which is used in each call. {formula} stands for a formula of the walk, {goal} for one that mostly holds, {term} for any term, {name} for a new name. A command that prints something is named get-..., or is one of apply, eval, display, labels, check-sat-using"},
		{Name: "*"},
		{Name: "state", Type: "str", Doc: "the state of the machine in which it can be called, such as sat"},
		{Name: "weight", Type: "weight", Default: "1", Doc: "how often, as for state.add"},
		{Name: "next", Type: "str | None", Default: "None", Doc: "the state that it leads to; None stays"},
		{Name: "option", Type: "str | None", Default: "None", Doc: "the option that has to be true before"},
		{Name: "probability", Type: "probability", Default: "0.1", Doc: "that a walk sets this option"},
		{Name: "needs_model", Type: "bool", Default: "False", Doc: "call it only while the solver still has a model"},
		{Name: "spends_model", Type: "bool", Default: "False", Doc: "the solver has no model any more after it"},
		{Name: "changes_problem", Type: "bool", Default: "False", Doc: "after it, later answers are not known: only walks with truth = None call it"},
		{Name: "doc", Type: "str", Default: `""`, Doc: "one line about it"},
	},
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
	reg, err := registry.New(registry.Module{Name: "solver", Doc: "In files of profiles.", Members: builtins, Types: []*registry.Type{actionType, solving.RuleType}})
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
