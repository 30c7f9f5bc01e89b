package solving

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/solvers"
)

// RunValue is the run of a case on a target, as scripts see it.
type RunValue struct {
	registry.Object[*RunValue]

	R     *solvers.Run
	Query func() *solvers.Query // returns the query of the run
	Case  value.Case            // whose models can be read; nil for a term
	By    *SolverValue          // who was asked; nil in campaigns, where its name says it
	// Seeds asks the target about the seed of the case, and for models if Models is set.
	Seeds  *oracle.SeedRuns
	Models bool
}

func (r *RunValue) String() string {
	return fmt.Sprintf("<run of %s: %s, %s>", r.R.Target, r.R.Class, r.R.Answer())
}

// Attr implements starlark.HasAttrs.
func (r *RunValue) Attr(name string) (starlark.Value, error) { return RunType.Attr(r, name) }

func runAttr(f func(r *solvers.Run) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) { return f(v.(*RunValue).R), nil }
}

func str[T ~string](s T) starlark.Value { return starlark.String(s) }

func seconds(d time.Duration) starlark.Value { return starlark.Float(d.Seconds()) }

func runExample(attr, want string) string {
	return fmt.Sprintf("r = solver(\"z3\").run(\"(declare-const x Int)(assert (> x 1))(check-sat)\")\nr.%s  # -> %s", attr, want)
}

