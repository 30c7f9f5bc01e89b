package value

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// commandValue is a command of a script, as scripts see it.
type commandValue struct {
	registry.Object[*commandValue]

	st    *TermStore
	check workspace.TermRef // lives as long as its terms
	c     smtlib.Command
}

// newCommand returns a command over terms of a store.
func newCommand(st *TermStore, c smtlib.Command) *commandValue {
	return &commandValue{st: st, check: st.Newest(), c: c}
}

func (c *commandValue) text() string {
	s := &smtlib.Script{Arena: c.st.Arena, Commands: []smtlib.Command{c.c}}
	return strings.TrimSpace(s.Text())
}

func (c *commandValue) String() string {
	if _, err := c.check.ID(); err != nil {
		return "<command of an earlier case>"
	}
	return c.text()
}

// Freeze implements starlark.Value.
func (c *commandValue) Freeze() { c.st.Freeze() }

// Attr implements starlark.HasAttrs.
func (c *commandValue) Attr(name string) (starlark.Value, error) { return CommandType.Attr(c, name) }

// alive is the error that the case of the command has ended.
func (c *commandValue) alive() error {
	_, err := c.check.ID()
	return err
}

const exampleCommands = `c = smt.case("(declare-const x Int)(push 1)(assert (> x 1))(check-sat)(get-value (x))(pop 1)")
declare, push, claim, check, get, pop = c.commands()
`

// CommandType describes the attributes of commands.
var CommandType = registry.NewType[*commandValue]("command", "A command of a script. case.commands() returns the commands of a case; smt.push, smt.check_sat and the like make new ones.", []registry.Builtin{
	{Name: "name", Doc: "Its name.", Ret: "str", Example: exampleCommands + "check.name  # -> \"check-sat\"",
		Get: aliveAttr(func(c *commandValue) starlark.Value {
			if c.c.Kind == smtlib.CmdOther {
				return starlark.String(c.c.Name)
			}
			return starlark.String(c.c.Kind.String())
		})},
	{Name: "terms", Doc: "Its terms: the assertion, the assumptions of a check-sat, or the terms of get-value.", Ret: "tuple[term, ...]", Example: exampleCommands + "(claim.terms, get.terms)  # -> (((> x 1),), (x,))",
		Get: aliveAttr(func(c *commandValue) starlark.Value { return termList(c.st, c.c.Terms) })},
	{Name: "levels", Doc: "The number of levels that a push opens or a pop closes; 0 for other commands.", Ret: "int", Example: exampleCommands + "(push.levels, check.levels)  # -> (1, 0)",
		Get: aliveAttr(func(c *commandValue) starlark.Value { return starlark.MakeInt(c.c.N) })},
	{Name: "text", Doc: "The command as SMT-LIB text.", Ret: "str", Example: exampleCommands + "declare.text  # -> \"(declare-const x Int)\"",
		Get: aliveAttr(func(c *commandValue) starlark.Value { return starlark.String(c.text()) })},
})

