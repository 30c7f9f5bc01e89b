package gen

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/lacktest"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers/rule"
)

// sink records the generated declarations, sorts and terms.
type sink struct {
	cmds  []smtlib.Command
	sorts []smt.Sort
	terms []smt.Term
}

func (s *sink) Command(c smtlib.Command) { s.cmds = append(s.cmds, c) }
func (s *sink) Sort(x smt.Sort)          { s.sorts = append(s.sorts, x) }
func (s *sink) Term(t smt.Term)          { s.terms = append(s.terms, t) }

func grow(t require.TestingT, seed uint64, cfg Config, steps int) (*Gen, *sink) {
	s := &sink{}
	g, err := New(smt.NewArena(), rng.New(seed), cfg, s)
	require.NoError(t, err)
	for range 8 {
		g.NewSort()
	}
	for range 6 {
		g.NewConst()
		g.NewFun()
		g.NewSpecial()
	}
	for range steps {
		g.NewTerm()
	}
	return g, s
}

// TestEveryOperatorIsMade checks that every operator that the configuration claims is generated.
func TestEveryOperatorIsMade(t *testing.T) {
	for kind, least := range map[string]int{"cvc5": 180, "z3": 150, "bitwuzla": 90} {
		made := map[string]bool{}
		var claimed []string
		for seed := range uint64(60) {
			g, _ := grow(t, seed, Config{Rules: Exclusions{Kinds: []string{kind}}}, 250)
			claimed = g.Claimed()
			for op := range g.Made {
				made[op] = true
			}
		}
		require.Greater(t, len(claimed), least, kind)
		var never []string
		for _, op := range claimed {
			if !made[op] {
				never = append(never, op)
			}
		}
		require.LessOrEqual(t, len(never), 2, "%s: never made: %v", kind, never)
	}
}

// All floating-point sorts are of the formats that the rules leave.
func TestRulesAboutFormats(t *testing.T) {
	for _, l := range FormatLacks {
		cfg := Config{Rules: Exclusions{Kinds: []string{"cvc5"}, Exclude: []rule.Lack{l.Lack}}}
		for seed := range uint64(10) {
			g, s := grow(t, seed, cfg, 100)
			for _, x := range s.sorts {
				if g.A.SortKind(x) == smt.KindFloat {
					e, m := g.A.FloatFormat(x)
					require.False(t, l.Covers(e, m), "%s: %d %d", l.Lack, e, m)
				}
			}
		}
	}
}

func TestRulesAreKept(t *testing.T) {
	cfg := Config{MaxWidth: 16, Rules: Exclusions{Kinds: []string{"cvc5"}, Exclude: lacktest.Lacks("operator bvmul", "sort Set", "array-index Array", "fp-format other", "nary str.++")}}
	for seed := range uint64(20) {
		g, s := grow(t, seed, cfg, 150)
		for _, x := range s.sorts {
			require.NotEqual(t, smt.KindSet, g.A.SortKind(x))
		}
		for _, x := range s.terms {
			require.NotEqual(t, smt.OpBVMul, g.A.Op(x))
			if g.A.Op(x) == smt.OpStrConcat {
				require.Equal(t, 2, g.A.NumArgs(x))
			}
			switch so := g.A.Sort(x); g.A.SortKind(so) {
			case smt.KindBitVec:
				require.LessOrEqual(t, g.A.Width(so), 128, "literals inside of floating-point numbers are wider")
			case smt.KindFloat:
				e, m := g.A.FloatFormat(so)
				require.Contains(t, StandardFormats, [2]int{e, m})
			case smt.KindArray:
				require.NotEqual(t, smt.KindArray, g.A.SortKind(g.A.SortArgs(so)[0]))
			}
		}
	}
}

// TestScopes checks that after a pop no term with a removed symbol can be picked.
func TestScopes(t *testing.T) {
	for seed := range uint64(30) {
		g, _ := grow(t, seed, Config{Rules: Exclusions{Kinds: []string{"cvc5"}}}, 60)
		before := g.A.NumSymbols()
		g.Push(2)
		for range 5 {
			g.NewSort()
			g.NewConst()
		}
		for range 80 {
			g.NewTerm()
		}
		g.Pop(1)
		for _, s := range g.DB.Sorts() {
			for _, x := range g.DB.All(s) {
				for _, f := range g.A.Symbols(x) {
					require.Less(t, int(f), before, "%s", g.A.Brief(x))
				}
			}
		}
	}
}

