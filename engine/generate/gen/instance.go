package gen

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Alternative is one signature of an operator, of those that the targets take.
type Alternative struct {
	Op     smt.Op
	choice choice
}

// Kinds returns the kinds of sorts of the arguments; smt.KindInvalid stands for a sort variable.
func (x *Alternative) Kinds() []smt.SortKind {
	out := make([]smt.SortKind, len(x.choice.sig.Args))
	for i := range out {
		out[i] = x.choice.sig.Args[i].Kind()
	}
	return out
}

// Indices returns how many indices have to be chosen: those that the sorts of the arguments and of the result leave
// open.
func (x *Alternative) Indices() int { return len(x.openIndices()) }

func (x *Alternative) openIndices() (open []byte) {
	result := &x.choice.sig.Result
	for _, v := range x.choice.sig.Indices {
		if result.Kind() == smt.KindFloat && (v == 'e' || v == 's') || isWidth(result, 'm') && v == 'm' && !x.widthOfArgument('m') {
			continue // the format or the width of the result
		}
		open = append(open, v)
	}
	return open
}

// widthOfArgument reports whether an argument is a bit vector of width v.
func (x *Alternative) widthOfArgument(v byte) bool {
	return slices.ContainsFunc(x.choice.sig.Args, func(p smt.Pattern) bool { return isWidth(&p, v) })
}

// isWidth reports whether a pattern is a bit vector whose width is a letter.
func isWidth(p *smt.Pattern, letter byte) bool {
	return p.Kind() == smt.KindBitVec && p.Numeral(0).String() == string(letter)
}

// Repeats reports whether the operator takes more arguments of the last sort.
func (x *Alternative) Repeats() bool {
	info := x.Op.Info()
	return len(x.choice.sig.Args) == 2 && info.Assoc != smt.AssocNone
}

// Lack returns the rule for targets that lack this signature of the operator.
func (x *Alternative) Lack() rule.Lack { return LackOfSignature(x.Op, x.choice.sig.Text) }

// LackOfSignature returns the rule for targets that lack a signature of an operator, written as in the operator table.
func LackOfSignature(op smt.Op, text string) rule.Lack {
	return rule.Signature.With(op.Info().Name, text)
}

// LackOfOperator returns the rule for targets that lack an operator in all its signatures.
func LackOfOperator(op smt.Op) rule.Lack { return rule.Operator.Of(op.Info().Name) }

// LackOfIndex returns the rule that excludes the index of a term, if the index is 0 or beyond the width of the bit
// vector that it is about. The strings of re.range are like indices: a string that is not one character of Latin-1, or
// one above the other. For other terms the result is empty.
func LackOfIndex(a *smt.Arena, t smt.Term) rule.Lack {
	if t == 0 || a.Op(t).Structural() {
		return rule.Lack{}
	}
	name := a.Op(t).Info().Name
	if a.Op(t) == smt.OpReRange {
		low, ok1 := a.StrOf(a.Arg(t, 0))
		high, ok2 := a.StrOf(a.Arg(t, 1))
		if ok1 && len(low) != 1 || ok2 && len(high) != 1 || ok1 && low[0] > 255 || ok2 && high[0] > 255 || ok1 && ok2 && low[0] > high[0] {
			return rule.Index.With(name, "beyond")
		}
	}
	for _, x := range a.Indices(t) {
		n, ok := a.IndexUint(x)
		switch {
		case ok && n == 0:
			return rule.Index.With(name, "zero")
		case a.NumArgs(t) == 1 && a.SortKind(a.Sort(a.Arg(t, 0))) == smt.KindBitVec && a.Sort(t) == a.Sort(a.Arg(t, 0)) && (!ok || n > uint64(a.Width(a.Sort(t)))):
			return rule.Index.With(name, "beyond")
		}
	}
	return rule.Lack{}
}

// Chooser makes the choices that the signature of an operator leaves open.
type Chooser interface {
	Width() int                      // of a bit vector
	Format() (exponent, bits int)    // of a floating-point number, the hidden bit included
	Sort(kind smt.SortKind) smt.Sort // any of a kind; of smt.KindInvalid: any. 0: there is none
	// Index returns index number n of the open ones. limit is the greatest number that the sorts allow, or -1; width is
	// that of the bit vector that the index is about, or 0.
	Index(n, limit, width int) int
}

