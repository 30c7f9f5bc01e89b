package operator

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/search"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Obligation is what must hold for one inverse of a rule: where z is the operator's result, the inverse is the argument.
type Obligation struct {
	Rule *Rule
	Arg  int // number of the argument, from 0
	// Script asserts z = f and that the inverse differs from the argument: it must be unsatisfiable.
	Script *smtlib.Script
	// Claim says the same with f put in place of z: it must hold for all values of Args.
	Claim smt.Term
	Args  []smt.Term
	Sorts string // the sorts of the arguments, for messages

	arena *smt.Arena // of Claim and Args
}

// Tested says what evaluation found about an obligation.
type Tested struct {
	Values     int    // tuples for which the claim was evaluated
	Unknown    int    // tuples for which it has no value, as where a division by zero decides
	Exhaustive bool   // all tuples there are, and none unknown
	Refuted    string // a tuple that makes the claim false, as text
}

// letterSorts are the sorts that capital letters stand for in obligations.
var letterSorts = []func(a *smt.Arena) smt.Sort{
	func(a *smt.Arena) smt.Sort { return smt.SortInt },
	func(a *smt.Arena) smt.Sort { return a.BitVec(2) },
	func(a *smt.Arena) smt.Sort { return smt.SortBool },
}

// Obligations returns what must hold of a rule. Capital letters stand for uninterpreted sorts in the script, which makes
// the proof one for all sorts, and for small sorts in the claim.
func (r *Rule) Obligations(b *smt.Bindings) ([]*Obligation, error) {
	var out []*Obligation
	for i := range r.Inverse {
		if r.Inverse[i] == nil {
			continue
		}
		o := &Obligation{Rule: r, Arg: i}
		if err := o.fill(b); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// instance is a rule over constants.
type instance struct {
	a     *smt.Arena
	b     smt.Bindings
	args  []smt.Term
	f     smt.Term
	fresh []smt.Symbol
	m     Builder
}

func (r *Rule) instance(a *smt.Arena, b *smt.Bindings, letter func(a *smt.Arena, v byte) smt.Sort) (*instance, error) {
	x := &instance{a: a, b: b.Numbers()}
	x.m.Arena = x.a
	bindAll := func(v byte) {
		if x.b.SortOf(v) == 0 {
			x.b.BindSort(v, letter(x.a, v))
		}
	}
	for i := range r.Op.Args {
		r.Op.Args[i].Variables(func(byte) {}, bindAll)
	}
	r.Op.Result.Variables(func(byte) {}, bindAll)
	if r.Op.data != nil {
		if err := declareData(a, r.Op.data, &x.b); err != nil {
			return nil, err
		}
	}
	for i := range r.Op.Args {
		s := r.Op.Args[i].Build(x.a, &x.b)
		if s == 0 {
			return nil, ErrNoRule
		}
		x.args = append(x.args, x.a.Const(x.a.Declare(fmt.Sprintf("x%d", i+1), nil, s)))
	}
	for i := range r.Fresh {
		f := &r.Fresh[i]
		params := make([]smt.Sort, len(f.Params))
		for j := range params {
			params[j] = f.Params[j].Build(x.a, &x.b)
		}
		x.fresh = append(x.fresh, x.a.Declare(f.Name, params, f.Result.Build(x.a, &x.b)))
	}
	var err error
	x.f, err = x.m.Build(r.Apply, x.args, 0, x.fresh, &x.b)
	return x, err
}

func (o *Obligation) fill(b *smt.Bindings) error {
	open, err := o.Rule.instance(smt.NewArena(), b, func(a *smt.Arena, v byte) smt.Sort {
		s, _ := a.SortApp(a.DeclareSort(string(rune(v)), 0))
		return s
	})
	if err != nil {
		return err
	}
	if err := o.query(open); err != nil {
		return err
	}
	small, err := o.Rule.small(smt.NewArena(), b)
	if err != nil {
		return err
	}
	var sorts []string
	for _, x := range open.args {
		sorts = append(sorts, open.a.SortString(open.a.Sort(x)))
	}
	o.Sorts = strings.Join(sorts, " ")
	return o.claim(small)
}

// small is the rule over small sorts.
func (r *Rule) small(a *smt.Arena, b *smt.Bindings) (*instance, error) {
	n := 0
	return r.instance(a, b, func(a *smt.Arena, v byte) smt.Sort {
		n++
		return letterSorts[(n-1)%len(letterSorts)](a)
	})
}

// claim sets what is evaluated.
func (o *Obligation) claim(x *instance) error {
	inv, err := x.m.Build(o.Rule.Inverse[o.Arg], x.args, x.f, x.fresh, &x.b)
	if err == nil {
		o.arena, o.Args, o.Claim = x.a, x.args, x.a.Eq(inv, x.args[o.Arg])
	}
	return err
}

// query makes the script of the obligation.
func (o *Obligation) query(x *instance) error {
	a := x.a
	z := a.Declare("z", nil, a.Sort(x.f))
	inv, err := x.m.Build(o.Rule.Inverse[o.Arg], x.args, a.Const(z), x.fresh, &x.b)
	if err != nil {
		return err
	}
	s := &smtlib.Script{Arena: a, Name: o.Rule.Op.Name, Commands: []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: "ALL"}}}
	seen := map[smt.SortSymbol]bool{}
	terms := []smt.Term{a.Eq(a.Const(z), x.f), a.MustApp(smt.OpDistinct, inv, x.args[o.Arg])}
	a.PostOrder(terms, func(t smt.Term) {
		declareSorts(a, a.Sort(t), seen, &s.Commands)
	})
	for _, f := range a.Symbols(terms...) {
		if a.SymbolInfo(f).Datatype != 0 {
			continue // declared with its datatype
		}
		s.Commands = append(s.Commands, smtlib.DeclareCommand(a, f))
	}
	if o.Rule.Op.Assumed {
		back, err := x.m.Build(o.Rule.Inverse[o.Arg], x.args, x.f, x.fresh, &x.b)
		if err != nil {
			return err
		}
		s.Commands = append(s.Commands, smtlib.AssertCommand(a.Eq(back, x.args[o.Arg])))
	}
	for _, t := range terms {
		s.Commands = append(s.Commands, smtlib.AssertCommand(t))
	}
	s.Commands = append(s.Commands, smtlib.Command{Kind: smtlib.CmdCheckSat})
	o.Script = s
	return nil
}

