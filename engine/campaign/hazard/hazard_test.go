package hazard_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/rule"
)

// shapes are those of the cases of play; the second one is within the first.
var shapes = lacktest.Lacks("sort Array", "array-index Bool", "argument = Int", "operator bvadd", "operator bvmul",
	"operator int.pow2", "operator int.log2", "action push", "operator str.++", "nary div", "theory Ints")

// play adds cases of a solver that fails on some shapes, and on few cases anyway.
func play(t *hazard.Avoider, cases int, how hazard.Failure, fails map[string]float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range uint64(cases) {
		c := &hazard.CaseNote{For: "cvc5-1.4.2"}
		add := func(l rule.Lack) {
			c.Shapes = append(c.Shapes, l)
			if r.Float64() < fails[l.String()] {
				c.Failure = how
			}
		}
		if r.Float64() < 0.002 {
			c.Failure = how
		}
		for i, l := range shapes {
			if i != 1 && r.IntN(4) == 0 {
				add(l)
			}
			if i == 1 && len(c.Shapes) == 1 && r.IntN(3) == 0 {
				add(l)
			}
		}
		t.Add(n, c)
	}
}

func names(list []hazard.Shape) (out []string) {
	for i := range list {
		out = append(out, list[i].Name)
	}
	return out
}

func TestShapesOnWhichATargetFails(t *testing.T) {
	var table hazard.Avoider
	play(&table, 2000, hazard.Died, map[string]float64{"operator int.pow2": 0.5})
	found := table.Shapes()
	require.Equal(t, []string{"operator int.pow2@cvc5-1.4.2"}, names(found))
	require.InDelta(t, 0.5, float64(found[0].Failures)/float64(found[0].Cases), 0.15)

	table = hazard.Avoider{}
	play(&table, 2000, hazard.Died, map[string]float64{"array-index Bool": 0.9})
	require.Equal(t, []string{"array-index Bool@cvc5-1.4.2"}, names(table.Shapes()), "the narrow shape, not all arrays")

	table = hazard.Avoider{}
	play(&table, 2000, hazard.Died, map[string]float64{"operator int.pow2": 0.5, "action push": 0.9})
	require.Len(t, table.Shapes(), 2, "deaths that one explains say nothing of the other")

	table = hazard.Avoider{}
	play(&table, 2000, hazard.Died, map[string]float64{"operator int.pow2": 0.01})
	require.Empty(t, table.Shapes(), "rare deaths")
	play(&table, 2000, hazard.Died, map[string]float64{"theory Ints": 0.9})
	require.Empty(t, table.Shapes(), "no whole theory is left out")
}

// A wrong answer counts as the same one again when there are dozens; a refusal when most cases are refused.
func TestOtherFailures(t *testing.T) {
	var table hazard.Avoider
	play(&table, 100, hazard.Wrong, map[string]float64{"nary div": 0.9})
	require.Empty(t, table.Shapes())
	table = hazard.Avoider{}
	play(&table, 1000, hazard.Wrong, map[string]float64{"nary div": 0.9})
	require.Equal(t, []string{"nary div@cvc5-1.4.2"}, names(table.Shapes()))
	require.Equal(t, hazard.Wrong, table.Shapes()[0].Failure)

	table = hazard.Avoider{}
	play(&table, 1000, hazard.Refused, map[string]float64{"nary div": 0.3, "operator int.log2": 1})
	require.Equal(t, []string{"operator int.log2@cvc5-1.4.2"}, names(table.Shapes()))
}

// What most cases have is not left out: hardly anything would be made.
func TestWhatMostCasesHaveStays(t *testing.T) {
	var table hazard.Avoider
	for n := range uint64(1000) {
		c := &hazard.CaseNote{Shapes: lacktest.Lacks("sort Int", "operator <")}
		if n%10 == 0 {
			c.Shapes = c.Shapes[:0]
		} else if n%2 == 0 {
			c.Failure = hazard.Died
		}
		table.Add(n, c)
	}
	require.Empty(t, table.Shapes())
}

func TestAvoided(t *testing.T) {
	entries := []string{"operator int.pow2@cvc5-1.4.2", "operator @@cvc5-1.4.2", "action reset@z3-5.4.0", "nary bvadd"}
	kept := 0
	for n := range uint64(5000) {
		avoided := hazard.Avoided(entries, "cvc5-1.4.2", 3, n)
		require.Equal(t, avoided, hazard.Avoided(entries, "cvc5-1.4.2", 3, n))
		require.NotContains(t, avoided, rule.Action.Of("reset"))
		if len(avoided) == 0 || avoided[0] != rule.Operator.Of("int.pow2") {
			kept++
		}
	}
	require.InDelta(t, 5000/hazard.Floor, kept, 30, "a fixed build is noticed")
	require.Contains(t, hazard.Avoided(entries, "cvc5-1.4.2", 3, 1), rule.Operator.Of("@"))
	require.Equal(t, lacktest.Lacks("nary bvadd"), hazard.Avoided(entries, "", 3, 1))
	require.NoError(t, hazard.Check(entries))
	require.ErrorContains(t, hazard.Check([]string{"nary div", "div@z3-5.4.0"}), `"div"`)
}

func TestCasesGoOverAPipe(t *testing.T) {
	c := hazard.CaseNote{For: "z3-5.4.0", Shapes: shapes, Failure: hazard.Refused}
	text, err := json.Marshal(c)
	require.NoError(t, err)
	var back hazard.CaseNote
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, c, back)
}
