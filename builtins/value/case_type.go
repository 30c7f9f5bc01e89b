package value

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// caseAttr adapts a function of a live case to an attribute.
func caseAttr(f func(c Case) (starlark.Value, error)) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		c := v.(Case)
		if _, err := c.TestCase(); err != nil {
			return nil, err
		}
		return f(c)
	}
}

// caseMethod adapts a function of a live case of this thread to a method.
func caseMethod[A any](f func(call *registry.Call, s *ThreadState, c Case, a *A) (starlark.Value, error)) registry.Implementation {
	return registry.Method(func(call *registry.Call, recv Case, a *A) (starlark.Value, error) {
		s := SessionOf(call.Thread)
		c, err := LocalOf(call.Thread, recv)
		if err != nil {
			return nil, err
		}
		if _, err := c.TestCase(); err != nil {
			return nil, err
		}
		return f(call, s, c, a)
	})
}

func answerValue(a smtlib.Answer) starlark.Value {
	if a == smtlib.None {
		return starlark.None
	}
	return starlark.String(a.String())
}

const exampleCase = `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (or (> x 1) (< x 0)))(check-sat)")` + "\n"

// CaseType describes the attributes and methods of cases.
var CaseType = registry.NewType[Case]("case", `A test case: a script, its known answers, and its origin. A seed is a case. Cases are immutable:
methods return other cases.`, slices.Concat(caseAttrs(), caseMethods(), caseBuilders(), occurrenceBuilders(), commandBuilders())).WithElsewhere(map[string]string{
	"assertions": "asserts", "variables": "constants", "vars": "constants", "consts": "constants", "model": "witness", "script": "text", "answer": "status",
	"substitute": "replace", "terms": "find",
})

func caseAttrs() []registry.Builtin {
	return []registry.Builtin{
		{Name: "asserts", Doc: "The assertions at the last check-sat.", Ret: "tuple[term, ...]", Example: exampleCase + "c.asserts  # -> ((or (> x 1) (< x 0)),)",
			Get: caseAttr(func(c Case) (starlark.Value, error) { return termList(c.Store(), c.Engine().Script.Asserts()), nil })},
		{Name: "unnamed_asserts", Doc: "The assertions at the last check-sat without the names given by (! t :named n): each name is replaced by its term.", Ret: "tuple[term, ...]",
			Example: "smt.case(\"(declare-const p Bool)(assert (! (not p) :named n))(assert (or n p))(check-sat)\").unnamed_asserts  # -> ((not p), (or (not p) p))",
			Get: caseAttr(func(c Case) (starlark.Value, error) {
				asserts, err := c.Asserts()
				if err != nil {
					return nil, err
				}
				return termList(c.Store(), asserts), nil
			})},
		{Name: "key", Doc: `A key of the script: 32 hexadecimal digits. Scripts that differ only in names of functions, sorts and variables, in the order of declarations, of
assertions and of arguments of commutative operators, in how associative ones are nested, and in set-info, have the same key; other scripts have different keys.`, Ret: "str",
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 1))(assert (= 0 x))(check-sat)\")\nd = smt.case(\"(declare-const y Int)(assert (= y 0))(assert (< y 1))(check-sat)\")\nc.key == d.key  # -> True",
			Get: caseAttr(func(c Case) (starlark.Value, error) {
				return starlark.String(normal.OfScript(c.Engine().Script).String()), nil
			})},
		{Name: "formula", Doc: "The conjunction of the assertions at the last check-sat.", Ret: "term", Example: exampleCase + "c.formula  # -> (or (> x 1) (< x 0))",
			Get: caseAttr(func(c Case) (starlark.Value, error) {
				asserts := c.Engine().Script.Asserts()
				st := c.Store().Writable()
				for i, t := range asserts {
					var err error
					if asserts[i], err = st.Import(c.Store(), t); err != nil {
						return nil, err
					}
				}
				return NewTerm(st, st.Arena.And(asserts...)), nil
			})},
		{Name: "logic", Doc: "The logic that the script sets, or None.", Ret: "str | None", Example: exampleCase + "c.logic  # -> \"QF_LIA\"",
			Get: caseAttr(func(c Case) (starlark.Value, error) {
				if l := c.Engine().Script.Logic(); l != "" {
					return starlark.String(l), nil
				}
				return starlark.None, nil
			})},
		{Name: "status", Doc: "The known answer of the last check-sat: \"sat\", \"unsat\" or None.", Ret: "str | None",
			Example: exampleCase + "c.status  # -> None\nsmt.case(\"(set-info :status sat)(check-sat)\").status  # -> \"sat\"",
			Get: caseAttr(func(c Case) (starlark.Value, error) {
				return answerValue(c.Engine().ExpectAt(c.Engine().Script.CheckSats() - 1)), nil
			})},
		{Name: "expect", Doc: "The known answers, one element per check-sat.", Ret: "tuple[str | None, ...]", Example: exampleCase + "c.expect  # -> (None,)",
			Get: caseAttr(func(c Case) (starlark.Value, error) {
				var out starlark.Tuple
				for i := range c.Engine().Script.CheckSats() {
					out = append(out, answerValue(c.Engine().ExpectAt(i)))
				}
				return out, nil
			})},
		{Name: "text", Doc: "The script as SMT-LIB text.", Ret: "str", Example: exampleCase + "c.text.splitlines()[-1]  # -> \"(check-sat)\"",
			Get: caseAttr(func(c Case) (v starlark.Value, _ error) {
				c.Store().Walk(func(*smt.Arena) { v = starlark.String(c.Engine().Script.Text()) })
				return v, nil
			})},
		{Name: "name", Doc: "The name of the file or of the seed it was made from.", Ret: "str", Example: "smt.read(\"min.smt2\").name  # -> \"min.smt2\"",
			Get: caseAttr(func(c Case) (starlark.Value, error) { return starlark.String(c.Engine().Script.Name), nil })},
		{Name: "constants", Doc: "The constants that the script declares, in the order of the script.", Ret: "tuple[term, ...]", Example: exampleCase + "c.constants  # -> (x,)",
			Get: caseAttr(constantsOf)},
		{Name: "functions", Doc: "The functions with arguments that the script declares or defines, in the order of the script. Call one to apply it.", Ret: "tuple[declared_function, ...]",
			Example: exampleFunctions + "f = c.functions[0]\nf(c.constants[0], 7)  # -> (f x 7)", Get: caseAttr(functionsOf)},
		{Name: "sorts", Doc: "The sorts and datatypes without parameters that the script declares, in the order of the script.", Ret: "tuple[sort, ...]",
			Example: "smt.case(\"(declare-sort U 0)(declare-const u U)\").sorts  # -> (U,)", Get: caseAttr(sortsOf)},
		{Name: "witness", Doc: "An interpretation that satisfies every check-sat known to be sat, if one is known.", Ret: "model | None",
			Example: exampleCase + "c.witness  # -> None", Get: caseAttr(func(c Case) (starlark.Value, error) {
				if c.Engine().Witness == nil {
					return starlark.None, nil
				}
				return NewModel(c.Store(), c.Engine().Witness), nil
			})},
	}
}

