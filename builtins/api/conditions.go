package api

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// condition is a compiled condition on a walk in a script. It can be called like a function of a walk.
type condition struct {
	registry.Object[*condition]

	label string
	holds engine.Cond
}

func (x *condition) String() string { return x.label }
func (x *condition) Name() string   { return x.label }

// CallInternal implements starlark.Callable.
func (x *condition) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, fmt.Errorf("the condition %s takes a walk", x.label)
	}
	w, ok := args[0].(*walk)
	if !ok {
		return nil, fmt.Errorf("the condition %s: got %s, want a walk", x.label, args[0].Type())
	}
	return starlark.Bool(x.holds(w.r)), nil
}

// conditionOf returns a script's condition, which is compiled or a function of a walk, and its label in printed
// machines.
func conditionOf(f starlark.Callable) (label string, holds engine.Cond) {
	if x, ok := f.(*condition); ok {
		return x.label, x.holds
	}
	return f.Name(), scripted(f)
}

// scripted is a function of a walk as a condition.
func scripted(f starlark.Callable) engine.Cond {
	return func(r *engine.Walk) bool {
		w, ok := r.Cfg.Host.(*walker)
		if !ok {
			return false
		}
		v, ok := w.call(f, &walk{r: r, w: w})
		if !ok {
			return false
		}
		holds, err := registry.Truth(v)
		if err != nil {
			w.err = fmt.Errorf("%s: %w", f.Name(), err)
		}
		return holds
	}
}

// conditions is the value of api.when.
type conditions struct {
	registry.Object[conditions]
}

// Attr implements starlark.HasAttrs.
func (x conditions) Attr(name string) (starlark.Value, error) { return conditionsType.Attr(x, name) }

// inMachine is an example of a condition of a transition.
func inMachine(expr string) string {
	return exampleMachine + "_ = m.state(\"assert\").add(\"push\", when = " + expr + ")\n" + expr + "  # -> "
}

// simple is a condition without arguments.
func simple(name, label, doc string, holds engine.Cond) registry.Builtin {
	x := &condition{label: label, holds: holds}
	return registry.Builtin{Name: name, Doc: doc, Ret: "condition", Example: inMachine("api.when."+name) + label,
		Get: func(starlark.Value) (starlark.Value, error) { return x, nil }}
}

// counts maps names to the properties of a run that api.when.at_most can limit.
var counts = map[string]func(r *engine.Walk) int{
	"assertions": (*engine.Walk).Asserted,
	"levels":     (*engine.Walk).Level,
	"calls":      func(r *engine.Walk) int { return len(r.Calls()) },
	"inputs":     (*engine.Walk).Inputs,
}

var conditionType = registry.NewType[*condition]("condition", "A condition on a walk, from api.when: a compiled function of a walk.", nil)

