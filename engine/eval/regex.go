package eval

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/eval/strre"
	"github.com/smtlark/smtlark/engine/smt"
)

// A value of sort RegLan is an expression of the evaluator's builder: bits is the strre.Regex, ref the builder. Such
// values are good for one evaluation; models and scripts hold terms.

func (e *Evaluator) regexValue(r strre.Regex) Value {
	return Value{sort: smt.SortRegLan, kind: kRegex, bits: uint64(r), ref: e.re}
}

func (v Value) re() strre.Regex { return strre.Regex(v.bits) }

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

func (e *Evaluator) regexFailed(op smt.Op, err error) Value {
	e.reBroken = true
	return unknown(op.String(), err.Error())
}

// regex makes languages.
func (e *Evaluator) regex(t smt.Term, op smt.Op, args []Value) Value {
	if e.re == nil {
		e.re = strre.NewBuilder()
	}
	b := e.re
	for i := range args {
		if args[i].kind == kRegex && args[i].ref != b {
			return unknown(op.String(), "a regular language of another evaluation")
		}
	}
	switch op {
	case smt.OpReNone:
		return e.regexValue(strre.None)
	case smt.OpReAll:
		return e.regexValue(strre.All)
	case smt.OpReAllChar:
		return e.regexValue(strre.AllChar)
	case smt.OpStrToRe:
		return e.regexValue(b.Str(args[0].runes()))
	case smt.OpReRange:
		return e.regexValue(b.Range(args[0].runes(), args[1].runes()))
	}
	x := args[0].re()
	switch op {
	case smt.OpReStar:
		return e.regexValue(b.Star(x))
	case smt.OpRePlus:
		return e.regexValue(b.Plus(x))
	case smt.OpReOpt:
		return e.regexValue(b.Opt(x))
	case smt.OpReComp:
		return e.regexValue(b.Complement(x))
	case smt.OpRePower, smt.OpReLoop, smt.OpReLoopArgs:
		return e.repeated(t, op, x, args[1:])
	}
	parts := make([]strre.Regex, len(args))
	for i := range args {
		parts[i] = args[i].re()
	}
	switch op {
	case smt.OpReConcat:
		return e.regexValue(b.Concat(parts...))
	case smt.OpReUnion:
		return e.regexValue(b.Union(parts...))
	case smt.OpReInter:
		return e.regexValue(b.Inter(parts...))
	}
	for _, y := range parts[1:] { // re.diff
		x = b.Diff(x, y)
	}
	return e.regexValue(x)
}

// repeated computes re.^ and both spellings of re.loop.
func (e *Evaluator) repeated(t smt.Term, op smt.Op, x strre.Regex, bounds []Value) Value {
	var n []uint64
	for _, i := range e.a.Indices(t) {
		k, ok := e.a.IndexUint(i)
		if !ok {
			return tooLarge(op.String(), "the number of repetitions")
		}
		n = append(n, k)
	}
	for i := range bounds {
		k := clampInt(bounds[i])
		if k < 0 {
			return unknown("re.loop", fmt.Sprintf("the bound %d is negative", k))
		}
		n = append(n, uint64(k))
	}
	switch {
	case op == smt.OpRePower:
		return e.regexValue(e.re.Power(x, n[0]))
	case len(n) == 1:
		return e.regexValue(e.re.AtLeast(x, n[0]))
	}
	return e.regexValue(e.re.Loop(x, n[0], n[1]))
}

// matching computes the functions that look for a language in a string.
func (e *Evaluator) matching(op smt.Op, args []Value) Value {
	if args[1].ref != e.re {
		return unknown(op.String(), "a regular language of another evaluation")
	}
	s, r := args[0].runes(), args[1].re()
	switch op {
	case smt.OpStrInRe:
		ok, err := e.re.Match(r, s)
		if err != nil {
			return e.regexFailed(op, err)
		}
		return BoolValue(ok)
	case smt.OpStrIndexOfRe:
		i, err := e.re.IndexOfRe(s, r, clampInt(args[2]))
		if err != nil {
			return e.regexFailed(op, err)
		}
		return int64Value(i)
	}
	replace := e.re.ReplaceRe
	if op == smt.OpStrReplaceReAll {
		replace = e.re.ReplaceReAll
	}
	out, err := replace(s, r, args[2].runes())
	if err != nil {
		return e.regexFailed(op, err)
	}
	if len(out) > e.Limits.Length {
		return tooLarge(op.String(), "a string longer than the limit")
	}
	return StringValue(out)
}

func equalRegex(v, w Value) Truth {
	b, ok := v.ref.(*strre.Builder)
	if !ok || v.ref != w.ref {
		return Unknown
	}
	if v.bits == w.bits {
		return True
	}
	same, err := b.Equivalent(v.re(), w.re())
	if err != nil {
		return Unknown
	}
	return truth(same)
}

func appendRegex(b []byte, v Value) []byte { return append(b, "(a regular language)"...) }
