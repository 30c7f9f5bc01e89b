package mutate

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/random"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/logic"
	engine "github.com/smtlark/smtlark/engine/mutate"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// classes says in a script which operators may replace each other.
type classes struct {
	registry.Object[*classes]

	c    *engine.Operators
	text string
}

func (c *classes) String() string { return "<" + c.text + ">" }

// signatures says in a script which operators generation may use.
type signatures struct {
	registry.Object[*signatures]

	s    *engine.Signatures
	text string
}

func (s *signatures) String() string { return "<" + s.text + ">" }

// anyOperator and anySignature stand for None; what seeds remember of them is found by their address.
var (
	anyOperator  = engine.AnyOperator()
	anySignature = engine.AnySignature()
)

var (
	classesType    = registry.NewType[*classes]("operator_classes", "Which operators may take each other's place; see mutate.classes.", nil)
	signaturesType = registry.NewType[*signatures]("signatures", "Which operators generation may use; see mutate.signatures.", nil)
)

const mutationExample = `c = smt.case("(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvult x #x07))(check-sat)")` + "\n"

var stayParam = registry.Param{Name: "stay", Type: "bool", Default: "True", Doc: "take only mutations for which the logic of the script does; else the mutant gets the logic it needs"}

// mutationBuiltins are those that change operators and generate terms.
func mutationBuiltins() []registry.Builtin {
	return []registry.Builtin{
		{Name: "classes", Doc: "Classes of operators for mutate.operators, in the format of YinYang's opfuzz: a line \"a,b,c\" for operators that may replace each other, \"a,b -> c\" for one way, \":arity 2\", \":arity 3+\" or \":arity 2-\" for a number of arguments.", Ret: "operator_classes",
			Params:  []registry.Param{{Name: "text", Type: "str"}},
			Example: "mutate.classes(\"bvult,bvule,bvugt\\nnot -> and\")  # -> <2 classes of operators>\nmutate.classes(\"bvult,bvfoo\")  # error: mutate.classes: for parameter text: line 1, \"bvult,bvfoo\": \"bvfoo\" is no operator",
			Do:      registry.Into(newClasses)},
		{Name: "signatures", Doc: "Signatures of operators for mutate.generate, in the format of YinYang's typefuzz: a line (name sorts... sort) each, and (par (A) (id A A)) for copies of terms.", Ret: "signatures",
			Params:  []registry.Param{{Name: "text", Type: "str"}},
			Example: "mutate.signatures(\"(+ Int Int Int :left-assoc)\\n(abs Int Int)\")  # -> <2 signatures>",
			Do:      registry.Into(newSignatures)},
		{Name: "operators", Doc: "The case with operators changed: type-aware operator mutation (opfuzz). Each change is at one place, under quantifiers and shared terms too, and keeps sorts right. Nothing is known about the answers. Skips where nothing can change.", Ret: "case",
			Params: []registry.Param{{Name: "case", Type: "case"}, {Name: "rng", Type: "rng"}, {Name: "times", Type: "int", Default: "1", Doc: "number of changes, one on top of the other"}, {Name: "*"},
				{Name: "classes", Former: "among", Type: "operator_classes | None", Default: "None", Doc: "which operators replace which; None: any of the standard that take the same arguments"}, stayParam},
			Example: mutationExample + "mutate.operators(c, rng(1), classes = mutate.classes(\"bvult,bvule\")).formula  # -> (bvule x #x07)",
			Do:      registry.Into(changeOperators)},
		{Name: "generate", Doc: "The case with terms replaced by generated ones of the same sort: generative type-aware mutation (typefuzz). An operator is applied to terms of the case, or a term is copied; variables stay in the scope of their binders. Nothing is known about the answers. Skips where nothing can be replaced.", Ret: "case",
			Params: []registry.Param{{Name: "case", Type: "case"}, {Name: "rng", Type: "rng"}, {Name: "times", Type: "int", Default: "1", Doc: "number of replacements, one on top of the other"}, {Name: "*"},
				{Name: "depth", Type: "int", Default: "1", Doc: "greatest nesting of new operators"},
				{Name: "signatures", Former: "by", Type: "signatures | None", Default: "None", Doc: "which operators to use; None: all of the standard, and the functions of the case"}, stayParam},
			Example: mutationExample + "mutate.generate(c, rng(2), signatures = mutate.signatures(\"(bvadd A A A)\")).find(op = \"bvadd\") != []  # -> True",
			Do:      registry.Into(generateTerms)},
		{Name: "weaken", Doc: "The case with formulas in its assertions replaced by ones that they imply: what is known to be sat stays so, with its witness. Skips where nothing can change.", Ret: "case",
			Params:  shiftParams,
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 3))(check-sat)\").with_answer(\"sat\")\nmutate.weaken(c, rng(2)).status  # -> \"sat\"",
			Do:      registry.Into(func(c *registry.Call, a *shiftArgs) (starlark.Value, error) { return shiftCase(c, a, true) })},
		{Name: "strengthen", Doc: "The case with formulas in its assertions replaced by ones that imply them: what is known to be unsat stays so. Skips where nothing can change.", Ret: "case",
			Params:  shiftParams,
			Example: "c = smt.case(\"(declare-const x Int)(assert (and (<= x 1) (>= x 3)))(check-sat)\").with_answer(\"unsat\")\nmutate.strengthen(c, rng(2)).status  # -> \"unsat\"",
			Do:      registry.Into(func(c *registry.Call, a *shiftArgs) (starlark.Value, error) { return shiftCase(c, a, false) })},
		{Name: "rewrite", Doc: "The case with terms replaced by others that have the same value under every interpretation, by laws of @std//laws/book.star in both directions (docs/laws.md). What is known of its answers stays. Skips where no law that is tried applies.", Ret: "case",
			Params:  []registry.Param{{Name: "case", Type: "case"}, {Name: "rng", Type: "rng"}, {Name: "times", Type: "int", Default: "8", Doc: "number of steps, one on top of the other"}, {Name: "*"}, stayParam},
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 3))(check-sat)\").with_answer(\"sat\")\nmutate.rewrite(c, rng(1)).status  # -> \"sat\"",
			Do:      registry.Into(rewriteCase)},
		{Name: "equivalence", Doc: "A case that asserts that what another one asserts differs from its rewritten self, as mutate.rewrite makes it: it is unsat. Definitions stay. Skips where no law that is tried applies.", Ret: "case",
			Params:  []registry.Param{{Name: "case", Type: "case"}, {Name: "rng", Type: "rng"}, {Name: "times", Type: "int", Default: "8", Doc: "number of steps, one on top of the other"}, {Name: "*"}, stayParam},
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 3))(check-sat)\")\nmutate.equivalence(c, rng(1)).status  # -> \"unsat\"",
			Do:      registry.Into(equivalenceCase)},
		{Name: "joint_logic", Doc: "The name of a logic that has what the logics of both cases have, for a case with terms of both; ALL where there is none, None where neither has a logic.", Ret: "str | None",
			Params:  []registry.Param{{Name: "case", Type: "case"}, {Name: "other", Type: "case"}},
			Example: "mutate.joint_logic(smt.case(\"(set-logic QF_ABV)(check-sat)\"), smt.case(\"(set-logic QF_FP)(check-sat)\"))  # -> \"QF_ABVFP\"",
			Do:      registry.Into(jointLogic)},
		{Name: "grammar", Doc: "A grammar of S-expressions: nonterminals with their alternatives, in which nonterminals stand for what they derive. The first one is the start.", Ret: "grammar",
			Params:  []registry.Param{{Name: "rules", Type: "dict[str, list]"}},
			Example: grammarExample + "g.at(100)  # -> \"(not (and (and p p) p))\"",
			Do:      registry.Into(newGrammar)},
	}
}

