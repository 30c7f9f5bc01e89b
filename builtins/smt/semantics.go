package smt

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	evalvalue "github.com/smtlark/smtlark/engine/semantics/eval/value"
)

func semantics() []registry.Builtin {
	return []registry.Builtin{
		{Name: "holds", Doc: "The truth value of a Bool term in a model: True, False, or None if it is not known.", Ret: "bool | None",
			Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))\")\nm = c.read_model(\"((define-fun x () Int 7))\")\nsmt.holds(c.formula, m)  # -> True",
			Fast:    fastHolds, Do: registry.Into(func(_ *registry.Call, a *smtHoldsArgs) (starlark.Value, error) {
				v, err := a.Model.TruthOf(a.Term.TermRef)
				return value.TruthOrNone(v), err
			})},
		{Name: "evaluate", Doc: "The value of a term in a model, as a literal, or None if it is not known. smt.why_unknown says why.", Ret: "term | None",
			Example: "c = smt.case(\"(declare-const x Int)(assert (> (* x x) 1))\")\nm = c.read_model(\"((define-fun x () Int 7))\")\nsmt.evaluate(c.find(op = \"*\")[0], m)  # -> 49",
			Do: registry.Into(func(c *registry.Call, a *smtEvaluateArgs) (starlark.Value, error) {
				v, err := a.Model.Literal(a.Term)
				if errors.Is(err, evalvalue.ErrUnknown) {
					return starlark.None, nil
				}
				return v, err
			})},
		{Name: "why_unknown", Doc: "Why a term has no known value in a model; None if it has one.", Ret: "str | None",
			Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))\")\nsmt.why_unknown(c.formula, c.read_model(\"()\")) != None  # -> True",
			Do: registry.Into(func(c *registry.Call, a *smtWhyUnknownArgs) (starlark.Value, error) {
				_, err := a.Model.Eval(a.Term.TermRef)
				if errors.Is(err, evalvalue.ErrUnknown) {
					return starlark.String(err.Error()), nil
				}
				return starlark.None, err
			})},
		{Name: "simplify", Doc: "A term that has the same value under every interpretation and is no heavier: ground terms are computed, and laws of @std//laws/book.star with a lighter side are applied until none is left (docs/laws.md).",
			Ret:     "term",
			Example: "x = smt.const(\"x\", smt.Int)\nsmt.simplify(smt.add(x, smt.sub(x, x), smt.mul(2, 3)))  # -> (+ x 6)", Do: registry.Into(simplify)},
		{Name: "model", Doc: "The model that gives constants the values of a dict; nothing is known of other names.",
			Ret:     "model",
			Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))\")\nsmt.holds(c.formula, smt.model(c, {c.constants[0]: 5}))  # -> True", Do: registry.Into(modelOf)},
		{Name: "random_model", Doc: "A random interpretation of everything that a case declares, biased to small and to special values. It need not satisfy the case.",
			Ret:     "model",
			Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))\")\nsmt.holds(c.formula, smt.random_model(c, rng(1))) != None  # -> True", Do: registry.Into(randomModel)},
		{Name: "satisfies", Doc: "Whether a model satisfies the assertions of a case at its last check-sat: True, False, or None if that is not known.",
			Ret:     "bool | None",
			Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))(check-sat)\")\nsmt.satisfies(c, c.read_model(\"((define-fun x () Int 0))\"))  # -> False", Do: registry.Into(satisfies)},
		{Name: "equivalent", Doc: "Whether two Bool terms have the same value under every interpretation, according to a solver: True, False, or None if it does not decide.",
			Ret:   "bool | None",
			Needs: "z3", Example: "p = smt.const(\"p\", smt.Bool)\nsmt.equivalent(smt.not_(smt.not_(p)), p, by = solver(\"z3\"))  # -> True", Do: registry.Into(equivalent)},
	}
}

func fastHolds(_ *starlark.Thread, _ starlark.Value, args starlark.Tuple) (starlark.Value, error) {
	if len(args) != 2 {
		return nil, nil
	}
	t, ok1 := args[0].(value.Term)
	m, ok2 := args[1].(value.Model)
	if !ok1 || !ok2 {
		return nil, nil
	}
	v, err := m.TruthOf(t.TermRef)
	return value.TruthOrNone(v), err
}

// local returns a case as this thread may build on it.
func local(c *registry.Call, given value.Case) (value.Case, error) {
	k, err := value.LocalOf(c.Thread, given)
	if err == nil {
		_, err = k.TestCase()
	}
	return k, err
}

// modelOfArgs are the arguments of smt.model.
type modelOfArgs struct {
	Case   value.Case
	Values *starlark.Dict `type:"dict" doc:"from constants to ground terms, ints, bools or strs"`
}

