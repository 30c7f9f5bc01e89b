package mutate

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
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

// anyOperator and anySignature stand for None. Data that seeds cache for them is looked up by their address.
var (
	anyOperator  = engine.AnyOperator()
	anySignature = engine.AnySignature()
)

var (
	classesType    = registry.NewType[*classes]("operator_classes", "Which operators may replace each other; see mutate.classes.", nil)
	signaturesType = registry.NewType[*signatures]("signatures", "Which operators generation may use; see mutate.signatures.", nil)
)

const mutationExample = `c = smt.case("(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvult x #x07))(check-sat)")` + "\n"

// keepLogicArgs say whether a mutant stays in the logic of the script.
type keepLogicArgs struct {
	KeepLogic bool `default:"True" doc:"use only mutations that the logic of the script allows; otherwise the mutant gets the logic that it needs"`
}

// mutationBuiltins returns the builtins that change operators and generate terms.
func mutationBuiltins() []registry.Builtin {
	return []registry.Builtin{
		{Name: "classes", Doc: "Classes of operators for mutate.operators, in the format of YinYang's opfuzz: a line is \"a,b,c\" for operators that may replace each other, or \"a,b -> c\" for replacement in one direction; \":arity 2\", \":arity 3+\" or \":arity 2-\" gives the number of arguments.", Ret: "operator_classes",
			Example: "mutate.classes(\"bvult,bvule,bvugt\\nnot -> and\")  # -> <2 classes of operators>\nmutate.classes(\"bvult,bvfoo\")  # error: mutate.classes: for parameter text: line 1, \"bvult,bvfoo\": \"bvfoo\" is no operator",
			Do:      registry.Into(newClasses)},
		{Name: "signatures", Doc: "Signatures of operators for mutate.generate, in the format of YinYang's typefuzz: one line (name sorts... sort) for each, and (par (A) (id A A)) for copies of terms.", Ret: "signatures",
			Example: "mutate.signatures(\"(+ Int Int Int :left-assoc)\\n(abs Int Int)\")  # -> <2 signatures>",
			Do:      registry.Into(newSignatures)},
		{Name: "operators", Doc: "The case with operators changed: type-aware operator mutation (opfuzz). Each change is at one place, also under quantifiers and in shared terms, and is well-sorted. The answers are not known. Skips if nothing can change.", Ret: "case",
			Example: mutationExample + "mutate.operators(c, rng(1), classes = mutate.classes(\"bvult,bvule\")).formula  # -> (bvule x #x07)",
			Do:      registry.Into(changeOperators)},
		{Name: "generate", Doc: "The case with terms replaced by generated ones of the same sort: generative type-aware mutation (typefuzz). An operator is applied to terms of the case, or a term is copied; variables stay in the scope of their binders. The answers are not known. Skips if nothing can be replaced.", Ret: "case",
			Example: mutationExample + "mutate.generate(c, rng(2), signatures = mutate.signatures(\"(bvadd A A A)\")).find(op = \"bvadd\") != []  # -> True",
			Do:      registry.Into(generateTerms)},
		{Name: "weaken", Doc: "The case with formulas in its assertions replaced by weaker ones, which they imply: a case known to be sat stays sat and keeps its witness. Skips if nothing can change.", Ret: "case",
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 3))(check-sat)\").with_answer(\"sat\")\nmutate.weaken(c, rng(2)).status  # -> \"sat\"",
			Do:      registry.Into(func(c *registry.Call, a *shiftArgs) (starlark.Value, error) { return shiftCase(c, a, true) })},
		{Name: "strengthen", Doc: "The case with formulas in its assertions replaced by stronger ones, which imply them: a case known to be unsat stays unsat. Skips if nothing can change.", Ret: "case",
			Example: "c = smt.case(\"(declare-const x Int)(assert (and (<= x 1) (>= x 3)))(check-sat)\").with_answer(\"unsat\")\nmutate.strengthen(c, rng(2)).status  # -> \"unsat\"",
			Do:      registry.Into(func(c *registry.Call, a *shiftArgs) (starlark.Value, error) { return shiftCase(c, a, false) })},
		{Name: "rewrite", Doc: "The case with terms replaced by others that have the same value under every interpretation, by laws of @std//laws/book.star in both directions (docs/laws.md). Its known answers do not change. Skips if none of the laws that it tries applies.", Ret: "case",
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 3))(check-sat)\").with_answer(\"sat\")\nmutate.rewrite(c, rng(1)).status  # -> \"sat\"",
			Do:      registry.Into(rewriteCase)},
		{Name: "equivalence", Doc: "A case that asserts that the assertions of the given case are not equivalent to their rewritten form (see mutate.rewrite), so it is unsat. Definitions do not change. Skips if none of the laws that it tries applies.", Ret: "case",
			Example: "c = smt.case(\"(declare-const x Int)(assert (< x 3))(check-sat)\")\nmutate.equivalence(c, rng(1)).status  # -> \"unsat\"",
			Do:      registry.Into(equivalenceCase)},
		{Name: "joint_logic", Doc: "The name of a logic that includes the logics of both cases, for a case with terms of both; ALL if no logic does, None if neither case has a logic.", Ret: "str | None",
			Example: "mutate.joint_logic(smt.case(\"(set-logic QF_ABV)(check-sat)\"), smt.case(\"(set-logic QF_FP)(check-sat)\"))  # -> \"QF_ABVFP\"",
			Do:      registry.Into(jointLogic)},
		{Name: "fitting_logic", Doc: "The logic of a seed, if it allows everything that the assertions of a case add to those of the seed; otherwise the name of a wider logic, or ALL if there is none. None if the seed has no logic.", Ret: "str | None",
			Example: "seed = smt.case(\"(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)\")\nmutate.fitting_logic(seed.with_asserts([seed.parse(\"(> (* x x) 1)\")]), seed)  # -> \"QF_NIA\"",
			Do:      registry.Into(fittingLogic)},
		{Name: "grammar", Doc: "A grammar of S-expressions: nonterminals with their alternatives. The first nonterminal is the start.", Ret: "grammar",
			Example: value.GrammarExample + "g.at(100)  # -> \"(not (and (and p p) p))\"",
			Do:      registry.Into(value.NewGrammar)},
	}
}

