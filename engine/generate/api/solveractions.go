package api

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// goalHolds is the chance that a {goal} is a formula that holds in the walk's assignment, where one that does not was
// drawn.
const goalHolds = 0.8

// With returns the machine with actions that all solvers of some profiles have: at the places that its states name for
// them. Where there are none it is the machine itself.
func (m *Machine) With(actions []solvers.Action) *Machine {
	actions = slices.DeleteFunc(slices.Clone(actions), func(d solvers.Action) bool {
		s := m.State(d.State)
		return s == nil || s.SolverActions < 0 || d.Next != "" && m.State(d.Next) == nil || m.elsewhere[d.Name] == removed
	})
	if len(actions) == 0 {
		return m
	}
	out := m.Clone()
	out.Options = nil
	for _, d := range actions { // before those of the machine, which some of them rule out
		if d.Option != "" && d.Probability > 0 {
			out.NeedOption(d.Option, d.Probability)
		}
	}
	for _, o := range m.Options {
		out.NeedOption(o.Name, o.Probability)
	}
	for i := range actions {
		d := &actions[i]
		out.AddAction(solverAction(d))
		if w, changed := m.elsewhere[d.Name]; changed {
			d.Weight = w
		}
		s := out.State(d.State)
		t := &Transition{Action: d.Name, Next: d.Next, Weight: d.Weight}
		var when []Cond
		if d.Option != "" {
			when = append(when, OptionIs(d.Option, "true"))
		}
		if d.NeedsModel {
			when = append(when, OptionIs("produce-models", "true"), ModelKept)
		}
		if len(when) > 0 {
			t.Label, t.When = "solver's", All(when...)
		}
		s.Out = slices.Insert(s.Out, s.SolverActions, t)
		s.SolverActions++
	}
	return out
}

// solverAction is the action that a profile declares.
func solverAction(d *solvers.Action) *Action {
	return &Action{Name: d.Name, Doc: d.Doc, Needs: func(r *Walk) bool {
		// A change of the problem invalidates the known facts about later answers.
		return (!d.ChangesProblem || r.Cfg.Truth == Unconstrained) && (d.Option == "" || settable(d.Option)(r))
	}, Do: func(r *Walk) Outcome {
		if d.Option != "" && r.options[d.Option] != "true" || d.NeedsModel && !r.hasModel() {
			return NotDone
		}
		text := d.Commands[0]
		if len(d.Commands) > 1 {
			text = d.Commands[r.R.Intn(len(d.Commands))]
		}
		c, ok := fill(r, text)
		if !ok {
			return NotDone
		}
		if c.Kind.IsCheck() {
			return r.checkBy(c, nil, r.Answer())
		}
		r.Command(c)
		r.last.Spent = r.last.Spent || d.SpendsModel
		if d.ChangesProblem {
			r.Changed()
			r.last.Spent = true
		}
		return Done
	}}
}

// fill makes a command of a text with placeholders; false: there is no term for one of them.
func fill(r *Walk, text string) (c smtlib.Command, ok bool) {
	// Terms come before names: a walk that has none makes no name either.
	var terms []smt.Term
	isTerm := map[int]bool{}
	for at := range placesOf(text) {
		var t smt.Term
		switch {
		case strings.HasPrefix(text[at:], "{formula}"):
			t = r.Gen.Bool()
		case strings.HasPrefix(text[at:], "{goal}"):
			if t = r.Gen.Bool(); t == 0 {
				break
			}
			if v, known := r.Gen.Ev.Holds(t); known && !v && r.R.Chance(goalHolds) {
				t = r.Gen.A.Not(t)
			}
		case strings.HasPrefix(text[at:], "{term}"):
			t = r.Gen.TermFor()
		default:
			continue
		}
		if t == 0 {
			return c, false
		}
		terms = append(terms, t)
		isTerm[at] = true
	}
	var b strings.Builder
	rest := 0
	for at := range placesOf(text) {
		b.WriteString(text[rest:at])
		if isTerm[at] {
			b.WriteString(smtlib.Hole)
		} else {
			b.WriteString(r.Gen.Name("A"))
		}
		rest = at + strings.IndexByte(text[at:], '}') + 1
	}
	b.WriteString(text[rest:])
	return commandOf(b.String(), terms), true
}

// placesOf yields where placeholders stand in a text.
func placesOf(text string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range text {
			if text[i] == '{' && !yield(i) {
				return
			}
		}
	}
}

// commandOf returns a command that no action of the machine makes. Its text has a hole for each of the terms.
func commandOf(text string, terms []smt.Term) smtlib.Command {
	name := solvers.CommandName(text)
	behind := func(head string) string {
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, head), ")"))
	}
	switch {
	case len(terms) == 1 && strings.HasPrefix(text, "(simplify "+smtlib.Hole):
		return smtlib.Command{Kind: smtlib.CmdSimplify, Terms: terms, Text: behind("(simplify " + smtlib.Hole)}
	case name == smtlib.CmdCheckSatUsing.String():
		return smtlib.Command{Kind: smtlib.CmdCheckSatUsing, Text: behind("(" + name)}
	}
	return smtlib.Command{Kind: smtlib.CmdOther, Name: name, Text: text, Terms: terms}
}