// declareSorts adds declarations of the uninterpreted sorts and of the datatype inside s.
func declareSorts(a *smt.Arena, s smt.Sort, seen map[smt.SortSymbol]bool, out *[]smtlib.Command) {
	for _, x := range a.SortArgs(s) {
		declareSorts(a, x, seen, out)
	}
	sym := a.SortSymbolOf(s)
	if sym == 0 || seen[sym] {
		return
	}
	seen[sym] = true
	if dt := a.Datatype(sym); dt != nil {
		for _, k := range dt.Constructors {
			for _, sel := range k.Selectors {
				declareSorts(a, a.SymbolInfo(sel).Result, seen, out)
			}
		}
		*out = append(*out, smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: []smt.SortSymbol{sym}})
	} else {
		*out = append(*out, smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{sym}})
	}
}

// Test evaluates the claim: for all tuples of values if there are at most max of them, else for max tuples of boundary
// and random values. It stops at the first tuple that refutes the claim.
func (o *Obligation) Test(max int, seed uint64) Tested {
	a := o.arena
	var out Tested
	m := model.New(a)
	ev := eval.New(a, m)
	total := uint64(1)
	var doms []*value.Domain
	for _, x := range o.Args {
		d := ev.Domains().Of(a.Sort(x))
		n, ok := d.Size()
		if !ok || n > uint64(max) {
			total = 0
		}
		total *= n
		if total > uint64(max) {
			total = 0
		}
		doms = append(doms, d)
	}
	one := func(vals []value.Value) bool {
		for i, x := range o.Args {
			m.Set(a.SymbolOf(x), vals[i])
		}
		ev.Reset(m)
		out.Values++
		switch ev.Truth(o.Claim) {
		case value.Unknown:
			out.Unknown++
		case value.False:
			out.Refuted = o.tuple(vals)
			return false
		}
		return true
	}
	vals := make([]value.Value, len(o.Args))
	if total > 0 && !o.Rule.Op.Assumed {
		for n := range total {
			for i, d := range doms {
				size, _ := d.Size()
				vals[i] = d.At(n % size)
				n /= size
			}
			if !one(vals) {
				return out
			}
		}
		out.Exhaustive = out.Unknown == 0
		return out
	}
	edges := make([][]value.Value, len(o.Args))
	combos := 1
	for i, x := range o.Args {
		edges[i] = boundary(ev, a.Sort(x))
		combos *= len(edges[i])
	}
	for n := range min(combos, max/2) {
		n = n * 7919 % combos // all of them, or some from everywhere: 7919 is prime, and no list is that long
		for i := range vals {
			vals[i] = edges[i][n%len(edges[i])]
			n /= len(edges[i])
		}
		if !one(vals) {
			return out
		}
	}
	g := search.NewGenerator(a, nil, rng.New(seed))
	for out.Values < max {
		for i, x := range o.Args {
			if vals[i] = g.Value(a.Sort(x)); !vals[i].IsValue() {
				return out
			}
		}
		if !one(vals) {
			return out
		}
	}
	return out
}

