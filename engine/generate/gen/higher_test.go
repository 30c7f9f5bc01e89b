package gen

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/lacktest"
)

// These are the theories and exclusions of the shipped profiles, as far as functions are concerned.
var higherRules = map[string]Exclusions{
	"cvc5": {Kinds: []string{"cvc5"}, Theories: []string{"Core", "Ints", "Arith", "FixedSizeBitVectors", "ArraysEx", "UF", "Datatypes", "Quantifiers", "Sequences", HigherOrder},
		Exclude: lacktest.Lacks("array-index ->", "array-element ->", "seq-element ->", "datatype-field ->", "sort-param ->", "fun-codomain ->")},
	"z3": {Kinds: []string{"z3"}, Theories: []string{"Core", "Ints", "Arith", "FixedSizeBitVectors", "ArraysEx", "UF", "Datatypes", "Quantifiers", ArrayFunctions}},
}

// TestFunctionsAreMade checks that every operator over functions is generated, that formulas often have a known truth
// value, and that the text can be read back.
func TestFunctionsAreMade(t *testing.T) {
	for kind, want := range map[string][]string{"cvc5": {"@", "function", "lambda"}, "z3": {"as-array", "map", "lambda-array"}} {
		made, known, formulas, read, both := map[string]int{}, 0, 0, 0, map[bool]int{}
		for seed := range uint64(30) {
			g, s := grow(t, seed, Config{HigherOrder: true, Quantifiers: true, Rules: higherRules[kind]}, 200)
			require.Subset(t, g.Claimed(), want)
			for name, n := range g.Made {
				made[name] += n
			}
			for _, x := range s.terms {
				if !slices.Contains(want, OperatorName(g.A, x)) && g.A.SortKind(g.A.Sort(x)) != smt.KindFunc {
					continue
				}
				text := smtlib.TermText(g.A, x)
				if read++; read%8 == 0 && len(g.A.FreeVars(x)) == 0 {
					logic := "ALL"
					if kind == "cvc5" {
						logic = "HO_ALL"
					}
					requireReads(t, g, s, logic, text, x)
				}
			}
			for _, x := range g.DB.All(smt.SortBool) {
				if !overFunctions(g.A, x) {
					continue
				}
				formulas++
				if v, ok := g.Ev.Holds(x); ok {
					known++
					both[v]++
				}
			}
		}
		for _, name := range want {
			require.Greater(t, made[name], 50, "%s: %s", kind, name)
		}
		require.Greater(t, formulas, 200, kind)
		require.Greater(t, known, formulas/4, kind) // arrays that are lambdas can seldom be compared
		require.Greater(t, min(both[true], both[false]), 50, kind)
	}
}

// overFunctions reports whether a function that is a value occurs in a term.
func overFunctions(a *smt.Arena, t smt.Term) bool {
	found := false
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		found = found || slices.Contains([]smt.Op{smt.OpHOApply, smt.OpFunction, smt.OpMapArrays, smt.OpLambda}, a.Op(x))
	})
	return found
}

// requireReads: the text of a term is read as that term.
func requireReads(t *testing.T, g *Gen, s *sink, logic, text string, x smt.Term) {
	script := &smtlib.Script{Arena: g.A}
	script.Commands = append(script.Commands, smtlib.Command{Kind: smtlib.CmdSetLogic, Text: logic})
	script.Commands = append(script.Commands, s.cmds...)
	y, err := smtlib.ParseTerm(g.A, script, text)
	require.NoError(t, err, text)
	require.Equal(t, text, smtlib.TermText(g.A, y))
	require.Equal(t, g.A.SortString(g.A.Sort(x)), g.A.SortString(g.A.Sort(y)), text)
}

// TestFunctionsNeedTheFlag checks that functions as values are made only with the flag and for targets that support
// them, and that exclusions hold.
func TestFunctionsNeedTheFlag(t *testing.T) {
	none := higherRules["cvc5"]
	none.Theories = slices.DeleteFunc(slices.Clone(none.Theories), func(t string) bool { return t == HigherOrder })
	without := higherRules["cvc5"]
	without.Exclude = append(slices.Clone(without.Exclude), lacktest.Lacks("operator lambda", "operator function", "operator @", "sort ->")...)
	for name, cfg := range map[string]Config{"flag": {Rules: higherRules["cvc5"]}, "target": {HigherOrder: true, Rules: none}, "excluded": {HigherOrder: true, Rules: without},
		"arrays": {HigherOrder: true, Rules: Exclusions{Kinds: []string{"z3"}, Theories: []string{"Core", "UF", ArrayFunctions}}}, "together": {HigherOrder: true, Rules: Together(higherRules["cvc5"], higherRules["z3"])}} {
		for seed := range uint64(5) {
			g, s := grow(t, seed, cfg, 100)
			for _, x := range s.terms {
				require.False(t, overFunctions(g.A, x), "%s: %s", name, g.A.Brief(x))
			}
			for _, x := range s.sorts {
				require.NotEqual(t, smt.KindFunc, g.A.SortKind(x), name)
			}
		}
	}
}

