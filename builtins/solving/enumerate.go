package solving

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	core "github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// optimiseBuiltin is solver.optimise.
var optimiseBuiltin = registry.Builtin{
	Name: "optimise", Doc: "The optima of minimize, maximize and assert-soft at the last check-sat of a text, each with its objective, written as in a reply to get-objectives: oo for an unbounded optimum, epsilon in one that is not reached, (interval low high) if only bounds are known. None if the problem is unsatisfiable. A front end (solver.frontend) finds them with any solvers and evaluates the models; z3 can do it itself.",
	Ret: "list[tuple[str, str]] | None", Needs: "z3",
	Example: "fe = solver.frontend([solver(\"z3\")])\nfe.optimise(\"(declare-const x Real)(assert (< x 5))(assert-soft (> x 7.0) :weight 2 :id wish)(maximize x)(check-sat)\")  # -> [(\"wish\", \"2\"), (\"x\", \"(+ 5.0 (* (- 1.0) epsilon))\")]\n" +
		"fe.optimise(\"(declare-const x Int)(assert (< x x))(maximize x)(check-sat)\")  # -> None",
	Do: registry.Method(solverOptimise),
}

// allValuesBuiltin is solver.all_values.
var allValuesBuiltin = registry.Builtin{
	Name: "all_values", Doc: "All combinations of values that terms can have, as tuples: the solver is asked again and again, each time without the combinations found so far. Uses mode incremental if the solver has it.",
	Ret: "list[tuple]", Needs: "z3",
	Example: "fe = solver.frontend([solver(\"z3\")])\nsorted(fe.all_values(\"(declare-const x Int)(assert (< 2 x 5))(check-sat)\", [\"x\", \"(> x 3)\"]))  # -> [(\"3\", \"false\"), (\"4\", \"true\")]",
	Do:      registry.Method(solverAllValues),
}

// minimalCoreBuiltin is solver.minimal_core.
var minimalCoreBuiltin = registry.Builtin{
	Name: "minimal_core", Doc: "A minimal unsatisfiable core: assertions of a question that are unsatisfiable together, but satisfiable if any one of them is removed; None if all assertions are satisfiable.",
	Ret: "list[str] | None", Needs: "z3",
	Example: "fe = solver.frontend([solver(\"z3\")])\nfe.minimal_core(\"(declare-const x Int)(assert (> x 3))(assert (= x x))(assert (< x 2))(check-sat)\")  # -> [\"(> x 3)\", \"(< x 2)\"]",
	Do:      registry.Method(solverMinimalCore),
}

// optimiseArgs are the arguments of solver.optimise.
type optimiseArgs struct {
	Question string `doc:"SMT-LIB text with a check-sat"`
	Priority string `type:"\"lex\" | \"box\"" default:"\"lex\"" doc:"optimise one objective after the other, or each separately"`
}

func solverOptimise(c *registry.Call, s *SolverValue, a *optimiseArgs) (starlark.Value, error) {
	q, _, err := queryOf(c.Thread, starlark.String(a.Question))
	if err != nil {
		return nil, err
	}
	asked := *q
	asked.Commands = slices.Concat([]solvers.PrintedCommand{{Text: "(set-option :opt.priority " + a.Priority + ")"}}, q.Commands, []solvers.PrintedCommand{{Text: "(get-objectives)", Reply: solvers.ValueReply}})
	run, err := s.Run(c.Thread, &asked, solvers.Limits{})
	if err != nil {
		return nil, err
	}
	switch {
	case run.Answer() == smtlib.Unsat: // some are at a loss for objectives then
		return starlark.None, nil
	case run.Class != solvers.OK:
		return nil, fmt.Errorf("%s does not optimise this: %s %s %s", s.Name(), run.Class, run.Message, run.Stdout)
	}
	reply := run.Values[len(run.Values)-1]
	xs, err := smtlib.ParseSExprs(reply)
	if err != nil || len(xs) != 1 || len(xs[0].List) == 0 || xs[0].List[0].String() != "objectives" {
		return nil, fmt.Errorf("%s says nothing of objectives: it answers %s, %s", s.Name(), run.Answer(), reply)
	}
	var out []starlark.Value
	for _, x := range xs[0].List[1:] {
		var words []string
		for _, part := range x.List {
			words = append(words, part.String())
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("%s replies what is no objective with its value: %s", s.Name(), reply)
		}
		last := len(words) - 1 // an id may be no word, or several
		out = append(out, starlark.Tuple{starlark.String(strings.Join(words[:last], " ")), starlark.String(words[last])})
	}
	return starlark.NewList(out), nil
}

