package search

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
	"github.com/smtlark/smtlark/engine/semantics/eval/strre"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// anything sends a random value to a random argument.
func (s inversion) anything(t smt.Term) step {
	i, ok := s.pick(t, nil)
	if !ok {
		return step{}
	}
	x := s.a.Arg(t, i)
	return step{t: x, v: s.Value(s.a.Sort(x))}
}

func (s inversion) downArray(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	x := a.Arg(t, 0)
	switch op {
	case smt.OpSelect:
		array, key := s.value(x), s.value(a.Arg(t, 1))
		if !s.movable[x] || array.Kind() != value.KindTable || !value.AllComparable([]value.Value{key}) {
			return s.anything(t)
		}
		return step{t: x, v: value.Store(array, key, v)}
	case smt.OpStore:
		key := s.value(a.Arg(t, 1))
		if v.Kind() != value.KindTable || !value.AllComparable([]value.Value{key}) {
			return s.anything(t)
		}
		at := v.AsTable().Get(key)
		if s.movable[a.Arg(t, 2)] && value.Equal(at, s.value(a.Arg(t, 2))) != value.True {
			return step{t: a.Arg(t, 2), v: at}
		}
		if s.movable[x] {
			return step{t: x, v: v}
		}
	case smt.OpConstArray:
		if v.Kind() == value.KindTable {
			return step{t: x, v: v.AsTable().Default()}
		}
	}
	return s.anything(t)
}

func (s inversion) downSet(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	if op == smt.OpSetMember && s.movable[a.Arg(t, 1)] {
		key, set := s.value(a.Arg(t, 0)), s.value(a.Arg(t, 1))
		if set.Kind() == value.KindTable && value.AllComparable([]value.Value{key}) {
			return step{t: a.Arg(t, 1), v: value.OfTable(set.Sort(), set.AsTable().Put(key, v))}
		}
	}
	return s.anything(t)
}

// downFloat inverts the exact operators and the sum and the product by rounding.
func (s inversion) downFloat(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	i, ok := s.pick(t, func(_ int, x smt.Term) bool { return a.Sort(x) != smt.SortRoundingMode })
	if !ok {
		return s.anything(t)
	}
	x := a.Arg(t, i)
	sort := a.Sort(x)
	f, err := value.FloatFormat(a, sort)
	if err != nil { // the argument is no floating-point number
		return s.intoFloat(t, op, v, x)
	}
	if a.Sort(t) == smt.SortBool {
		return s.downFloatPredicate(t, op, v.IsTrue(), i, x, f)
	}
	want, ok := v.FP(a)
	if !ok || want.Format() != f {
		return s.anything(t)
	}
	to := func(r softfp.Float) step { return step{t: x, v: value.Float(sort, r)} }
	switch op {
	case smt.OpFPNeg:
		return to(want.Neg())
	case smt.OpFPAbs:
		if s.r.Bool() {
			return to(want.Neg())
		}
		return to(want)
	case smt.OpFPRoundToIntegral, smt.OpToFP, smt.OpFPMin, smt.OpFPMax:
		return to(want)
	}
	if a.NumArgs(t) != 3 {
		return s.anything(t)
	}
	// Operations round, so they have no exact inverse: the value computed below only approximates one.
	y, ok := s.value(a.Arg(t, 3-i)).FP(a)
	if !ok {
		return s.anything(t)
	}
	switch {
	case op == smt.OpFPAdd && a.Arg(t, 3-i) == x:
		// x + x: the other summand moves along.
		return to(softfp.Div(softfp.RNE, want, f.FromInt64(softfp.RNE, 2)))
	case op == smt.OpFPAdd, op == smt.OpFPSub && i == 2:
		r := softfp.Sub(softfp.RNE, want, y)
		if op == smt.OpFPSub {
			r = r.Neg()
		}
		return to(r)
	case op == smt.OpFPSub:
		return to(softfp.Add(softfp.RNE, want, y))
	case op == smt.OpFPMul:
		return to(softfp.Div(softfp.RNE, want, y))
	case op == smt.OpFPDiv && i == 1:
		return to(softfp.Mul(softfp.RNE, want, y))
	case op == smt.OpFPDiv:
		return to(softfp.Div(softfp.RNE, y, want))
	}
	return s.anything(t)
}

