package smt

import (
	"fmt"
	"strings"
)

// patternReader reads patterns. Those of the operator table may have products of numerals, and moduli of any size.
type patternReader struct{ table bool }

var patternKinds = map[string]SortKind{
	"Bool": KindBool, "Int": KindInt, "Real": KindReal, "String": KindString, "RoundingMode": KindRoundingMode, "RegLan": KindRegLan,
	"BV": KindBitVec, "FP": KindFloat, "Array": KindArray, "Seq": KindSeq, "Set": KindSet, "Bag": KindBag, "Data": KindDatatype, "FF": KindFiniteField,
}

// patternArguments has the number of arguments of sorts; those that are not here have none.
var patternArguments = map[SortKind]int{KindBitVec: 1, KindFloat: 2, KindArray: 2, KindSeq: 1, KindSet: 1, KindBag: 1, KindFiniteField: 1}

// ParsePattern reads a pattern. Its variables match only sorts that constants can have.
func ParsePattern(text string) (Pattern, error) {
	p, err := (&patternReader{}).readWhole(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return Pattern{}, fmt.Errorf("sort %q: %w (want a sort as in Int, BV(m), FP(e,s), Array(A,B), Seq(A) or A)", text, err)
	}
	return p, nil
}

// readWhole reads a pattern that makes up the whole text.
func (r *patternReader) readWhole(text string) (Pattern, error) {
	p, rest, err := r.readPattern(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected %q", rest)
	}
	return p, err
}

func (r *patternReader) readPattern(text string) (p Pattern, rest string, err error) {
	n := strings.IndexAny(text, "(),")
	if n < 0 {
		n = len(text)
	}
	name := text[:n]
	p.text, rest, p.values = name, text[n:], !r.table
	if len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
		p.v = name[0] - 'A'
		return p, rest, nil
	}
	p.kind = patternKinds[name]
	if p.kind == KindInvalid {
		return p, rest, fmt.Errorf("there is no sort %q", name)
	}
	want := patternArguments[p.kind]
	if p.kind == KindDatatype {
		// Datatypes have any number of parameters.
		want = 1 + strings.Count(rest[:strings.IndexByte(rest+")", ')')], ",")
	}
	if want == 0 {
		p.fix = Sort(p.kind)
		return p, rest, nil
	}
	open := rest
	for i := range want {
		sep := byte(',')
		if i == 0 {
			sep = '('
		}
		if rest == "" || rest[0] != sep {
			return p, rest, fmt.Errorf("%s takes %d arguments", name, want)
		}
		if rest, err = r.readArgument(&p, i, rest[1:]); err != nil {
			return p, rest, err
		}
	}
	if rest == "" || rest[0] != ')' {
		return p, rest, fmt.Errorf("%s takes %d arguments", name, want)
	}
	rest = rest[1:]
	p.text = name + open[:len(open)-len(rest)]
	return p, rest, nil
}

// readArgument reads argument number i of a pattern.
func (r *patternReader) readArgument(p *Pattern, i int, text string) (rest string, err error) {
	switch p.kind {
	case KindBitVec, KindFloat, KindFiniteField:
		n := strings.IndexAny(text, ",)")
		if n < 0 {
			return text, fmt.Errorf("a bracket is missing")
		}
		if p.kind == KindFiniteField && r.table { // the modulus may be large: the whole sort is the variable H
			p.v = 'H' - 'A'
			return text[n:], nil
		}
		p.nums[i], err = r.readNumeral(text[:n])
		return text[n:], err
	}
	sub, rest, err := r.readPattern(text)
	p.sub = append(p.sub, sub)
	return rest, err
}

// PatternOf returns the pattern of one sort: declared sorts that are named by a capital letter are variables.
func PatternOf(a *Arena, s Sort) (Pattern, error) {
	p := Pattern{kind: a.SortKind(s), text: a.SortString(s), values: true}
	switch p.kind {
	case KindBool, KindInt, KindReal, KindString, KindRegLan, KindRoundingMode:
		p.fix = s
	case KindBitVec:
		p.nums[0] = constantNumeral(a.Width(s))
	case KindFloat:
		eb, sb := a.FloatFormat(s)
		p.nums[0], p.nums[1] = constantNumeral(eb), constantNumeral(sb)
	case KindArray, KindSeq, KindSet, KindBag:
		for _, x := range a.SortArgs(s) {
			sub, err := PatternOf(a, x)
			if err != nil {
				return p, err
			}
			p.sub = append(p.sub, sub)
		}
	case KindFiniteField:
		n := a.Modulus(s)
		if !n.IsInt64() {
			return p, fmt.Errorf("the modulus of %s is too large for an operator", p.text)
		}
		p.nums[0] = constantNumeral(int(n.Int64()))
	case KindDatatype: // the one of the operator
	case KindUser:
		name, _ := a.SortSymbolName(a.SortSymbolOf(s))
		if len(name) != 1 || name[0] < 'A' || name[0] > 'Z' {
			return p, fmt.Errorf("the sort %s cannot occur in an operator: use a capital letter for any sort", name)
		}
		p.kind, p.v = KindInvalid, name[0]-'A'
	default:
		return p, fmt.Errorf("the sort %s cannot occur in an operator", p.text)
	}
	return p, nil
}
