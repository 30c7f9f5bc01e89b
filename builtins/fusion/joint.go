package fusion

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// joint is a joint script in a script.
type joint struct {
	registry.Object[*joint]

	st     *value.TermStore
	j      *engine.Joint
	check  workspace.TermRef
	origin testcase.Origin
	name   string
	done   bool
}

func (j *joint) String() string {
	return fmt.Sprintf("<joint of %d scripts, %d functions>", j.j.Parts(), len(j.j.Fused()))
}

// Freeze implements starlark.Value.
func (j *joint) Freeze() { j.done = true }

// Attr implements starlark.HasAttrs.
func (j *joint) Attr(name string) (starlark.Value, error) { return jointType.Attr(j, name) }

// method adapts a function of a live joint script to a method.
func method[A any](f func(c *registry.Call, j *joint, a *A) (starlark.Value, error)) registry.Implementation {
	return registry.Method(func(c *registry.Call, j *joint, a *A) (starlark.Value, error) {
		if _, err := j.check.ID(); err != nil {
			return nil, err
		}
		if j.done {
			return nil, fmt.Errorf("the joint script was made into a case already")
		}
		return f(c, j, a)
	})
}

var jointType = registry.NewType[*joint]("joint", "Scripts that are being fused into one; see fusion.join.", []registry.Builtin{
	{Name: "fuse", Doc: "Draws variables of different scripts and a function of them, and replaces some occurrences of the variables by the function's inverses. False if no variable is left, or no operator fits.",
		Ret: "bool", Example: exampleJoint + exampleOps + "j.fuse(fusion.table([add]), rng(1))  # -> True", Do: method(fuse)},
	{Name: "case", Doc: "The fused case. For sat: a conjunction of satisfiable parts, or a disjunction with at least one. For unsat: a disjunction of unsatisfiable parts, or a conjunction with at least one, and the equations of the functions. For None: any of these, and no answer is known. If all parts of a sat case have models, the case is evaluated in them; if that fails, it is skipped and counted.",
		Ret: "case", Example: exampleJoint + exampleOps + "j.fuse(fusion.table([add]), rng(1))\nj.case(rng(1), \"sat\").status  # -> \"sat\"", Do: method(finish)},
	{Name: "functions", Doc: "The functions that were applied.", Ret: "list[fusion_function]", Example: exampleJoint + "j.functions  # -> []",
		Get: func(v starlark.Value) (starlark.Value, error) {
			j := v.(*joint)
			if _, err := j.check.ID(); err != nil {
				return nil, err
			}
			var out []starlark.Value
			for _, f := range j.j.Fused() {
				out = append(out, &function{st: j.st, f: f, check: j.check})
			}
			return starlark.NewList(out), nil
		}},
})

// joinArgs are the arguments of fusion.join.
type joinArgs struct {
	Cases  []starlark.Value `type:"list | tuple" doc:"the cases; their status may be known or not"`
	Models []starlark.Value `type:"list | tuple | None" default:"None" doc:"for each case its model, or None"`
	Assume string           `type:"\"sat\" | \"unsat\" | None" default:"None" doc:"the assumed status of cases that have none"`
	_      registry.KeywordOnly
	Keep   bool             `default:"False" doc:"the fused case keeps the check-sats of the first case, between pushes and pops, with the same answers; then models are not used"`
	Checks []starlark.Value `type:"list | tuple | None" default:"None" doc:"for each case the number (from 0) of the check-sat to use, or None for the last one; models are always for the last one"`
}

