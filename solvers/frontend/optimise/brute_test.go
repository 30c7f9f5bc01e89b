package optimise_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
)

// draw makes texts of problems with few models.
type draw struct{ t *rapid.T }

func (d draw) among(list ...string) string { return rapid.SampledFrom(list).Draw(d.t, "one of them") }

// term is one over two integers or two bit vectors of three bits.
func (d draw) term(bits bool) string {
	if bits {
		return d.among("a", "b", "(bvadd a b)", "(bvmul a b)", "(bvsub a b)", "(bvneg a)", "(ite p a b)", "#b010", "#b101", "(bvxor a b)")
	}
	return d.among("x", "y", "(+ x y)", "(- x y)", "(* 2 x)", "(- 3 y)", "(ite p x y)", "2", "(- 1)", "(* x y)", "(ite (< x y) 1 (+ y 2))")
}

func (d draw) atom(bits bool) string {
	if rapid.IntRange(0, 5).Draw(d.t, "what") == 0 {
		return d.among("p", "q", "(not p)", "(xor p q)")
	}
	ops := []string{"<", "<=", "=", "distinct", ">"}
	if bits {
		ops = []string{"bvult", "bvule", "=", "distinct", "bvslt"}
	}
	return "(" + d.among(ops...) + " " + d.term(bits) + " " + d.term(bits) + ")"
}

func (d draw) formula(bits bool) string {
	return "(" + d.among("or", "=>", "and", "or") + " " + d.atom(bits) + " " + d.atom(bits) + ")"
}

// problem returns the text of a problem with objectives.
func (d draw) problem(bits bool) string {
	text := "(declare-const p Bool)(declare-const q Bool)"
	if bits {
		text += "(declare-const a (_ BitVec 3))(declare-const b (_ BitVec 3))"
	} else {
		text += "(declare-const x Int)(declare-const y Int)(assert (and (<= (- 3) x 3) (<= (- 2) y 4)))"
	}
	for range rapid.IntRange(0, 4).Draw(d.t, "assertions") {
		text += "(assert " + d.formula(bits) + ")"
	}
	for range rapid.IntRange(1, 3).Draw(d.t, "objectives") {
		if rapid.Bool().Draw(d.t, "soft") {
			for range rapid.IntRange(1, 4).Draw(d.t, "formulas") {
				text += "(assert-soft " + d.formula(bits) + " :weight " + d.among("1", "2", "0.5", "-1.25", "7", "0") + " :id " + d.among("g", "h") + ")"
			}
		} else {
			text += "(" + d.among("minimize", "maximize") + " " + d.term(bits) + ")"
		}
	}
	return text
}

// scores goes through all models of a problem, and returns what each is worth: the greater, the better.
func scores(t require.TestingT, p *problem) (out [][]*big.Rat) {
	a := p.Arena()
	var vary func(m *model.Model, rest []smt.Symbol)
	vary = func(m *model.Model, rest []smt.Symbol) {
		if len(rest) > 0 {
			values := []value.Value{}
			switch a.SymbolInfo(rest[0]).Result {
			case smt.SortBool:
				values = append(values, value.Bool(false), value.Bool(true))
			case smt.SortInt:
				for n := int64(-3); n <= 4; n++ {
					values = append(values, value.Int64(n))
				}
			default:
				for n := uint64(0); n < 8; n++ {
					values = append(values, value.BitVec64(a, 3, n))
				}
			}
			for _, v := range values {
				m.Set(rest[0], v)
				vary(m, rest[1:])
			}
			return
		}
		ev := eval.New(a, m)
		if eval.CheckTerms(ev, p.Stack().Assertions()).Result != value.True {
			return
		}
		var score []*big.Rat
		for _, o := range p.objectives {
			r := new(big.Rat)
			for _, s := range o.Soft {
				if holds, _ := ev.Holds(s.Formula); !holds {
					r.Sub(r, s.Weight)
				}
			}
			if len(o.Soft) == 0 {
				v := ev.Value(o.Term)
				n, ok := v.Int()
				if !ok {
					n, ok = v.BV()
				}
				require.True(t, ok)
				if r.SetInt(n); !o.Maximize {
					r.Neg(r)
				}
			}
			score = append(score, r)
		}
		out = append(out, score)
	}
	vary(model.New(a), p.Stack().Declared())
	return out
}

// spelled writes scores as the values of objectives.
func spelled(p *problem, score []*big.Rat) string {
	var out []string
	for i, r := range score {
		if !p.objectives[i].Maximize {
			r = new(big.Rat).Neg(r)
		}
		out = append(out, r.RatString())
	}
	return strings.Join(out, " ")
}

