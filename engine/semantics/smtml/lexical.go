package smtml

import (
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// What the lexer of Smt.ml takes.
var (
	numeral = pattern.Lazy(`^-?(0|[1-9][0-9]*)$`)
	decimal = pattern.Lazy(`^-?(0|[1-9][0-9]*)\.[0-9]*$`)
	symbol  = pattern.Lazy(`^[a-zA-Z~!@$%^&*_+=<>.?/-][a-zA-Z0-9~!@$%^&*_+=<>.?/-]*$`)
)

func isNumeral(text string) bool { return numeral().MatchString(text) }

func isDecimal(text string) bool { return decimal().MatchString(text) }

// isName reports whether a constant can have the name.
func isName(text string) bool {
	return symbol().MatchString(text) && !keywords()[text] && !isNumeral(text) && !isDecimal(text)
}

// typeOf returns the type of a term as it begins names of operators, "" where the format has no such type. The widths
// that it cannot declare are types of what is taken out of vectors and put together.
func typeOf(a *smt.Arena, t smt.Term) string {
	if name := typeName(a, a.Sort(t)); name != "" {
		return name + "."
	}
	return ""
}