// CommandBuiltins make commands; the module smt has them.
func CommandBuiltins() []registry.Builtin {
	const group = "Commands"
	scope := func(name string, kind smtlib.Kind, doc, want string) registry.Builtin {
		return registry.Builtin{Name: name, Group: group, Doc: doc, Ret: "command", Example: "smt." + name + "()  # -> " + want,
			Do: registry.Into(func(c *registry.Call, a *levelsArgs) (starlark.Value, error) {
				if a.Levels < 1 || a.Levels > 1000 {
					return nil, fmt.Errorf("for parameter levels: %d is not between 1 and 1000", a.Levels)
				}
				return newCommand(SessionOf(c.Thread).Scratch(), smtlib.Command{Kind: kind, N: a.Levels}), nil
			})}
	}
	plain := func(name string, kind smtlib.Kind, doc, want string) registry.Builtin {
		return registry.Builtin{Name: name, Group: group, Doc: doc, Ret: "command", Example: "smt." + name + "()  # -> " + want,
			Fn: func(c *registry.Call) (starlark.Value, error) {
				return newCommand(SessionOf(c.Thread).Scratch(), smtlib.Command{Kind: kind}), nil
			}}
	}
	return []registry.Builtin{
		scope("push", smtlib.CmdPush, "A command that opens assertion levels.", "(push 1)"),
		scope("pop", smtlib.CmdPop, "A command that closes assertion levels.", "(pop 1)"),
		plain("reset_assertions", smtlib.CmdResetAssertions, "A command that drops all assertions and levels.", "(reset-assertions)"),
		plain("get_model", smtlib.CmdGetModel, "A command that asks for a model.", "(get-model)"),
		{Name: "get_info", Group: group, Doc: "A command that asks a solver about itself: (get-info name). The numbers of :all-statistics are in run.statistics.",
			Ret:     "command",
			Example: "smt.get_info(\":all-statistics\")  # -> (get-info :all-statistics)", Do: registry.Into(getInfo)},
		plain("get_unsat_core", smtlib.CmdGetUnsatCore, "A command that asks for an unsatisfiable core.", "(get-unsat-core)"),
		plain("get_proof", smtlib.CmdGetProof, "A command that asks for a proof. oracle.claims judges its steps.", "(get-proof)"),
		{Name: "assert_", Group: group, Doc: "A command that asserts a formula.", Ret: "command",
			Example: "smt.assert_(smt.const(\"p\", smt.Bool))  # -> (assert p)\nsmt.assert_(smt.const(\"p\", smt.Bool), name = \"A\")  # -> (assert (! p :named A))",
			Do:      registry.Into(assertFormula)},
		{Name: "check_sat", Group: group, Doc: "A command that asks for an answer, under assumptions if there are any.", Ret: "command",
			Example: "smt.check_sat([smt.const(\"p\", smt.Bool)])  # -> (check-sat-assuming (p))",
			Do: registry.Into(func(c *registry.Call, a *checkSatArgs) (starlark.Value, error) {
				if len(a.Assuming) == 0 {
					return newCommand(SessionOf(c.Thread).Scratch(), smtlib.Command{Kind: smtlib.CmdCheckSat}), nil
				}
				return overTerms(c, &a.Assuming, smtlib.Command{Kind: smtlib.CmdCheckSatAssuming}, a.Assuming, smt.SortBool)
			})},
		{Name: "get_value", Group: group, Doc: "A command that asks for the values of terms.", Ret: "command",
			Example: "smt.get_value([smt.const(\"x\", smt.Int) + 1])  # -> (get-value ((+ x 1)))",
			Do: registry.Into(func(c *registry.Call, a *getValueArgs) (starlark.Value, error) {
				if len(a.Terms) == 0 {
					return nil, fmt.Errorf("for parameter terms: it is empty")
				}
				return overTerms(c, &a.Terms, smtlib.Command{Kind: smtlib.CmdGetValue}, a.Terms, 0)
			})},
		{Name: "ask", Group: group, Doc: "A command beyond SMT-LIB, such as a question that only some solvers answer. oracle.claims judges the replies to many of them.", Ret: "command",
			Example: "smt.ask(\"get-interpolant\", [\"I\", smt.const(\"p\", smt.Bool)])  # -> (get-interpolant I p)\nsmt.ask(\"apply\", [\"(then simplify qe)\"])  # -> (apply (then simplify qe))",
			Do:      registry.Into(ask)},
	}
}

// askArgs are the arguments of smt.ask.
type askArgs struct {
	Name      string           `doc:"name of the command"`
	Arguments []starlark.Value `type:"list[str | term | list[term]]" default:"[]" doc:"its arguments: texts, terms, and lists of terms, which stand in parentheses"`
}

