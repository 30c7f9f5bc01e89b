package value

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/random"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/mutate"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
)

func caseBuilders() []registry.Builtin {
	return []registry.Builtin{
		{Name: "with_asserts", Doc: "The case with the same logic, options and declarations, these assertions, and one check-sat.",
			Params: []registry.Param{
				{Name: "parts", Type: "iterable", Doc: "Bool terms; constants that the case lacks are declared"},
				{Name: "*"},
				{Name: "answer", Type: answerType, Default: "None", Doc: "what is known about the answer"},
				{Name: "witness", Type: "model | None", Default: "None", Doc: "a model of the assertions, where the answer is sat"},
			},
			Ret: "case", Example: exampleCase + "c.with_asserts([smt.eq(c.constants[0], 2)]).asserts  # -> ((= x 2),)",
			Do: caseMethod(func(call *registry.Call, _ *Session, c *Case, a *withAssertsArgs) (starlark.Value, error) {
				ts, err := parts(c, a.Parts)
				if err != nil {
					return nil, call.Errorf(&a.Parts, "%v", err)
				}
				answer, w, err := a.known(call, c)
				if err != nil {
					return nil, err
				}
				return c.WithAsserts(ts, answer, w).said(call, "with_asserts", answer, w), nil
			})},
		{Name: "replace", Doc: "The case with every occurrence of a term in its assertions replaced by another of its sort, under quantifiers too: a variable there is the one bound around it. Nothing is known about the result's answers; where the meaning stays, mutate.rounds(keeps_answer = True) keeps them.",
			Params: replaceParams, Ret: "case", Example: exampleCase + "c.replace(c.constants[0], 5).formula  # -> (or (> 5 1) (< 5 0))",
			Do: caseMethod(func(call *registry.Call, _ *Session, c *Case, a *replaceArgs) (starlark.Value, error) {
				f, err := replacement(call, c.st, a)
				if err != nil {
					return nil, err
				}
				out, _, err := c.MapTerms(f)
				return out, err
			})},
		{Name: "map", Doc: "The case with its assertions rebuilt from the leaves up, as term.map does.",
			Params: []registry.Param{{Name: "f", Type: "callable(term) -> any"}}, Ret: "case",
			Example: exampleCase + "c.map(lambda t: 9 if t.value == 0 else None).formula  # -> (or (> x 1) (< x 9))",
			Do: caseMethod(func(call *registry.Call, _ *Session, c *Case, a *struct{ F starlark.Callable }) (starlark.Value, error) {
				out, _, err := c.MapTerms(mapper(call, c.st, a.F))
				return out, err
			})},
		{Name: "with_answer", Doc: "The case with other knowledge about its answers.",
			Params: []registry.Param{
				{Name: "answer", Type: answerType, Doc: "for every check-sat; None says that nothing is known"},
				{Name: "witness", Type: "model | None", Default: "None", Doc: "a model of what each check-sat sees, where the answer is sat"},
			},
			Ret: "case", Example: exampleCase + "c.with_answer(\"sat\").status  # -> \"sat\"",
			Do: caseMethod(func(call *registry.Call, _ *Session, c *Case, a *answerArgs) (starlark.Value, error) {
				answer, w, err := a.known(call, c)
				if err != nil {
					return nil, err
				}
				return c.known(c.tc.Script, answer, w).said(call, "with_answer", answer, w), nil
			})},
		{Name: "with_logic", Doc: "The case with another logic; None leaves set-logic out.",
			Params: []registry.Param{{Name: "logic", Type: "str | None"}}, Ret: "case", Example: exampleCase + "c.with_logic(\"ALL\").logic  # -> \"ALL\"",
			Do: caseMethod(func(call *registry.Call, _ *Session, c *Case, a *struct{ Logic *string }) (starlark.Value, error) {
				if a.Logic == nil {
					return c.withLogic(""), nil
				}
				if !smt.SimpleSymbol(*a.Logic) {
					return nil, call.Errorf(&a.Logic, "%q is no name of a logic", *a.Logic)
				}
				return c.withLogic(*a.Logic), nil
			})},
		{Name: "with_option", Doc: "The case with (set-option :name value) in front.",
			Params: []registry.Param{{Name: "name", Type: "str", Doc: "with or without the colon"}, {Name: "value", Type: "str | bool | bigint"}},
			Ret:    "case", Example: exampleCase + "c.with_option(\"produce-models\", True).text.splitlines()[0]  # -> \"(set-option :produce-models true)\"",
			Do: caseMethod(withOption)},
		{Name: "stepwise", Doc: "The case that asserts the same step by step, between pushes and pops, with several check-sats on the way. Each sees a part of the assertions, so where the whole is known to be sat, so is each.",
			Params: []registry.Param{{Name: "rng", Type: "rng"}, {Name: "checks", Type: "int", Default: "4", Doc: "number of check-sats, at most that of the assertions"}},
			Ret:    "case", Example: exampleCase + "d = c.with_asserts([True, True, True], answer = \"sat\").stepwise(rng(1), 2)\nd.expect  # -> (\"sat\", \"sat\")",
			Do: caseMethod(stepwise)},
		{Name: "with_tactic", Doc: "The case with (check-sat-using tactic) for every check-sat. Solvers other than z3 are given plain check-sat.",
			Params: []registry.Param{{Name: "tactic", Type: "str", Doc: "a tactic of z3, such as \"dom-simplify\" or \"(then simplify smt)\""}},
			Ret:    "case", Example: exampleCase + "c.with_tactic(\"(then simplify smt)\").text.splitlines()[-1]  # -> \"(check-sat-using (then simplify smt))\"",
			Do: caseMethod(withTactic)},
	}
}