// Instance is a signature with all its variables bound.
type Instance struct {
	Args    []smt.Sort
	Indices []smt.Index
	Result  smt.Sort // 0 where the operator tells it of its arguments
}

// IndexClasses is the number of classes of indices: 0, 1, half of the boundary, one below it, the boundary, and an
// index beyond it or any index below a limit.
const IndexClasses = 6

// IndexZero and IndexBeyond are the first and the last of them.
const (
	IndexZero   = 0
	IndexBeyond = IndexClasses - 1
)

// maxRepeats bounds the powers and loops that no sort bounds.
const maxRepeats = 17

// BoundaryIndex returns an index of a class. limit is the greatest number that the sorts allow, or -1: then the
// boundary is the width, since solvers take rotations and the like modulo the width, or a few repetitions where there
// is no width (0).
func BoundaryIndex(r *rng.Source, class, limit, width int) int {
	boundary := maxRepeats - 1
	switch {
	case limit >= 0:
		boundary = limit
	case width > 0:
		boundary = width
	}
	switch class {
	case 0:
		return 0
	case 1:
		return min(1, boundary)
	case 2:
		return boundary / 2
	case 3:
		return max(0, boundary-1)
	case 4:
		return boundary
	}
	if limit >= 0 {
		return r.Intn(limit + 1)
	}
	return boundary + 1
}

// LogicName returns the name of the logic of some theories that the targets know: ALL where they know no other.
func (r *Exclusions) LogicName(on map[string]bool, linear bool) string {
	for _, l := range r.Exclude {
		if l.Kind == rule.LogicAll && AllOn(on, l.Of) {
			return "ALL"
		}
	}
	return r.KnownLogic(on, linear)
}

// AllOn reports whether the theories that a rule names are on: one theory, or several joined by +.
func AllOn(on map[string]bool, theories string) bool {
	for t := range strings.SplitSeq(theories, "+") {
		if !on[t] {
			return false
		}
	}
	return true
}

// addedTheories are those that a logic may have beyond those that a case needs, the cheapest first.
var addedTheories = []string{"UF", "ArraysEx", "FixedSizeBitVectors", "Ints", "Reals", "Datatypes", "FloatingPoint", "Quantifiers"}

// KnownLogic returns the name of the logic of some theories or, where a rule says that the targets do not know it, of
// one with as few more theories as possible that they know: ALL where there is none.
func (r *Exclusions) KnownLogic(on map[string]bool, linear bool) string {
	known := func(name string) bool { return !r.Lacks(rule.Logic.Of(name)) }
	name := Logic(on, linear)
	if known(name) {
		return name
	}
	var more []string
	for _, t := range addedTheories {
		lacks := r.Lacks(rule.Theory.Of(t)) || r.Lacks(rule.LogicAll.Of(t))
		if !on[t] && slices.Contains(r.Theories, t) && !lacks {
			more = append(more, t)
		}
	}
	sets := make([]int, 1<<len(more))
	for i := range sets {
		sets[i] = i
	}
	slices.SortStableFunc(sets, func(a, b int) int { return bits.OnesCount(uint(a)) - bits.OnesCount(uint(b)) })
	for _, set := range sets[1:] {
		larger := maps.Clone(on)
		for i, t := range more {
			larger[t] = larger[t] || set&(1<<i) != 0
		}
		if name := Logic(larger, linear); name == "ALL" || known(name) {
			return name
		}
	}
	return "ALL"
}

// Bind binds the variables of a signature, so that the result is of a sort; 0 means any. ok is false where that
// cannot be.
func (g *Gen) Bind(x *Alternative, result smt.Sort, choose Chooser) (out Instance, ok bool) {
	s, b := x.choice.sig, &smt.Bindings{}
	open := &signatureBinder{support: &g.support, alternative: x, bindings: b, choose: choose}
	if result != 0 && !s.Result.Match(g.A, result, b) {
		return out, false
	}
	if s.Result.Kind() == smt.KindFloat { // its format says how wide an argument BV(e+s) is
		open.bindOpen(&s.Result)
	}
	for i := range s.Args {
		if !open.bindOpen(&s.Args[i]) {
			return out, false
		}
	}
	if len(s.Indices) > 0 || x.Op.Info().Qualified { // what the result alone has: its format, its width, its elements
		open.bindResult()
	}
	open.bindIndices()
	for i := range s.Args {
		sort := s.Args[i].Build(g.A, b)
		if sort == 0 || !g.sortOn(sort) || g.tooWide(sort) {
			return out, false
		}
		out.Args = append(out.Args, sort)
	}
	for _, v := range s.Indices {
		n, _ := b.Number(v)
		if n < 0 {
			return out, false
		}
		out.Indices = append(out.Indices, g.A.NumIndex(uint64(n)))
	}
	out.Result = s.Result.Build(g.A, b)
	if out.Result != 0 && g.tooWide(out.Result) {
		return out, false
	}
	return out, true
}

