package api

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// walker gives the conditions and actions of a campaign file access to the walk.
type walker struct {
	th  *starlark.Thread
	st  *value.TermStore
	m   *machine
	err error // the first one of the file's functions
}

func (w *walker) call(f starlark.Callable, args ...starlark.Value) (starlark.Value, bool) {
	if w.err != nil {
		return nil, false
	}
	v, err := registry.Invoke(w.th, f, args...)
	if err != nil {
		w.err = err
	}
	return v, err == nil
}

// do adds the call of an action of the campaign file.
func (x *custom) do(r *engine.Walk) engine.Outcome {
	w, ok := r.Cfg.Host.(*walker)
	if !ok {
		return engine.Never
	}
	call := solvers.Call{Kind: solvers.CallCustom, Name: x.name}
	if x.generate != nil {
		v, ok := w.call(x.generate, &walk{r: r, w: w}, value.NewRng(r.R))
		if !ok {
			return engine.Never
		}
		if v == starlark.None {
			return engine.NotDone
		}
		it := starlark.Iterate(v)
		if it == nil {
			w.err = fmt.Errorf("generate of the action %q returned %s, want a list of terms or None", x.name, v.Type())
			return engine.Never
		}
		defer it.Done()
		var e starlark.Value
		for it.Next(&e) {
			t, err := termIn(e, w.st)
			if err != nil {
				w.err = fmt.Errorf("generate of the action %q: %w", x.name, err)
				return engine.Never
			}
			call.Args = append(call.Args, t)
		}
	}
	r.Add(call)
	r.Unknown() // the walk does not know how the action changes the problem
	return engine.Done
}

// compose performs an action composed of other actions. An action that adds no call or returns False counts as not
// done.
func (x *custom) compose(r *engine.Walk) engine.Outcome {
	w, ok := r.Cfg.Host.(*walker)
	if !ok {
		return engine.Never
	}
	before := len(r.Calls())
	v, ok := w.call(x.parts, &walk{r: r, w: w}, value.NewRng(r.R))
	switch {
	case !ok:
		return engine.Never
	case v == starlark.False || len(r.Calls()) == before:
		return engine.NotDone
	}
	return engine.Done
}

// doActionArgs are the arguments of walk.do.
type doActionArgs struct {
	Action string
	Args   []starlark.Value `name:"*args" type:"int | term"`
	SameAs *int             `default:"None" doc:"for check-sat: the number of an earlier check-sat with the same assertions, -1 for the latest one; if a solver now gives the opposite answer, that is a finding"`
}

// doAction is walk.do.
func doAction(c *registry.Call, w *walk, a *doActionArgs) (starlark.Value, error) {
	name, args := a.Action, a.Args
	if a.SameAs != nil {
		return checkAgain(c, w, a)
	}
	// Without arguments, the action draws its own; check-sat without any is the plain command.
	if len(args) == 0 && name != "check-sat" {
		out, err := w.r.Perform(name)
		if err != nil {
			return nil, c.Errorf(&a.Action, "%v%s", err, spelling.Hint(name, w.w.m.Machine.ActionNames()))
		}
		return starlark.Bool(out == engine.Done), w.w.err
	}
	var terms []smt.Term
	levels := 0
	for i, x := range args {
		switch x := x.(type) {
		case starlark.Int:
			if err := starlark.AsInt(x, &levels); err != nil || levels < 1 || len(args) > 1 {
				return nil, fmt.Errorf("argument %d: %s is no number of levels", i+2, x)
			}
		default:
			t, err := termIn(x, w.w.st)
			if err == nil {
				// A walk asserts only what its manager has, so that the trace makes it first.
				err = OfWalk(w.r.Gen, w.w.st).Take(t)
			}
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", i+2, err)
			}
			terms = append(terms, t)
		}
	}
	formulas := func() error {
		for i, t := range terms {
			if s := w.r.Gen.A.Sort(t); s != smt.SortBool {
				return fmt.Errorf("argument %d: got a term of sort %s, want a formula", i+2, w.r.Gen.A.SortString(s))
			}
		}
		return nil
	}
	switch {
	case (name == "push" || name == "pop") && levels > 0:
		if name == "push" {
			return starlark.Bool(w.r.Push(levels)), nil
		}
		return starlark.Bool(w.r.Pop(levels)), nil
	case name == "assert-formula" && len(terms) == 1:
		if err := formulas(); err != nil {
			return nil, err
		}
		w.r.Assert(terms[0])
	case name == "check-sat" && len(args) == 0:
		w.r.Check(nil)
	case name == "check-sat-assuming" && len(terms) > 0:
		if err := formulas(); err != nil {
			return nil, err
		}
		w.r.Check(terms)
	case name == "get-value" && len(terms) > 0:
		return starlark.Bool(w.r.GetValue(terms)), nil
	default:
		return nil, c.Errorf(&a.Action, "%q takes no such arguments: push and pop take a number of levels, assert-formula a formula, check-sat-assuming and get-value terms, other actions none", name)
	}
	return starlark.True, nil
}