// shiftArgs are the arguments of mutate.weaken and mutate.strengthen.
type shiftArgs struct {
	subjectArgs
	Times int `default:"1" doc:"number of changes, one after the other"`
	_     registry.KeywordOnly
	keepLogicArgs
}

// stepsArgs are the arguments of mutate.rewrite and mutate.equivalence.
type stepsArgs struct {
	subjectArgs
	Times int `default:"8" doc:"number of steps, one after the other"`
	_     registry.KeywordOnly
	keepLogicArgs
}

// shiftCase makes a case weaker or stronger.
func shiftCase(c *registry.Call, a *shiftArgs, weaken bool) (starlark.Value, error) {
	laws, err := lawsFor(c, a.Case)
	if err != nil {
		return nil, err
	}
	v, err := mutateSubject(c, &a.subjectArgs, &a.Times, "no formula to change", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.Shift(r, laws, weaken, times, a.KeepLogic)
	})
	if err != nil {
		return nil, err
	}
	from, err := value.LocalOf(c.Thread, a.Case)
	if err != nil {
		return nil, err
	}
	return value.Case{AnalyzedCase: v.(value.Case).KeepShifted(from.AnalyzedCase, weaken)}, nil
}

// rewriteCase rewrites a case to one with the same known facts.
func rewriteCase(c *registry.Call, a *stepsArgs) (starlark.Value, error) {
	laws, err := lawsFor(c, a.Case)
	if err != nil {
		return nil, err
	}
	to, from, err := rewritten(c, a, laws, true)
	if err != nil {
		return nil, err
	}
	return value.Case{AnalyzedCase: to.KeepAnswers(from.AnalyzedCase)}, nil
}

// equivalenceCase makes a case that is unsat, because two formulas that have the same value differ in it.
func equivalenceCase(c *registry.Call, a *stepsArgs) (starlark.Value, error) {
	laws, err := value.TechniqueLaws(c.Thread, nil) // it claims an answer, whatever is known of the case
	if err != nil {
		return nil, err
	}
	to, from, err := rewritten(c, a, laws, false)
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
	terms, err := scope.StripNames(arena, []smt.Term{arena.And(x.Script.Asserts()...), arena.And(y.Script.Asserts()...)})
	if err != nil {
		return nil, err
	}
	return value.Case{AnalyzedCase: to.WithAsserts([]smt.Term{arena.MustApp(smt.OpDistinct, terms...)}, smtlib.Unsat, nil).ByConstruction()}, nil
}