// TestFunctionPositions: where a profile says that functions cannot be inside of other sorts, they are not, and no
// variable of a lambda is left over.
func TestFunctionPositions(t *testing.T) {
	for seed := range uint64(40) {
		g, s := grow(t, seed, Config{HigherOrder: true, Rules: higherRules["cvc5"]}, 200)
		check := func(so smt.Sort) {
			args := g.A.SortArgs(so)
			if g.A.SortKind(so) == smt.KindFunc {
				args = args[len(args)-1:]
			}
			for _, x := range args {
				require.NotEqual(t, smt.KindFunc, g.A.SortKind(x), g.A.SortString(so))
			}
		}
		for _, x := range s.terms {
			check(g.A.Sort(x))
		}
		require.Zero(t, g.DB.Level())
		for _, so := range g.DB.Sorts() {
			check(so)
			for _, x := range g.DB.All(so) {
				require.Empty(t, g.A.FreeVars(x), g.A.Brief(x))
			}
		}
	}
}

// TestFunctionWeights: a weight says how often, 0 never; and theory flags without arrays do not take z3's functions
// away.
func TestFunctionWeights(t *testing.T) {
	count := func(weights map[string]float64, theories ...string) map[string]int {
		made := map[string]int{}
		for seed := range uint64(20) {
			g, _ := grow(t, seed, Config{HigherOrder: true, Theories: theories, Weights: weights, Rules: higherRules["z3"]}, 120)
			require.Equal(t, weights["map"] > 0 || weights == nil, slices.Contains(g.Claimed(), "map"))
			for name, n := range g.Made {
				made[name] += n
			}
		}
		return made
	}
	usual := count(nil, "UF", "BV")
	require.Greater(t, usual["lambda-array"], 20)
	require.Greater(t, usual["map"], 20)
	often := count(map[string]float64{"map": 0, "lambda-array": 5}, "UF", "BV")
	require.Zero(t, often["map"])
	require.Greater(t, often["lambda-array"], usual["lambda-array"]*3/2)
}

// TestNoPartialApplication: where targets have none, functions that are applied have one argument.
func TestNoPartialApplication(t *testing.T) {
	rules := higherRules["cvc5"]
	rules.Exclude = append(slices.Clone(rules.Exclude), lacktest.Lacks("nary @", "argument = ->", "var ->", "fun-domain ->")...)
	applied := 0
	for seed := range uint64(20) {
		g, s := grow(t, seed, Config{HigherOrder: true, Rules: rules}, 200)
		for _, x := range s.terms {
			switch g.A.Op(x) {
			case smt.OpHOApply:
				require.NotEqual(t, smt.KindFunc, g.A.SortKind(g.A.Sort(x)), g.A.Brief(x))
				applied++
			case smt.OpEq:
				require.NotEqual(t, smt.KindFunc, g.A.SortKind(g.A.Sort(g.A.Arg(x, 0))), g.A.Brief(x))
			case smt.OpLambda:
				require.Len(t, g.A.BoundVars(x), 1, "%s %s", g.A.Brief(x), g.A.SortString(g.A.Sort(x)))
			}
		}
	}
	require.Greater(t, applied, 50)
}

func TestFunctionLogics(t *testing.T) {
	for want, on := range map[string][]string{"HO_QF_UF": {HigherOrder}, "HO_UFLIA": {HigherOrder, "Quantifiers", "Ints"}, "HO_ALL": {HigherOrder, "Sets"},
		"HO_QF_AUFBV": {HigherOrder, "ArraysEx", "FixedSizeBitVectors"}} {
		m := map[string]bool{}
		for _, x := range on {
			m[x] = true
		}
		require.Equal(t, want, Logic(m, true))
		require.Equal(t, len(on), len(m), "the theories are left as they were")
	}
}