func constantsOf(c Case) (starlark.Value, error) {
	a := c.Store().Arena
	st := c.Store().Writable()
	var out starlark.Tuple
	for _, x := range c.Engine().Script.Commands {
		if x.Kind != smtlib.CmdDeclareConst && x.Kind != smtlib.CmdDeclareFun {
			continue
		}
		info := a.SymbolInfo(x.Symbols[0])
		if len(info.Params) > 0 {
			continue
		}
		if st == c.Store() {
			out = append(out, NewTerm(st, a.Const(x.Symbols[0])))
			continue
		}
		sort, err := st.ImportSort(c.Store(), info.Result)
		if err != nil {
			return nil, err
		}
		out = append(out, NewTerm(st, st.Arena.Const(st.Arena.Declare(info.Name, nil, sort))))
	}
	return out, nil
}

func caseMethods() []registry.Builtin {
	return []registry.Builtin{
		{Name: "find", Doc: "The subterms of the assertions that satisfy all conditions, each once, arguments before the term, also under quantifiers.",
			Ret: "list[term]", Example: exampleCase + "c.find(op = \">\")  # -> [(> x 1)]",
			Do: caseMethod(func(call *registry.Call, _ *ThreadState, c Case, a *findArgs) (starlark.Value, error) {
				return find(call, c.Store(), c.Engine().Script.Asserts(), a)
			})},
		{Name: "predicates", Doc: "Every Bool subterm without free variables, each once, and before the predicates that contain it: operands of Boolean operators, conditions, arguments of functions, closed parts of quantifiers, bodies of defined constants.",
			Ret: "list[term]", Example: exampleCase + "c.predicates()  # -> [(> x 1), (< x 0), (or (> x 1) (< x 0))]\nc.predicates(0)  # -> [(> x 1), (< x 0)]",
			Fast: fastPredicates, Do: caseMethod(func(_ *registry.Call, _ *ThreadState, c Case, a *struct {
				MaxDepth *int `type:"count | None" default:"None" doc:"greatest nesting of Boolean operators; a predicate without one has 0"`
			}) (starlark.Value, error) {
				limit := -1
				if a.MaxDepth != nil {
					limit = *a.MaxDepth
				}
				return predicatesOf(c, limit)
			})},
		{Name: "model", Doc: "A model of the case, found by a solver; if the case is unsatisfiable, a model of its negation. None if the solver finds none or there is no solver. The solver works under a deterministic resource limit, and workers of a campaign share the result. The model need not be right: smtlark computes values itself.",
			Ret: "model | None", Needs: "z3", Example: exampleCase + "m = c.model(by = solver(\"z3\"))\nsmt.holds(c.formula, m)  # -> True",
			Do: caseMethod(caseModel)},
		coreBuiltin(),
		{Name: "assignment", Doc: "A random interpretation of the script's declarations, always the same one for the same number. It prefers the script's constants and special values, and need not satisfy the case. Values in it are remembered, so it is faster than smt.random_model.",
			Ret: "model", Example: exampleCase + "smt.holds(c.formula, c.assignment(3)) == smt.holds(c.formula, c.assignment(3))  # -> True",
			Do: caseMethod(func(_ *registry.Call, _ *ThreadState, c Case, a *struct {
				Number int `type:"count" default:"0"`
			}) (starlark.Value, error) {
				return Model{StoredModel: c.Assignment(uint64(a.Number))}, nil
			})},
		{Name: "read_model", Doc: "Reads a model of this case as a solver prints it.",
			Ret: "model", Example: exampleCase + "c.read_model(\"((define-fun x () Int 7))\")[c.constants[0]]  # -> 7",
			Do: caseMethod(func(_ *registry.Call, _ *ThreadState, c Case, a *struct{ Text string }) (starlark.Value, error) {
				m, err := modelreader.Parse(c.Engine().Script, a.Text)
				if err != nil {
					return nil, err
				}
				return NewModel(c.Store(), m), nil
			})},
		{Name: "parse", Doc: "Reads a term with the names that the script declares.",
			Ret: "term", Example: exampleCase + "c.parse(\"(+ x 1)\")  # -> (+ x 1)",
			Do: caseMethod(func(_ *registry.Call, _ *ThreadState, c Case, a *struct{ Text string }) (starlark.Value, error) {
				t, err := smtlib.ParseTerm(c.Store().Arena, c.Engine().Script, a.Text)
				return NewTerm(c.Store(), t), err
			})},
		{Name: "constant", Doc: "A constant of a datatype or sort that the case declares, or of any other sort. If the case has this constant, it is that one; else it is declared where the term is used.",
			Ret:     "term",
			Example: "c = smt.case(\"(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const a L)(assert (= a nil))(check-sat)\")\nsmt.eq(c.constant(\"b\", \"L\"), c.constants[0])  # -> (= b a)",
			Do:      caseMethod(constant)},
		{Name: "adopt", Doc: "Copies a term of another case to this one. Constants and functions are identified by name and sort; missing ones are declared when the term is used.",
			Ret: "term", Example: exampleCase + "d = smt.case(\"(declare-const x Int)(assert (= x 2))\")\nc.adopt(d.formula, prefix = \"d.\")  # -> (= d.x 2)",
			Do: caseMethod(adopt)},
	}
}

