package theory

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A value of sort RegLan is an expression of the evaluator's builder: bits is the strre.Regex, ref the builder. Such
// values are good for one evaluation; models and scripts hold terms.

func regexFailed(c *Context, op smt.Op, err error) value.Value {
	c.GaveUp = true
	return value.NoValue(op.String(), err.Error())
}

// regularLanguage makes languages.
func regularLanguage(c *Context, t smt.Term, op smt.Op, args []value.Value) value.Value {
	if c.Languages == nil {
		c.Languages = strre.NewBuilder()
	}
	b := c.Languages
	for i := range args {
		if args[i].Kind() == value.KindRegex && !args[i].MadeBy(b) {
			return value.NoValue(op.String(), "a regular language of another evaluation")
		}
	}
	switch op {
	case smt.OpReNone:
		return value.OfRegex(c.Languages, strre.None)
	case smt.OpReAll:
		return value.OfRegex(c.Languages, strre.All)
	case smt.OpReAllChar:
		return value.OfRegex(c.Languages, strre.AllChar)
	case smt.OpStrToRe:
		return value.OfRegex(c.Languages, b.Str(args[0].CodePoints()))
	case smt.OpReRange:
		return value.OfRegex(c.Languages, b.Range(args[0].CodePoints(), args[1].CodePoints()))
	}
	x := args[0].Regex()
	switch op {
	case smt.OpReStar:
		return value.OfRegex(c.Languages, b.Star(x))
	case smt.OpRePlus:
		return value.OfRegex(c.Languages, b.Plus(x))
	case smt.OpReOpt:
		return value.OfRegex(c.Languages, b.Opt(x))
	case smt.OpReComp:
		return value.OfRegex(c.Languages, b.Complement(x))
	case smt.OpRePower, smt.OpReLoop, smt.OpReLoopArgs:
		return repeated(c, t, op, x, args[1:])
	}
	parts := make([]strre.Regex, len(args))
	for i := range args {
		parts[i] = args[i].Regex()
	}
	switch op {
	case smt.OpReConcat:
		return value.OfRegex(c.Languages, b.Concat(parts...))
	case smt.OpReUnion:
		return value.OfRegex(c.Languages, b.Union(parts...))
	case smt.OpReInter:
		return value.OfRegex(c.Languages, b.Inter(parts...))
	}
	for _, y := range parts[1:] { // re.diff
		x = b.Diff(x, y)
	}
	return value.OfRegex(c.Languages, x)
}

// repeated computes re.^ and both spellings of re.loop.
func repeated(c *Context, t smt.Term, op smt.Op, x strre.Regex, bounds []value.Value) value.Value {
	var n []uint64
	for _, i := range c.Arena.Indices(t) {
		k, ok := c.Arena.IndexUint(i)
		if !ok {
			return value.TooLarge(op.String(), "the number of repetitions")
		}
		n = append(n, k)
	}
	for i := range bounds {
		k := value.ClampInt(bounds[i])
		if k < 0 {
			return value.NoValue("re.loop", fmt.Sprintf("the bound %d is negative", k))
		}
		n = append(n, uint64(k))
	}
	switch {
	case op == smt.OpRePower:
		return value.OfRegex(c.Languages, c.Languages.Power(x, n[0]))
	case len(n) == 1:
		return value.OfRegex(c.Languages, c.Languages.AtLeast(x, n[0]))
	}
	return value.OfRegex(c.Languages, c.Languages.Loop(x, n[0], n[1]))
}

// languageSearch computes the functions that look for a language in a string.
func languageSearch(c *Context, _ smt.Term, op smt.Op, args []value.Value) value.Value {
	if !args[1].MadeBy(c.Languages) {
		return value.NoValue(op.String(), "a regular language of another evaluation")
	}
	s, r := args[0].CodePoints(), args[1].Regex()
	switch op {
	case smt.OpStrInRe:
		ok, err := c.Languages.Match(r, s)
		if err != nil {
			return regexFailed(c, op, err)
		}
		return value.Bool(ok)
	case smt.OpStrIndexOfRe:
		i, err := c.Languages.IndexOfRe(s, r, value.ClampInt(args[2]))
		if err != nil {
			return regexFailed(c, op, err)
		}
		return value.Int64(i)
	}
	replace := c.Languages.ReplaceRe
	if op == smt.OpStrReplaceReAll {
		replace = c.Languages.ReplaceReAll
	}
	out, err := replace(s, r, args[2].CodePoints())
	if err != nil {
		return regexFailed(c, op, err)
	}
	if len(out) > c.Length {
		return value.TooLarge(op.String(), "a string longer than the limit")
	}
	return value.String(out)
}
