package mutate

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/api"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// optionBuiltins are those for the space of a solver's options.
func optionBuiltins() []registry.Builtin {
	return []registry.Builtin{
		{Name: "options", Doc: "The options of a solver that change how it works and not what is asked: those of its profile (api_options), as tuples of a name, some values, and parts of SMT-LIB text that the option has to do with (as far as its name tells; \"\" stands for any formula).", Ret: "list",
			Params: []registry.Param{{Name: "by", Type: "solver"}, {Name: "*"},
				{Name: "more", Type: "list", Default: "[]", Doc: "further options, in lines as the profile has them: NAME bool, NAME int LO HI, NAME list A,B"},
				{Name: "listed", Type: "bool", Default: "False", Doc: "also what the solver itself lists of switches (z3 -p, --help of others), without those that by their names change answers, output or limits. Names cannot tell everything: look twice at what such options find"},
				{Name: "expert", Type: "bool", Default: "False", Doc: "also those that are for experts"}},
			Needs:   "z3",
			Example: "[o for o in mutate.options(solver(\"z3\")) if o[0] == \"smt.mbqi\"]  # -> [(\"smt.mbqi\", [True, False], [\"(forall\", \"(exists\"])]",
			Do:      registry.Into(listOptions)},
		{Name: "fitting_options", Doc: "Those of the options that a solver takes together, in their order: what it refuses alone, or beside one before it, is left out. The solver is asked with a script that has nothing but the options and a logic; what it said is remembered while the process lives.", Ret: "dict",
			Params:  []registry.Param{{Name: "by", Type: "solver"}, {Name: "options", Type: "dict[str, str | bool | number]"}, {Name: "logic", Type: "str | None", Default: "None"}},
			Needs:   "z3",
			Example: "mutate.fitting_options(solver(\"z3\"), {\"smt.mbqi\": False, \"smt.nosuch\": True})  # -> {\"smt.mbqi\": False}",
			Do:      registry.Into(fittingOptions)},
	}
}

// listOptionsArgs are the arguments of mutate.options.
type listOptionsArgs struct {
	By     *solving.Solver
	More   starlark.Value
	Listed bool
	Expert bool
}

func listOptions(c *registry.Call, a *listOptionsArgs) (starlark.Value, error) {
	s := a.By
	lines := slices.Clone(s.Found.Profile.APIOptions)
	for i, v := range itemsOf(a.More) {
		line, ok := starlark.AsString(v)
		if !ok {
			return nil, c.Errorf(&a.More, "element %d: got %s, want a line of text", i, v.Type())
		}
		lines = append(lines, line)
	}
	if a.Listed {
		list, err := listedOptions(registry.Context(c.Thread), s.Found, a.Expert)
		if err != nil {
			return nil, err
		}
		lines = append(lines, list...)
	}
	var out []starlark.Value
	seen := map[string]bool{}
	for _, line := range lines {
		o, err := api.ParseOption(line)
		if err != nil {
			return nil, c.Errorf(&a.More, "%v", err)
		}
		// What needs another option would be set without it.
		if seen[o.Name] || o.With.Name != "" || o.Tier == "expert" && !a.Expert || strings.HasPrefix(o.Name, "time-limit") {
			continue
		}
		seen[o.Name] = true
		out = append(out, starlark.Tuple{starlark.String(o.Name), starlark.NewList(valuesOf(&o)), starlark.NewList(stringValues(textOfSubject(o.Name)))})
	}
	return starlark.NewList(out), nil
}

// itemsOf returns the elements of a list.
func itemsOf(v starlark.Value) (out []starlark.Value) {
	for x := range starlark.Elements(v.(starlark.Iterable)) {
		out = append(out, x)
	}
	return out
}

// optionText writes a value as SMT-LIB does.
func optionText(v starlark.Value) string {
	if text, ok := starlark.AsString(v); ok {
		return text
	}
	return strings.ToLower(v.String())
}

// valuesOf returns values of an option worth trying: all of a short range, the ends and the middle of a long one.
func valuesOf(o *api.OptionSpec) (out []starlark.Value) {
	switch o.Kind {
	case "bool":
		return []starlark.Value{starlark.True, starlark.False}
	case "int":
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

// subjects say by words in its name what an option has to do with.
var subjects = []struct {
	words []string
	texts []string
}{
	{[]string{"nl"}, []string{"(* "}},
	{[]string{"arith", "int", "dio", "cut", "som", "brab", "simplex", "lp"}, []string{"Int", "Real"}},
	{[]string{"array", "arrays", "store"}, []string{"Array"}},
	{[]string{"bv", "bitblast", "extracts", "sext", "int2bv", "gauss"}, []string{"BitVec"}},
	{[]string{"string", "strings", "str", "seq", "re"}, []string{"String"}},
	{[]string{"mbqi", "ematching", "matching", "cbqi", "quant", "quantifiers", "macro", "macros", "miniscope", "qi", "inst", "fmf", "finite"}, []string{"(forall", "(exists"}},
	{[]string{"ite"}, []string{"(ite "}},
	{[]string{"fp", "fpa"}, []string{"FloatingPoint"}},
	{[]string{"dt", "datatypes"}, []string{"declare-datatype"}},
	{[]string{"uf", "ackermann", "ackermannize"}, []string{"declare-fun"}},
	{[]string{"sets"}, []string{"(Set "}},
}

// textOfSubject returns parts of text with which an option has to do, as far as its name tells.
func textOfSubject(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	for _, w := range words {
		if _, ok := smt.LookupOp(w); ok && strings.HasPrefix(w, "bv") {
			return []string{"(" + w + " "}
		}
	}
	for _, s := range subjects {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(s.words, w) }) {
			return s.texts
		}
	}
	return []string{""}
}

