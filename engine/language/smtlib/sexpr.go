package smtlib

import "github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"

// SExpr is an S-expression: an atom or a list.
type SExpr = sexpr.Expr

// ParseSExprs reads all S-expressions of a text, such as the reply of a solver. It accepts any text; the error is an
// *Error with the place that is not an S-expression.
func ParseSExprs(text string) ([]SExpr, error) { return sexpr.Parse(text) }

// SExprEnd returns the length of the S-expression in parentheses at the start of a text, 0 when it does not end, and a
// negative number when a quoted symbol in it has a backslash before a bar, so that solvers do not agree on where it
// ends. Parentheses in strings, quoted symbols and comments do not count.
func SExprEnd(text []byte) int { return sexpr.End(text) }

// CommandName returns the name of the command in a text, even if the command cannot be parsed.
func CommandName(text []byte) (string, bool) {
	xs, err := sexpr.Parse(string(text))
	if err != nil || len(xs) != 1 || len(xs[0].List) == 0 {
		return "", false
	}
	name := xs[0].List[0]
	return name.Atom, name.Atom != ""
}