func ask(c *registry.Call, a *askArgs) (starlark.Value, error) {
	if kind := smtlib.KindOf(a.Name); kind != smtlib.CmdOther && kind != smtlib.CmdSimplify {
		return nil, c.Errorf(&a.Name, "%s is a command of SMT-LIB; smt.get_value, smt.check_sat and so on make these", a.Name)
	}
	if read, err := smtlib.ParseSExprs(a.Name); err != nil || len(read) != 1 || read[0].IsList() || a.Name == "include" {
		return nil, c.Errorf(&a.Name, "%q is not the name of a command", a.Name)
	}
	text := "(" + a.Name
	var terms []starlark.Value
	hole := func(v starlark.Value) string {
		terms = append(terms, v)
		return smtlib.Hole
	}
	for i, v := range a.Arguments {
		switch v := v.(type) {
		case starlark.String:
			if read, err := smtlib.ParseSExprs(string(v)); err != nil || len(read) == 0 || strings.Contains(string(v), smtlib.Hole) {
				return nil, c.Errorf(&a.Arguments, "element %d: %q is not text of SMT-LIB", i, string(v))
			}
			text += " " + string(v)
		case *starlark.List:
			var holes []string
			for k := range v.Len() {
				holes = append(holes, hole(v.Index(k)))
			}
			text += " (" + strings.Join(holes, " ") + ")"
		default:
			text += " " + hole(v)
		}
	}
	text += ")"
	if simplified, ok := strings.CutPrefix(text, "(simplify "+smtlib.Hole); ok && len(terms) == 1 {
		options := strings.TrimSpace(strings.TrimSuffix(simplified, ")"))
		return overTerms(c, &a.Arguments, smtlib.Command{Kind: smtlib.CmdSimplify, Text: options}, terms, 0)
	}
	return overTerms(c, &a.Arguments, smtlib.Command{Kind: smtlib.CmdOther, Name: a.Name, Text: text}, terms, 0)
}

// levelsArgs are the arguments of smt.push and smt.pop.
type levelsArgs struct {
	Levels int `default:"1" doc:"1 to 1000"`
}

// assertArgs are the arguments of smt.assert_.
type assertArgs struct {
	Formula Term
	Name    string `default:"None" doc:"its :named, for unsat cores and interpolants"`
}

func assertFormula(c *registry.Call, a *assertArgs) (starlark.Value, error) {
	made, err := overTerms(c, &a.Formula, smtlib.Command{Kind: smtlib.CmdAssert}, []starlark.Value{a.Formula}, smt.SortBool)
	if err != nil || a.Name == "" {
		return made, err
	}
	cmd := made.(*commandValue)
	arena := cmd.st.Arena
	named := arena.Annotate(cmd.c.Terms[0], []smt.Attr{{Keyword: ":named", Value: smt.QuoteSymbol(a.Name)}})
	cmd.c.Terms = []smt.Term{named}
	cmd.c.Named = scope.NamesIn(arena, named)
	return cmd, nil
}

// checkSatArgs are the arguments of smt.check_sat.
type checkSatArgs struct {
	Assuming []starlark.Value `type:"list[term] | tuple[term, ...]" default:"()"`
}

// getValueArgs are the arguments of smt.get_value.
type getValueArgs struct {
	Terms []starlark.Value `type:"list[term] | tuple[term, ...]"`
}

// overTerms makes a command over terms: the elements of the argument field. They must have the sort want, or any sort
// if want is 0.
func overTerms(c *registry.Call, field any, cmd smtlib.Command, vals []starlark.Value, want smt.Sort) (starlark.Value, error) {
	st, err := Home(SessionOf(c.Thread), vals...)
	if err != nil {
		return nil, err
	}
	for i, v := range vals {
		t, err := Lift(st, v, want)
		switch _, isList := field.(*[]starlark.Value); {
		case err != nil && isList:
			return nil, c.Errorf(field, "element %d: %v", i, err)
		case err != nil:
			return nil, c.Errorf(field, "%v", err)
		}
		cmd.Terms = append(cmd.Terms, t)
	}
	return newCommand(st, cmd), nil
}