// listing is how a kind of solver is asked for its options.
var listing = map[string]string{"z3": "-p", "cvc5": "--help", "bitwuzla": "--help", "boolector": "--help"}

const listingTime = 10 * time.Second

// listedOptions returns lines of options for what a solver lists.
func listedOptions(ctx context.Context, s *solvers.Solver, expert bool) ([]string, error) {
	flag, ok := listing[s.Profile.Name]
	if !ok || s.Library != "" {
		return nil, fmt.Errorf("%s lists no options", s.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, listingTime)
	defer cancel()
	words := append(slices.Clone(s.Exec), flag)
	var text strings.Builder
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout = &text
	if err := confine.Run(cmd); err != nil && text.Len() == 0 {
		return nil, fmt.Errorf("asking %s for its options: %w", s.Name, err)
	}
	return readListing(text.String(), expert), nil
}

// modules of z3's parameters that are about how it decides formulas.
var modules = []string{"smt", "sat", "rewriter", "nlsat", "pi", "solver", "combined_solver"}

// readListing reads switches from what solvers print: "    name (bool) ..." below "[module] m", and "--name", where "[*]",
// "[true]" or "[false]" follows, perhaps lines below. Those that are for experts say so.
func readListing(text string, expert bool) (out []string) {
	module, block := "", ""
	end := func() {
		name := block
		if i := strings.Index(name, "--"); i >= 0 {
			name = name[i+2:]
		}
		name = strings.TrimRight(strings.Fields(name + " ?")[0], ",")
		isSwitch := strings.Contains(block, "[*]") || strings.Contains(block, "[true]") || strings.Contains(block, "[false]")
		if block != "" && isSwitch && !isMeddling(name) && (expert || !strings.Contains(block, "EXPERTS")) {
			out = append(out, name+" bool")
		}
		block = ""
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			end()
		case words[0] == "[module]" && len(words) > 1:
			module = strings.TrimSuffix(words[1], ",")
		case len(words) > 1 && words[1] == "(bool)":
			if slices.Contains(modules, module) && !isMeddling(words[0]) {
				out = append(out, module+"."+words[0]+" bool")
			}
		case strings.HasPrefix(words[0], "-"):
			end()
			block = line
		case block != "":
			block += line
		}
	}
	end()
	return out
}

// meddling words in names of options tell that they change what is asked, printed or allowed.
var meddling = []string{
	"?", "=", "<", "dump", "trace", "log", "file", "proof", "prf", "core", "valid", "model", "verb", "stat", "dimacs", "drat", "print", "debug", "check", "produce",
	"incremental", "interactive", "only", "weak", "extensional", "int2bv", "partial", "div0", "unspecified", "unicode", "encoding", "sygus", "synth", "limit", "timeout", "memory",
	"help", "copyright", "version", "show", "quiet", "force", "strict", "abduct", "interpol", "output", "assign", "assum", "unsat", "learn", "parse", "input",
	"abort", "enum", "ho-", "sep-", "ignore", "local_search", "lookahead", "threads", "lang", "write", "safe", "filesystem", "early-exit", "segv", "difficulty",
	"solution", "unsound", "int_blast", "as-bv", "int-as", "no-", "exp", "aiger", "cnf", "letify", "slice", "underflow", "cardinality", "pb.", "fmf-fun",
}

func isMeddling(name string) bool {
	return slices.ContainsFunc(meddling, func(w string) bool { return strings.Contains(name, w) })
}

// fittingOptionsArgs are the arguments of mutate.fitting_options.
type fittingOptionsArgs struct {
	By      *solving.Solver
	Options *starlark.Dict
	Logic   string
}

func fittingOptions(c *registry.Call, a *fittingOptionsArgs) (starlark.Value, error) {
	s := a.By
	logic := a.Logic
	ctx := registry.Context(c.Thread)
	given := a.Options.Items()
	var all []api.Setting
	for _, kv := range given {
		name, _ := starlark.AsString(kv[0])
		if name = strings.TrimPrefix(name, ":"); !smt.SimpleSymbol(name) {
			return nil, c.Errorf(&a.Options, "%q is no name of an option", name)
		}
		all = append(all, api.Setting{Name: name, Value: optionText(kv[1])})
	}
	out := starlark.NewDict(len(all))
	end := "(check-sat)\n"
	if logic != "" {
		end = fmt.Sprintf("(set-logic %s)\n", logic) + end
	}
	// Each call learns anew, so that the options of a case do not depend on those of others; replies are remembered.
	kept, err := (&api.OptionModel{}).Fitting(all, func(set []api.Setting) (bool, error) { return s.Takes(ctx, set, end) })
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
