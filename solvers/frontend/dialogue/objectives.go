package dialogue

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
)

// priorityOption is the option that says how several objectives are combined, as in z3.
const priorityOption = ":opt.priority"

// optimum has the known facts about the objectives of a client.
type optimum struct {
	values []optimise.Value
	front  *optimise.Front // the Pareto front that the latest answer gave a point of; nil: none
}

// addObjective performs a command that adds an objective.
func (d *Dialogue) addObjective(c *smtlib.Command) error {
	err := optimise.Check(d.solver.Arena(), d.scope, c)
	if err == nil {
		err = d.solver.Do(c)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return d.succeed(nil)
}

// solve asks the front end, and looks for an optimum if there are objectives.
func (d *Dialogue) solve(ctx context.Context, assumptions []smt.Term) (frontend.Result, error) {
	s := d.solver
	_, unchanged := s.Latest()
	before := d.found
	front := before.front
	d.found = optimum{}
	objectives, err := optimise.Objectives(s.Stack())
	if err != nil {
		return frontend.Result{}, err
	}
	if len(objectives) == 0 {
		return s.Check(ctx, assumptions...)
	}
	var out *optimise.SearchResult
	switch d.options[priorityOption] {
	case "box":
		out, err = optimise.Box(ctx, s, objectives, assumptions...)
	case "pareto":
		// Each check-sat returns the next point, as long as there is no other command in between.
		if front == nil || !unchanged || len(assumptions) > 0 {
			front = optimise.NewFront(objectives)
		}
		d.found.front = front
		out, err = front.Next(ctx, s, assumptions...)
	default:
		out, err = optimise.Lexicographic(ctx, s, objectives, assumptions...)
	}
	if err != nil {
		return frontend.Result{}, err
	}
	switch d.found.values = out.Values; {
	case len(out.Values) > 0:
	case front != nil && front == before.front && out.Result.Answer == smtlib.Unsat: // which has no more points: z3 repeats the last one
		d.found.values = before.values
	default: // of unsat, and of unknown before there was a model
		d.found.values = optimise.NothingKnown(objectives)
	}
	return out.Result, nil
}

// sayObjectives replies to get-objectives.
func (d *Dialogue) sayObjectives() error {
	_, valid := d.solver.Latest()
	switch {
	case len(d.solver.Stack().Objectives()) == 0:
		d.found = optimum{}
	case !valid || len(d.found.values) == 0:
		return errors.New("get-objectives needs a check-sat, and nothing asserted, pushed or popped since")
	}
	d.say(optimise.ObjectivesText(d.solver.Arena(), d.found.values))
	return nil
}