// said notes that the answer of a case is known by the word of the campaign file only, or by that of solvers which it asked
// while it made the case.
func (c *Case) said(call *registry.Call, method string, answer smtlib.Answer, w *model.Model) *Case {
	if !answer.Decided() || answer == smtlib.Sat && w != nil {
		return c
	}
	by := "the campaign file (" + method + ")"
	if asked := SessionOf(call.Thread).asked; len(asked) > 0 {
		by = fmt.Sprintf("%s, asked while the case was made (%s)", strings.Join(asked, ", "), method)
	}
	c.tc.Origin = c.tc.Origin.Assume(by)
	return c
}

// answerArgs are what a script knows about answers.
type answerArgs struct {
	Answer  string
	Witness *Model
}

// known returns the answer, and the witness as one of a case.
func (a *answerArgs) known(call *registry.Call, c *Case) (smtlib.Answer, *model.Model, error) {
	answer, _ := smtlib.ParseAnswer(a.Answer)
	if a.Witness == nil {
		return answer, nil, nil
	}
	m, err := a.Witness.In(c)
	if err != nil {
		return answer, nil, call.Errorf(&a.Witness, "%v", err)
	}
	return answer, m, nil
}

// withAssertsArgs are the arguments of case.with_asserts.
type withAssertsArgs struct {
	Parts []starlark.Value
	answerArgs
}

// known returns the case of a script over the same declarations, of which every answer is known (or None).
func (c *Case) known(s *smtlib.Script, answer smtlib.Answer, w *model.Model) *Case {
	var expect []smtlib.Answer
	if answer != smtlib.None {
		expect = make([]smtlib.Answer, s.CheckSats())
		for i := range expect {
			expect[i] = answer
		}
	}
	return c.with(s, expect, w)
}

// with returns the case of another script over the same declarations.
func (c *Case) with(s *smtlib.Script, expect []smtlib.Answer, w *model.Model) *Case {
	tc := &testcase.Case{Script: s, Expect: expect, Witness: w, Origin: c.tc.Origin}
	return &Case{st: c.st, gen: c.st.gen, tc: tc}
}

// KeepAnswers returns the case with the knowledge about answers that another case of as many check-sats has. The
// witness is kept if it satisfies the case.
func (c *Case) KeepAnswers(from *Case) *Case {
	s := c.tc.Script
	if s.CheckSats() != from.tc.Script.CheckSats() {
		return c
	}
	w := from.tc.Witness
	if w != nil && (c.st != from.st || eval.CheckModel(s, w).Result != value.True) {
		w = nil
	}
	return c.with(s, from.tc.Expect, w)
}

// ChangedFrom reports whether the case asks something else than an earlier form of it, or more is known of its answers.
func (c *Case) ChangedFrom(old *Case) bool {
	switch {
	case c == old:
		return false
	case c.st != old.st || c.tc.Trace != old.tc.Trace:
		return true
	case !slices.EqualFunc(c.tc.Script.Commands, old.tc.Script.Commands, sameCommand):
		return true
	}
	known := slices.ContainsFunc(c.tc.Expect, func(a smtlib.Answer) bool { return a != smtlib.None })
	return known && !slices.Equal(c.tc.Expect, old.tc.Expect) || c.tc.Witness != nil && c.tc.Witness != old.tc.Witness
}

