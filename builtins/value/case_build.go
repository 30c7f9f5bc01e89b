package value

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

func caseBuilders() []registry.Builtin {
	return []registry.Builtin{
		{Name: "with_asserts", Doc: "The case with the same logic, options and declarations, these assertions, and one check-sat.",
			Ret: "case", Example: exampleCase + "c.with_asserts([smt.eq(c.constants[0], 2)]).asserts  # -> ((= x 2),)",
			Do: caseMethod(func(call *registry.Call, s *ThreadState, c Case, a *withAssertsArgs) (starlark.Value, error) {
				ts, err := parts(c, a.Parts)
				if err != nil {
					return nil, call.Errorf(&a.Parts, "%v", err)
				}
				answer, w, err := knownAnswer(call, c, a.Answer, &a.Witness)
				if err != nil {
					return nil, err
				}
				return Case{AnalyzedCase: c.WithAsserts(ts, answer, w).Said(s, "with_asserts", answer, w)}, nil
			})},
		{Name: "replace", Doc: "The case with every occurrence of a term in its assertions replaced by a term of the same sort, also under quantifiers, where a variable is the one of the enclosing binder. The result's answers are not known; if the meaning does not change, mutate.rounds(keeps_answer = True) keeps them.",
			Ret: "case", Example: exampleCase + "c.replace(c.constants[0], 5).formula  # -> (or (> 5 1) (< 5 0))",
			Do: caseMethod(func(call *registry.Call, _ *ThreadState, c Case, a *replaceArgs) (starlark.Value, error) {
				f, err := replacement(call, c.Store(), a)
				if err != nil {
					return nil, err
				}
				return wrapped(c.MapTerms(f))
			})},
		{Name: "simplify", Doc: "The case with its assertions and definitions simplified, as by smt.simplify; it keeps its known answers and its witness. With facts, assertions are also simplified by earlier ones: then a single assertion need not keep its value.",
			Ret:     "case",
			Example: exampleCase + "c.with_asserts([smt.and_(c.formula, True)]).simplify().formula  # -> (or (< 1 x) (< x 0))",
			Do:      caseMethod(simplifyCase)},
		{Name: "map", Doc: "The case with its assertions rebuilt from the leaves up, as term.map does.",
			Ret:     "case",
			Example: exampleCase + "c.map(lambda t: 9 if t.value == 0 else None).formula  # -> (or (> x 1) (< x 9))",
			Do: caseMethod(func(call *registry.Call, _ *ThreadState, c Case, a *struct {
				F starlark.Callable `type:"callable(term) -> any"`
			}) (starlark.Value, error) {
				return wrapped(c.MapTerms(mapper(call, c.Store(), a.F)))
			})},
		{Name: "with_answer", Doc: "The case with other known answers.",
			Ret: "case", Example: exampleCase + "c.with_answer(\"sat\").status  # -> \"sat\"",
			Do: caseMethod(func(call *registry.Call, s *ThreadState, c Case, a *answerArgs) (starlark.Value, error) {
				answer, w, err := knownAnswer(call, c, a.Answer, &a.Witness)
				if err != nil {
					return nil, err
				}
				return Case{AnalyzedCase: c.WithAnswer(answer, w).Said(s, "with_answer", answer, w)}, nil
			})},
		{Name: "with_logic", Doc: "The case with another logic; None leaves set-logic out.",
			Ret: "case", Example: exampleCase + "c.with_logic(\"ALL\").logic  # -> \"ALL\"",
			Do: caseMethod(func(call *registry.Call, _ *ThreadState, c Case, a *struct {
				Logic *string `type:"str | None"`
			}) (starlark.Value, error) {
				logic := ""
				if a.Logic != nil {
					if logic = *a.Logic; !smt.SimpleSymbol(logic) {
						return nil, call.Errorf(&a.Logic, "%q is no name of a logic", logic)
					}
				}
				return Case{AnalyzedCase: c.WithScript(c.Engine().Script.WithLogic(logic))}, nil
			})},
		{Name: "with_option", Doc: "The case with (set-option :name value) in front.",
			Ret: "case", Example: exampleCase + "c.with_option(\"produce-models\", True).text.splitlines()[0]  # -> \"(set-option :produce-models true)\"",
			Do: caseMethod(withOption)},
		{Name: "rename", Doc: "The case with other names for constants and functions that it declares or defines, wherever they occur. Its known answers and its witness stay.",
			Ret: "case", Example: exampleCase + "c.rename(\"x\", \"a b\").formula  # -> (or (> |a b| 1) (< |a b| 0))",
			Do: caseMethod(rename)},
		{Name: "stepwise", Doc: "The case with the same assertions made step by step, between pushes and pops, with several check-sats. Each check-sat covers a part of the assertions, so if the whole is known to be sat, each check-sat is, too.",
			Ret: "case", Example: exampleCase + "d = c.with_asserts([True, True, True], answer = \"sat\").stepwise(rng(1), 2)\nd.expect  # -> (\"sat\", \"sat\")",
			Do: caseMethod(stepwise)},
		{Name: "with_tactic", Doc: "The case with (check-sat-using tactic) for every check-sat. Solvers other than z3 get plain check-sat.",
			Ret: "case", Example: exampleCase + "c.with_tactic(\"(then simplify smt)\").text.splitlines()[-1]  # -> \"(check-sat-using (then simplify smt))\"",
			Do: caseMethod(withTactic)},
	}
}

// simplifyArgs are the arguments of case.simplify.
type simplifyArgs struct {
	_       registry.KeywordOnly
	Without []string `type:"list[str] | tuple[str, ...]" default:"[]" doc:"names of laws that are not used"`
	Facts   bool     `default:"False" doc:"use the assertions before an assertion"`
}