// TestSortScopes: nor that has a sort that is gone anywhere inside, be it that of a bound variable.
func TestSortScopes(t *testing.T) {
	gone, bound := 0, 0
	for seed := range uint64(30) {
		g, _ := grow(t, seed, Config{HigherOrder: true, Quantifiers: true, Rules: higherRules["cvc5"]}, 30)
		before := map[smt.Sort]bool{}
		for _, s := range g.DB.Sorts() {
			before[s] = true
		}
		g.Push(1)
		made := map[smt.Sort]bool{}
		for range 12 {
			g.NewSort()
		}
		for _, s := range g.DB.Sorts() {
			if k := g.A.SortKind(s); !before[s] && (k == smt.KindUser || k == smt.KindDatatype) {
				made[s] = true
			}
		}
		for range 120 {
			g.NewTerm()
			g.NewVar()
			g.CloseAll()
		}
		bound += g.Made["lambda"] + g.Made["forall"]
		g.Pop(1)
		var inside func(s smt.Sort) bool
		inside = func(s smt.Sort) bool { return made[s] || slices.ContainsFunc(g.A.SortArgs(s), inside) }
		for _, s := range g.DB.Sorts() {
			require.False(t, inside(s), g.A.SortString(s))
			for _, x := range g.DB.All(s) {
				g.A.PostOrder([]smt.Term{x}, func(y smt.Term) { require.False(t, inside(g.A.Sort(y)), g.A.Brief(x)) })
			}
		}
		gone += len(made)
	}
	require.Greater(t, gone, 50)
	require.Greater(t, bound, 250)
}

// TestPickFollowsTheWeights compares the Fenwick tree with a list of weights.
func TestPickFollowsTheWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &bucket{}
		var weights []int64
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			w := rapid.Int64Range(0, 9).Draw(t, "w")
			b.appendTerm(smt.Term(len(weights)+1), w)
			weights = append(weights, w)
		}
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			i := rapid.IntRange(0, len(weights)-1).Draw(t, "i")
			d := rapid.Int64Range(-weights[i], 5).Draw(t, "d")
			b.addWeight(i, d)
			weights[i] += d
		}
		total := int64(0)
		for _, w := range weights {
			total += w
		}
		require.Equal(t, total, b.totalWeight())
		x := int64(0)
		for i, w := range weights {
			for range w {
				require.Equal(t, i, b.findByWeight(x))
				x++
			}
		}
	})
}

func TestRarelyUsedTermsComeFirst(t *testing.T) {
	a := smt.NewArena()
	d := newDB(a)
	often, seldom := a.Int64(1), a.Int64(2)
	d.Add(often)
	d.Add(seldom)
	for range 6 {
		d.Use(often)
	}
	r := rng.New(1)
	n := 0
	for range 1000 {
		if d.Pick(r, smt.SortInt, 0, 0) == seldom {
			n++
		}
	}
	require.Greater(t, n, 900)
}

func TestLogics(t *testing.T) {
	for want, cfg := range map[string]Config{
		"QF_ABV": {Theories: []string{"BV", "Array"}}, "QF_AX": {Theories: []string{"Array"}}, "QF_UF": {Theories: []string{"UF"}},
		"QF_LIRA": {Theories: []string{"Int", "Real"}, Linear: true}, "UFNIA": {Theories: []string{"UF", "Int"}, Quantifiers: true},
		"QF_SNIA": {Theories: []string{"String"}}, "ALL": {Theories: []string{"Seq"}}, "QF_BVFP": {Theories: []string{"FP", "BV"}},
	} {
		on, err := cfg.Fill()
		require.NoError(t, err)
		require.Equal(t, want, Logic(on, cfg.Linear))
	}
	_, err := (&Config{Theories: []string{"Bitvec"}}).Fill()
	require.ErrorContains(t, err, `"Bitvec" is no theory`)
}

func TestTogether(t *testing.T) {
	r := Together(Exclusions{Kinds: []string{"z3"}, Theories: []string{"Core", "Ints"}, Exclude: lacktest.Lacks("operator mod")},
		Exclusions{Kinds: []string{"cvc5"}, Theories: []string{"Ints", "Sets"}, Exclude: lacktest.Lacks("operator mod", "sort Set")})
	require.Equal(t, []string{"Ints"}, r.Theories)
	require.Equal(t, []string{"z3", "cvc5"}, r.Kinds)
	require.True(t, slices.Equal(lacktest.Lacks("operator mod", "sort Set"), r.Exclude))
}