// CheckSymbol returns an error about an argument, a pointer to a field of the arguments of a call, if a name cannot be
// written in SMT-LIB, not even between bars.
func CheckSymbol(call *registry.Call, argument any, name string) error {
	if i := strings.IndexAny(name, "|\\"); i >= 0 {
		return call.Errorf(argument, "%q has the character %q, which no name in SMT-LIB can have", name, name[i])
	}
	return nil
}

// constantArgs are the arguments of case.constant.
type constantArgs struct {
	Name string
	Sort starlark.Value `type:"sort | str" doc:"a sort, such as one of case.sorts, or its text, such as \"(List Int)\""`
}

// constant returns a constant in the case's store.
func constant(call *registry.Call, _ *ThreadState, c Case, a *constantArgs) (starlark.Value, error) {
	if err := CheckSymbol(call, &a.Name, a.Name); err != nil {
		return nil, err
	}
	arena := c.Store().Arena
	var sort smt.Sort
	var err error
	if s, ok := a.Sort.(Sort); ok {
		sort, err = s.In(c.Store())
	} else {
		text, _ := starlark.AsString(a.Sort)
		sort, err = smtlib.ParseSort(arena, c.Engine().Script, text)
	}
	if err != nil {
		return nil, call.Errorf(&a.Sort, "%v", err)
	}
	return NewTerm(c.Store(), arena.Const(arena.Declare(a.Name, nil, sort))), nil
}

