package optimise

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// Objective is a quantity to maximise or minimise: a term or, if Soft is not empty, the weight of the formulas that do
// not hold, which is minimised.
type Objective struct {
	// Term is of sort Int or Real, or a bit vector, which counts as an unsigned number.
	Term     smt.Term
	Maximize bool
	// Text is the term as the client wrote it; "" means our own spelling.
	Text string
	// ID names the group of Soft.
	ID   string
	Soft []Soft
}

// Soft is a formula that should hold, with its cost if it does not; the cost may be negative.
type Soft struct {
	Formula smt.Term
	Weight  *big.Rat
}

// The names of the commands.
const (
	minimizeName = "minimize"
	maximizeName = "maximize"
	softName     = "assert-soft"
)

// IsCommand reports whether a command defines an objective.
func IsCommand(c *smtlib.Command) bool {
	return c.Kind == smtlib.CmdOther && (c.Name == minimizeName || c.Name == maximizeName || c.Name == softName)
}

// Check returns the error in a command that defines an objective. The forms are those of z3: (minimize t),
// (maximize t), (assert-soft f :weight w :id name), where the weight may be a decimal and negative, and is 1 by
// default. A correct command may be given to a front end (frontend.FrontEnd.Do); the objective then becomes part of the
// assertion stack.
func Check(a *smt.Arena, scope *smtlib.Scope, c *smtlib.Command) error {
	if len(c.Terms) > 0 {
		_, err := objectiveOf(a, c)
		return err
	}
	xs, err := smtlib.ParseSExprs(c.Text)
	if err != nil || len(xs) != 1 || len(xs[0].List) < 2 {
		return errors.New("want a term")
	}
	_, err = scope.Term(xs[0].List[1].String())
	var wrong *smtlib.Error
	if errors.As(err, &wrong) {
		return errors.New(wrong.Msg)
	}
	return err
}

// objectiveOf returns the objective that a command with its term defines; for assert-soft, it has one formula.
func objectiveOf(a *smt.Arena, c *smtlib.Command) (o Objective, err error) {
	// As it was given, where the command has kept that.
	given := smtlib.Script{Arena: a, Commands: []smtlib.Command{*c}}
	xs, err := smtlib.ParseSExprs(given.CommandText(0))
	if err != nil {
		return o, err
	}
	parts := xs[0].List
	t := c.Terms[0]
	if c.Name != softName {
		if len(parts) > 2 {
			return o, fmt.Errorf("want one term and nothing behind it, found %s", parts[2].String())
		}
		switch a.SortKind(a.Sort(t)) {
		case smt.KindInt, smt.KindReal, smt.KindBitVec:
			return Objective{Term: t, Maximize: c.Name == maximizeName, Text: parts[1].String()}, nil
		}
		return o, fmt.Errorf("an objective is an Int, a Real or a bit vector; this term has sort %s: %s",
			a.SortString(a.Sort(t)), a.Brief(t))
	}
	if a.Sort(t) != smt.SortBool {
		return o, fmt.Errorf("want a formula; this term is of sort %s: %s", a.SortString(a.Sort(t)), a.Brief(t))
	}
	soft := Soft{Formula: t, Weight: big.NewRat(1, 1)}
	for rest := parts[2:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) == 1 {
			return o, fmt.Errorf("%s wants a value", rest[0].String())
		}
		text := rest[1].String()
		switch rest[0].String() {
		case ":weight":
			if !decimalText().MatchString(text) {
				return o, fmt.Errorf("the weight %s is no decimal number", text)
			}
			soft.Weight.SetString(text)
		case ":id":
			o.ID = strings.Trim(text, "|")
		default:
			return o, fmt.Errorf("want :weight or :id, found %s", rest[0].String())
		}
	}
	o.Soft = []Soft{soft}
	return o, nil
}

var decimalText = pattern.Lazy(`^-?[0-9]+(\.[0-9]+)?$`)

// Objectives returns the objectives of an assertion stack, in the order of the first command of each: formulas of
// assert-soft with one id are one objective.
func Objectives(st *frontend.Stack) ([]Objective, error) { return Gather(st.Arena(), st.Objectives()) }

// Gather returns the objectives that commands define together, as Objectives does. The commands have their terms.
func Gather(a *smt.Arena, commands []smtlib.Command) ([]Objective, error) {
	var out []Objective
	for i := range commands {
		o, err := objectiveOf(a, &commands[i])
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(out, func(x Objective) bool { return len(o.Soft) > 0 && len(x.Soft) > 0 && x.ID == o.ID })
		if at < 0 {
			out = append(out, o)
			continue
		}
		out[at].Soft = append(out[at].Soft, o.Soft...)
	}
	return out, nil
}

// label returns the text of an objective in the reply to get-objectives.
func (o *Objective) label(a *smt.Arena) string {
	switch {
	case len(o.Soft) > 0 && o.ID == "":
		return ""
	case len(o.Soft) > 0:
		return smt.QuoteSymbol(o.ID)
	case o.Text != "":
		return o.Text
	}
	return smtlib.TermText(a, o.Term)
}
