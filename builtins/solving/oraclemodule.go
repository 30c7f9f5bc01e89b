package solving

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// OracleModule returns the module and the types oracle and verdict.
func OracleModule() registry.Module {
	const asked = "c = smt.case(\"(declare-const x Int)(assert (> x 1))(check-sat)\")\n"
	return registry.Module{
		Name: "oracle",
		Doc: `Oracles judge the runs of targets on a case. A function of (case, runs) is an oracle too: it returns None, or oracle.bug(...).
An answer unknown, a timeout, a refusal and an unsupported feature are never bugs.`,
		Types: []*registry.Type{OracleType, VerdictType, PatternType},
		Members: []registry.Builtin{
			engineOracle("crash", "A target crashed, or one of its internal checks failed.", oracle.Crash, asked+"oracle.crash().judge(c, [solver(\"z3\").run(c)])  # -> []"),
			engineOracle("known_answer", "An answer contradicts the known answer of the case.", oracle.KnownAnswer,
				"c = smt.case(\"(set-info :status unsat)(check-sat)\")\n[v.kind for v in oracle.known_answer().judge(c, [solver(\"z3\", options = {}).run(\"(check-sat)\")])]  # -> [\"known-answer\"]"),
			engineOracle("known_value", "A reply to a get-value of the case differs from the value that the assertions determine. They determine the values of constants that are asserted to equal a value, and of terms over them.", oracle.KnownValue,
				"c = smt.case(\"(set-option :produce-models true)(declare-const x Int)(assert (= x 1))(check-sat)(get-value ((+ x 1)))\")\noracle.known_value().judge(c, [solver(\"z3\").run(c)])  # -> []"),
			engineOracle("agree", "Two targets disagree: one says sat, the other unsat.", oracle.Disagreement, asked+"oracle.agree().judge(c, [solver(\"z3\").run(c)])  # -> []"),
			engineOracle("model", "A target's model does not satisfy the assertions. The oracle asks each target for a model after each sat and checks it by smtlark's own evaluator, so one solver suffices. An unknown value is never a bug.",
				oracle.Model, asked+"oracle.model().judge(c, [solver(\"z3\").run(c, model = True)])  # -> []"),
			askingOracle("values", "get-value contradicts get-model: after a sat, the solver is asked again for both, for some terms of the case.", oracle.Values),
			askingOracle("cores", "The solver itself answers sat for an unsat core, or for unsat assumptions, that it returned: after an unsat, the solver is asked again for the core, and then about the core alone. A case that itself asks for the core, and whose witness satisfies the reply, is always checked; probability applies to all other cases.", oracle.Cores),
			{
				Name: "claims", Doc: `A reply to a question of the case does not have the property that it must have: an interpolant (get-interpolant, get-interpolants), an abduct (get-abduct), a formula without quantifiers (get-qe), a
simplified term (simplify), the goals of a tactic (apply), a learned literal, an optimum (get-objectives), or a proof (get-proof). The oracle derives formulas that must be valid or satisfiable from the question and the reply. It reports a reply if the witness of
the case, or a model that a search or a solver finds, makes such a formula false by exact evaluation, or if two kinds of solvers agree that the formula does not hold. It never relies on one solver alone. Cases without such questions cost nothing.`,
				Ret: "oracle", Needs: "z3", Do: registry.Into(claims),
				Example: "c = smt.case(\"(declare-const x Int)(assert (> x 3))(minimize x)(check-sat)(get-objectives)\")\noracle.claims().judge(c, [solver(\"z3\").run(c)])  # -> []",
			},
			{
				Name: "claim", Doc: `A verdict if something that must hold does not, for oracle functions that judge replies of their own. It is given the formulas that must be unsatisfiable together if the reply of a run is right
(a formula follows from others if its negation and they are unsatisfiable), or those that must be satisfiable. Evidence is sought as in oracle.claims. Returns None if there is none.`,
				Ret: "verdict | None", Needs: "z3", Do: registry.Into(claimOf),
				Example: "c = smt.case(\"(declare-const x Int)(assert (> x 3))(check-sat)\")\nr = solver(\"z3\").run(c)\noracle.claim(c, r, \"x is not above 9\", unsat = list(c.asserts) + [c.parse(\"(<= x 9)\")]).message  # -> \"x is not above 9\"",
			},
			{
				Name: "runaway", Doc: "A target runs out of time or memory on a trivial check: every constant is asserted to have a value, the values decide the assertions, and the circuit is small. After a timeout the solver runs such a check alone, in a new process, without options, with four seconds of CPU time (two in a replay).",
				Ret: "oracle", Example: asked + "oracle.runaway().judge(c, [solver(\"z3\").run(c)])  # -> []", Needs: "z3",
				Fn: func(*registry.Call) (starlark.Value, error) {
					return &Oracle{Name: oracle.KindRunaway, Make: oracle.Runaway}, nil
				},
			},
			{
				Name: "metamorphic", Doc: `A target contradicts itself: its answers to a case and to the seed of the case cannot both be right, because of the relation between the two that
the technique guarantees. No answer needs to be known, and one solver suffices. Each target runs a seed once, in a new process with the target's options. Cases without a seed, or with several, are not judged.
Nothing is reported if a model shows that the relation does not hold; after twenty such cases the campaign ends, because the file is wrong. A finding contains the case and its seed (seed.smt2). Both are reduced together: a smaller pair is accepted if its assertions themselves show the relation, or if one model satisfies both.`,
				Ret: "oracle", Needs: "z3", Do: registry.Into(metamorphic),
				Example: "seed = corpus.texts([\"(declare-const x Int)(assert (> x 1))(check-sat)\"]).at(0)\nc = seed.with_asserts([False])\n[v.kind for v in oracle.metamorphic(\"weaker\").judge(c, [solver(\"z3\").run(c)])]  # -> [\"metamorphic\"]",
			},
			{
				Name: "bug", Doc: "A verdict: what an oracle function returns when something is wrong.",
				Ret: "verdict", Example: "oracle.bug(\"slow\", \"z3 takes a minute\").kind  # -> \"slow\"", Do: registry.Into(bug),
			},
			{
				Name: "pattern", Doc: "A pattern of known verdicts to ignore, for campaign(suppress = [...]). All given arguments must match.",
				Ret: "pattern", Example: "oracle.pattern(kind = \"crash\", message = \"theory_str\")  # -> <pattern crash theory_str>", Do: registry.Into(newPattern),
			},
			{
				Name: "custom", Doc: "Makes an oracle from a function that needs its own name, or models.",
				Ret: "oracle", Example: "oracle.custom(lambda case, runs: None, name = \"nothing\").judge(smt.case(\"(check-sat)\"), [])  # -> []",
				Do: registry.Into(func(c *registry.Call, a *oracleCustomArgs) (starlark.Value, error) {
					f := a.Judge
					name := a.Name
					if name == "" {
						name = f.Name()
					}
					return &Oracle{Name: name, Fn: f, Models: a.Models}, nil
				}),
			},
		},
	}
}

