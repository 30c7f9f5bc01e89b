package api

import (
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Claims returns the names of the operators and of the actions that walks with this configuration can take, sorted. The
// operators are those of the operator table, and the words apply, constructor, selector, is, update, match, forall,
// exists and lambda for constructs that are not in the table.
func (c *WalkConfig) Claims() (operators, actions []string, err error) {
	g, err := gen.New(smt.NewArena(), rng.New(0), c.Gen, nowhere{})
	if err != nil {
		return nil, nil, err
	}
	operators = g.Claimed()
	slices.Sort(operators)
	w := &Walk{Cfg: c, Gen: g, solverState: solverState{options: map[string]string{}}}
	for _, name := range c.Machine.ActionNames() {
		if !c.Lacks(rule.Action.Of(name)) && c.Machine.reaches(name) && !never(w, name) {
			actions = append(actions, name)
		}
	}
	return operators, actions, nil
}

// reaches reports whether a transition of the machine is by the action.
func (m *Machine) reaches(action string) bool {
	return slices.ContainsFunc(m.States, func(s *State) bool {
		return slices.ContainsFunc(s.Out, func(t *Transition) bool { return t.Action == action && t.Weight > 0 })
	})
}

// never reports whether an action is Never in all walks, for want of a theory or an option.
func never(w *Walk, action string) bool {
	if a := w.Cfg.Machine.Actions[action]; a.Needs != nil {
		return !a.Needs(w)
	}
	return false
}

// nowhere is a sink that discards everything a generator makes.
type nowhere struct{}

func (nowhere) Command(smtlib.Command) {}
func (nowhere) Sort(smt.Sort)          {}
func (nowhere) Term(smt.Term)          {}