var conditionsType = registry.NewType[conditions]("conditions", "The type of api.when: the conditions of machines. They are compiled; a function of a campaign file, in contrast, is called in each step of a walk.", []registry.Builtin{
	simple("sorts", "sorts", "The walk has a sort other than Bool, or its theories have no other sort.", engine.SortsMade),
	simple("inputs", "inputs", "A constant or a function is declared.", engine.InputsMade),
	simple("terms", "terms", "The walk has terms other than true and false.", engine.TermsMade),
	simple("assertions", "asserted", "The walk has an assertion.", engine.SomethingAsserted),
	simple("levels", "levels", "An assertion level is open.", engine.LevelsOpen),
	simple("asked", "asked", "The walk has called check-sat.", engine.Asked),
	simple("assumed", "assumed", "The latest check-sat had assumptions, and the problem has not changed since then.", engine.Assumed),
	simple("model", "model", "The solver still has the model of its latest answer.", engine.ModelKept),
	simple("two_solvers", "two solvers", "A second solver instance is open.", engine.SecondSolverOpen),
	{Name: "may_be", Doc: "The latest check-sat may have given this answer, as far as the problem is known.",
		Ret: "condition", Example: inMachine("api.when.may_be(\"sat\")") + "may be sat", Do: registry.Into(func(c *registry.Call, a *conditionsMayBeArgs) (starlark.Value, error) {
			answer, _ := smtlib.ParseAnswer(a.Answer)
			return &condition{label: "may be " + a.Answer, holds: engine.MayBe(answer)}, nil
		})},
	{Name: "option", Doc: "An option was set to a value.",
		Ret: "condition", Example: inMachine("api.when.option(\"produce-proofs\")") + "produce-proofs", Do: registry.Into(func(c *registry.Call, a *conditionsOptionArgs) (starlark.Value, error) {
			name, setting := strings.TrimPrefix(a.Name, ":"), a.Value
			if name == "" {
				return nil, c.Errorf(&a.Name, "it is empty; want the name of an option, such as \"produce-models\"")
			}
			label := name
			if setting != "true" {
				label += " = " + setting
			}
			return &condition{label: label, holds: engine.OptionIs(name, setting)}, nil
		})},
	{Name: "theories", Doc: "The walk makes terms of the named theories.",
		Ret: "condition", Example: inMachine("api.when.theories(\"UF\")") + "UF\napi.when.theories(\"Nope\")  # error: \"Nope\" is no theory", Do: registry.Into(func(c *registry.Call, a *conditionsTheoriesArgs) (starlark.Value, error) {
			names := a.Names
			var inTable []string
			for _, name := range names {
				theory, err := gen.MainTheory(name)
				if err != nil {
					return nil, c.Errorf(&a.Names, "%v", err)
				}
				inTable = append(inTable, theory)
			}
			if len(names) == 0 {
				return nil, fmt.Errorf("it needs names of theories")
			}
			return &condition{label: strings.Join(names, " and "), holds: engine.HasTheories(inTable...)}, nil
		})},
	{Name: "has_terms", Doc: "The walk has terms of a sort.",
		Ret: "condition", Example: inMachine("api.when.has_terms(smt.BitVec(8))") + "terms of (_ BitVec 8)", Do: registry.Into(func(c *registry.Call, a *conditionsHasTermsArgs) (starlark.Value, error) {
			sort := a.Sort.String()
			return &condition{label: "terms of " + sort, holds: engine.HasTerms(sort)}, nil
		})},
	{Name: "at_most", Doc: "The walk has at most n things of a kind.",
		Ret: "condition", Example: inMachine("api.when.at_most(\"levels\", 2)") + "at most 2 levels", Do: registry.Into(func(_ *registry.Call, a *conditionsAtMostArgs) (starlark.Value, error) {
			return &condition{label: fmt.Sprintf("at most %d %s", a.N, a.What), holds: engine.AtMost(counts[a.What], a.N)}, nil
		})},
	{Name: "all", Doc: "All given conditions hold. A condition may also be a function of a walk.",
		Ret: "condition", Example: inMachine("api.when.all(api.when.inputs, api.when.levels)") + "inputs and levels", Do: registry.Into(func(c *registry.Call, a *conditionsAllArgs) (starlark.Value, error) {
			return joined(a.Conditions, " and ", engine.All)
		})},
	{Name: "any", Doc: "At least one of the given conditions holds. A condition may also be a function of a walk.",
		Ret: "condition", Example: inMachine("api.when.any(api.when.inputs, lambda walk: walk.level > 2)") + "(inputs or lambda)", Do: registry.Into(func(c *registry.Call, a *conditionsAnyArgs) (starlark.Value, error) {
			x, err := joined(a.Conditions, " or ", engine.Any)
			if err == nil && len(a.Conditions) > 1 {
				x.label = "(" + x.label + ")"
			}
			return x, err
		})},
	{Name: "not_", Doc: "A condition does not hold.",
		Ret: "condition", Example: inMachine("api.when.not_(api.when.assumed)") + "not assumed", Do: registry.Into(func(c *registry.Call, a *conditionsNotArgs) (starlark.Value, error) {
			label, holds := conditionOf(a.Condition)
			return &condition{label: "not " + label, holds: engine.Not(holds)}, nil
		})},
})

// joined makes one condition of several.
func joined(given []starlark.Callable, word string, join func(...engine.Cond) engine.Cond) (*condition, error) {
	var labels []string
	var parts []engine.Cond
	for _, x := range given {
		label, holds := conditionOf(x)
		labels, parts = append(labels, label), append(parts, holds)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("it needs conditions")
	}
	return &condition{label: strings.Join(labels, word), holds: join(parts...)}, nil
}

// conditionsNotArgs are the arguments of conditions.not_.
type conditionsNotArgs struct {
	Condition starlark.Callable `type:"condition | callable(walk) -> bool"`
}

// conditionsAnyArgs are the arguments of conditions.any.
type conditionsAnyArgs struct {
	Conditions []starlark.Callable `name:"*conditions" type:"condition | callable(walk) -> bool"`
}

// conditionsAllArgs are the arguments of conditions.all.
type conditionsAllArgs struct {
	Conditions []starlark.Callable `name:"*conditions" type:"condition | callable(walk) -> bool"`
}

// conditionsAtMostArgs are the arguments of conditions.at_most.
type conditionsAtMostArgs struct {
	What string `type:"\"assertions\" | \"levels\" | \"calls\" | \"inputs\""`
	N    int    `type:"count"`
}

// conditionsHasTermsArgs are the arguments of conditions.has_terms.
type conditionsHasTermsArgs struct{ Sort value.Sort }

// conditionsTheoriesArgs are the arguments of conditions.theories.
type conditionsTheoriesArgs struct {
	Names []string `name:"*names" doc:"as for api.machine"`
}

// conditionsOptionArgs are the arguments of conditions.option.
type conditionsOptionArgs struct {
	Name  string
	Value string `default:"\"true\""`
}

// conditionsMayBeArgs are the arguments of conditions.may_be.
type conditionsMayBeArgs struct {
	Answer string `type:"\"sat\" | \"unsat\" | \"unknown\""`
}
