package eval

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/eval/strre"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
)

// A value of sort RegLan is an expression of the evaluator's builder: bits is the strre.Regex, ref the builder. Such
// values are good for one evaluation; models and scripts hold terms.

// freshRegexes forgets all regular languages where the builder has grown large or gave up.
func (e *Evaluator) freshRegexes() {
	const keep = 1 << 19
	if e.re == nil {
		return
	}
	if e.reBroken || e.re.Len() > keep {
		e.re.Reset()
		e.reBroken = false
		e.Reset(e.m)
	}
}

func (e *Evaluator) regexFailed(op smt.Op, err error) value.Value {
	e.reBroken = true
	return value.NoValue(op.String(), err.Error())
}

// regex makes languages.
func (e *Evaluator) regex(t smt.Term, op smt.Op, args []value.Value) value.Value {
	if e.re == nil {
		e.re = strre.NewBuilder()
	}
	b := e.re
	for i := range args {
		if args[i].Kind() == value.KindRegex && !args[i].MadeBy(b) {
			return value.NoValue(op.String(), "a regular language of another evaluation")
		}
	}
	switch op {
	case smt.OpReNone:
		return value.OfRegex(e.re, strre.None)
	case smt.OpReAll:
		return value.OfRegex(e.re, strre.All)
	case smt.OpReAllChar:
		return value.OfRegex(e.re, strre.AllChar)
	case smt.OpStrToRe:
		return value.OfRegex(e.re, b.Str(args[0].CodePoints()))
	case smt.OpReRange:
		return value.OfRegex(e.re, b.Range(args[0].CodePoints(), args[1].CodePoints()))
	}
	x := args[0].Regex()
	switch op {
	case smt.OpReStar:
		return value.OfRegex(e.re, b.Star(x))
	case smt.OpRePlus:
		return value.OfRegex(e.re, b.Plus(x))
	case smt.OpReOpt:
		return value.OfRegex(e.re, b.Opt(x))
	case smt.OpReComp:
		return value.OfRegex(e.re, b.Complement(x))
	case smt.OpRePower, smt.OpReLoop, smt.OpReLoopArgs:
		return e.repeated(t, op, x, args[1:])
	}
	parts := make([]strre.Regex, len(args))
	for i := range args {
		parts[i] = args[i].Regex()
	}
	switch op {
	case smt.OpReConcat:
		return value.OfRegex(e.re, b.Concat(parts...))
	case smt.OpReUnion:
		return value.OfRegex(e.re, b.Union(parts...))
	case smt.OpReInter:
		return value.OfRegex(e.re, b.Inter(parts...))
	}
	for _, y := range parts[1:] { // re.diff
		x = b.Diff(x, y)
	}
	return value.OfRegex(e.re, x)
}

// repeated computes re.^ and both spellings of re.loop.
func (e *Evaluator) repeated(t smt.Term, op smt.Op, x strre.Regex, bounds []value.Value) value.Value {
	var n []uint64
	for _, i := range e.a.Indices(t) {
		k, ok := e.a.IndexUint(i)
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
		return value.OfRegex(e.re, e.re.Power(x, n[0]))
	case len(n) == 1:
		return value.OfRegex(e.re, e.re.AtLeast(x, n[0]))
	}
	return value.OfRegex(e.re, e.re.Loop(x, n[0], n[1]))
}

// matching computes the functions that look for a language in a string.
func (e *Evaluator) matching(op smt.Op, args []value.Value) value.Value {
	if !args[1].MadeBy(e.re) {
		return value.NoValue(op.String(), "a regular language of another evaluation")
	}
	s, r := args[0].CodePoints(), args[1].Regex()
	switch op {
	case smt.OpStrInRe:
		ok, err := e.re.Match(r, s)
		if err != nil {
			return e.regexFailed(op, err)
		}
		return value.Bool(ok)
	case smt.OpStrIndexOfRe:
		i, err := e.re.IndexOfRe(s, r, value.ClampInt(args[2]))
		if err != nil {
			return e.regexFailed(op, err)
		}
		return value.Int64(i)
	}
	replace := e.re.ReplaceRe
	if op == smt.OpStrReplaceReAll {
		replace = e.re.ReplaceReAll
	}
	out, err := replace(s, r, args[2].CodePoints())
	if err != nil {
		return e.regexFailed(op, err)
	}
	if len(out) > e.Limits.Length {
		return value.TooLarge(op.String(), "a string longer than the limit")
	}
	return value.String(out)
}
