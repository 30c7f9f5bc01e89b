package api

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// custom is an action of a campaign file.
type custom struct {
	name          string
	generate, run starlark.Callable
	parts         starlark.Callable // of an action made of actions
}

const exampleMachine = "m = api.machine(theories = [\"BV\"])\n"

var machineType = registry.NewType[*machine]("machine", "A weighted state machine: states, and transitions that execute actions. A transition with twice the weight is taken twice as often. A walk starts in the first state and ends in the state \"final\".", slices.Concat([]registry.Builtin{
	{Name: "states", Doc: "The names of the states.", Ret: "list[str]", Example: exampleMachine + "\"assert\" in m.states  # -> True",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, name := range v.(*machine).Machine.StateNames() {
				out = append(out, starlark.String(name))
			}
			return starlark.NewList(out), nil
		}},
	{Name: "actions", Doc: "The names of the actions, sorted.", Ret: "list[str]", Example: exampleMachine + "m.actions[:2]  # -> [\"assert-formula\", \"check-sat\"]",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, n := range v.(*machine).Machine.ActionNames() {
				out = append(out, starlark.String(n))
			}
			return starlark.NewList(out), nil
		}},
	{Name: "state", Doc: "Returns the state of that name, and adds it if the machine has none.",
		Ret: "state", Example: exampleMachine + "m.state(\"assert\").name  # -> \"assert\"", Do: registry.Method(stateOf)},
	{Name: "action", Doc: "Adds an action. Either do composes it from actions of the machine (walk.do), or generate chooses its terms and run executes it on a live solver, where a failed expect(...) is a finding. With only a name, the built-in action is added; state.add accepts built-in actions without this call.",
		Example: exampleMachine + "m.action(\"twice\", run = lambda s, args: expect(s.check_sat() == s.check_sat(), \"not twice the same\"))", Do: registry.Method(addAction)},
	{Name: "operator", Doc: "Changes how often an operator is applied; 0 excludes it. (A solver's name before a colon, as in \"z3:bvredor\", is only for human readers.) Functions as values have the names @, function, lambda, as-array, map and lambda-array.",
		Example: exampleMachine + "m.operator(\"bvudiv\", 0)", Do: registry.Method(setOperator)},
	{Name: "option", Doc: "Adds an option that walks set to true with a probability. Walks set these options before all others, in the order of the calls of this function. It is for options that later calls need, such as produce-models.",
		Example: exampleMachine + "m.option(\"produce-proofs\", 0.5)",
		Do: registry.Method(func(c *registry.Call, m *machine, a *struct {
			Name        string
			Probability float64 `type:"probability"`
		}) (starlark.Value, error) {
			if err := m.change(); err != nil {
				return nil, err
			}
			if strings.TrimPrefix(a.Name, ":") == "" {
				return nil, c.Errorf(&a.Name, "it is empty; want the name of an option, such as \"produce-models\"")
			}
			m.Machine.NeedOption(strings.TrimPrefix(a.Name, ":"), a.Probability)
			return starlark.None, nil
		})},
	{Name: "weight", Doc: "Changes the weight of all transitions with an action.",
		Example: exampleMachine + "m.weight(\"push\", 5)",
		Do: registry.Method(func(c *registry.Call, m *machine, a *machineWeightArgs) (starlark.Value, error) {
			if err := m.change(); err != nil {
				return nil, err
			}
			if m.Machine.SetWeight(a.Action, a.Weight) == 0 {
				if slices.Contains(m.ofSolvers(), a.Action) {
					m.Machine.WeighElsewhere(a.Action, a.Weight)
					return starlark.None, nil
				}
				return nil, c.Errorf(&a.Action, "no transition is by an action %q%s", a.Action, spelling.Hint(a.Action, m.Machine.ActionNames()))
			}
			return starlark.None, nil
		})},
	{Name: "remove", Doc: "Removes an action or a state, and all transitions that use it.",
		Example: exampleMachine + "m.remove(action = \"reset\")\n\"reset\" in m.actions  # -> False", Do: registry.Method(remove)},
	{Name: "check", Doc: "Checks the machine for transitions to unknown states or with unknown actions, illegal edges of decisions, and states that cannot be reached or left. api.fuzz does this check, too.",
		Example: exampleMachine + "m.remove(state = \"delete\")\nm.check()  # error: no way leads to", Fn: func(c *registry.Call) (starlark.Value, error) {
			return starlark.None, c.Recv.(*machine).Machine.Check()
		}},
	{Name: "text", Doc: "The machine with the probabilities of its transitions, for people.", Ret: "str", Example: exampleMachine + "m.text.splitlines()[0]  # -> \"new\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*machine).Machine.Text()), nil
		}},
	{Name: "dot", Doc: "The machine as a graph in the language of Graphviz.", Ret: "str", Example: exampleMachine + "m.dot.splitlines()[0]  # -> \"digraph machine {\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*machine).Machine.DOT()), nil
		}},
}, extending))