// sameCommand compares commands of one arena, wherever they were read.
func sameCommand(x, y smtlib.Command) bool {
	return x.Kind == y.Kind && x.N == y.N && x.Name == y.Name && x.Text == y.Text && x.Sort == y.Sort && slices.Equal(x.Terms, y.Terms) &&
		slices.Equal(x.Symbols, y.Symbols) && slices.Equal(x.Sorts, y.Sorts) && slices.Equal(x.Params, y.Params) && slices.Equal(x.Named, y.Named)
}

// KeepShifted returns the case with what is known about the answers of another one of which it is a weaker form: sat
// stays sat, by the same witness; or a stronger one: unsat stays unsat.
func (c *Case) KeepShifted(from *Case, weaker bool) *Case {
	s, keep := c.tc.Script, smtlib.Unsat
	var w *model.Model
	if weaker {
		keep, w = smtlib.Sat, from.tc.Witness
	}
	n, was := s.CheckSats(), from.tc.Script.CheckSats()
	expect, any := make([]smtlib.Answer, n), false
	for i := range expect {
		if from.tc.ExpectAt(was-n+i) == keep { // where there are fewer, they are the last ones
			expect[i], any = keep, true
		}
	}
	if !any {
		return c
	}
	return c.with(s, expect, w)
}

func (c *Case) withLogic(logic string) *Case {
	var cmds []smtlib.Command
	for _, x := range c.tc.Script.Commands {
		if x.Kind != smtlib.CmdSetLogic {
			cmds = append(cmds, x)
		}
	}
	if logic != "" {
		at := 0 // options may have to come first
		for at < len(cmds) && (cmds[at].Kind == smtlib.CmdSetOption || cmds[at].Kind == smtlib.CmdSetInfo) {
			at++
		}
		cmds = slices.Insert(cmds, at, smtlib.Command{Kind: smtlib.CmdSetLogic, Text: logic})
	}
	return c.with(c.tc.Script.WithCommands(cmds), c.tc.Expect, c.tc.Witness)
}

// withOptionArgs are the arguments of case.with_option.
type withOptionArgs struct {
	Name  string
	Value starlark.Value
}

func withOption(call *registry.Call, _ *Session, c *Case, a *withOptionArgs) (starlark.Value, error) {
	name := ":" + strings.TrimPrefix(a.Name, ":")
	if !smt.SimpleSymbol(name[1:]) {
		return nil, call.Errorf(&a.Name, "%q is no name of an option", name)
	}
	var text string
	switch v := a.Value.(type) {
	case starlark.Bool:
		text = strings.ToLower(v.String())
	case starlark.String:
		text = string(v)
		if !smt.SimpleSymbol(text) {
			text = string(smt.AppendString(nil, []rune(text)))
		}
	default:
		text = v.String()
	}
	return c.WithSetting(name[1:], text), nil
}

// WithSetting returns the case with an option, whose value is SMT-LIB text, in front.
func (c *Case) WithSetting(name, text string) *Case {
	return c.with(c.tc.Script.WithOption(":"+name, text), c.tc.Expect, c.tc.Witness)
}

// stepwiseArgs are the arguments of case.stepwise.
type stepwiseArgs struct {
	Rng    *random.Rng
	Checks int
}

func stepwise(call *registry.Call, _ *Session, c *Case, a *stepwiseArgs) (starlark.Value, error) {
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	if a.Checks < 1 {
		return nil, call.Errorf(&a.Checks, "%d is below 1", a.Checks)
	}
	s := c.tc.Script
	if s.CheckSats() != 1 {
		s = c.WithAsserts(s.Asserts(), smtlib.None, nil).tc.Script
	}
	answer := smtlib.None
	if last := c.tc.ExpectAt(c.tc.Script.CheckSats() - 1); last == smtlib.Sat {
		answer = last // a part of what is unsatisfiable may be satisfiable
	}
	return c.known(mutate.Stepwise(s, src, a.Checks), answer, c.tc.Witness), nil
}

func withTactic(call *registry.Call, _ *Session, c *Case, a *struct{ Tactic string }) (starlark.Value, error) {
	tactic := a.Tactic
	exprs, err := smtlib.ParseSExprs(tactic)
	if err != nil {
		return nil, call.Errorf(&a.Tactic, "%v", err)
	}
	if len(exprs) != 1 {
		return nil, call.Errorf(&a.Tactic, "%q is not one tactic", tactic)
	}
	cmds := slices.Clone(c.tc.Script.Commands)
	for i := range cmds {
		if cmds[i].Kind == smtlib.CmdCheckSat {
			cmds[i] = smtlib.Command{Kind: smtlib.CmdCheckSatUsing, Text: tactic}
		}
	}
	return c.with(c.tc.Script.WithCommands(cmds), c.tc.Expect, c.tc.Witness), nil
}