func modelOf(c *registry.Call, given *modelOfArgs) (starlark.Value, error) {
	k, err := local(c, given.Case)
	if err != nil {
		return nil, err
	}
	st := k.Store()
	a := st.Arena
	m := model.New(a)
	ground := eval.New(a, nil)
	for _, kv := range given.Values.Items() {
		t, ok := kv[0].(value.Term)
		if !ok {
			return nil, c.Errorf(&given.Values, "its keys must be constants, such as case.constants[0] or smt.const(\"x\", smt.Int); got %s", kv[0].Type())
		}
		id, err := t.In(st)
		if err != nil {
			return nil, err
		}
		if a.Op(id) != smt.OpApply || a.NumArgs(id) != 0 {
			return nil, c.Errorf(&given.Values, "%s is no constant", a.Brief(id))
		}
		lit, err := value.Lift(st, kv[1], a.Sort(id))
		if err != nil {
			return nil, c.Errorf(&given.Values, "value of %s: %v", a.Brief(id), err)
		}
		v, err := ground.Eval(lit)
		if err != nil {
			return nil, c.Errorf(&given.Values, "value of %s: %v", a.Brief(id), err)
		}
		m.Set(a.SymbolOf(id), v)
	}
	return value.NewModel(st, m), nil
}

// randomModelArgs are the arguments of smt.random_model.
type randomModelArgs struct {
	Case value.Case
	Rng  *value.Rng
}

func randomModel(c *registry.Call, a *randomModelArgs) (starlark.Value, error) {
	k, err := local(c, a.Case)
	if err != nil {
		return nil, err
	}
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	return value.Model{StoredModel: k.RandomModel(src)}, nil
}

// satisfiesArgs are the arguments of smt.satisfies.
type satisfiesArgs struct {
	Case  value.Case
	Model value.Model
}

func satisfies(c *registry.Call, a *satisfiesArgs) (starlark.Value, error) {
	k, err := local(c, a.Case)
	if err != nil {
		return nil, err
	}
	v, err := a.Model.Satisfies(k.AnalyzedCase)
	return value.TruthOrNone(v), err
}

// equivalentArgs are the arguments of smt.equivalent.
type equivalentArgs struct {
	F, G value.Term
	_    registry.KeywordOnly
	By   starlark.Value `type:"solver" doc:"the solver that decides"`
}

func equivalent(c *registry.Call, given *equivalentArgs) (starlark.Value, error) {
	by, ok := given.By.(workspace.Answerer)
	if !ok {
		return nil, c.Errorf(&given.By, "this %s cannot be asked here", given.By.Type())
	}
	// The terms may be of two cases: their constants of one name and sort are then the same.
	st := given.F.Store().Writable()
	var sides [2]smt.Term
	for i, field := range []*value.Term{&given.F, &given.G} {
		t := *field
		id, err := t.ID()
		if err != nil {
			return nil, err
		}
		if sides[i], err = st.Import(t.Store(), id); err != nil {
			return nil, err
		}
		if a := st.Arena; a.Sort(sides[i]) != smt.SortBool {
			return nil, c.Errorf(field, "it has sort %s, want Bool", a.SortString(a.Sort(sides[i])))
		}
	}
	a := st.Arena
	answer, err := workspace.Decide(registry.Context(c.Thread), by, a, []smt.Term{a.Not(a.Eq(sides[0], sides[1]))})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", by.AskerName(), err)
	}
	switch answer {
	case smtlib.Unsat:
		return starlark.True, nil
	case smtlib.Sat:
		return starlark.False, nil
	}
	return starlark.None, nil
}

// simplifyArgs are the arguments of smt.simplify.
type simplifyArgs struct {
	T       value.Term
	_       registry.KeywordOnly
	Without []string `type:"list[str] | tuple[str, ...]" default:"[]" doc:"names of laws that are not used"`
}

func simplify(c *registry.Call, given *simplifyArgs) (starlark.Value, error) {
	id, err := given.T.ID()
	if err != nil {
		return nil, err
	}
	st := given.T.Store().Writable()
	if id, err = st.Import(given.T.Store(), id); err != nil {
		return nil, err
	}
	s, err := value.NewSimplifier(c.Thread, st.Arena, given.Without)
	if err != nil {
		return nil, c.Errorf(&given.Without, "%v", err)
	}
	return value.NewTerm(st, s.Term(id)), s.Err()
}

// smtWhyUnknownArgs are the arguments of smt.why_unknown.
type smtWhyUnknownArgs struct {
	Term  value.Term
	Model value.Model
}

// smtEvaluateArgs are the arguments of smt.evaluate.
type smtEvaluateArgs struct {
	Term  value.Term
	Model value.Model
}

// smtHoldsArgs are the arguments of smt.holds.
type smtHoldsArgs struct {
	Term  value.Term
	Model value.Model
}