// takeBuiltin adds the built-in action of a name; field is the argument's field.
func (m *machine) takeBuiltin(c *registry.Call, name string, field any) error {
	a := engine.BuiltinAction(name)
	if a == nil {
		return c.Errorf(field, "there is no action %q%s", name, spelling.Hint(name, slices.Concat(m.Machine.ActionNames(), engine.BuiltinActions())))
	}
	m.Machine.AddAction(a)
	return nil
}

// state is a state of a machine in a script.
type state struct {
	registry.Object[*state]

	m *machine
	s *engine.State
}

func (s *state) String() string { return "<state " + s.s.Name + ">" }
func (s *state) Freeze()        { s.m.Freeze() }

// Attr implements starlark.HasAttrs.
func (s *state) Attr(name string) (starlark.Value, error) { return stateType.Attr(s, name) }

var stateType = registry.NewType[*state]("state", "A state of a machine.", []registry.Builtin{
	{Name: "name", Doc: "The state's name.", Ret: "str", Example: exampleMachine + "m.state(\"sat\").name  # -> \"sat\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*state).s.Name), nil }},
	{Name: "add", Doc: "Adds a transition to the state and returns the state.",
		Ret: "state", Example: exampleMachine + "m.state(\"assert\").add(\"push\", weight = 2, when = lambda w: w.level < 3)  # -> <state assert>",
		Do: registry.Method(func(c *registry.Call, s *state, given *stateAddArgs) (starlark.Value, error) {
			if err := s.m.change(); err != nil {
				return nil, err
			}
			action := ""
			if given.Action != nil {
				if action = *given.Action; s.m.Machine.Actions[action] == nil {
					if err := s.m.takeBuiltin(c, action, &given.Action); err != nil {
						return nil, err
					}
				}
			}
			t := s.s.On(action, given.Weight, given.Next)
			if f := given.When; f != nil {
				t.Label, t.When = conditionOf(f)
			}
			return s, nil
		})},
	{Name: "remove", Doc: "Removes the transitions of the state that have the given action, the given next state, or both, and returns the state.",
		Ret: "state", Example: exampleMachine + "m.state(\"assert\").remove(\"plant\").remove(next = \"second\")  # -> <state assert>",
		Do: registry.Method(func(_ *registry.Call, s *state, a *stateRemoveArgs) (starlark.Value, error) {
			return s.each(a.Action, a.Next, func(fits func(*engine.Transition) bool) int { return s.s.Remove(fits) })
		})},
	{Name: "weight", Doc: "Changes the weight of the state's transitions that have the given action, the given next state, or both, and returns the state.",
		Ret: "state", Example: exampleMachine + "m.state(\"sat\").weight(\"get-model\", 9)  # -> <state sat>",
		Do: registry.Method(func(c *registry.Call, s *state, a *stateWeightArgs) (starlark.Value, error) {
			return s.each(a.Action, a.Next, func(fits func(*engine.Transition) bool) (n int) {
				for _, t := range s.s.Out {
					if fits(t) {
						t.Weight, n = a.Weight, n+1
					}
				}
				return n
			})
		})},
	{Name: "solver_actions", Doc: "Adds to the state, at this place among its transitions, the transitions that the targets' profiles declare for it (solver.action). Without this call the state has none of them.", Ret: "state",
		Example: exampleMachine + "m.state(\"assert\").solver_actions()  # -> <state assert>", Do: registry.Method(func(_ *registry.Call, s *state, _ *struct{}) (starlark.Value, error) {
			if err := s.m.change(); err != nil {
				return nil, err
			}
			s.s.SolverActions = len(s.s.Out)
			return s, nil
		})},
	{Name: "clear", Doc: "Removes all transitions of the state and returns the state.", Ret: "state", Example: exampleMachine + "m.state(\"sat\").clear()  # -> <state sat>",
		Fn: func(c *registry.Call) (starlark.Value, error) {
			s := c.Recv.(*state)
			if err := s.m.change(); err != nil {
				return nil, err
			}
			s.s.Out, s.s.SolverActions = nil, -1
			return s, nil
		}},
})

// stateRemoveArgs are the arguments of state.remove.
type stateRemoveArgs struct {
	Action *string `default:"None" doc:"\"\" is that of transitions that do nothing"`
	Next   *string `default:"None"`
}

// each does something with the transitions of a state by an action, to a state, or both.
func (s *state) each(action, next *string, do func(fits func(*engine.Transition) bool) int) (starlark.Value, error) {
	if err := s.m.change(); err != nil {
		return nil, err
	}
	if action == nil && next == nil {
		return nil, fmt.Errorf("it needs an action or a next state; clear() removes all transitions")
	}
	n := do(func(t *engine.Transition) bool {
		return (action == nil || t.Action == *action) && (next == nil || t.Next == *next)
	})
	if n == 0 {
		return nil, fmt.Errorf("the state %s has no such transition", s.s.Name)
	}
	return s, nil
}

// stateOfArgs are the arguments of machine.state.
type stateOfArgs struct {
	Name  string
	Kind  string            `type:"\"plain\" | \"decision\" | \"choice\"" default:"\"plain\"" doc:"the kind of a new state: a decision leads only to choices, and choices are entered only from a decision"`
	When  starlark.Callable `type:"condition | callable(walk) -> bool | None" default:"None" doc:"what must hold to enter the state: a condition of api.when, or a function of a walk"`
	_     registry.KeywordOnly
	Binds bool `default:"False" doc:"when a walk enters the state, quantifiers bind its free variables"`
}

func stateOf(c *registry.Call, m *machine, a *stateOfArgs) (starlark.Value, error) {
	s := m.Machine.State(a.Name)
	if s == nil {
		if strings.TrimSpace(a.Name) == "" {
			return nil, c.Errorf(&a.Name, "it is empty; want the name of a state")
		}
		if err := m.change(); err != nil {
			return nil, err
		}
		kind := map[string]engine.StateKind{"plain": engine.Plain, "decision": engine.Decision, "choice": engine.Choice}[a.Kind]
		s = m.Machine.AddState(a.Name, kind)
	}
	if f := a.When; f != nil {
		if err := m.change(); err != nil {
			return nil, err
		}
		s.Label, s.Pre = conditionOf(f)
	}
	if a.Binds {
		if err := m.change(); err != nil {
			return nil, err
		}
		s.Binds = true
	}
	return &state{m: m, s: s}, nil
}

// addActionArgs are the arguments of machine.action.
type addActionArgs struct {
	Name     string
	_        registry.KeywordOnly
	Generate starlark.Callable `type:"callable(walk, rng) -> (list[term] | None) | None" default:"None" doc:"a function of (walk, rng) that returns a list of terms, or None if the action is not possible; None: no terms"`
	Run      starlark.Callable `type:"callable(solver: live_solver, terms: list[term]) -> any | None" default:"None" doc:"a function of (solver, terms)"`
	Do       starlark.Callable `type:"callable(walk, rng) -> any | None" default:"None" doc:"a function of (walk, rng), instead of run: its calls of walk.do become calls in the trace; it returns False if the action is not possible"`
}

func addAction(c *registry.Call, m *machine, a *addActionArgs) (starlark.Value, error) {
	if err := m.change(); err != nil {
		return nil, err
	}
	if a.Name == "" || strings.ContainsAny(a.Name, " \t\n\"();") {
		return nil, c.Errorf(&a.Name, "%q is no name of an action: want one word, such as \"scoped-check\"", a.Name) // it is a line of traces
	}
	x := &custom{name: a.Name, generate: a.Generate, run: a.Run, parts: a.Do}
	if x.generate == nil && x.run == nil && x.parts == nil && engine.BuiltinAction(x.name) != nil {
		return starlark.None, m.takeBuiltin(c, a.Name, &a.Name)
	}
	switch {
	case x.run == nil && x.parts == nil:
		return nil, c.Errorf(&a.Run, "the action needs run, what it does on a live solver, or do, the actions that it is made of; no built-in action is named %q%s", x.name, spelling.Hint(x.name, engine.BuiltinActions()))
	case x.parts != nil && (x.run != nil || x.generate != nil):
		return nil, c.Errorf(&a.Do, "an action made of actions has no run and no generate")
	case x.parts != nil:
		m.Machine.AddAction(&engine.Action{Name: x.name, Doc: "of the campaign file", Do: x.compose})
		return starlark.None, nil
	}
	m.customs[x.name] = x
	m.Machine.AddAction(&engine.Action{Name: x.name, Doc: "of the campaign file", Do: func(r *engine.Walk) engine.Outcome { return x.do(r) }})
	return starlark.None, nil
}

// removeArgs are the arguments of machine.remove.
type removeArgs struct {
	_      registry.KeywordOnly
	Action *string `default:"None"`
	State  *string `default:"None"`
}

func remove(c *registry.Call, m *machine, given *removeArgs) (starlark.Value, error) {
	if err := m.change(); err != nil {
		return nil, err
	}
	if given.Action == nil && given.State == nil {
		return nil, fmt.Errorf("it needs an action or a state")
	}
	if given.Action != nil {
		a := *given.Action
		if m.Machine.Actions[a] == nil && slices.Contains(m.ofSolvers(), a) {
			m.Machine.RemoveElsewhere(a)
		} else if m.Machine.Actions[a] == nil {
			return nil, c.Errorf(&given.Action, "there is no action %q%s", a, spelling.Hint(a, m.Machine.ActionNames()))
		}
		m.Machine.RemoveAction(a)
	}
	if given.State != nil {
		if m.Machine.State(*given.State) == nil {
			return nil, c.Errorf(&given.State, "there is no state %q%s", *given.State, spelling.Hint(*given.State, m.Machine.StateNames()))
		}
		m.Machine.RemoveState(*given.State)
	}
	return starlark.None, nil
}

// setOperatorArgs are the arguments of machine.operator.
type setOperatorArgs struct {
	Name   string
	Weight float64 `type:"weight" default:"1"`
	_      registry.KeywordOnly
	Result *value.Sort      `type:"sort | None" default:"None" doc:"the result sort of an operator that is not in the operator table"`
	Args   []starlark.Value `type:"list[str | sort]" default:"[]" doc:"the sorts of its arguments: sorts, or names of sorts such as \"BitVec\""`
	Only   *string          `default:"None" doc:"the only kind of solver that has it; campaigns without such a target leave it out"`
}

func setOperator(c *registry.Call, m *machine, a *setOperatorArgs) (starlark.Value, error) {
	if err := m.change(); err != nil {
		return nil, err
	}
	return starlark.None, m.operator(c, a)
}

// stateWeightArgs are the arguments of state.weight.
type stateWeightArgs struct {
	Action *string `default:"None" doc:"\"\" is that of transitions that do nothing"`
	Weight float64 `type:"weight" default:"1"`
	Next   *string `default:"None"`
}

// stateAddArgs are the arguments of state.add.
type stateAddArgs struct {
	Action *string           `type:"str | None" doc:"None does nothing"`
	Weight float64           `type:"weight" default:"1"`
	Next   string            `default:"None" doc:"the next state; None: the walk stays in this state"`
	When   starlark.Callable `type:"condition | callable(walk) -> bool | None" default:"None" doc:"when the transition can be taken: a condition of api.when, or a function of a walk"`
}

// machineWeightArgs are the arguments of machine.weight.
type machineWeightArgs struct {
	Action string
	Weight float64 `type:"weight"`
}