// boundaryTerms are values at which inverses break, if they do.
var boundaryTerms = map[smt.SortKind][]string{
	smt.KindInt:    {"0", "1", "(- 1)", "2", "(- 2)", "7", "(- 1000)", "4294967296"},
	smt.KindReal:   {"0.0", "1.0", "(- 1.0)", "0.5", "(- 2.0)", "(/ 1.0 3.0)", "1000000.0"},
	smt.KindString: {`""`, `"0"`, `"-"`, `"a"`, `"-1"`, `"00"`, `"ab"`, `"\u{2ffff}"`},
}

// boundary returns values of a sort at which inverses break, if they do; at least one.
func boundary(ev *eval.Evaluator, s smt.Sort) []value.Value {
	a := ev.Arena()
	texts := boundaryTerms[a.SortKind(s)]
	if w := a.Width(s); w > 0 {
		return boundaryBits(ev, w)
	}
	if eb, sb := a.FloatFormat(s); eb > 0 {
		for _, name := range []string{"+zero", "-zero", "+oo", "-oo", "NaN"} {
			texts = append(texts, fmt.Sprintf("(_ %s %d %d)", name, eb, sb))
		}
		for _, exp := range []string{strings.Repeat("0", eb), "0" + strings.Repeat("1", eb-1), strings.Repeat("1", eb-1) + "0"} {
			texts = append(texts, fmt.Sprintf("(fp #b0 #b%s #b%s1)", exp, strings.Repeat("0", sb-2)), fmt.Sprintf("(fp #b1 #b%s #b%s)", exp, strings.Repeat("1", sb-1)))
		}
	}
	var out []value.Value
	for _, text := range texts {
		if t, err := smtlib.ParseTerm(a, nil, text); err == nil {
			if v, err := ev.Eval(t); err == nil {
				out = append(out, v)
			}
		}
	}
	if len(out) == 0 {
		d := ev.Domains().Of(s)
		for i := range uint64(6) {
			if v, ok := d.Some(i); ok {
				out = append(out, v)
			}
		}
	}
	if len(out) == 0 {
		out = append(out, ev.Domains().Default(s))
	}
	return out
}

