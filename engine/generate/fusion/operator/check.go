package operator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// Obligation is a formula that must hold for one inverse of a rule: where z is the operator's result, the inverse is
// the argument. Its script asserts z = f and that the inverse differs from the argument; its formula says the same with
// f put in place of z.
type Obligation struct {
	proof.Claim
	Rule  *Rule
	Arg   int    // number of the argument, from 0
	Sorts string // the sorts of the arguments, for messages
}

// letterSorts are the sorts that capital letters stand for in obligations.
var letterSorts = []func(a *smt.Arena) smt.Sort{
	func(a *smt.Arena) smt.Sort { return smt.SortInt },
	func(a *smt.Arena) smt.Sort { return a.BitVec(2) },
	func(a *smt.Arena) smt.Sort { return smt.SortBool },
}

// Obligations returns the claims that must be proven for a rule. Capital letters stand for uninterpreted sorts in the
// script, which makes the proof one for all sorts, and for small sorts in the claim.
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
	m     template.Builder
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
		if err := template.DeclareData(a, r.Op.data, &x.b); err != nil {
			return nil, err
		}
	}
	for i := range r.Op.Args {
		s := r.Op.Args[i].Build(x.a, &x.b)
		if s == 0 {
			return nil, template.ErrNone
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
	return o.setClaim(small)
}

// small is the rule over small sorts.
func (r *Rule) small(a *smt.Arena, b *smt.Bindings) (*instance, error) {
	n := 0
	return r.instance(a, b, func(a *smt.Arena, v byte) smt.Sort {
		n++
		return letterSorts[(n-1)%len(letterSorts)](a)
	})
}

// setClaim sets the formula to evaluate.
func (o *Obligation) setClaim(x *instance) error {
	inv, err := x.m.Build(o.Rule.Inverse[o.Arg], x.args, x.f, x.fresh, &x.b)
	if err == nil {
		o.Claim.Arena, o.Args, o.Formula = x.a, x.args, x.a.Eq(inv, x.args[o.Arg])
		o.Names, o.Sampled, o.Wrong = o.Rule.Op.names, o.Rule.Op.Assumed, "it does not give the argument back"
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
	terms := []smt.Term{a.Eq(a.Const(z), x.f), a.MustApp(smt.OpDistinct, inv, x.args[o.Arg])}
	if o.Rule.Op.Assumed {
		back, err := x.m.Build(o.Rule.Inverse[o.Arg], x.args, x.f, x.fresh, &x.b)
		if err != nil {
			return err
		}
		terms = append([]smt.Term{a.Eq(back, x.args[o.Arg])}, terms...)
	}
	o.Script = proof.Query(a, o.Rule.Op.Name, terms...)
	return nil
}

// Each new rule is evaluated before its first use: for sanityValues tuples. If its numbers are not among those at which
// mistakes show first, it is evaluated for only fewValues tuples, most of them at bounds. Generated functions have
// hundreds of such widths.
const (
	sanityValues = 48
	fewValues    = 8
)

// tuples returns the number of tuples for which a rule is evaluated. It depends on the rule's numbers alone, so that
// rejecting a rule does not depend on earlier rules.
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
		if err := x.setClaim(small); err != nil {
			return err
		}
		if t := x.Test(r.tuples(o), 1); t.Refuted != "" {
			return &RefutedError{Operator: o.Name, Numbers: r.Numbers, Arg: x.Arg, Counterexample: t.Refuted}
		}
	}
	return nil
}

// RefutedError says that an inverse is wrong: of an operator, for numbers of its sorts, by a counterexample of our own
// evaluation.
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
// those that occur in practice; with each of some variants of its indices. at has the binding of the numbers of each
// rule.
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
			if err == template.ErrNone {
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
	floats := slices.ContainsFunc(append(o.Args[:len(o.Args):len(o.Args)], o.Result), func(p smt.Pattern) bool { return p.Kind() == smt.KindFloat })
	return proof.Choices(len(o.nums), floats)
}