func join(c *registry.Call, a *joinArgs) (starlark.Value, error) {
	vals := a.Cases
	if len(vals) == 0 {
		return nil, c.Errorf(&a.Cases, "want at least one case")
	}
	assume, _ := smtlib.ParseAnswer(a.Assume)
	models := a.Models
	if a.Models != nil && len(models) != len(vals) {
		return nil, c.Errorf(&a.Models, "there are %d models for %d cases", len(models), len(vals))
	}
	j := &joint{}
	var parts []engine.Part
	for i, v := range vals {
		k, ok := v.(value.Case)
		if !ok {
			return nil, c.Errorf(&a.Cases, "element %d: got %s, want a case", i, v.Type())
		}
		var err error
		if k, err = value.LocalOf(c.Thread, k); err != nil {
			return nil, err
		}
		p, last, origin, err := j.part(c, a, i, k, assume)
		if err != nil {
			return nil, err
		}
		if i < len(models) && models[i] != starlark.None && last {
			m, ok := models[i].(value.Model)
			if !ok {
				return nil, c.Errorf(&a.Models, "element %d: got %s, want a model", i, models[i].Type())
			}
			if p.Model, err = m.In(k.AnalyzedCase); err != nil {
				return nil, c.Errorf(&a.Models, "element %d: %v", i, err)
			}
		}
		if i == 0 {
			j.st, j.origin, j.name = k.Store(), origin, p.Script.Name
			j.origin.Seeds = slices.Clone(origin.Seeds)
		} else {
			j.origin.Seeds, j.origin.SeedScript = append(j.origin.Seeds, origin.Seeds...), nil // made of several
			j.origin = j.origin.Assume(origin.Assumed...)
		}
		parts = append(parts, p)
	}
	var err error
	if j.j, err = engine.Join(parts); err != nil {
		// Other seeds can be joined, so this is no error of the campaign.
		return nil, &registry.Skip{Reason: "fusion: scripts cannot be joined: " + rootOf(err)}
	}
	j.check = j.st.Newest()
	return j, nil
}

// rootOf returns the text of the innermost error, which is the same for all scripts with the same fault.
func rootOf(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}

// part returns the assertions at one check-sat of a case, or at all of them. The result last reports whether a model of
// the case is also a model of these assertions.
func (j *joint) part(c *registry.Call, a *joinArgs, i int, k value.Case, assume smtlib.Answer) (p engine.Part, last bool, origin testcase.Origin, err error) {
	tc, err := k.TestCase()
	if err != nil {
		return p, false, origin, err
	}
	p.Script = tc.Script
	if steps, ok := engine.Steps(tc.Script); ok && i == 0 && a.Keep {
		p.Checks = make([]smtlib.Answer, tc.Script.CheckSats())
		for n := range p.Checks {
			p.Checks[n] = tc.ExpectAt(n)
		}
		p.Asserts, err = scope.StripNames(tc.Script.Arena, steps)
		return p, false, tc.Origin, err
	}
	end := tc.Script.CheckSats() - 1
	at := end
	if checks := a.Checks; i < len(checks) && checks[i] != starlark.None {
		if at, err = starlark.AsInt32(checks[i]); err != nil || at < 0 || at > end {
			return p, false, tc.Origin, c.Errorf(&a.Checks, "element %d: got %s, want a number from 0 to %d or None", i, checks[i], end)
		}
	}
	if at == end {
		p.Asserts, err = k.Asserts()
		p.Known = known(c.Thread, tc.Script, p.Asserts)
	} else {
		p.Asserts, err = scope.StripNames(tc.Script.Arena, tc.Script.AssertsAt(at))
	}
	origin = tc.Origin
	if p.Answer = tc.ExpectAt(at); p.Answer == smtlib.None && assume != smtlib.None {
		p.Answer = assume
		origin = origin.Assume(fmt.Sprintf("the technique, which takes seeds without a status for %s", assume))
	}
	return p, at == end, origin, err
}

// analyses caches facts about the assertions of the seeds that a thread has used.
type analyses struct {
	of map[*smt.Term]*engine.Analysis // by the place of the first assertion: a seed keeps its list
}

// maxAnalyses bounds the number of analyses that a thread caches.
const maxAnalyses = 4096

var analysisKey = registry.NewKey[*analyses]("the analyses of seeds", "this thread has none")

func known(th *starlark.Thread, script *smtlib.Script, asserts []smt.Term) *engine.Analysis {
	if len(asserts) == 0 {
		return nil
	}
	all, err := analysisKey.Get(th)
	if err != nil {
		all = &analyses{of: map[*smt.Term]*engine.Analysis{}}
		analysisKey.Set(th, all)
	}
	k := all.of[&asserts[0]]
	if k == nil {
		if len(all.of) >= maxAnalyses {
			clear(all.of)
		}
		k = engine.Analyze(script, asserts)
		all.of[&asserts[0]] = k
	}
	return k
}

// fuseArgs are the arguments of joint.fuse.
type fuseArgs struct {
	Table     starlark.Value `type:"fusion_table | list | callable(rng, list[term]) -> fusion_function | None" doc:"a table of operators; a list of functions (fusion.read); or a generator such as table.function: a function of (rng, inputs) that returns a fusion function of these inputs, or None if it has none for their sorts"`
	Rng       *value.Rng
	Inputs    int `default:"2" doc:"number of variables"`
	_         registry.KeywordOnly
	SameSort  float64 `type:"probability" default:"0.8" doc:"probability that a variable must have the sort of the first one"`
	KeepLogic bool    `default:"False" doc:"use only what the logics of the scripts allow"`
	functionArgs
}

