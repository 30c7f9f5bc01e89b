// Package api is the API fuzzer: a weighted state machine (Machine) whose transitions are calls of a solver's API, and
// a walker (Walk) that records the calls as a trace with the known facts about the answers.
//
// The design follows Murxla (Niemetz, Preiner and Barrett, "Murxla: A Modular and Highly Extensible API Fuzzer for SMT
// Solvers", CAV 2022), with weights that are probabilities: a transition with twice the weight is taken twice as often.
// Unlike in Murxla, a walk does not depend on the answers of a solver: calls that need an answer carry it as a
// condition, so that a case is the same for every target and every machine.
package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// StateKind says how a state is left.
type StateKind uint8

// The kinds of states. From a Decision only Choice states can be reached, and these only from it.
const (
	Plain StateKind = iota
	Decision
	Choice
)

var stateKinds = [...]string{Plain: "plain", Decision: "decision", Choice: "choice"}

// String returns the kind's name.
func (k StateKind) String() string { return stateKinds[k] }

// Cond is a condition on the state of a walk; nil holds always.
type Cond func(r *Walk) bool

// Action is something that a walk can do: calls that it adds to the trace.
type Action struct {
	Name string
	Doc  string
	// Needs is a condition on walks that can do it at all, such as a theory; nil: none.
	Needs Cond
	// Do adds the calls. Not done: the walk stays in its state. Never: it cannot be done any more in this walk.
	Do func(r *Walk) Outcome
}

// Outcome reports the result of an action.
type Outcome uint8

// The outcomes of actions.
const (
	NotDone Outcome = iota
	Done
	Never
)

// Transition leads from a state by an action.
type Transition struct {
	// Action is the action's name; "" does nothing.
	Action string
	Next   string // "" stays
	Weight float64
	When   Cond
	Label  string // of the condition, for printing
}

// State is a state of a machine.
type State struct {
	Name  string
	Kind  StateKind
	Pre   Cond // must hold to enter
	Label string
	// Binds: on entry, the variables that are open are bound by quantifiers.
	Binds bool
	Out   []*Transition
	// SolverActions is the place among Out of the transitions by actions of the targets' profiles; less than 0:
	// nowhere.
	SolverActions int
}

// Machine is a weighted state machine. It starts in its first state and ends in the state "final".
type Machine struct {
	States  []*State
	Actions map[string]*Action
	// MaxCalls bounds a walk; it goes to the end where it is.
	MaxCalls int
	// Options are those that later calls need, in the order in which a walk decides about them.
	Options []neededOption
	// elsewhere has the weights of actions that solver profiles declare; the machine has these actions only in
	// campaigns for those solvers.
	elsewhere map[string]float64
}

// removed is the weight of actions of profiles that the machine does not want.
const removed = -1

// neededOption is an option that walks set to true, each with this probability.
type neededOption struct {
	Name        string
	Probability float64
}

// NeedOption adds an option, or gives it another probability.
func (m *Machine) NeedOption(name string, probability float64) {
	for i := range m.Options {
		if m.Options[i].Name == name {
			m.Options[i].Probability = probability
			return
		}
	}
	m.Options = append(m.Options, neededOption{name, probability})
}

// WeighElsewhere gives an action that profiles of solvers declare another weight.
func (m *Machine) WeighElsewhere(action string, weight float64) {
	if m.elsewhere == nil {
		m.elsewhere = map[string]float64{}
	}
	m.elsewhere[action] = weight
}

// RemoveElsewhere leaves out an action that profiles of solvers declare.
func (m *Machine) RemoveElsewhere(action string) { m.WeighElsewhere(action, removed) }

// final is the name of the last state.
const final = "final"