var shiftParams = []registry.Param{{Name: "case", Type: "case"}, {Name: "rng", Type: "rng"}, {Name: "times", Type: "int", Default: "1", Doc: "number of changes, one on top of the other"}, {Name: "*"}, stayParam}

// shiftArgs are the arguments of mutate.weaken and mutate.strengthen.
type shiftArgs struct {
	subjectArgs
	Stay bool
}

// shiftCase makes a case weaker or stronger.
func shiftCase(c *registry.Call, a *shiftArgs, weaken bool) (starlark.Value, error) {
	laws, err := value.LawsOf(c.Thread)
	if err != nil {
		return nil, err
	}
	v, err := mutateSubject(c, &a.subjectArgs, "no formula to change", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.Shift(r, laws, weaken, times, a.Stay)
	})
	if err != nil {
		return nil, err
	}
	from, err := value.LocalOf(c.Thread, a.Case)
	if err != nil {
		return nil, err
	}
	return value.Case{Case: v.(value.Case).KeepShifted(from.Case, weaken)}, nil
}

// rewriteCase makes a case of which the same is known.
func rewriteCase(c *registry.Call, a *shiftArgs) (starlark.Value, error) {
	to, from, err := rewritten(c, a, true)
	if err != nil {
		return nil, err
	}
	return value.Case{Case: to.KeepAnswers(from.Case)}, nil
}

