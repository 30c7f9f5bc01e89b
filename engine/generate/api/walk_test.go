package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/rule"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

func TestBaseMachineIsSound(t *testing.T) {
	require.NoError(t, standard().Check())
	require.GreaterOrEqual(t, len(standard().Actions), 26)
}

func walkCase(t *testing.T, seed uint64, cfg *WalkConfig) (*Walk, string) {
	t.Helper()
	w, err := NewWalk(smt.NewArena(), rng.New(seed), cfg)
	require.NoError(t, err)
	return w, w.Case("case").Script.Text()
}

// everything is a configuration with all theories of a solver that has all.
func everything(truth Certainty) *WalkConfig {
	return &WalkConfig{Machine: standardFor("cvc5"), Truth: truth, Gen: gen.Config{Quantifiers: true, Rules: gen.Exclusions{Kinds: []string{"cvc5"}}}}
}

// TestWalksOfOneArena: a walk is the same where the arena has walks before it, whose datatypes have the same names.
func TestWalksOfOneArena(t *testing.T) {
	shared := smt.NewArena()
	datatypes := 0
	for seed := range uint64(60) {
		cfg := everything(ByBoth)
		cfg.Gen.Theories = []string{"Core", "Ints", "Datatypes"}
		_, alone := walkCase(t, seed, cfg)
		w, err := NewWalk(shared, rng.New(seed), cfg)
		require.NoError(t, err)
		require.Equal(t, alone, w.Case("case").Script.Text(), "seed %d", seed)
		datatypes += strings.Count(alone, "declare-datatype")
	}
	require.Greater(t, datatypes, 60)
}

// TestWalksAreTrue prints and re-reads each case, and checks its expected answers with a separate evaluator.
func TestWalksAreTrue(t *testing.T) {
	sat, unsat, asserts := 0, 0, 0
	for seed := range uint64(90) {
		cfg := everything(ByBoth)
		w, text := walkCase(t, seed, cfg)
		_, again := walkCase(t, seed, cfg)
		require.Equal(t, text, again, "a walk depends on its seed alone")
		c, err := w.Case("case").Wire().Case(nil)
		require.NoError(t, err, "seed %d\n%s", seed, text)
		require.Equal(t, text, c.Script.Text(), "seed %d: a case is the same after a round through its wire form", seed)
		require.NotNil(t, c.LiveTrace())
		require.Equal(t, len(c.Expect), c.Script.CheckSats())
		for i, want := range c.Expect {
			ts := c.Script.AssertsAt(i)
			v := eval.CheckTerms(eval.New(c.Script.Arena, c.Witness), ts)
			switch want {
			case smtlib.Sat:
				sat++
				require.Equal(t, value.True, v.Result, "seed %d, check %d: %s\n%s", seed, i, v.Text, text)
			case smtlib.Unsat:
				unsat++
				require.NotEqual(t, value.True, v.Result, "seed %d, check %d: %s\n%s", seed, i, v.Text, text)
			}
			asserts += len(ts)
		}
	}
	t.Log(sat, unsat, asserts)
	require.Greater(t, sat, 60)
	require.Greater(t, unsat, 15)
	require.Greater(t, asserts, 300)
}