// checkAgain is walk.do("check-sat", same_as = i).
func checkAgain(c *registry.Call, w *walk, a *doActionArgs) (starlark.Value, error) {
	if a.Action != "check-sat" || len(a.Args) > 0 {
		return nil, c.Errorf(&a.SameAs, "only check-sat, without other arguments, repeats an earlier check")
	}
	at := *a.SameAs
	if at < 0 { // as in a list of the checks so far
		at += w.r.Checks()
	}
	if err := w.r.CheckAgain(at); err != nil {
		return nil, c.Errorf(&a.SameAs, "%v", err)
	}
	return starlark.True, nil
}

func termIn(v starlark.Value, st *value.TermStore) (smt.Term, error) {
	t, ok := v.(value.Term)
	if !ok {
		return 0, fmt.Errorf("got %s, want a term", v.Type())
	}
	return t.In(st)
}

// walk is a walk in a script, as conditions see it.
type walk struct {
	registry.Object[*walk]

	r *engine.Walk
	w *walker
}

// Attr implements starlark.HasAttrs.
func (w *walk) Attr(name string) (starlark.Value, error) { return walkType.Attr(w, name) }

// exampleWalk shows an attribute of a walk in a condition.
func exampleWalk(cond string) string {
	return "m = api.machine(theories = [\"BV\"])\n_ = m.state(\"assert\").add(\"push\", when = lambda walk: " + strings.ReplaceAll(cond, "w.", "walk.") +
		")\ncase = api.fuzz(m)(None, rng(1))  # push is called in the walk where that holds\ncase.text.startswith(\"(set-\")  # -> True"
}

func walkAttr(name, doc, ret, cond string, get func(r *engine.Walk) starlark.Value) registry.Builtin {
	return registry.Builtin{Name: name, Doc: doc, Ret: ret, Example: exampleWalk(cond), Get: func(v starlark.Value) (starlark.Value, error) { return get(v.(*walk).r), nil }}
}