// equivalenceCase makes a case that is unsat, because two formulas that have the same value differ in it.
func equivalenceCase(c *registry.Call, a *shiftArgs) (starlark.Value, error) {
	to, from, err := rewritten(c, a, false)
	if err != nil {
		return nil, err
	}
	x, err := to.TestCase()
	if err != nil {
		return nil, err
	}
	y, err := from.TestCase()
	if err != nil {
		return nil, err
	}
	arena := x.Script.Arena
	// Names of terms would be declared twice.
	terms, err := engine.StripNames(arena, []smt.Term{arena.And(x.Script.Asserts()...), arena.And(y.Script.Asserts()...)})
	if err != nil {
		return nil, err
	}
	return value.Case{Case: to.WithAsserts([]smt.Term{arena.MustApp(smt.OpDistinct, terms...)}, smtlib.Unsat, nil).ByConstruction()}, nil
}

// rewritten returns a case that was rewritten, and the one it was made of.
func rewritten(c *registry.Call, a *shiftArgs, definitions bool) (to, from value.Case, err error) {
	laws, err := value.LawsOf(c.Thread)
	if err != nil {
		return to, from, err
	}
	v, err := mutateSubject(c, &a.subjectArgs, "no law to apply", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.Rewrite(r, laws, times, a.Stay, definitions)
	})
	if err != nil {
		return to, from, err
	}
	from, err = value.LocalOf(c.Thread, a.Case)
	return v.(value.Case), from, err
}

// jointLogicArgs are the arguments of mutate.joint_logic.
type jointLogicArgs struct {
	Case  value.Case
	Other value.Case
}

func jointLogic(c *registry.Call, a *jointLogicArgs) (starlark.Value, error) {
	var names []string
	for _, k := range []value.Case{a.Case, a.Other} {
		tc, err := k.TestCase()
		if err != nil {
			return nil, err
		}
		names = append(names, tc.Script.Logic())
	}
	if name := logic.Join(names...); name != "" {
		return starlark.String(name), nil
	}
	return starlark.None, nil
}

// newClassesArgs are the arguments of mutate.classes.
type newClassesArgs struct {
	Text string
}

func newClasses(c *registry.Call, a *newClassesArgs) (starlark.Value, error) {
	ops, err := engine.ParseOperators(a.Text)
	if err != nil {
		return nil, c.Errorf(&a.Text, "%v", err)
	}
	return &classes{c: ops, text: fmt.Sprintf("%d classes of operators", ops.Len())}, nil
}

// newSignaturesArgs are the arguments of mutate.signatures.
type newSignaturesArgs struct {
	Text string
}

func newSignatures(c *registry.Call, a *newSignaturesArgs) (starlark.Value, error) {
	sigs, err := engine.ParseSignatures(a.Text)
	if err != nil {
		return nil, c.Errorf(&a.Text, "%v", err)
	}
	return &signatures{s: sigs, text: fmt.Sprintf("%d signatures", sigs.Len())}, nil
}

// maxTimes bounds the mutations of one call.
const maxTimes = 100_000

// subjectArgs are the arguments that all mutations begin with.
type subjectArgs struct {
	Case  value.Case
	Rng   *random.Rng
	Times int
}

// mutateSubject does what f makes of the subject of a case, as often as the arguments say.
func mutateSubject(c *registry.Call, a *subjectArgs, what string, f func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error)) (starlark.Value, error) {
	s := value.SessionOf(c.Thread)
	k, err := s.Local(a.Case.Case)
	if err != nil {
		return nil, err
	}
	if _, err := k.TestCase(); err != nil {
		return nil, err
	}
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	if a.Times < 1 || a.Times > maxTimes {
		return nil, c.Errorf(&a.Times, "%d is not between 1 and %d", a.Times, maxTimes)
	}
	x, err := k.Subject()
	if err != nil {
		return nil, err
	}
	m, err := f(x, src, a.Times)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, &registry.Skip{Reason: what}
	}
	for _, step := range m.Steps {
		s.Step(step)
	}
	return value.Case{Case: k.Mutant(m)}, nil
}

// changeOperatorsArgs are the arguments of mutate.operators.
type changeOperatorsArgs struct {
	subjectArgs
	Classes *classes
	Stay    bool
}

func changeOperators(c *registry.Call, a *changeOperatorsArgs) (starlark.Value, error) {
	among := anyOperator
	if a.Classes != nil {
		among = a.Classes.c
	}
	return mutateSubject(c, &a.subjectArgs, "no operator to change", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.MutateOperators(r, among, times, a.Stay)
	})
}

// generateArgs are the arguments of mutate.generate.
type generateArgs struct {
	subjectArgs
	Depth      int
	Signatures *signatures
	Stay       bool
}

func generateTerms(c *registry.Call, a *generateArgs) (starlark.Value, error) {
	by := anySignature
	if a.Signatures != nil {
		by = a.Signatures.s
	}
	depth := a.Depth
	if depth < 1 || depth > 64 {
		return nil, c.Errorf(&a.Depth, "%d is not between 1 and 64", depth)
	}
	return mutateSubject(c, &a.subjectArgs, "no term to replace", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.Generate(r, by, times, depth, a.Stay)
	})
}
