package proof

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Claim is a formula that must hold for all values of some constants.
type Claim struct {
	Arena   *smt.Arena
	Args    []smt.Term // the constants
	Names   []string   // of the constants in messages; nil: x1, x2, ...
	Formula smt.Term
	Wrong   string     // the mistake if the formula is false, for messages
	When    smt.Term   // a part of the formula without which it says nothing, or 0: how often it is true is counted
	Sides   []smt.Term // terms whose values are told where the formula is false
	Sampled bool       // values are drawn, and not enumerated where there are few
	// Script must be unsatisfiable for the claim to hold. It may be about more sorts than the formula.
	Script *smtlib.Script
}

// Tested is the result of testing a claim by evaluation.
type Tested struct {
	Values     int    // tuples for which the claim was evaluated
	Held       int    // tuples for which When is true; all of them where there is none
	Unknown    int    // tuples for which it has no value, as where a division by zero decides
	Exhaustive bool   // all tuples there are, and none unknown
	Refuted    string // a tuple that makes the claim false, as text
}

// Test evaluates the formula: for all tuples of values if there are at most max of them, else for max tuples of
// boundary and random values. It stops at the first tuple that refutes it.
func (c *Claim) Test(max int, seed uint64) Tested {
	a := c.Arena
	var out Tested
	m := model.New(a)
	ev := eval.New(a, m)
	total := uint64(1)
	var doms []*value.Domain
	for _, x := range c.Args {
		d := ev.Domains().Of(a.Sort(x))
		n, ok := d.Size()
		if !ok || n > uint64(max) {
			// Too many values to try them all, or infinitely many.
			total = 0
		}
		total *= n
		if total > uint64(max) {
			total = 0
		}
		doms = append(doms, d)
	}
	one := func(vals []value.Value) bool {
		for i, x := range c.Args {
			m.Set(a.SymbolOf(x), vals[i])
		}
		ev.Reset(m)
		out.Values++
		if c.When == 0 || ev.Truth(c.When) == value.True {
			out.Held++
		}
		switch ev.Truth(c.Formula) {
		case value.Unknown:
			out.Unknown++
		case value.False:
			out.Refuted = c.tuple(vals)
			for i, t := range c.Sides {
				if v, err := ev.Eval(t); err == nil {
					out.Refuted += fmt.Sprintf("%s %s", [...]string{": the left side is", ", the right side is"}[i%2], v.Text(c.Arena))
				}
			}
			return false
		}
		return true
	}
	vals := make([]value.Value, len(c.Args))
	if total > 0 && !c.Sampled {
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
	edges := make([][]value.Value, len(c.Args))
	combos := 1
	for i, x := range c.Args {
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
		for i, x := range c.Args {
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

// boundaryTerms lists values at which false claims are likely to fail.
var boundaryTerms = map[smt.SortKind][]string{
	smt.KindInt:    {"0", "1", "(- 1)", "2", "(- 2)", "7", "(- 1000)", "4294967296"},
	smt.KindReal:   {"0.0", "1.0", "(- 1.0)", "0.5", "(- 2.0)", "(/ 1.0 3.0)", "1000000.0"},
	smt.KindString: {`""`, `"0"`, `"-"`, `"a"`, `"-1"`, `"00"`, `"ab"`, `"\u{2ffff}"`},
}

// boundary returns values of a sort at which false claims are likely to fail; at least one.
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

// boundaryBits is boundary for bit vectors: 0, 1, the greatest value, and the least and the greatest signed value.
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
func (c *Claim) tuple(vals []value.Value) string {
	var parts []string
	for i, v := range vals {
		name := fmt.Sprintf("x%d", i+1)
		if c.Names != nil {
			name = c.Names[i]
		}
		parts = append(parts, fmt.Sprintf("%s = %s", name, v.Text(c.Arena)))
	}
	return strings.Join(parts, ", ")
}
