package solving

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// Oracle is an oracle as scripts see it: one of the engine's, or a function of the script.
type Oracle struct {
	registry.Object[*Oracle]

	Name   string
	Engine oracle.Oracle                        // nil for the others
	Make   func(oracle.AskFunc) oracle.Oracle   // for one that asks solvers again
	OfSeed func(*oracle.SeedRuns) oracle.Oracle // for one that compares a case with its seed
	Fn     starlark.Callable                    // of (case, runs)
	Models bool                                 // Fn needs a model after each sat
}

func (o *Oracle) String() string { return fmt.Sprintf("<oracle %s>", o.Name) }

// Freeze implements starlark.Value.
func (o *Oracle) Freeze() {
	if o.Fn != nil {
		o.Fn.Freeze()
	}
}

// Hash implements starlark.Value.
func (o *Oracle) Hash() (uint32, error) { return starlark.String(o.Name).Hash() }

// Attr implements starlark.HasAttrs.
func (o *Oracle) Attr(name string) (starlark.Value, error) { return OracleType.Attr(o, name) }

// OracleType describes the attributes of oracle values.
var OracleType = registry.NewType[*Oracle]("oracle", "Judges the runs of targets on a case.", []registry.Builtin{
	{Name: "name", Doc: "The name of the oracle, as findings show it.", Ret: "str", Example: "oracle.crash().name  # -> \"crash\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*Oracle).Name), nil }},
	{Name: "judge", Doc: "The verdicts of the oracle on a case and its runs: for tests of oracles.",
		Ret: "list[verdict]", Needs: "z3",
		Example: "c = smt.case(\"(assert true)(check-sat)\")\noracle.agree().judge(c, [solver(\"z3\").run(c)])  # -> []", Do: registry.Method(judge)},
})

// judgeArgs are the arguments of oracle.judge.
type judgeArgs struct {
	Case value.Case
	Runs starlark.Value `type:"list[run]"`
}

func judge(c *registry.Call, o *Oracle, a *judgeArgs) (starlark.Value, error) {
	if o.Fn != nil {
		v, err := c.Invoke(o.Fn, a.Case, a.Runs)
		if err != nil {
			return nil, err
		}
		vs, err := Verdicts(o, v)
		if err != nil {
			return nil, err
		}
		return verdictList(vs), nil
	}
	tc, err := localCase(c, a.Case)
	if err != nil {
		return nil, err
	}
	engine := o.Engine
	by := map[string]*target.Solver{}
	for _, v := range registry.Elements(a.Runs) {
		r := v.(*RunValue)
		if r.By != nil {
			by[r.R.Target] = r.By.Solver
		}
	}
	switch ask := target.AskAgain(registry.Context(c.Thread), by); {
	case o.Make != nil:
		engine = o.Make(ask)
	case o.OfSeed != nil:
		engine = o.OfSeed(oracle.NewSeedRuns(ask))
	}
	return verdictList(engine.Judge(tc, engineRuns(registry.Elements(a.Runs)))), nil
}

func verdictList(vs []oracle.Verdict) starlark.Value {
	out := make([]starlark.Value, len(vs))
	for i := range vs {
		out[i] = &VerdictValue{V: vs[i]}
	}
	return starlark.NewList(out)
}

// VerdictValue is a verdict of an oracle, as scripts see it.
type VerdictValue struct {
	registry.Object[*VerdictValue]
	V oracle.Verdict
}

func (v *VerdictValue) String() string { return fmt.Sprintf("<verdict %s: %s>", v.V.Kind, v.V.Summary) }

// Hash implements starlark.Value.
func (v *VerdictValue) Hash() (uint32, error) { return starlark.String(v.V.Summary).Hash() }

// Attr implements starlark.HasAttrs.
func (v *VerdictValue) Attr(name string) (starlark.Value, error) { return VerdictType.Attr(v, name) }

func verdictAttr(f func(v *oracle.Verdict) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) { return f(&v.(*VerdictValue).V), nil }
}

const exampleBug = "v = oracle.bug(\"slow\", \"z3 takes a minute\", target = \"z3\")\n"