// intoFloat sends bits or a Real to the argument of a conversion.
func (s inversion) intoFloat(t smt.Term, op smt.Op, v value.Value, x smt.Term) step {
	a := s.a
	want, ok := v.FP(a)
	sort := a.Sort(x)
	w := a.Width(sort)
	switch {
	case !ok:
	case a.NumArgs(t) == 1 && w == int(want.Format().Width()):
		return step{t: x, v: value.BitVecOf(sort, w, want.Bits())}
	case op == smt.OpFP:
		neg, exp, frac := want.Parts()
		switch x {
		case a.Arg(t, 0):
			return step{t: x, v: value.Word(sort, value.Bit(neg))}
		case a.Arg(t, 1):
			return step{t: x, v: value.BitVec64(a, w, exp)}
		}
		return step{t: x, v: value.BitVecOf(sort, w, frac)}
	case sort == smt.SortReal:
		if r, err := want.Rat(); err == nil {
			return step{t: x, v: value.Real(r)}
		}
	case w > 0:
		if n, err := want.Int(softfp.RNE); err == nil {
			return step{t: x, v: value.BitVecOf(sort, w, n)}
		}
	}
	return s.anything(t)
}

func (s inversion) downFloatPredicate(t smt.Term, op smt.Op, holds bool, i int, x smt.Term, f softfp.Format) step {
	a := s.a
	sort := a.Sort(x)
	to := func(r softfp.Float) step { return step{t: x, v: value.Float(sort, r)} }
	neg := s.r.Bool()
	if holds {
		switch op {
		case smt.OpFPIsNaN:
			return to(f.NaN())
		case smt.OpFPIsInfinite:
			return to(f.Inf(neg))
		case smt.OpFPIsZero:
			return to(f.Zero(neg))
		case smt.OpFPIsSubnormal:
			return to(f.MinSubnormal(neg))
		}
	}
	if op > smt.OpFPEq || a.NumArgs(t) != 2 {
		v := s.Value(sort)
		return step{t: x, v: v}
	}
	y := s.value(a.Arg(t, 1-i))
	if !y.IsValue() || !holds && s.r.Bool() || s.r.Intn(4) == 0 {
		return step{t: x, v: s.Value(sort)}
	}
	if s.r.Bool() {
		return step{t: x, v: y}
	}
	return step{t: x, v: s.near(y)}
}

func (s inversion) downSeq(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	x := a.Arg(t, 0)
	switch {
	case op == smt.OpSeqUnit && v.Kind() == value.KindSeq && len(v.Items()) == 1:
		return step{t: x, v: v.Items()[0]}
	case op == smt.OpSeqLen && v.Kind() == value.KindInt && v.Small() >= 0 && v.Small() < 1000 && s.value(x).Kind() == value.KindSeq:
		elems := slices.Clone(s.value(x).Items())
		for len(elems) < int(v.Small()) {
			y := s.Value(a.SortArgs(a.Sort(x))[0])
			if !y.IsValue() {
				return step{}
			}
			elems = append(elems, y)
		}
		return step{t: x, v: value.Seq(a.Sort(x), elems[:v.Small()])}
	case op == smt.OpSeqNth && s.value(x).Kind() == value.KindSeq:
		elems := slices.Clone(s.value(x).Items())
		if i, ok := value.SmallIndex(s.value(a.Arg(t, 1)), len(elems)); ok {
			elems[i] = v
			return step{t: x, v: value.Seq(a.Sort(x), elems)}
		}
	case op == smt.OpSeqConcat && v.Kind() == value.KindSeq:
		if i, ok := s.pick(t, nil); ok {
			n := make([]int, a.NumArgs(t))
			for j := range n {
				if y := s.value(a.Arg(t, j)); y.Kind() == value.KindSeq {
					n[j] = len(y.Items())
				}
			}
			from, to := cutOut(n, i, len(v.Items()))
			return step{t: a.Arg(t, i), v: value.Seq(v.Sort(), v.Items()[from:to])}
		}
	}
	return s.anything(t)
}

// cutOut returns which part of a list of length total falls to part i where the others keep their lengths as far as
// that goes.
func cutOut(n []int, i, total int) (from, to int) {
	for _, k := range n[:i] {
		from += k
	}
	to = total
	for _, k := range n[i+1:] {
		to -= k
	}
	from = min(from, total)
	return from, max(from, to)
}

// downString goes through the theory of strings.
func (s inversion) downString(t smt.Term, op smt.Op, v value.Value) step {
	a := s.a
	x := a.Arg(t, 0)
	text := s.value(x)
	switch op {
	case smt.OpStrConcat:
		i, ok := s.pick(t, nil)
		if !ok || v.Kind() != value.KindString {
			return step{}
		}
		// The other parts keep their lengths: steps for each of them then lead to one text, not to ever new cuts.
		n := make([]int, a.NumArgs(t))
		for j := range n {
			if y := s.value(a.Arg(t, j)); y.Kind() == value.KindString {
				n[j] = len(y.CodePoints())
			}
		}
		from, to := cutOut(n, i, len(v.CodePoints()))
		return step{t: a.Arg(t, i), v: value.String(v.CodePoints()[from:to])}
	case smt.OpStrInRe:
		return s.downMember(x, a.Arg(t, 1), v.IsTrue())
	case smt.OpStrFromInt:
		if n := strre.ToInt(v.CodePoints()); v.Kind() == value.KindString && n.Sign() >= 0 {
			return step{t: x, v: value.Int(n)}
		}
	case smt.OpStrToInt:
		if n, ok := v.Int(); ok && n.Sign() >= 0 {
			return step{t: x, v: value.String(strre.FromInt(n))}
		}
	case smt.OpStrToCode:
		if n, ok := v.Int(); ok && n.Sign() >= 0 && n.IsInt64() {
			return step{t: x, v: value.String(strre.FromCode(n.Int64()))}
		}
	case smt.OpStrFromCode:
		if v.Kind() == value.KindString && len(v.CodePoints()) == 1 {
			return step{t: x, v: value.Int64(int64(v.CodePoints()[0]))}
		}
	}
	if text.Kind() != value.KindString {
		return s.anything(t)
	}
	return s.downPart(t, op, v, slices.Clone(text.CodePoints()))
}