// functionArgs say which fusion functions are generated.
type functionArgs struct {
	Size    int     `type:"count" default:"10" doc:"number of nodes of the equation z = f"`
	Leaves  int     `type:"count" default:"0" doc:"least number of leaves of f"`
	Literal float64 `type:"probability" default:"0.5" doc:"probability that a constant is a literal and not a symbol"`
}

func fuse(c *registry.Call, j *joint, a *fuseArgs) (starlark.Value, error) {
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	n := a.Inputs
	if n < 1 || n > 64 {
		return nil, c.Errorf(&a.Inputs, "%d is not between 1 and 64", n)
	}
	e := j.j.Env(src, c.Thread, a.KeepLogic, a.Literal)
	var f *engine.Function
	size := engine.Size{Nodes: a.Size, Leaves: a.Leaves}
	switch source := a.Table.(type) {
	case *TableValue:
		f, err = j.j.Fuse(source.t, e, n, a.SameSort, size)
	case starlark.Callable:
		f, err = j.j.Fuse(&scripted{call: c, rng: a.Rng, fn: source, j: j}, e, n, a.SameSort, size)
	default:
		if f, err = j.fixed(c, a, e); err == nil {
			err = j.j.Apply(f)
		}
	}
	if f == nil && err == nil || errors.Is(err, engine.ErrNoFunction) {
		return starlark.False, nil
	}
	if err != nil {
		return nil, err
	}
	value.SessionOf(c.Thread).Step("fusion of " + names(j.st.Arena, f.Inputs))
	return starlark.True, nil
}

func names(a *smt.Arena, ts []smt.Term) string {
	s := ""
	for i, t := range ts {
		if i > 0 {
			s += ", "
		}
		s += a.Brief(t)
	}
	return s
}

// fixed takes a function of a list and variables of the sorts of its inputs.
func (j *joint) fixed(c *registry.Call, a *fuseArgs, e *engine.Env) (*engine.Function, error) {
	list := registry.Elements(a.Table)
	for range 2 * len(list) {
		v := list[e.Rng.Intn(len(list))]
		f, ok := v.(*function)
		if !ok {
			return nil, c.Errorf(&a.Table, "got a list of %s, want functions", v.Type())
		}
		if _, err := f.check.ID(); err != nil {
			return nil, err
		}
		if out, err := j.j.Place(e, f.f); !errors.Is(err, engine.ErrNoFunction) {
			return out, err
		}
	}
	return nil, engine.ErrNoFunction
}

// finishArgs are the arguments of joint.case.
type finishArgs struct {
	Rng      *value.Rng
	Answer   string `type:"\"sat\" | \"unsat\" | None" default:"None"`
	_        registry.KeywordOnly
	Replaced float64 `type:"probability" default:"0.5" doc:"probability that an occurrence is replaced; at least one occurrence of each variable is always replaced"`
	Verify   bool    `default:"True"`
}

func finish(c *registry.Call, j *joint, a *finishArgs) (starlark.Value, error) {
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	answer, _ := smtlib.ParseAnswer(a.Answer)
	tc, err := j.j.Case(src, engine.How{Answer: answer, Share: a.Replaced, Verify: a.Verify})
	if errors.Is(err, engine.ErrWitness) || errors.Is(err, engine.ErrParts) {
		return nil, &registry.Skip{Reason: "fusion: " + err.Error()}
	}
	if err != nil {
		return nil, err
	}
	j.done = true
	tc.Script.Name, tc.Origin = j.name, j.origin
	return value.NewCase(j.st, tc), nil
}

// readArgs are the arguments of fusion.read.
type readArgs struct {
	Text string `doc:"the text, or the name of a file"`
}

func read(c *registry.Call, a *readArgs) (starlark.Value, error) {
	st := value.SessionOf(c.Thread).Scratch()
	text := a.Text
	if !strings.Contains(text, "\n") {
		files, err := registry.FilesKey.Get(c.Thread)
		if err != nil {
			return nil, err
		}
		data, err := files.Read(text)
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	fs, err := engine.ReadConfig(st.Arena, text)
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, f := range fs {
		out = append(out, &function{st: st, f: f, check: st.Newest()})
	}
	return starlark.NewList(out), nil
}