func engineOracle(name, doc string, make func() oracle.Oracle, example string) registry.Builtin {
	b := registry.Builtin{Name: name, Doc: doc, Ret: "oracle", Example: example, Needs: "z3"}
	b.Fn = func(*registry.Call) (starlark.Value, error) {
		o := make()
		return &Oracle{Name: o.Name(), Engine: o}, nil
	}
	return b
}

// askingOracle is an oracle that asks the solver again, in new processes.
func askingOracle(name, doc string, make func(oracle.AskFunc, float64) oracle.Oracle) registry.Builtin {
	return registry.Builtin{
		Name: name, Doc: doc + " Every query starts a new process, so only some of the cases are checked.", Ret: "oracle", Needs: "z3",
		Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))(assert (< x 9))(check-sat)\")\noracle." + name + "(probability = 1).judge(c, [solver(\"z3\").run(c)])  # -> []",
		Do: registry.Into(func(_ *registry.Call, a *askingArgs) (starlark.Value, error) {
			return &Oracle{Name: name, Make: func(ask oracle.AskFunc) oracle.Oracle { return make(ask, a.Probability) }}, nil
		}),
	}
}

// askingArgs are the arguments of oracles that ask the solver again.
type askingArgs struct {
	Probability float64 `type:"probability" default:"0.1" doc:"probability that a case is checked; the number of the case determines whether it is"`
}

// claimsArgs are the arguments of oracle.claims.
type claimsArgs struct {
	Only []string `default:"None" doc:"commands whose replies are judged, such as [\"get-interpolant\"]; None: all"`
}

func claims(c *registry.Call, a *claimsArgs) (starlark.Value, error) {
	for _, name := range a.Only {
		if !slices.Contains(claim.Commands(), name) {
			return nil, c.Errorf(&a.Only, "%q is not a command whose reply can be judged; there are %s", name, strings.Join(claim.Commands(), ", "))
		}
	}
	return ClaimsOracle(a.Only), nil
}

