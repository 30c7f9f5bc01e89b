package typed

import (
	"context"
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
)

// Minimize adds the objective to minimise a number: an Int, a Real, or a bit vector, which counts as unsigned. Pop
// removes it.
func (c *Context) Minimize(x Expression) error { return c.addObjective("minimize", x, "") }

// Maximize adds the objective to maximise a number; see Minimize.
func (c *Context) Maximize(x Expression) error { return c.addObjective("maximize", x, "") }

// Prefer adds a soft formula with its cost if it does not hold: a number with finitely many decimals, which may be
// negative. The sum of the costs with one id is one objective, which is minimised.
func (c *Context) Prefer(x Bool, weight *big.Rat, id string) error {
	decimals, exact := weight.FloatPrec()
	if !exact {
		return fmt.Errorf("the weight %s is no decimal number", weight.RatString())
	}
	attributes := " :weight " + weight.FloatString(decimals)
	if id != "" {
		attributes += " :id " + smt.QuoteSymbol(id)
	}
	return c.addObjective("assert-soft", x, attributes)
}

// addObjective makes a command.
func (c *Context) addObjective(name string, x Expression, attributes string) error {
	ts, err := c.termsOf([]Expression{x})
	if err != nil {
		return err
	}
	command := smtlib.Command{Kind: smtlib.CmdOther, Name: name, Text: "(" + name + " " + smtlib.Hole + attributes + ")", Terms: ts}
	if err := optimise.Check(c.arena, c.scope, &command); err != nil {
		return err
	}
	return c.solver.Do(&command)
}

// Optimise is Check with the objectives, one after the other in the order in which they were given: see
// optimise.Lexicographic. After that, values are those in the best model.
func (c *Context) Optimise(ctx context.Context) (*optimise.SearchResult, error) {
	objectives, err := optimise.Objectives(c.solver.Stack())
	if err != nil {
		return &optimise.SearchResult{Result: frontend.Result{Answer: smtlib.Unknown, Reason: err.Error()}}, err
	}
	return optimise.Lexicographic(ctx, c.solver, objectives)
}