// State returns the state of that name, nil if there is none.
func (m *Machine) State(name string) *State {
	i := slices.IndexFunc(m.States, func(s *State) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return m.States[i]
}

// AddState adds a state, or returns the one that is there.
func (m *Machine) AddState(name string, kind StateKind) *State {
	if s := m.State(name); s != nil {
		return s
	}
	s := &State{Name: name, Kind: kind, SolverActions: -1}
	m.States = append(m.States, s)
	return s
}

// RemoveState removes a state and the transitions to it.
func (m *Machine) RemoveState(name string) {
	m.States = slices.DeleteFunc(m.States, func(s *State) bool { return s.Name == name })
	for _, s := range m.States {
		s.Remove(func(t *Transition) bool { return t.Next == name })
	}
}

// AddAction adds or replaces an action.
func (m *Machine) AddAction(a *Action) {
	if m.Actions == nil {
		m.Actions = map[string]*Action{}
	}
	m.Actions[a.Name] = a
}

// RemoveAction removes an action and the transitions by it.
func (m *Machine) RemoveAction(name string) {
	delete(m.Actions, name)
	for _, s := range m.States {
		s.Remove(func(t *Transition) bool { return t.Action == name })
	}
}

// Remove removes transitions, and returns how many.
func (s *State) Remove(fits func(*Transition) bool) int {
	before := len(s.Out)
	if s.SolverActions >= 0 {
		kept := slices.DeleteFunc(slices.Clone(s.Out[:s.SolverActions]), fits)
		s.SolverActions = len(kept)
	}
	s.Out = slices.DeleteFunc(s.Out, fits)
	return before - len(s.Out)
}

// On adds a transition to a state.
func (s *State) On(action string, weight float64, next string) *Transition {
	t := &Transition{Action: action, Weight: weight, Next: next}
	s.Out = append(s.Out, t)
	return t
}

// SetWeight gives all transitions by an action another weight. It returns how many there are.
func (m *Machine) SetWeight(action string, weight float64) int {
	n := 0
	for _, s := range m.States {
		for _, t := range s.Out {
			if t.Action == action {
				t.Weight, n = weight, n+1
			}
		}
	}
	return n
}

// StateNames returns the names of the states, in their order.
func (m *Machine) StateNames() (names []string) {
	for _, s := range m.States {
		names = append(names, s.Name)
	}
	return names
}

// ActionNames returns the names of the actions, sorted.
func (m *Machine) ActionNames() []string {
	var out []string
	for n := range m.Actions {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Clone returns a copy whose states and transitions can be changed alone.
func (m *Machine) Clone() *Machine {
	c := &Machine{MaxCalls: m.MaxCalls, Actions: map[string]*Action{}, Options: slices.Clone(m.Options),
		elsewhere: maps.Clone(m.elsewhere)}
	for n, a := range m.Actions {
		c.Actions[n] = a
	}
	for _, s := range m.States {
		t := *s
		t.Out = nil
		for _, x := range s.Out {
			y := *x
			t.Out = append(t.Out, &y)
		}
		c.States = append(c.States, &t)
	}
	return c
}

// Check looks for mistakes in a machine: transitions to states or by actions that are not there, illegal edges of
// decisions, states that cannot be reached and states without a way to the end. The error lists them all.
func (m *Machine) Check() error {
	var bad []string
	wrong := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if len(m.States) == 0 || m.State(final) == nil {
		return fmt.Errorf("state machine: it needs at least a first state and the state %q", final)
	}
	seen := map[string]bool{}
	for _, s := range m.States {
		if seen[s.Name] {
			wrong("two states are named %q", s.Name)
		}
		seen[s.Name] = true
		for _, t := range s.Out {
			m.checkEdge(s, t, wrong)
		}
	}
	reached := m.closure(m.States[0].Name, func(s *State) []string { return s.nexts() })
	back := map[string][]string{}
	for _, s := range m.States {
		for _, n := range s.nexts() {
			back[n] = append(back[n], s.Name)
		}
	}
	ends := m.closure(final, func(s *State) []string { return back[s.Name] })
	for _, s := range m.States {
		switch {
		case !reached[s.Name]:
			wrong("state %q cannot be reached", s.Name)
		case !ends[s.Name]:
			wrong("from state %q no way leads to %q", s.Name, final)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("state machine: %s", strings.Join(bad, "; "))
	}
	return nil
}

func (m *Machine) checkEdge(s *State, t *Transition, wrong func(string, ...any)) {
	if t.Action != "" && m.Actions[t.Action] == nil {
		wrong("state %q has a transition by the action %q, which is not there", s.Name, t.Action)
	}
	if t.Weight < 0 {
		wrong("state %q has a transition with the negative weight %v", s.Name, t.Weight)
	}
	next := s
	if t.Next != "" {
		if next = m.State(t.Next); next == nil {
			wrong("state %q has a transition to the state %q, which is not there", s.Name, t.Next)
			return
		}
	}
	switch {
	case s.Kind == Decision && next.Kind != Choice:
		wrong("the decision %q leads to %q, which is no choice", s.Name, next.Name)
	case s.Kind != Decision && next.Kind == Choice && next != s:
		wrong("the choice %q is entered from %q, which is no decision", next.Name, s.Name)
	case t.Action == "" && next == s:
		wrong("state %q has a transition that does nothing and stays", s.Name)
	}
}

// nexts are the states that a state leads to with a weight above 0.
func (s *State) nexts() []string {
	var out []string
	for _, t := range s.Out {
		if t.Weight > 0 && t.Next != "" {
			out = append(out, t.Next)
		}
	}
	return out
}

func (m *Machine) closure(from string, step func(*State) []string) map[string]bool {
	seen := map[string]bool{from: true}
	for todo := []string{from}; len(todo) > 0; {
		s := m.State(todo[0])
		todo = todo[1:]
		if s == nil {
			continue
		}
		for _, n := range step(s) {
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	return seen
}
