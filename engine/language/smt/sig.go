package smt

import (
	"strings"
)

// Signature is one signature of an operator, read from the operator table.
type Signature struct {
	Text    string // as the table writes it
	Indices []byte // letters of the indices
	Args    []Pattern
	Repeat  int // the argument that may be repeated, or -1
	Result  Pattern

	conds []cond
}

// Conditional reports whether the signature holds for some numerals only.
func (s *Signature) Conditional() bool { return len(s.conds) > 0 }

type cond struct{ lo, hi Numeral } // lo <= hi

// parseSignature reads a signature of the operator table.
func parseSignature(text string) Signature {
	s := Signature{Text: text, Repeat: -1}
	rest, where, _ := strings.Cut(text, " where ")
	left, right, ok := strings.Cut(rest, "->")
	if !ok {
		panic("operator table: no arrow in " + text)
	}
	left = strings.TrimSpace(left)
	if strings.HasPrefix(left, "[") {
		idx, after, _ := strings.Cut(left[1:], "]")
		for _, v := range strings.Fields(idx) {
			s.Indices = append(s.Indices, v[0])
		}
		left = after
	}
	for i, f := range strings.Fields(left) {
		if strings.HasSuffix(f, "...") {
			f, s.Repeat = f[:len(f)-3], i
		}
		s.Args = append(s.Args, tablePattern(f))
	}
	s.Result = tablePattern(strings.TrimSpace(right))
	for _, c := range strings.Fields(where) {
		if lo, hi, ok := strings.Cut(c, "<="); ok {
			s.conds = append(s.conds, cond{tableNumeral(lo), tableNumeral(hi)})
		} else if lo, hi, ok := strings.Cut(c, "<"); ok {
			s.conds = append(s.conds, cond{tableNumeral(lo + "+1"), tableNumeral(hi)})
		} else {
			panic("operator table: condition " + c)
		}
	}
	return s
}

// tablePattern reads a sort of the operator table, which is known to be well written.
func tablePattern(text string) Pattern {
	r := patternReader{table: true}
	p, err := r.readWhole(text)
	if err != nil {
		panic("operator table: " + err.Error())
	}
	return p
}

// tableNumeral reads a numeral of the operator table.
func tableNumeral(text string) Numeral {
	n, err := (&patternReader{table: true}).readNumeral(text)
	if err != nil {
		panic("operator table: " + err.Error())
	}
	return n
}