func simplifyCase(call *registry.Call, _ *ThreadState, c Case, a *simplifyArgs) (starlark.Value, error) {
	s, err := NewSimplifier(call.Thread, c.Store().Arena, a.Without)
	if err != nil {
		return nil, call.Errorf(&a.Without, "%v", err)
	}
	simplified := s.Script
	if a.Facts {
		simplified = s.ScriptInContext
	}
	return Case{AnalyzedCase: c.WithScript(simplified(c.Engine().Script))}, s.Err()
}

// answerArgs are the arguments of case.with_answer.
type answerArgs struct {
	Answer  string `type:"\"sat\" | \"unsat\" | None" doc:"the answer of the last check-sat, and of others where it follows from that one; None: not known"`
	Witness Model  `default:"None" doc:"a model of the assertions at the last check-sat, if the answer is sat"`
}

// knownAnswer returns the answer to a case that a script states, and the witness as a model of the case.
func knownAnswer(call *registry.Call, c Case, given string, witness *Model) (smtlib.Answer, *model.Model, error) {
	answer, _ := smtlib.ParseAnswer(given)
	if witness.StoredModel == nil {
		return answer, nil, nil
	}
	if answer == smtlib.Unsat {
		return answer, nil, call.Errorf(witness, "a model shows that the answer is sat, and answer is \"unsat\"")
	}
	m, err := witness.In(c.AnalyzedCase)
	if err != nil {
		return answer, nil, call.Errorf(witness, "%v", err)
	}
	return answer, m, nil
}

// withAssertsArgs are the arguments of case.with_asserts.
type withAssertsArgs struct {
	Parts   []starlark.Value `type:"iterable" doc:"Bool terms; constants that the case lacks are declared"`
	_       registry.KeywordOnly
	Answer  string `type:"\"sat\" | \"unsat\" | None" default:"None" doc:"the answer, if it is known"`
	Witness Model  `default:"None" doc:"a model of the assertions, if the answer is sat"`
}

// withOptionArgs are the arguments of case.with_option.
type withOptionArgs struct {
	Name  string         `doc:"with or without the colon"`
	Value starlark.Value `type:"str | bool | bigint"`
}

func withOption(call *registry.Call, _ *ThreadState, c Case, a *withOptionArgs) (starlark.Value, error) {
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
	return Case{AnalyzedCase: c.WithSetting(name[1:], text)}, nil
}

// renameArgs are the arguments of case.rename.
type renameArgs struct {
	Old starlark.Value `type:"term | declared_function | str | dict" doc:"the constant or function, or its name; or a dict from these to new names, to rename all of them at once"`
	New *string        `default:"None" doc:"the new name, which must not be in use in the case"`
}

// rename gives constants and functions other names.
func rename(call *registry.Call, _ *ThreadState, c Case, a *renameArgs) (starlark.Value, error) {
	names := map[string]string{}
	add := func(old starlark.Value, name string) error {
		key, err := declaredName(old)
		if err != nil {
			return call.Errorf(&a.Old, "%v", err)
		}
		if err := CheckSymbol(call, &a.New, name); err != nil {
			return err
		}
		names[key] = name
		return nil
	}
	dict, many := a.Old.(*starlark.Dict)
	switch {
	case many && a.New != nil:
		return nil, call.Errorf(&a.New, "a dict has the new names: leave it out")
	case !many && a.New == nil:
		return nil, call.Errorf(&a.New, "say the new name")
	case !many:
		if err := add(a.Old, *a.New); err != nil {
			return nil, err
		}
	default:
		for _, item := range dict.Items() {
			name, ok := starlark.AsString(item[1])
			if !ok {
				return nil, call.Errorf(&a.Old, "the new name of %s is a %s; want str", item[0], item[1].Type())
			}
			if err := add(item[0], name); err != nil {
				return nil, err
			}
		}
	}
	return wrapped(c.Renamed(names))
}

// declaredName is the name of a constant or function that a script gives.
func declaredName(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		return string(v), nil
	case *functionValue:
		return v.Name(), nil
	case Term:
		id, err := v.ID()
		if err != nil {
			return "", err
		}
		a := v.Store().Arena
		if f := a.SymbolOf(id); f != 0 && len(a.Args(id)) == 0 {
			return a.SymbolName(f), nil
		}
	}
	return "", fmt.Errorf("%s is no constant or function that a script declares", v)
}

// stepwiseArgs are the arguments of case.stepwise.
type stepwiseArgs struct {
	Rng    *Rng
	Checks int `default:"4" doc:"number of check-sats, at most the number of assertions"`
}

func stepwise(call *registry.Call, _ *ThreadState, c Case, a *stepwiseArgs) (starlark.Value, error) {
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	if a.Checks < 1 {
		return nil, call.Errorf(&a.Checks, "%d is below 1", a.Checks)
	}
	return Case{AnalyzedCase: c.Stepwise(src, a.Checks)}, nil
}

func withTactic(call *registry.Call, _ *ThreadState, c Case, a *struct {
	Tactic string `doc:"a tactic of z3, such as \"dom-simplify\" or \"(then simplify smt)\""`
}) (starlark.Value, error) {
	tactic := a.Tactic
	exprs, err := smtlib.ParseSExprs(tactic)
	if err != nil {
		return nil, call.Errorf(&a.Tactic, "%v", err)
	}
	if len(exprs) != 1 {
		return nil, call.Errorf(&a.Tactic, "%q is not one tactic", tactic)
	}
	return Case{AnalyzedCase: c.WithScript(derive.WithTactic(c.Engine().Script, tactic))}, nil
}