// claimArgs are the arguments of oracle.claim.
type claimArgs struct {
	Case    value.Case
	Run     *RunValue `doc:"the run whose reply is judged"`
	Message string    `doc:"one line that says what is wrong if the formulas do not behave so"`
	_       registry.KeywordOnly
	Unsat   []starlark.Value `type:"list[term] | tuple[term, ...] | None" default:"None" doc:"formulas that must be unsatisfiable together"`
	Sat     []starlark.Value `type:"list[term] | tuple[term, ...] | None" default:"None" doc:"formulas that must be satisfiable together; two kinds of solvers have to deny it"`
	Runs    []*RunValue      `type:"list[run]" default:"[]" doc:"runs of other solvers, which are asked about the formulas, too"`
}

func claimOf(c *registry.Call, a *claimArgs) (starlark.Value, error) {
	if (a.Unsat == nil) == (a.Sat == nil) {
		return nil, errors.New("give formulas for one of unsat and sat")
	}
	if a.Message == "" {
		return nil, c.Errorf(&a.Message, "say in one line what is wrong")
	}
	k, err := value.LocalOf(c.Thread, a.Case)
	if err != nil {
		return nil, err
	}
	tc, err := k.TestCase()
	if err != nil {
		return nil, err
	}
	field, want := &a.Unsat, smtlib.Unsat
	if a.Sat != nil {
		field, want = &a.Sat, smtlib.Sat
	}
	var terms []smt.Term
	for i, v := range *field {
		t, err := value.Lift(k.Store(), v, smt.SortBool)
		if err != nil {
			return nil, c.Errorf(field, "element %d: %v", i, err)
		}
		terms = append(terms, t)
	}
	by := map[string]*target.Solver{}
	var runs []*solvers.Run
	for _, r := range append(slices.Clone(a.Runs), a.Run) {
		if r.By != nil {
			by[r.R.Target] = r.By.Solver
		}
		runs = append(runs, r.R)
	}
	referees := claim.RefereesOf(target.AskAgain(registry.Context(c.Thread), by), a.Run.R, runs)
	refuted, _ := claim.NewCondition(a.Message, tc.Script, want, terms, tc.Witness).Judge(registry.Context(c.Thread), referees)
	if refuted == nil {
		return starlark.None, nil
	}
	return &VerdictValue{V: oracle.Verdict{Kind: oracle.KindInvalidReply, Group: a.Message, Summary: a.Message, Message: a.Message,
		Target: a.Run.R.Target, Targets: []string{a.Run.R.Target}, Detail: refuted.Text(), Check: -1}}, nil
}

// ClaimsOracle returns the oracle that judges replies to some commands; nil: to all that have a judge.
func ClaimsOracle(only []string) *Oracle {
	return &Oracle{Name: claim.StatementsName, Make: func(ask oracle.AskFunc) oracle.Oracle { return &claim.Statements{Ask: ask, Only: only} }}
}

func metamorphic(_ *registry.Call, a *struct {
	Relation string `type:"\"equisatisfiable\" | \"equivalent\" | \"stronger\" | \"weaker\"" default:"\"equisatisfiable\"" doc:"equisatisfiable: both have the same answer; equivalent: they have the same models; stronger: each model of the case is one of the seed, so that cases of an unsat seed are unsat; weaker: each model of the seed is one of the case, so that cases of a sat seed are sat"`
}) (starlark.Value, error) {
	return &Oracle{Name: oracle.KindMetamorphic, OfSeed: func(seeds *oracle.SeedRuns) oracle.Oracle {
		return oracle.Metamorphic(oracle.Relation(a.Relation), seeds)
	}}, nil
}

// bugArgs are the arguments of oracle.bug.
type bugArgs struct {
	Kind     string `doc:"kind of the bug, a short word: findings are grouped by it"`
	Message  string `doc:"one line for people"`
	_        registry.KeywordOnly
	Target   starlark.Value `type:"run | solver | str | list[run | solver | str] | None" default:"None" doc:"the target that is wrong; None: unknown"`
	Group    string         `default:"\"\"" doc:"findings of this kind with different groups are different findings; empty: kind and targets are the group"`
	Detail   string         `default:"\"\"" doc:"more lines for people"`
	Check    int            `default:"-1" doc:"number of the wrong check-sat, from 0; -1: the run as a whole"`
	Severity string         `type:"\"wrong unsat\" | \"wrong sat\" | \"crash\" | \"other\" | None" default:"None" doc:"how serious the bug is to developers; findings are sorted by it. A crash that needs options is less serious. None: the kind determines it"`
	Category string         `default:"\"\"" doc:"a few words: the part of the solver, or the type of bug; empty: derived from the solver's output and the operators of the case. Reports to developers put findings of the same severity, kind and category into one entry"`
}