// downPart makes a string of the right length, or with the right part at the right place.
func (s inversion) downPart(t smt.Term, op smt.Op, v value.Value, text []rune) step {
	a := s.a
	x := a.Arg(t, 0)
	other := func(i int) []rune {
		if y := s.value(a.Arg(t, i)); y.Kind() == value.KindString {
			return y.CodePoints()
		}
		return nil
	}
	splice := func(into []rune, at int, part []rune) []rune {
		at = min(max(at, 0), len(into))
		return slices.Concat(into[:at], part, into[min(len(into), at+len(part)):])
	}
	switch op {
	case smt.OpStrLen:
		if n, ok := value.SmallIndex(v, 100_000); ok {
			for len(text) < n {
				text = append(text, s.Char())
			}
			return step{t: x, v: value.String(text[:n])}
		}
	case smt.OpStrPrefixOf, smt.OpStrSuffixOf, smt.OpStrContains:
		if !v.IsTrue() {
			return s.anything(t)
		}
		// str.contains has the whole first, the other two have it last.
		whole, partAt := a.Arg(t, 1), 0
		if op == smt.OpStrContains {
			whole, partAt = x, 1
		}
		if !s.movable[whole] || s.value(whole).Kind() != value.KindString {
			return s.partOf(t, op, whole, a.Arg(t, partAt))
		}
		have, part := s.value(whole).CodePoints(), other(partAt)
		switch op {
		case smt.OpStrPrefixOf:
			return step{t: whole, v: value.String(splice(have, 0, part))}
		case smt.OpStrSuffixOf:
			return step{t: whole, v: value.String(slices.Concat(have[:max(0, len(have)-len(part))], part))}
		}
		return step{t: whole, v: value.String(splice(have, s.r.Intn(len(have)+1), part))}
	case smt.OpStrAt, smt.OpStrSubstr:
		if i, ok := value.SmallIndex(s.value(a.Arg(t, 1)), 100_000); ok && v.Kind() == value.KindString && s.movable[x] {
			for len(text) < i {
				text = append(text, s.Char())
			}
			return step{t: x, v: value.String(splice(text, i, v.CodePoints()))}
		}
	case smt.OpStrIndexOf:
		if i, ok := value.SmallIndex(v, 100_000); ok && s.movable[x] {
			for len(text) < i {
				text = append(text, s.Char())
			}
			return step{t: x, v: value.String(splice(text, i, other(1)))}
		}
	case smt.OpStrReplace, smt.OpStrReplaceAll, smt.OpStrRev:
		if v.Kind() == value.KindString && s.movable[x] {
			if op == smt.OpStrRev {
				return step{t: x, v: value.String(strre.Rev(v.CodePoints()))}
			}
			return step{t: x, v: v}
		}
	}
	return s.anything(t)
}

// partOf makes the part fit a whole that cannot be changed.
func (s inversion) partOf(t smt.Term, op smt.Op, whole, part smt.Term) step {
	v := s.value(whole)
	if v.Kind() != value.KindString || !s.movable[part] {
		return s.anything(t)
	}
	text := v.CodePoints()
	from := s.r.Intn(len(text) + 1)
	to := from + s.r.Intn(len(text)-from+1)
	switch op {
	case smt.OpStrPrefixOf:
		from = 0
	case smt.OpStrSuffixOf:
		to = len(text)
	}
	return step{t: part, v: value.String(text[from:to])}
}

// downMember makes a string a member of a language, or no member.
func (s inversion) downMember(x, re smt.Term, in bool) step {
	l := s.value(re)
	if l.Kind() != value.KindRegex {
		return step{}
	}
	b := s.ev.Languages()
	r := l.Regex()
	if !in {
		r = b.Complement(r)
	}
	text, ok, err := b.Sample(r, s.r.Intn(10), s.r.Intn)
	if err != nil || !ok {
		return step{}
	}
	return step{t: x, v: value.String(text)}
}
