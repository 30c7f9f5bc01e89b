package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/generate/api"
	engine "github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// optionBuiltins returns the builtins for the space of a solver's options.
func optionBuiltins() []registry.Builtin {
	return []registry.Builtin{
		{Name: "options", Doc: "The options of a solver that change how the solver works but not the problem. They come from its profile (api_options), as tuples of the name, some values, and the parts of SMT-LIB text that the option concerns (guessed from its name; \"\" stands for any formula).", Ret: "list",
			Needs:   "z3",
			Example: "[o for o in mutate.options(solver(\"z3\")) if o[0] == \"smt.mbqi\"]  # -> [(\"smt.mbqi\", [True, False], [\"(forall\", \"(exists\"])]",
			Do:      registry.Into(listOptions)},
		{Name: "fitting_options", Doc: "The options that a solver accepts together, in the given order. Options that it refuses alone, or together with an earlier one, are left out. The solver is tested with a script of only the options and a logic; its replies are cached until the process ends.", Ret: "dict",
			Needs:   "z3",
			Example: "mutate.fitting_options(solver(\"z3\"), {\"smt.mbqi\": False, \"smt.nosuch\": True})  # -> {\"smt.mbqi\": False}",
			Do:      registry.Into(fittingOptions)},
	}
}

// listOptionsArgs are the arguments of mutate.options.
type listOptionsArgs struct {
	By     *solving.SolverValue
	_      registry.KeywordOnly
	More   []*solving.RuleValue `default:"[]" doc:"further options, each a solver.option(...)"`
	Listed bool                 `default:"False" doc:"also options that the solver itself lists (z3 -pd, --help of others), except those whose names are about answers, output or limits. The names are not always clear, so check findings with such options carefully"`
	Expert bool                 `default:"False" doc:"also expert options"`
}

func listOptions(c *registry.Call, a *listOptionsArgs) (starlark.Value, error) {
	s := a.By
	options := slices.Clone(s.Found.Profile.APIOptions)
	for i, x := range a.More {
		option, ok := x.Element.(rule.OptionSpec)
		if !ok {
			return nil, c.Errorf(&a.More, "element %d: got %s, want solver.option(...)", i, x)
		}
		options = append(options, option)
	}
	if a.Listed {
		list, err := learn.DeclaredOptions(registry.Context(c.Thread), s.Found)
		if err != nil {
			return nil, err
		}
		for i := range list {
			options = append(options, list[i].Spec())
		}
	}
	var out []starlark.Value
	seen := map[string]bool{}
	for _, o := range options {
		// An option that needs another one would be set without it.
		if seen[o.Name] || o.With.Name != "" || o.Expert && !a.Expert || strings.HasPrefix(o.Name, "time-limit") {
			continue
		}
		seen[o.Name] = true
		out = append(out, starlark.Tuple{starlark.String(o.Name), starlark.NewList(valuesOf(&o)), starlark.NewList(stringValues(engine.OptionSubjects(o.Name)))})
	}
	return starlark.NewList(out), nil
}

// valuesOf returns values of an option worth trying: all of a short range, the ends and the middle of a long one.
func valuesOf(o *rule.OptionSpec) (out []starlark.Value) {
	switch o.Kind {
	case rule.Bool:
		return []starlark.Value{starlark.True, starlark.False}
	case rule.Int:
		if o.Hi-o.Lo < 8 {
			for n := o.Lo; n <= o.Hi; n++ {
				out = append(out, starlark.MakeInt64(n))
			}
			return out
		}
		for _, n := range []int64{o.Lo, o.Lo + 1, o.Lo + (o.Hi-o.Lo)/2, o.Hi} {
			out = append(out, starlark.MakeInt64(n))
		}
	default:
		for _, v := range o.Values {
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				out = append(out, starlark.MakeInt64(n))
			} else {
				out = append(out, starlark.String(v))
			}
		}
	}
	return out
}

func stringValues(list []string) []starlark.Value {
	out := make([]starlark.Value, len(list))
	for i, s := range list {
		out[i] = starlark.String(s)
	}
	return out
}

// fittingOptionsArgs are the arguments of mutate.fitting_options.
type fittingOptionsArgs struct {
	By      *solving.SolverValue
	Options *starlark.Dict `type:"dict[str, str | bool | number]"`
	Logic   string         `default:"None"`
}

func fittingOptions(c *registry.Call, a *fittingOptionsArgs) (starlark.Value, error) {
	s := a.By
	logic := a.Logic
	ctx := registry.Context(c.Thread)
	given := a.Options.Items()
	var all []rule.Setting
	for _, kv := range given {
		name, _ := starlark.AsString(kv[0])
		if name = strings.TrimPrefix(name, ":"); !smt.SimpleSymbol(name) {
			return nil, c.Errorf(&a.Options, "%q is no name of an option", name)
		}
		all = append(all, rule.Setting{Name: name, Value: solving.OptionText(kv[1])})
	}
	out := starlark.NewDict(len(all))
	end := "(check-sat)\n"
	if logic != "" {
		end = fmt.Sprintf("(set-logic %s)\n", logic) + end
	}
	// Each call learns anew, so that the options of a case do not depend on those of others; replies are remembered.
	kept, err := (&api.OptionModel{}).Fitting(all, func(set []rule.Setting) (bool, error) { return s.Takes(ctx, set, end) })
	if err != nil {
		return nil, err
	}
	for i, o := range all {
		if slices.Contains(kept, o) {
			if err := out.SetKey(given[i][0], given[i][1]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