func bug(c *registry.Call, a *bugArgs) (starlark.Value, error) {
	v := oracle.Verdict{Kind: a.Kind, Summary: a.Message, Group: a.Group, Detail: a.Detail, Check: a.Check, Severity: a.Severity, Category: a.Category}
	if v.Kind == "" {
		v.Kind = oracle.KindCustom
	}
	if len(v.Kind) > 100 || strings.ContainsFunc(v.Kind, unicode.IsControl) {
		return nil, c.Errorf(&a.Kind, "a kind is a short word, such as \"slow\"; what is wrong with this case belongs into message")
	}
	if len(v.Category) > 100 || strings.ContainsFunc(v.Category, unicode.IsControl) {
		return nil, c.Errorf(&a.Category, "a category is a few words, such as \"rewriter\"; what is wrong with this case belongs into message")
	}
	if v.Summary == "" {
		return nil, c.Errorf(&a.Message, "say in one line what is wrong")
	}
	var err error
	if v.Targets, err = targetNames(a.Target); err != nil {
		return nil, c.Errorf(&a.Target, "%v", err)
	}
	if len(v.Targets) > 0 {
		v.Target = v.Targets[0]
	}
	return &VerdictValue{V: v}, nil
}

// patternArgs are the arguments of oracle.pattern.
type patternArgs struct {
	_       registry.KeywordOnly
	Kind    string   `default:"\"\"" doc:"crash, known-answer, disagreement, invalid-model, or a kind of the campaign's own"`
	Target  string   `default:"\"\"" doc:"regular expression, found in the name of a target that is wrong, such as \"^z3-4\\.8\""`
	Message string   `default:"\"\"" doc:"regular expression, found in the summary or the message"`
	Logic   string   `default:"\"\"" doc:"regular expression, found in the logic of the case"`
	Name    string   `default:"None" doc:"name under which the ignored verdicts are counted; None: the arguments"`
	Shape   []string `default:"[]" doc:"operators of a reduced case, as listed by smtlark findings show N: matches cases that have all of them. A crash in the same place without them is then a finding of its own"`
}

// pattern makes a pattern of verdicts.
func newPattern(c *registry.Call, a *patternArgs) (starlark.Value, error) {
	p := &PatternValue{Pattern: triage.Pattern{Kind: a.Kind, Label: a.Name}}
	var words []string
	if p.Kind != "" {
		words = append(words, p.Kind)
	}
	for _, x := range []struct {
		text *string
		into **regexp.Regexp
	}{{&a.Target, &p.Target}, {&a.Message, &p.Message}, {&a.Logic, &p.Logic}} {
		if *x.text == "" {
			continue
		}
		re, err := regexp.Compile(*x.text)
		if err != nil {
			return nil, c.Errorf(x.text, "%v", err)
		}
		*x.into = re
		words = append(words, *x.text)
	}
	for i, name := range a.Shape {
		if strings.TrimSpace(name) == "" {
			return nil, c.Errorf(&a.Shape, "element %d is %q; want the name of an operator", i, name)
		}
		p.Shape = append(p.Shape, name)
		words = append(words, name)
	}
	if len(words) == 0 {
		return nil, errors.New("it would match every verdict; say which ones: kind, target, message, logic or shape")
	}
	if p.Label == "" {
		p.Label = strings.Join(words, " ")
	}
	return p, nil
}

func targetNames(v starlark.Value) ([]string, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.String:
		return []string{string(v)}, nil
	case *RunValue:
		return []string{v.R.Target}, nil
	case *SolverValue:
		return []string{v.Name()}, nil
	case *starlark.List:
		var out []string
		for i := range v.Len() {
			names, err := targetNames(v.Index(i))
			if err != nil {
				return nil, err
			}
			out = append(out, names...)
		}
		return out, nil
	}
	return nil, fmt.Errorf("got %s, want a run, a solver or a name", v.Type())
}

// oracleCustomArgs are the arguments of oracle.custom.
type oracleCustomArgs struct {
	Judge  starlark.Callable `type:"callable(case, runs: list[run]) -> (verdict | list[verdict] | None)" doc:"a function of (case, runs) that returns None, oracle.bug(...), or a list of them"`
	_      registry.KeywordOnly
	Name   string `default:"None" doc:"None: the name of the function"`
	Models bool   `default:"False" doc:"ask each target for a model after each sat: run.model has it"`
}