// boundaryBits is boundary for bit vectors: 0, 1, the greatest, and signed the least and the greatest.
func boundaryBits(ev *eval.Evaluator, w int) []value.Value {
	a := ev.Arena()
	one := big.NewInt(1)
	top := new(big.Int).Lsh(one, uint(w-1))
	less := new(big.Int).Sub(top, one)
	out := make([]value.Value, 0, 5)
	for _, n := range [...]*big.Int{new(big.Int), one, new(big.Int).Add(top, less), top, less} {
		if v, err := ev.Eval(a.BV(w, n)); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// tuple writes values as text.
func (o *Obligation) tuple(vals []value.Value) string {
	var parts []string
	for i, v := range vals {
		name := fmt.Sprintf("x%d", i+1)
		if names := o.Rule.Op.names; names != nil {
			name = names[i]
		}
		parts = append(parts, fmt.Sprintf("%s = %s", name, v.Text(o.arena)))
	}
	return strings.Join(parts, ", ")
}

// Each new rule is evaluated before its first use: for sanityValues tuples, or for fewValues of them, at bounds most of them,
// where its numbers are not among those at which mistakes show first. Generated functions have hundreds of such widths.
const (
	sanityValues = 48
	fewValues    = 8
)

// tuples returns for how many tuples a rule is evaluated. It depends on the rule's numbers alone, so that what is refused does
// not depend on what was made before.
func (r *Rule) tuples(o *Operator) int {
	for _, v := range o.nums {
		if n, _ := r.bindings.Number(v); n > 5 && n&(n-1) != 0 || n > 64 {
			return fewValues
		}
	}
	return sanityValues
}

// sanity refuses a rule that evaluation refutes: the proofs are for some numbers, and the rule may be for others.
func (r *Rule) sanity(o *Operator) error {
	a := scratchArenas.Get().(*scratchArena)
	defer a.free()
	b := r.bindings
	small, err := r.small(a.Arena, &b)
	if err != nil {
		return err
	}
	for i, inv := range r.Inverse {
		if inv == nil {
			continue
		}
		x := &Obligation{Rule: r, Arg: i}
		if err := x.claim(small); err != nil {
			return err
		}
		if t := x.Test(r.tuples(o), 1); t.Refuted != "" {
			return &RefutedError{Operator: o.Name, Numbers: r.Numbers, Arg: x.Arg, Counterexample: t.Refuted}
		}
	}
	return nil
}

// RefutedError says that an inverse is wrong: of an operator, for numbers of its sorts, by a counterexample of our own evaluation.
type RefutedError struct {
	Operator, Numbers string
	Arg               int
	Counterexample    string
}

func (e *RefutedError) Error() string {
	at := ""
	if e.Numbers != "" {
		at = " for " + e.Numbers
	}
	return fmt.Sprintf("inverse %d is wrong%s: it does not give the argument back where %s", e.Arg+1, at, e.Counterexample)
}

// Rules has the rules made for which an operator is checked: small numbers, on which evaluation can be exhaustive, and
// those that occur in practice; with each of some variants of its indices. Of each comes the binding of its numbers.
func (o *Operator) Rules(env any) (rules []*Rule, at []*smt.Bindings, err error) {
	variants := 1
	if len(o.Index) > 0 {
		variants = 6
	}
	seen := map[string]bool{}
	for _, nums := range o.choices() {
		for v := range variants {
			b := &smt.Bindings{}
			for i, x := range o.nums {
				b.BindNumber(x, nums[i])
			}
			r, err := o.Rule(env, b, v)
			if err == ErrNoRule {
				continue
			}
			if err != nil {
				return rules, at, err
			}
			if !seen[r.Numbers] {
				seen[r.Numbers] = true
				rules, at = append(rules, r), append(at, b)
			}
		}
	}
	if len(rules) == 0 {
		return nil, nil, fmt.Errorf("operator %s: no choice of its numbers gives sorts", o.Name)
	}
	return rules, at, nil
}

// choices lists the numbers for which an operator is checked.
func (o *Operator) choices() [][]int64 {
	fp := slices.ContainsFunc(append(o.Args[:len(o.Args):len(o.Args)], o.Result), func(p smt.Pattern) bool { return p.Kind() == smt.KindFloat })
	switch n := len(o.nums); {
	case n == 0:
		return [][]int64{nil}
	case fp && n == 2:
		return [][]int64{{2, 2}, {2, 3}, {3, 3}, {3, 5}, {5, 11}, {8, 24}}
	case fp:
		out := [][]int64{}
		for _, w := range [][]int64{{2, 2, 3, 3, 2, 2}, {3, 3, 4, 5, 2, 2}, {5, 11, 8, 24, 2, 2}} {
			out = append(out, w[:n])
		}
		return out
	case n == 1:
		return [][]int64{{1}, {2}, {3}, {4}, {5}, {7}, {8}, {16}, {32}, {64}}
	}
	var out [][]int64
	for _, w := range []int64{1, 2, 3, 4, 8, 16} {
		for _, u := range []int64{1, 2, 3, 8} {
			x := make([]int64, len(o.nums))
			for i := range x {
				x[i] = w
				if i > 0 {
					x[i] = u + int64(i-1)
				}
			}
			out = append(out, x)
		}
	}
	return out
}