// Make applies an operator to arguments of the sorts of an instance.
func (g *Gen) Make(x *Alternative, in *Instance, args []smt.Term) (smt.Term, bool) {
	if !g.isAllowed(x.Op, args) {
		return 0, false
	}
	var t smt.Term
	var err error
	if x.Op.Info().Qualified {
		t, err = g.A.AppAs(x.Op, in.Result, in.Indices, args...)
	} else {
		t, err = g.A.App(x.Op, in.Indices, args...)
	}
	return t, err == nil && !g.tooWide(g.A.Sort(t)) && !g.badIndex(t)
}

// signatureBinder binds the variables of a signature.
type signatureBinder struct {
	support     *support
	alternative *Alternative
	bindings    *smt.Bindings
	choose      Chooser
}

// bindOpen binds the variables of a pattern that are open.
func (o *signatureBinder) bindOpen(p *smt.Pattern) bool {
	b, choose := o.bindings, o.choose
	switch {
	case p.Fixed() != 0:
		return true
	case p.IsVariable():
		if b.SortOf(p.Variable()) == 0 {
			sort := choose.Sort(p.Kind())
			if sort == 0 {
				return false
			}
			b.BindSort(p.Variable(), sort)
		}
		return true
	case p.Kind() == smt.KindBitVec: // sums of letters, as the two sides of concat have, get a width each
		p.Variables(func(letter byte) {
			if _, bound := b.Number(letter); !bound {
				b.BindNumber(letter, int64(choose.Width()))
			}
		}, nil)
		return true
	case p.Kind() == smt.KindFloat:
		_, knownExponent := p.Numeral(0).Value(b)
		_, knownBits := p.Numeral(1).Value(b)
		if !knownExponent || !knownBits {
			e, m := choose.Format()
			return p.Match(o.support.A, o.support.A.Float(e, m), b)
		}
		return true
	}
	parts := p.Parts()
	for i := range parts {
		if !o.bindOpen(&parts[i]) {
			return false
		}
	}
	return true
}

// bindResult binds the open variables of the result that no index is asked for.
func (o *signatureBinder) bindResult() {
	s := o.alternative.choice.sig
	if s.Result.Kind() == smt.KindBitVec && !isWidth(&s.Result, 'm') {
		return // its width follows from indices
	}
	o.bindOpen(&s.Result)
}

// bindIndices binds the indices that are open.
func (o *signatureBinder) bindIndices() {
	x, b := o.alternative, o.bindings
	s := x.choice.sig
	width, hasWidth := numberOf(b, 'm')
	for n, v := range x.openIndices() {
		if _, bound := b.Number(v); bound {
			continue
		}
		limit := -1
		switch {
		case (v == 'i' || v == 'j') && len(s.Indices) == 2 && s.Result.Kind() == smt.KindBitVec && hasWidth:
			if limit = width - 1; v == 'j' {
				limit, _ = numberOf(b, 'i')
			}
		case v == 'i' && hasWidth:
			limit = width - 1
		case v == 'k' && s.Result.Numeral(0).String() == "k*m":
			limit = o.support.Cfg.MaxWidth / width
		case v == 'k' && s.Result.Numeral(0).String() == "m+k":
			limit = o.support.Cfg.MaxWidth - width
		}
		k := o.choose.Index(n, limit, width)
		if s.Result.Numeral(0).String() == "k*m" || x.Op == smt.OpDivisible {
			k = max(k, 1) // repeat and divisible have no 0
		}
		if limit >= 0 {
			k = min(k, limit)
		}
		b.BindNumber(v, int64(k))
	}
}