// problemOf reads a question into an arena of its own.
func problemOf(c *registry.Call, v starlark.Value) (*smtlib.Script, error) {
	switch v := v.(type) {
	case starlark.String:
		return smtlib.Parse("text", []byte(v), smt.NewArena())
	case value.Case:
		local, err := value.LocalOf(c.Thread, v)
		if err != nil {
			return nil, err
		}
		tc, err := local.TestCase()
		if err != nil {
			return nil, err
		}
		return smtlib.Parse("case", []byte(tc.Script.Text()), smt.NewArena())
	}
	return nil, fmt.Errorf("got %s, want a case or SMT-LIB text", v.Type())
}

// askAgain opens a session with the declarations of a question.
func (s *SolverValue) askAgain(
	c *registry.Call, script *smtlib.Script, use func(ctx context.Context, x solvers.Caller) error,
) error {
	value.SessionOf(c.Thread).NoteAsked(s.Found.Name)
	return s.Enumerate(registry.Context(c.Thread), script, use)
}

// allValuesArgs are the arguments of solver.all_values.
type allValuesArgs struct {
	Question starlark.Value `type:"case | str" doc:"a case or SMT-LIB text; the assertions at its last check-sat are used"`
	Terms    []string       `doc:"terms over the declarations of the question"`
	Limit    int            `type:"count" default:"1000" doc:"greatest number of combinations; 0: no limit"`
}

func solverAllValues(c *registry.Call, s *SolverValue, a *allValuesArgs) (starlark.Value, error) {
	script, err := problemOf(c, a.Question)
	if err != nil {
		return nil, err
	}
	var terms []smt.Term
	for _, text := range a.Terms {
		t, err := smtlib.ParseTerm(script.Arena, script, text)
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	var out []starlark.Value
	err = s.askAgain(c, script, func(ctx context.Context, x solvers.Caller) error {
		for _, t := range script.Asserts() {
			if err := solvers.Tell(ctx, x, smtlib.AssertCommand(t)); err != nil {
				return err
			}
		}
		_, err := frontend.Models(ctx, x, script, terms, a.Limit, func(values []core.TermValue) error {
			row := make(starlark.Tuple, len(values))
			for i, v := range values {
				row[i] = starlark.String(v.Value.Text(script.Arena))
			}
			out = append(out, row)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return starlark.NewList(out), nil
}

func solverMinimalCore(c *registry.Call, s *SolverValue, a *struct {
	Question starlark.Value `type:"case | str" doc:"a case or SMT-LIB text; the assertions at its last check-sat are used"`
}) (starlark.Value, error) {
	script, err := problemOf(c, a.Question)
	if err != nil {
		return nil, err
	}
	var found []smt.Term
	minimal := false
	err = s.askAgain(c, script, func(ctx context.Context, x solvers.Caller) (err error) {
		found, minimal, err = frontend.Core(ctx, x, script.Asserts())
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return starlark.None, nil
	case !minimal:
		return nil, fmt.Errorf("%s does not decide whether each assertion of the core is needed", s.Name())
	}
	texts := make([]string, len(found))
	for i, t := range found {
		texts[i] = smtlib.TermText(script.Arena, t)
	}
	return stringList(texts), nil
}