// found writes the values of an outcome so.
func found(t require.TestingT, o *optimise.SearchResult) string {
	var out []string
	for _, v := range o.Values {
		require.True(t, v.Exact())
		out = append(out, v.High.Number.RatString())
	}
	return strings.Join(out, " ")
}

// TestAgainstAllModels: lexicographic, box and Pareto optima are those among all models, which the evaluator goes
// through; so is the model that the front end has afterwards, and nothing of the search stays.
func TestAgainstAllModels(t *testing.T) {
	for _, below := range []struct {
		solver string
		bits   []bool
		o      frontend.Options
	}{
		{"z3", []bool{true, false}, frontend.Options{}}, {"cvc5", []bool{true, false}, frontend.Options{}}, {"bitwuzla", []bool{true}, frontend.Options{}},
		{"z3", []bool{true, false}, frontend.Options{Mode: frontend.Cached}},
	} {
		t.Run(fmt.Sprintf("%s %s", below.solver, below.o.Mode), func(t *testing.T) {
			s := newFrontEnd(t, below.o, below.solver)
			rapid.Check(t, func(t *rapid.T) {
				text := draw{t}.problem(rapid.SampledFrom(below.bits).Draw(t, "bits"))
				p := told(t, s, text)
				all := scores(t, p)
				ctx := context.Background()
				history := len(s.Stack().Commands())
				lex, err := optimise.Lexicographic(ctx, s, p.objectives)
				require.NoError(t, err, text)
				if len(all) == 0 {
					require.Equal(t, smtlib.Unsat, lex.Result.Answer, text)
					return
				}
				require.Equal(t, smtlib.Sat, lex.Result.Answer, "%s: %s", lex.Result.Reason, text)
				best := slices.MaxFunc(all, func(x, y []*big.Rat) int { return slices.CompareFunc(x, y, (*big.Rat).Cmp) })
				require.Equal(t, spelled(p, best), found(t, lex), text)
				require.Contains(t, all, scoreOf(t, p), text)
				require.Equal(t, spelled(p, best), spelled(p, scoreOf(t, p)), text)

				box, err := optimise.Box(ctx, s, p.objectives)
				require.NoError(t, err, text)
				tops := slices.Clone(all[0])
				for _, score := range all {
					for i := range score {
						if score[i].Cmp(tops[i]) > 0 {
							tops[i] = score[i]
						}
					}
				}
				require.Equal(t, spelled(p, tops), found(t, box), text)
				require.Equal(t, tops[0].RatString(), scoreOf(t, p)[0].RatString(), text)

				var want []string
				for _, x := range all {
					if !slices.ContainsFunc(all, func(y []*big.Rat) bool { return dominates(y, x) }) && !slices.Contains(want, spelled(p, x)) {
						want = append(want, spelled(p, x))
					}
				}
				var got []string
				front := optimise.NewFront(p.objectives)
				for range len(want) {
					o, err := front.Next(ctx, s)
					require.NoError(t, err, text)
					require.Equal(t, smtlib.Sat, o.Result.Answer, "%s: %s", o.Result.Reason, text)
					got = append(got, found(t, o))
					require.Equal(t, found(t, o), spelled(p, scoreOf(t, p)), text)
				}
				o, err := front.Next(ctx, s)
				require.NoError(t, err, text)
				require.Equal(t, smtlib.Unsat, o.Result.Answer, text)
				slices.Sort(want)
				slices.Sort(got)
				require.Equal(t, want, got, text)
				require.Len(t, s.Stack().Commands(), history, "something stays: %s", text)
			})
		})
	}
}

// scoreOf is the score of the model that the front end has.
func scoreOf(t require.TestingT, p *problem) []*big.Rat {
	m, err := p.Model(context.Background())
	require.NoError(t, err)
	for _, f := range m.Symbols() {
		require.Contains(t, p.Stack().Declared(), f, "the model has what the client did not declare: %s", m.Text())
	}
	ev := eval.New(p.Arena(), m)
	require.Equal(t, value.True, eval.CheckTerms(ev, p.Stack().Assertions()).Result)
	var score []*big.Rat
	for _, o := range p.objectives {
		r := new(big.Rat)
		for _, x := range o.Soft {
			if holds, known := ev.Holds(x.Formula); known && !holds {
				r.Sub(r, x.Weight)
			}
		}
		if len(o.Soft) == 0 {
			v := ev.Value(o.Term)
			n, ok := v.Int()
			if !ok {
				n, _ = v.BV()
			}
			if r.SetInt(n); !o.Maximize {
				r.Neg(r)
			}
		}
		score = append(score, r)
	}
	return score
}

// dominates says that a score is no worse in anything, and better in something.
func dominates(x, y []*big.Rat) bool {
	better := false
	for i := range x {
		if c := x[i].Cmp(y[i]); c < 0 {
			return false
		} else if c > 0 {
			better = true
		}
	}
	return better
}
