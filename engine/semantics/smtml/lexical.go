package smtml

import (
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// The tokens that the lexer of Smt.ml accepts.
var (
	numeral = pattern.Lazy(`^-?(0|[1-9][0-9]*)$`)
	decimal = pattern.Lazy(`^-?(0|[1-9][0-9]*)\.[0-9]*$`)
	symbol  = pattern.Lazy(`^[a-zA-Z~!@$%^&*_+=<>.?/-][a-zA-Z0-9~!@$%^&*_+=<>.?/-]*$`)
)

func isNumeral(text string) bool { return numeral().MatchString(text) }

func isDecimal(text string) bool { return decimal().MatchString(text) }

// isName reports whether text can be the name of a constant.
func isName(text string) bool {
	return symbol().MatchString(text) && !keywords()[text] && !isNumeral(text) && !isDecimal(text)
}

// typeOf returns the type of a term as used at the beginning of operator names, or "" if the format has no such type.
// Widths that cannot be declared occur as types of extractions and concatenations.
func typeOf(a *smt.Arena, t smt.Term) string {
	if name := typeName(a, a.Sort(t)); name != "" {
		return name + "."
	}
	return ""
}