// adoptArgs are the arguments of case.adopt.
type adoptArgs struct {
	Term   Term
	Prefix string `default:"\"\"" doc:"a prefix for the names of constants, functions and declared sorts, which makes them new ones"`
}

func adopt(_ *registry.Call, s *ThreadState, c Case, a *adoptArgs) (starlark.Value, error) {
	t := a.Term
	id, err := t.ID()
	if err != nil {
		return nil, err
	}
	prefix := a.Prefix
	if t.Store() == c.Store() && prefix == "" {
		return t, nil
	}
	s.Adopted(t.Store())
	im := smt.NewNameCopier(t.Store().Arena, c.Store().Arena)
	if prefix != "" {
		im.Rename = func(name string) string { return prefix + name }
	}
	r, err := im.Term(id)
	return NewTerm(c.Store(), r), err
}

func fastPredicates(_ *starlark.Thread, recv starlark.Value, args starlark.Tuple) (starlark.Value, error) {
	c := recv.(Case)
	if !c.HasFragments() || c.Store().Frozen() || !c.IsLive() || len(args) != 1 {
		return nil, nil
	}
	depth, ok := args[0].(starlark.Int)
	if !ok {
		return nil, nil
	}
	n, ok := depth.Int64()
	if !ok || n < 0 {
		return nil, nil
	}
	return predicatesOf(c, int(n))
}

func predicatesOf(c Case, maxDepth int) (starlark.Value, error) {
	frags, err := c.Fragments()
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, 0, len(frags))
	for _, f := range frags {
		if maxDepth < 0 || f.Depth <= maxDepth {
			out = append(out, NewTerm(c.Store(), f.Term))
		}
	}
	return starlark.NewList(out), nil
}

// byArgs chooses the registry or the thread to ask.
type byArgs struct {
	By starlark.Value `type:"solver | None" default:"None" doc:"the solver; None stands for the campaign's first target"`
}

// asker returns the solver to ask: the campaign's first target if the script names none.
func (a *byArgs) asker(call *registry.Call, s *ThreadState) (workspace.Answerer, error) {
	if a.By == starlark.None {
		return s.Model, nil
	}
	by, ok := a.By.(workspace.Answerer)
	if !ok {
		return nil, call.Errorf(&a.By, "this %s cannot be asked here", a.By.Type())
	}
	return by, nil
}

// modelArgs are the arguments of case.model.
type modelArgs struct {
	byArgs
	Number int `type:"count" default:"0" doc:"if it is above 0, some values are changed, the same ones each time; this gives more models of one seed"`
}

func caseModel(call *registry.Call, s *ThreadState, c Case, a *modelArgs) (starlark.Value, error) {
	by, err := a.asker(call, s)
	if err != nil {
		return nil, err
	}
	if by == nil {
		return starlark.None, nil
	}
	m, err := c.Models().By(registry.Context(call.Thread), s, by, uint64(a.Number))
	if err != nil || m == nil {
		return starlark.None, err
	}
	return Model{StoredModel: m}, nil
}

// truthOrNone is a truth value as True, False or None.
func truthOrNone(v value.Truth) starlark.Value {
	switch v {
	case value.True:
		return starlark.True
	case value.False:
		return starlark.False
	}
	return starlark.None
}

// TruthOrNone is a truth value as scripts see it: True, False, or None for unknown.
func TruthOrNone(v value.Truth) starlark.Value { return truthOrNone(v) }

// parts returns Bool terms given by a script, in the case's store.
func parts(c Case, vals []starlark.Value) ([]smt.Term, error) {
	out := make([]smt.Term, len(vals))
	for i, v := range vals {
		t, ok := v.(Term)
		if ok && t.Store() == c.Store() {
			if id, err := t.ID(); err == nil && c.Store().Arena.Sort(id) == smt.SortBool {
				out[i] = id
				continue
			}
		}
		id, err := Lift(c.Store(), v, smt.SortBool)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = id
	}
	return out, nil
}