// lawsFor returns the laws that keep the known facts about a case.
func lawsFor(c *registry.Call, k value.Case) (*rewrite.Rules, error) {
	local, err := value.LocalOf(c.Thread, k)
	if err != nil {
		return nil, err
	}
	tc, err := local.TestCase()
	if err != nil {
		return nil, err
	}
	return value.TechniqueLaws(c.Thread, tc)
}

// rewritten returns a rewritten case and the case that it was made from.
func rewritten(c *registry.Call, a *stepsArgs, laws *rewrite.Rules, definitions bool) (to, from value.Case, err error) {
	v, err := mutateSubject(c, &a.subjectArgs, &a.Times, "no law to apply", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.Rewrite(r, laws, times, a.KeepLogic, definitions)
	})
	if err != nil {
		return to, from, err
	}
	from, err = value.LocalOf(c.Thread, a.Case)
	return v.(value.Case), from, err
}

// jointLogicArgs are the arguments of mutate.joint_logic.
type jointLogicArgs struct{ Case, Other value.Case }

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

// fittingLogicArgs are the arguments of mutate.fitting_logic.
type fittingLogicArgs struct{ Case, Seed value.Case }

func fittingLogic(_ *registry.Call, a *fittingLogicArgs) (starlark.Value, error) {
	need := [2]logic.Features{}
	name := ""
	for i, k := range []value.Case{a.Case, a.Seed} {
		tc, err := k.TestCase()
		if err != nil {
			return nil, err
		}
		need[i], name = logic.OfTerms(tc.Script.Arena, tc.Script.Asserts()), tc.Script.Logic()
	}
	if name = logic.Fit(name, need[0]&^need[1]); name != "" {
		return starlark.String(name), nil
	}
	return starlark.None, nil
}

// newClassesArgs are the arguments of mutate.classes.
type newClassesArgs struct{ Text string }

func newClasses(c *registry.Call, a *newClassesArgs) (starlark.Value, error) {
	ops, err := engine.ParseOperators(a.Text)
	if err != nil {
		return nil, c.Errorf(&a.Text, "%v", err)
	}
	return &classes{c: ops, text: fmt.Sprintf("%d classes of operators", ops.Len())}, nil
}

// newSignaturesArgs are the arguments of mutate.signatures.
type newSignaturesArgs struct{ Text string }

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
	Case value.Case
	Rng  *value.Rng
}

// mutateSubject calls f to mutate the subject of a case the given number of times. The argument nothing is the reason
// to report if f does not change it.
func mutateSubject(c *registry.Call, a *subjectArgs, times *int, nothing string, f func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error)) (starlark.Value, error) {
	s := value.SessionOf(c.Thread)
	k, err := s.Local(a.Case.AnalyzedCase)
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
	if *times < 1 || *times > maxTimes {
		return nil, c.Errorf(times, "%d is not between 1 and %d", *times, maxTimes)
	}
	x, err := k.Subject()
	if err != nil {
		return nil, err
	}
	m, err := f(x, src, *times)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, &registry.Skip{Reason: nothing}
	}
	for _, step := range m.Steps {
		s.Step(step)
	}
	return value.Case{AnalyzedCase: k.Mutant(m)}, nil
}

// changeOperatorsArgs are the arguments of mutate.operators.
type changeOperatorsArgs struct {
	subjectArgs
	Times   int `default:"1" doc:"number of changes, one after the other"`
	_       registry.KeywordOnly
	Classes *classes `default:"None" doc:"which operators may replace each other; None: any standard operators with the same argument sorts"`
	keepLogicArgs
}

func changeOperators(c *registry.Call, a *changeOperatorsArgs) (starlark.Value, error) {
	among := anyOperator
	if a.Classes != nil {
		among = a.Classes.c
	}
	return mutateSubject(c, &a.subjectArgs, &a.Times, "no operator to change", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.MutateOperators(r, among, times, a.KeepLogic)
	})
}

// generateArgs are the arguments of mutate.generate.
type generateArgs struct {
	subjectArgs
	Times      int `default:"1" doc:"number of replacements, one after the other"`
	_          registry.KeywordOnly
	Depth      int         `default:"1" doc:"greatest nesting of new operators"`
	Signatures *signatures `default:"None" doc:"operators to use; None: all operators of the standard, and the functions of the case"`
	keepLogicArgs
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
	return mutateSubject(c, &a.subjectArgs, &a.Times, "no term to replace", func(x *engine.Subject, r *rng.Source, times int) (*engine.Mutant, error) {
		return x.Generate(r, by, times, depth, a.KeepLogic)
	})
}