func classNames() string {
	var names []string
	for _, c := range solvers.Classes() {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

// RunType describes the attributes of run values.
var RunType = registry.NewType[*RunValue]("run", "The run of a target on a case.", []registry.Builtin{
	{Name: "target", Doc: "The name of the target.", Ret: "str", Needs: "z3", Example: "solver(\"z3\", name = \"mine\").run(\"(check-sat)\").target  # -> \"mine\"",
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Target) })},
	{Name: "solver", Doc: "The name of the solver with its version.", Ret: "str", Needs: "z3", Example: runExample("solver.startswith(\"z3\")", "True"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Solver) })},
	{Name: "version", Doc: "The solver's version.", Ret: "str", Needs: "z3", Example: runExample("version != \"\"", "True"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Version) })},
	{Name: "mode", Doc: "fresh, reset or incremental.", Ret: "str", Needs: "z3", Example: runExample("mode", "\"reset\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Mode) })},
	{Name: "answer", Doc: "The last answer: \"sat\", \"unsat\", \"unknown\", or \"none\" when it gave none.", Ret: "str", Needs: "z3", Example: runExample("answer", "\"sat\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Answer().String()) })},
	{Name: "answers", Doc: "One answer for each check-sat, \"none\" if there was none.", Ret: "list[str]", Needs: "z3", Example: runExample("answers", "[\"sat\"]"),
		Get: runAttr(func(r *solvers.Run) starlark.Value {
			out := make([]starlark.Value, len(r.Answers))
			for i, a := range r.Answers {
				out[i] = starlark.String(a.String())
			}
			return starlark.NewList(out)
		})},
	{Name: "class_", Doc: "How the run ended: " + classNames() + ".", Ret: "str", Needs: "z3", Example: runExample("class_", "\"ok\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Class.String()) })},
	{Name: "crashed", Doc: "Whether the solver died of a fault, or one of its internal checks failed.", Ret: "bool", Needs: "z3", Example: runExample("crashed", "False"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return starlark.Bool(r.Class.IsBug()) })},
	{Name: "message", Doc: "The normalised line that explains class_; empty when all went well.", Ret: "str", Needs: "z3", Example: runExample("message", "\"\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Message) })},
	{Name: "failed", Doc: "Errors that actions of the campaign file and meta solvers (solver.cross, solver.checked) found, one line each.", Ret: "list[str]", Needs: "z3", Example: runExample("failed", "[]"),
		Get: runAttr(func(r *solvers.Run) starlark.Value {
			messages := make([]string, len(r.Failed))
			for i, f := range r.Failed {
				messages[i] = f.Message
			}
			return stringList(messages)
		})},
	{Name: "values", Doc: "The raw reply to each get- command, empty if there was none.", Ret: "list[str]", Needs: "z3", Example: runExample("values", "[]"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return stringList(r.Values) })},
	{Name: "statistics", Doc: "The solver's statistics by name, such as {\"conflicts\": 3}: its replies to (get-info :all-statistics), and what it printed with an argument such as z3's -st or cvc5's --stats. Values that are not numbers are left out.",
		Ret: "dict[str, int | float]", Needs: "z3", Example: "r = solver(\"z3\").run(\"(declare-const x Int)(assert (= (* x x) 49))(check-sat)(get-info :all-statistics)\")\nr.statistics[\"num-allocs\"] > 0  # -> True",
		Get: runAttr(statisticsOf)},
	{Name: "model_text", Doc: "The model that the solver printed after its last sat; empty if it was not asked or printed none.", Ret: "str", Needs: "z3",
		Example: "c = smt.case(\"(declare-const x Int)(assert (= x 7))(check-sat)\")\n\"7\" in solver(\"z3\").run(c, model = True).model_text  # -> True",
		Get:     func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*RunValue).modelText()), nil }},
	{Name: "model", Doc: "The model after the last sat, for the terms of the case; None if there is no model or smtlark does not understand it.", Ret: "model | None", Needs: "z3",
		Example: "c = smt.case(\"(declare-const x Int)(assert (= x 7))(check-sat)\")\nsolver(\"z3\").run(c, model = True).model[c.constants[0]]  # -> 7",
		Get:     func(v starlark.Value) (starlark.Value, error) { return v.(*RunValue).model() }},
	{Name: "seed", Doc: "The run of the same target on the seed of the case, in a new process. Each seed is run only once, and the run is remembered. None if the case has no seed, or several. Only the oracle knows the relation between a case and its seed, which need not hold for smaller cases. A finding that depends on it is therefore not reduced (those of oracle.metamorphic are).",
		Ret: "run | None", Needs: "z3", Example: "c = corpus.texts([\"(declare-const x Int)(assert (> x 1))(check-sat)\"]).at(0)\nsolver(\"z3\").run(c.with_asserts([False])).seed.answer  # -> \"sat\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return v.(*RunValue).seed() }},
	{Name: "stdout", Doc: "What the solver wrote to its standard output.", Ret: "str", Needs: "z3", Example: runExample("stdout.strip()", "\"sat\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Stdout) })},
	{Name: "stderr", Doc: "What the solver wrote to its standard error.", Ret: "str", Needs: "z3", Example: runExample("stderr", "\"\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Stderr) })},
	{Name: "exit_code", Doc: "The exit code, -1 when the process did not end by itself.", Ret: "int", Needs: "z3", Example: "solver(\"z3\", mode = \"fresh\").run(\"(check-sat)\").exit_code  # -> 0",
		Get: runAttr(func(r *solvers.Run) starlark.Value { return starlark.MakeInt(r.ExitCode) })},
	{Name: "signal", Doc: "The signal that ended the process, such as \"SIGSEGV\"; empty for none.", Ret: "str", Needs: "z3", Example: runExample("signal", "\"\""),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return str(r.Signal) })},
	{Name: "argv", Doc: "The command line.", Ret: "list[str]", Needs: "z3", Example: runExample("argv[0].startswith(\"/\")", "True"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return stringList(r.Argv) })},
	{Name: "cpu", Doc: "CPU time in seconds.", Ret: "float", Needs: "z3", Example: runExample("cpu >= 0", "True"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return seconds(r.CPU) })},
	{Name: "wall", Doc: "Wall time in seconds.", Ret: "float", Needs: "z3", Example: runExample("wall > 0", "True"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return seconds(r.Wall) })},
	{Name: "memory", Doc: "Peak memory in bytes; in modes reset and incremental the peak of the process so far. 0 if the process ended before it could be read.", Ret: "int", Needs: "z3", Example: runExample("memory >= 0", "True"),
		Get: runAttr(func(r *solvers.Run) starlark.Value { return starlark.MakeInt64(r.PeakMemory) })},
})

// seed returns the target's run on the seed of the case, or None if there is no seed or no target to ask.
func (r *RunValue) seed() (starlark.Value, error) {
	if r.Case.AnalyzedCase == nil || r.Seeds == nil {
		return starlark.None, nil
	}
	tc, err := r.Case.TestCase()
	if err != nil {
		return nil, err
	}
	run := r.Seeds.Of(tc, r.R.Target, r.Models)
	if run == nil {
		return starlark.None, nil
	}
	script, err := tc.Origin.SeedScript.Script()
	if err != nil {
		return nil, err
	}
	of := &testcase.Case{Script: script, Origin: testcase.Origin{Seeds: tc.Origin.Seeds}}
	st := r.Case.Store()
	if script.Arena != st.Arena {
		st = workspace.NewStore(script.Arena, script.Name)
	}
	return &RunValue{R: run, Case: value.NewCase(st, of), By: r.By, Query: func() *solvers.Query {
		if r.Models {
			return of.Query().WithModel()
		}
		return of.Query()
	}}, nil
}

// modelText is the model as the solver printed it; "" if it gave none.
func (r *RunValue) modelText() string {
	if len(r.R.Values) == 0 { // making the query may take long
		return ""
	}
	return r.Query().ModelIn(r.R.Values)
}

func (r *RunValue) model() (starlark.Value, error) {
	text := r.modelText()
	if text == "" || r.Case.AnalyzedCase == nil || r.R.Answer() != smtlib.Sat {
		return starlark.None, nil
	}
	tc, err := r.Case.TestCase()
	if err != nil {
		return nil, err
	}
	m, err := modelreader.Parse(tc.Script, text)
	if err != nil {
		return starlark.None, nil
	}
	return value.NewModel(r.Case.Store(), m), nil
}

// engineRuns returns the engine's runs of a list of run values.
func engineRuns(vals []starlark.Value) []*solvers.Run {
	out := make([]*solvers.Run, len(vals))
	for i, v := range vals {
		out[i] = v.(*RunValue).R
	}
	return out
}