// VerdictType describes the attributes of verdict values.
var VerdictType = registry.NewType[*VerdictValue]("verdict", "A report that targets did something wrong with a case.", []registry.Builtin{
	{Name: "kind", Doc: "The kind of the verdict: crash, known-answer, disagreement, invalid-model, or a kind of the campaign's own.", Ret: "str", Example: exampleBug + "v.kind  # -> \"slow\"",
		Get: verdictAttr(func(v *oracle.Verdict) starlark.Value { return starlark.String(v.Kind) })},
	{Name: "message", Doc: "One line that says what is wrong.", Ret: "str", Example: exampleBug + "v.message  # -> \"z3 takes a minute\"",
		Get: verdictAttr(func(v *oracle.Verdict) starlark.Value { return starlark.String(v.Summary) })},
	{Name: "targets", Doc: "The names of the targets that are wrong.", Ret: "list[str]", Example: exampleBug + "v.targets  # -> [\"z3\"]",
		Get: verdictAttr(func(v *oracle.Verdict) starlark.Value { return stringList(v.Targets) })},
	{Name: "detail", Doc: "More lines.", Ret: "str", Example: exampleBug + "v.detail  # -> \"\"",
		Get: verdictAttr(func(v *oracle.Verdict) starlark.Value { return starlark.String(v.Detail) })},
})

// Verdicts turns what an oracle of a script returned into verdicts: None, a verdict, or a list of verdicts.
func Verdicts(o *Oracle, v starlark.Value) ([]oracle.Verdict, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case *VerdictValue:
		out := v.V
		out.Oracle = o.Name
		return []oracle.Verdict{out}, nil
	case *starlark.List, starlark.Tuple:
		var out []oracle.Verdict
		it := starlark.Iterate(v)
		defer it.Done()
		var x starlark.Value
		for it.Next(&x) {
			more, err := Verdicts(o, x)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		return out, nil
	}
	return nil, registry.WrongResult(o.Fn, v, "None, oracle.bug(...) or a list of them", `a bug is: return oracle.bug("kind", "message", target = run)`)
}

// Stop is a stop condition as scripts see it.
type Stop struct {
	registry.Object[*Stop]
	S finding.Stop
}

func (s *Stop) String() string { return fmt.Sprintf("<stop %s>", s.S.Conditions()) }

func (s *Stop) Hash() (uint32, error) { return starlark.String(s.String()).Hash() }

// Attr implements starlark.HasAttrs.
func (s *Stop) Attr(name string) (starlark.Value, error) { return StopType.Attr(s, name) }

// StopType is the type of stop conditions, which have no attributes.
var StopType = registry.NewType[*Stop]("stop_condition", "A condition that ends a campaign: the result of the functions of stop.", nil)

// Fails is the predicate of a reduction as scripts see it: a function of a case.
type Fails struct {
	F       driver.Predicate
	Helpers driver.Helpers // see campaign.Reducer
}

var _ starlark.Callable = (*Fails)(nil)

func (f *Fails) String() string { return "<function fails>" }

func (f *Fails) Type() string { return "function" }

func (f *Fails) Name() string { return "fails" }

func (f *Fails) Freeze() {}

func (f *Fails) Truth() starlark.Bool { return true }

func (f *Fails) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: function") }

// CallInternal implements starlark.Callable: fails(case) is True or False.
func (f *Fails) CallInternal(th *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, fmt.Errorf("fails: takes one argument, a case")
	}
	k, ok := args[0].(value.Case)
	if !ok {
		return nil, fmt.Errorf("fails: got %s, want a case", args[0].Type())
	}
	local, err := value.LocalOf(th, k)
	if err != nil {
		return nil, fmt.Errorf("fails: %w", err)
	}
	tc, err := local.TestCase()
	if err != nil {
		return nil, fmt.Errorf("fails: %w", err)
	}
	return starlark.Bool(f.F(tc)), nil
}

// localCase returns a case in the store of the thread's session.
func localCase(c *registry.Call, given value.Case) (*testcase.Case, error) {
	k, err := value.LocalOf(c.Thread, given)
	if err != nil {
		return nil, err
	}
	return k.TestCase()
}
