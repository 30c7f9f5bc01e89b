package api

import (
	"context"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// live is a live solver in a script. The run function of an action receives it.
type live struct {
	registry.Object[*live]

	ctx  context.Context
	s    solvers.Session
	seed uint64 // of the call of the action
	st   *value.TermStore
	dead error // the error that ended the solver
}

func (l *live) String() string { return "<live solver>" }

// Attr implements starlark.HasAttrs.
func (l *live) Attr(name string) (starlark.Value, error) { return liveType.Attr(l, name) }

// ended is the error that ends an action when its solver has died or refused a call. It wraps the session's error.
type ended struct{ err error }

func (e *ended) Error() string { return e.err.Error() }
func (e *ended) Unwrap() error { return e.err }

func (l *live) result(err error) (starlark.Value, error) {
	if err != nil {
		l.dead = err
		return nil, &ended{err}
	}
	return starlark.None, nil
}

// say makes the call of a command.
func (l *live) say(c smtlib.Command) (solvers.Reply, error) {
	return l.s.Call(l.ctx, &solvers.Call{Kind: solvers.CallCommand, Seed: l.seed, Command: c})
}

func exampleLive(body string) string {
	return "m = api.machine(theories = [\"BV\"])\ndef run(solver, args):\n    " + strings.ReplaceAll(body, "s.", "solver.") + "\n\nm.action(\"mine\", run = run)\nm.state(\"assert\").add(\"mine\").name  # -> \"assert\""
}

// ask makes a method that returns text.
func ask(name, doc string, kind smtlib.Kind) registry.Builtin {
	return registry.Builtin{Name: name, Doc: doc, Ret: "str", Example: exampleLive("s." + name + "()"), Fn: func(c *registry.Call) (starlark.Value, error) {
		l := c.Recv.(*live)
		reply, err := l.say(smtlib.Command{Kind: kind})
		if err != nil {
			return l.result(err)
		}
		return starlark.String(reply.Text), nil
	}}
}

// do makes a method that expects no reply.
func do[A any](name, doc, example string, command func(l *live, a *A) (smtlib.Command, error)) registry.Builtin {
	return registry.Builtin{Name: name, Doc: doc, Example: exampleLive(example), Do: registry.Method(func(_ *registry.Call, l *live, a *A) (starlark.Value, error) {
		cmd, err := command(l, a)
		if err != nil {
			return nil, err
		}
		_, err = l.say(cmd)
		return l.result(err)
	})}
}

// levelsArgs are the arguments of live_solver.push and live_solver.pop.
type levelsArgs struct {
	Levels int `type:"count" default:"1"`
}

func levels(kind smtlib.Kind) func(_ *live, a *levelsArgs) (smtlib.Command, error) {
	return func(_ *live, a *levelsArgs) (smtlib.Command, error) {
		return smtlib.Command{Kind: kind, N: a.Levels}, nil
	}
}

var liveType = registry.NewType[*live]("live_solver", "A running solver that a script calls directly: the argument of the function run of an action. A failed call ends the action; a crash of the solver is a finding.", []registry.Builtin{
	{Name: "check_sat", Doc: "Calls check-sat and returns the answer: \"sat\", \"unsat\" or \"unknown\".", Ret: "str",
		Example: exampleLive("expect(s.check_sat() == s.check_sat())"), Do: registry.Method(func(_ *registry.Call, l *live, given *liveSolverCheckSatArgs) (starlark.Value, error) {
			var ts []smt.Term
			for _, x := range given.Assuming {
				t, err := termIn(x, l.st)
				if err != nil {
					return nil, err
				}
				ts = append(ts, t)
			}
			reply, err := l.say(smtlib.CheckCommand(ts))
			if err != nil {
				return l.result(err)
			}
			return starlark.String(reply.Answer.String()), nil
		})},
	do("push", "Opens assertion levels.", "s.push(1)", levels(smtlib.CmdPush)),
	do("pop", "Closes assertion levels.", "s.pop(1)", levels(smtlib.CmdPop)),
	do("assert_", "Asserts a formula.", "s.assert_(smt.true)", func(l *live, a *struct{ Formula value.Term }) (smtlib.Command, error) {
		t, err := termIn(a.Formula, l.st)
		return smtlib.AssertCommand(t), err
	}),
	do("reset_assertions", "Removes all assertions and declarations.", "s.reset_assertions()", levels0(smtlib.CmdResetAssertions)),
	do("set_option", "Sets an option.", "s.set_option(\"produce-models\", \"true\")", func(_ *live, a *struct{ Name, Value string }) (smtlib.Command, error) {
		return smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + a.Name, Text: a.Value}, nil
	}),
	ask("get_model", "The model, as the solver prints it.", smtlib.CmdGetModel),
	ask("get_unsat_core", "The unsat core, as the solver prints it.", smtlib.CmdGetUnsatCore),
	ask("get_assertions", "The assertions, as the solver prints them.", smtlib.CmdGetAssertions),
	{Name: "get_value", Doc: "The values of terms, as the solver prints them.", Ret: "str", Example: exampleLive("s.get_value(args)"),
		Do: registry.Method(func(_ *registry.Call, l *live, a *liveSolverGetValueArgs) (starlark.Value, error) {
			cmd := smtlib.Command{Kind: smtlib.CmdGetValue}
			for _, x := range a.Terms {
				t, err := termIn(x, l.st)
				if err != nil {
					return nil, err
				}
				cmd.Terms = append(cmd.Terms, t)
			}
			reply, err := l.say(cmd)
			if err != nil {
				return l.result(err)
			}
			return starlark.String(reply.Text), nil
		})},
})

func levels0(kind smtlib.Kind) func(*live, *struct{}) (smtlib.Command, error) {
	return func(*live, *struct{}) (smtlib.Command, error) { return smtlib.Command{Kind: kind}, nil }
}

// Live implements value.LivePlayer.
func (t *technique) Live() map[string]starlark.Callable {
	out := map[string]starlark.Callable{}
	for name, x := range t.m.customs {
		out[name] = x.run
	}
	return out
}

// Play implements value.LivePlayer: it calls run of the action. A failed expectation is a finding.
func (t *technique) Play(ctx context.Context, call solving.Caller, s solvers.Session, c *solvers.Call) error {
	x := t.m.customs[c.Name]
	if x == nil {
		return fmt.Errorf("the case holds an action %q, which the campaign file does not have", c.Name)
	}
	l := &live{ctx: ctx, s: s, seed: c.Seed, st: workspace.NewStore(s.Arena(), "")}
	var terms []starlark.Value
	for _, a := range c.Args {
		terms = append(terms, value.NewTerm(l.st, a))
	}
	_, err := call(x.run, starlark.Tuple{l, starlark.NewList(terms)})
	if e, ok := registry.AsSignal(err).(*registry.Expectation); ok {
		return &solvers.ExpectationError{Message: e.Reason}
	}
	if l.dead != nil { // the call failed, whatever the function made of it
		return l.dead
	}
	return err
}

// liveSolverGetValueArgs are the arguments of live_solver.get_value.
type liveSolverGetValueArgs struct {
	Terms []starlark.Value `type:"list[term]"`
}

// liveSolverCheckSatArgs are the arguments of live_solver.check_sat.
type liveSolverCheckSatArgs struct {
	Assuming []starlark.Value `type:"list[term]" default:"[]"`
}