var walkType = registry.NewType[*walk]("walk", "The current state of a walk through a machine: the argument of the functions when and generate.", []registry.Builtin{
	walkAttr("has_assertions", "Whether the walk has an assertion.", "bool", "w.has_assertions", func(r *engine.Walk) starlark.Value { return starlark.Bool(r.Asserted() > 0) }),
	walkAttr("asserted", "The number of assertions.", "int", "w.asserted > 2", func(r *engine.Walk) starlark.Value { return starlark.MakeInt(r.Asserted()) }),
	walkAttr("level", "The number of open assertion levels.", "int", "w.level < 3", func(r *engine.Walk) starlark.Value { return starlark.MakeInt(r.Level()) }),
	walkAttr("calls", "The number of calls so far.", "int", "w.calls > 50", func(r *engine.Walk) starlark.Value { return starlark.MakeInt(len(r.Calls())) }),
	walkAttr("inputs", "The number of constants and functions.", "int", "w.inputs > 0", func(r *engine.Walk) starlark.Value { return starlark.MakeInt(r.Inputs()) }),
	walkAttr("answer", "The known answer for the current assertions: \"sat\", \"unsat\" or None.", "str | None", "w.answer == \"sat\"", func(r *engine.Walk) starlark.Value {
		if a := r.Answer(); a != smtlib.None {
			return starlark.String(a.String())
		}
		return starlark.None
	}),
	walkAttr("logic", "The logic of the walk.", "str", "w.logic != \"QF_BV\"", func(r *engine.Walk) starlark.Value { return starlark.String(r.Logic()) }),
	{Name: "manager", Doc: "The solver manager of the walk: its sorts and terms.", Ret: "manager", Example: exampleWalk("len(w.manager.terms(smt.Bool)) > 2"),
		Get: func(v starlark.Value) (starlark.Value, error) {
			w := v.(*walk)
			return OfWalk(w.r.Gen, w.w.st), nil
		}},
	{Name: "do", Doc: "Executes an action of the machine as a part of the current action, and returns whether that was possible. Its calls are in the trace: they can be replayed, reduced and exported to SMT-LIB like all others. Arguments: push and pop take a number of levels, assert-formula a formula, check-sat-assuming and get-value terms. An asserted formula need not hold in the walk's assignment; if it does not, the answers are unknown until its level is popped.",
		Ret: "bool",
		Example: "m = api.machine(theories = [\"Int\"])\ndef scoped(walk, rng):\n    walk.do(\"push\", 1)\n    walk.do(\"check-sat\")\n    walk.do(\"pop\", 1)\nm.action(\"scoped\", do = scoped)\n" +
			"_ = m.state(\"assert\").add(\"scoped\", weight = 100)\nTrue in [\"(push 1)\\n(check-sat)\\n(pop 1)\" in api.fuzz(m)(None, rng(i)).text for i in range(8)]  # -> True", Do: registry.Method(doAction)},
	{Name: "option", Doc: "The value to which the walk set an option; \"\" if it did not set it.", Ret: "str",
		Example: exampleWalk("w.option(\"produce-models\") == \"true\""), Do: registry.Method(func(c *registry.Call, recv *walk, a *walkOptionArgs) (starlark.Value, error) {
			return starlark.String(recv.r.Option(a.Name)), nil
		})},
	{Name: "formula", Doc: "A Bool term that the walk has made; None if there is none.", Ret: "term | None", Example: exampleWalk("w.formula() != None"),
		Fn: func(c *registry.Call) (starlark.Value, error) {
			w := c.Recv.(*walk)
			t := w.r.Gen.Bool()
			if t == 0 {
				return starlark.None, nil
			}
			return value.NewTerm(w.w.st, t), nil
		}},
	{Name: "term", Doc: "A term of the given sort among the terms that the walk has made; None if there is none.", Ret: "term | None",
		Example: exampleWalk("w.term(smt.Bool) != None"), Do: registry.Method(func(c *registry.Call, w *walk, a *walkTermArgs) (starlark.Value, error) {
			s, err := a.Sort.In(w.w.st)
			if err != nil {
				return nil, err
			}
			t := w.r.Gen.DB.Pick(w.r.R, s, 0, 0)
			if t == 0 {
				return starlark.None, nil
			}
			return value.NewTerm(w.w.st, t), nil
		})},
})

// operator changes the weight of an operator, or adds one that the table lacks.
func (m *machine) operator(c *registry.Call, given *setOperatorArgs) error {
	full := given.Name
	name := full
	if _, after, ok := strings.Cut(full, ":"); ok && after != "" {
		if _, table := smt.LookupOp(full); !table {
			name = after
		}
	}
	if given.Only != nil {
		m.Operators[name] = *given.Only
	}
	known := given.Result == nil && slices.Contains(gen.FunctionOperators, name)
	weighed := name
	if op, ok := smt.LookupOp(name); ok {
		known, weighed = true, op.Info().Name
	}
	if known {
		if m.Gen.Weights == nil {
			m.Gen.Weights = map[string]float64{}
		}
		m.Gen.Weights[weighed] = given.Weight
		return nil
	}
	if given.Result == nil {
		return c.Errorf(&given.Name, "the operator table has no %q: give the sorts of its result and its arguments", name)
	}
	x := gen.Extra{OperatorSpec: rule.OperatorSpec{Name: name, Result: given.Result.String()}, Weight: given.Weight}
	for _, a := range given.Args {
		if s, ok := starlark.AsString(a); ok {
			if !slices.ContainsFunc(kinds, func(k smt.SortKind) bool { return k.String() == s }) {
				return c.Errorf(&given.Args, "%q is no kind of sort; there are BitVec, Array, FloatingPoint, ...", s)
			}
			x.Args = append(x.Args, s)
			continue
		}
		x.Args = append(x.Args, a.String())
	}
	m.Gen.Extra = append(m.Gen.Extra, x)
	return nil
}

var kinds = []smt.SortKind{smt.KindBool, smt.KindInt, smt.KindReal, smt.KindString, smt.KindRegLan, smt.KindRoundingMode, smt.KindBitVec, smt.KindFloat,
	smt.KindArray, smt.KindSeq, smt.KindSet, smt.KindBag, smt.KindFiniteField}

// walkTermArgs are the arguments of walk.term.
type walkTermArgs struct{ Sort value.Sort }

// walkOptionArgs are the arguments of walk.option.
type walkOptionArgs struct{ Name string }