// TestWalksParse: the text of a walk is a script that reads back to the same text.
func TestWalksParse(t *testing.T) {
	for seed := range uint64(40) {
		_, text := walkCase(t, seed+1000, everything(Unconstrained))
		s, err := smtlib.Parse("case", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		require.Equal(t, text, s.Text())
	}
}

// TestWalksGoRoundAsTraces: the text of a trace reads back to the same calls.
func TestWalksGoRoundAsTraces(t *testing.T) {
	for seed := range uint64(30) {
		w, _ := walkCase(t, seed, everything(ByBoth))
		text := tracetext.Text(w.Trace("a note"))
		back, err := tracetext.Read([]byte(text), nil)
		require.NoError(t, err)
		require.Equal(t, text, tracetext.Text(back))
	}
}

// TestActionsThatConflictWithOptions: yices2 has no check-sat-assuming while it produces unsat cores.
func TestActionsThatConflictWithOptions(t *testing.T) {
	apart, both := 0, 0
	for seed := range uint64(60) {
		cfg := &WalkConfig{Machine: standard(), Options: &OptionModel{Conflicts: [][2]string{{"produce-unsat-cores", "check-sat-assuming"}}}}
		run, err := NewWalk(smt.NewArena(), rng.New(seed), cfg)
		require.NoError(t, err)
		text := run.Case("case").Script.Text()
		cores, assuming := strings.Contains(text, ":produce-unsat-cores true"), strings.Contains(text, "(check-sat-assuming")
		if cores && assuming && !strings.Contains(text, "(reset)") {
			both++
		}
		if assuming {
			apart++
		}
	}
	require.Zero(t, both)
	require.NotZero(t, apart)
}

// TestOneCheck: Boolector takes quantifiers of bit vectors alone, and with one check-sat.
func TestOneCheck(t *testing.T) {
	quantified, others := 0, 0
	for seed := range uint64(60) {
		cfg := &WalkConfig{Machine: standard(), Truth: ByBoth, Options: &OptionModel{}, Gen: gen.Config{Quantifiers: true, Rules: gen.Exclusions{
			Kinds: []string{"boolector"}, Theories: []string{"Core", "FixedSizeBitVectors", "ArraysEx", "UF", "Quantifiers"},
			Exclude: lacktest.Lacks("once Quantifiers", "always FixedSizeBitVectors"), Conflicts: []rule.TheoryConflict{{"Quantifiers", "ArraysEx"}, {"Quantifiers", "UF"}},
		}}}
		w, text := walkCase(t, seed, cfg)
		if !w.Gen.On["Quantifiers"] {
			others++
			require.NotContains(t, text, "(exists")
			continue
		}
		quantified++
		require.Contains(t, text, "(set-logic BV)")
		require.Equal(t, 1, strings.Count(text, "(check-sat"))
		require.True(t, strings.HasSuffix(strings.TrimSpace(text), "(check-sat)"), text)
		for _, word := range []string{"(push", "(pop", "(get-", "(set-option", "(reset", "select", "declare-fun"} {
			require.NotContains(t, text, word)
		}
	}
	require.Greater(t, quantified, 15, "quantifiers that are asked for stay where they do not go with other theories")
	require.Greater(t, others, 5)
}

// TestAssumptionsThatAreAllNeeded: unsat assumptions come in two ways, one and its negation, and some that an assertion
// excludes together.
func TestAssumptionsThatAreAllNeeded(t *testing.T) {
	complements, together := 0, 0
	for seed := range uint64(300) {
		cfg := &WalkConfig{Machine: standard(), Truth: ByBoth, NoNames: true, Options: &OptionModel{}, Gen: gen.Config{Theories: []string{"BV"}}}
		w, _ := walkCase(t, seed, cfg)
		a, script := w.Gen.A, w.Case("case").Script
		check := -1
		for _, c := range script.Commands {
			if c.Kind == smtlib.CmdCheckSat || c.Kind == smtlib.CmdCheckSatAssuming {
				check++
			}
			if c.Kind != smtlib.CmdCheckSatAssuming || w.expect[check] != smtlib.Unsat {
				continue
			}
			contrary := slices.ContainsFunc(c.Terms, func(x smt.Term) bool { return a.Op(x) == smt.OpNot && slices.Contains(c.Terms, a.Arg(x, 0)) })
			excluded := a.Not(a.And(slices.Clone(c.Terms)...))
			switch {
			case contrary:
				complements++
			case slices.Contains(script.AssertsAt(check), excluded):
				together++
				require.Equal(t, value.True, eval.New(a, w.witness()).AllTrue([]smt.Term{excluded}), "the assertions hold all the same")
			}
		}
	}
	require.Greater(t, complements, 10)
	require.Greater(t, together, 10)
}