func TestExtrasAreMade(t *testing.T) {
	x := Extra{OperatorSpec: rule.OperatorSpec{Name: "(_ foo 3)", Result: "Bool", Args: []string{"BitVec", "(_ BitVec 8)"}}, Weight: 1}
	value := func(text string) SpecialValue {
		return SpecialValue{SpecialValue: rule.SpecialValue{Sort: "(_ BitVec 8)", Text: text}, Weight: 1}
	}
	cfg := Config{Theories: []string{"BV"}, Extra: []Extra{x}, Values: []SpecialValue{value("#xa5"), value("magic")}, Sorts: []Weighted{{"(_ BitVec 8)", 1}, {"(Set Int)", 1}}}
	made, values := 0, map[string]int{}
	for seed := range uint64(20) {
		g, s := grow(t, seed, cfg, 80)
		made += g.Made["(_ foo 3)"]
		for _, y := range s.terms {
			values[g.A.Brief(y)]++
		}
		for _, y := range s.sorts {
			require.Equal(t, smt.KindBitVec, g.A.SortKind(y), "the sets are another theory")
		}
	}
	require.Greater(t, made, 20)
	require.Greater(t, values["#xa5"], 5)
	require.Greater(t, values["magic"], 5)
}

// TestSwarm: runs favour different operators, and those come up more often.
func TestSwarm(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		g, _ := grow(t, seed, Config{Theories: []string{"BV"}, Rules: Exclusions{Kinds: []string{"z3"}}}, 0)
		g.Swarm()
		require.Len(t, g.favoured, swarmSize)
		favoured := map[string]bool{}
		for _, c := range g.favoured {
			favoured[c.op.Info().Name] = true
			seen[c.op.Info().Name] = true
		}
		for range 300 {
			g.NewTerm()
		}
		of, all := 0, 0
		for name, n := range g.Made {
			all += n
			if favoured[name] {
				of += n
			}
		}
		require.Greater(t, 4*of, all, "seed %d", seed)
	}
	require.Greater(t, len(seen), 30)
}

func TestArgumentsAreRestricted(t *testing.T) {
	n := 0
	for seed := range uint64(10) {
		g, s := grow(t, seed, Config{Theories: []string{"BV", "Array"}, Rules: Exclusions{Kinds: []string{"z3"}, Exclude: lacktest.Lacks("argument = Array")}}, 200)
		for _, x := range s.terms {
			if g.A.Op(x) == smt.OpEq {
				require.NotEqual(t, smt.KindArray, g.A.SortKind(g.A.Sort(g.A.Arg(x, 0))))
				n++
			}
		}
	}
	require.Greater(t, n, 10)
}

// TestLinearArithmetic: products and quotients have literals in all places but one, and no divisor is zero.
func TestLinearArithmetic(t *testing.T) {
	made := map[smt.Op]int{}
	for seed := range uint64(40) {
		g, s := grow(t, seed, Config{Theories: []string{"Int", "Real"}, Rules: Exclusions{Exclude: lacktest.Lacks("linear arithmetic")}}, 150)
		for _, x := range s.terms {
			op := g.A.Op(x)
			if op != smt.OpMul && op != smt.OpDiv && op != smt.OpIntDiv && op != smt.OpMod {
				continue
			}
			if op == smt.OpDiv && g.isValue(x) { // a literal such as (/ 1.0 3.0)
				continue
			}
			made[op]++
			require.True(t, g.literalsInPlace(op, g.A.Args(x)), smtlib.TermText(g.A, x))
		}
		require.True(t, g.Cfg.Linear)
	}
	for _, op := range []smt.Op{smt.OpMul, smt.OpDiv, smt.OpIntDiv, smt.OpMod} {
		require.Greater(t, made[op], 10, op)
	}
}

func TestLogicsThatTargetsKnow(t *testing.T) {
	r := Exclusions{Exclude: lacktest.Lacks("logic QF_BVLIA", "logic-all BitVectorExtensions")}
	require.Equal(t, "ALL", r.LogicName(map[string]bool{"FixedSizeBitVectors": true, "Ints": true}, true))
	more := Exclusions{Exclude: append(lacktest.Lacks("logic QF_UFBVLIA", "logic-all FixedSizeBitVectors+Reals"), r.Exclude...), Theories: []string{"UF", "ArraysEx", "FixedSizeBitVectors", "Ints", "Reals"}}
	require.Equal(t, "QF_ABVLIA", more.LogicName(map[string]bool{"FixedSizeBitVectors": true, "Ints": true}, true), "one theory more, and known")
	require.Equal(t, "ALL", more.LogicName(map[string]bool{"FixedSizeBitVectors": true, "Reals": true}, true))
	require.Equal(t, "QF_LRA", more.LogicName(map[string]bool{"Reals": true}, true))
	require.Equal(t, "QF_BV", r.LogicName(map[string]bool{"FixedSizeBitVectors": true}, true))
	require.Equal(t, "ALL", r.LogicName(map[string]bool{"FixedSizeBitVectors": true, "BitVectorExtensions": true}, true))
}