func commandBuilders() []registry.Builtin {
	return []registry.Builtin{
		{Name: "commands", Doc: "The commands of the script, in their order.", Ret: "tuple[command, ...]", Example: exampleCommands + "push  # -> (push 1)",
			Do: caseMethod(func(_ *registry.Call, _ *ThreadState, c Case, _ *struct{}) (starlark.Value, error) {
				var out starlark.Tuple
				for _, x := range c.Engine().Script.Commands {
					out = append(out, newCommand(c.Store(), x))
				}
				return out, nil
			})},
		{Name: "with_commands", Doc: `The case with a new list of commands, which may include its own. Constants that it lacks are declared; each pop needs its push, and names must be declared where they are used.
The answer of a check-sat stays known if its assertions are those of a check-sat of this case, a subset of those that are known to be sat, or a superset of those that are known to be unsat.`,
			Ret:     "case",
			Example: exampleCommands + "c.with_commands([declare, claim, check, smt.push(), check, smt.pop(), check]).text.count(\"(check-sat)\")  # -> 3",
			Do:      registry.Method(withCommands)},
	}
}

// caseWithCommandsArgs are the arguments of case.with_commands.
type caseWithCommandsArgs struct {
	Commands []starlark.Value `type:"iterable" doc:"commands: case.commands(), smt.push(), smt.check_sat(), ..."`
}

func withCommands(call *registry.Call, recv Case, args *caseWithCommandsArgs) (starlark.Value, error) {
	c, err := LocalOf(call.Thread, recv)
	if err != nil {
		return nil, err
	}
	tc, err := c.TestCase()
	if err != nil {
		return nil, err
	}
	if tc.LiveTrace() != nil {
		return nil, fmt.Errorf("the case is a walk of the API: its calls are no commands")
	}
	var cmds []smtlib.Command
	var terms []smt.Term
	for i, v := range args.Commands {
		x, ok := v.(*commandValue)
		if !ok {
			return nil, fmt.Errorf("for parameter commands: element %d: got %s, want a command", i, v.Type())
		}
		if _, err := x.check.ID(); err != nil {
			return nil, fmt.Errorf("for parameter commands: element %d: %w", i, err)
		}
		cmd := x.c
		if x.st != c.Store() {
			if len(cmd.Symbols)+len(cmd.Sorts) > 0 || cmd.Sort != 0 {
				return nil, fmt.Errorf("for parameter commands: element %d: %s is a declaration of another case; constants are declared when terms use them (case.adopt)", i, x.text())
			}
			cmd.Terms = slices.Clone(cmd.Terms)
			for k, t := range cmd.Terms {
				if cmd.Terms[k], err = NewTerm(x.st, t).In(c.Store()); err != nil {
					return nil, fmt.Errorf("for parameter commands: element %d: %w", i, err)
				}
			}
		}
		terms = append(terms, cmd.Terms...)
		cmds = append(cmds, cmd)
	}
	_, p := c.Undeclared(terms)
	cmds = derive.Insert(cmds, p.Undeclared(cmds))
	s := tc.Script.WithCommands(cmds)
	if i := scope.IllScoped(s); i >= 0 {
		return nil, fmt.Errorf("%s is out of place: it closes a level that is not open, or what it uses is not declared there", newCommand(c.Store(), cmds[i]).text())
	}
	return c.over(p, tc.With(s, derive.StillKnown(tc, s), tc.Witness)), nil
}

// getInfo makes the command (get-info name).
func getInfo(call *registry.Call, a *struct {
	Name string `doc:"with or without the colon, such as \":all-statistics\" or \":reason-unknown\""`
}) (starlark.Value, error) {
	name := strings.TrimPrefix(a.Name, ":")
	if !smt.SimpleSymbol(name) {
		return nil, call.Errorf(&a.Name, "%q is no name of an info flag, such as \":all-statistics\"", a.Name)
	}
	return newCommand(SessionOf(call.Thread).Scratch(), smtlib.Command{Kind: smtlib.CmdGetInfo, Name: ":" + name}), nil
}
