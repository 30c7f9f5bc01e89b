package dialogue

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// givenTerms returns the terms of a command as the client wrote them: the elements of the list after its name, or the
// single term there. Replies must repeat them in this form (SMT-LIB 2.7, section 4.2.6).
func (d *Dialogue) givenTerms(command string) []string {
	xs, err := smtlib.ParseSExprs(command)
	if err != nil || len(xs) != 1 || len(xs[0].List) < 2 {
		return nil
	}
	argument := &xs[0].List[1]
	if name := xs[0].Head(); name == smtlib.CmdAssert.String() {
		return []string{d.spelled(command, argument)}
	}
	var out []string
	for i := range argument.List {
		out = append(out, d.spelled(command, &argument.List[i]))
	}
	return out
}

// spelled returns the text of an expression of a command: byte for byte as in z3, or else with one blank between its
// parts.
func (d *Dialogue) spelled(command string, x *smtlib.SExpr) string {
	if !d.LikeZ3 || !x.IsList() {
		return x.String()
	}
	rest := command[x.Offset:]
	return rest[:max(0, smtlib.SExprEnd([]byte(rest)))]
}

// valuePairs spells terms with their values. If the original texts of the terms are not known, it prints the terms
// itself.
func (d *Dialogue) valuePairs(given []string, ts []smt.Term, values []string) string {
	if len(given) != len(ts) {
		return solvers.ValuePairs(d.solver.Arena(), ts, values)
	}
	separator := " "
	if d.LikeZ3 {
		separator = "\n "
	}
	pairs := make([]string, len(ts))
	for i, text := range given {
		pairs[i] = "(" + text + " " + values[i] + ")"
	}
	return "(" + strings.Join(pairs, separator) + ")"
}

// assertionLines spells the assertions in force, one a line.
func (d *Dialogue) assertionLines() string {
	var printer smtlib.Printer
	var out []string
	for _, c := range d.solver.Stack().Commands() {
		if c.Kind == smtlib.CmdAssert {
			out = append(out, d.givenTerms(string(printer.Command(nil, d.solver.Arena(), &c)))...)
		}
	}
	return "(" + strings.Join(out, "\n ") + ")"
}
