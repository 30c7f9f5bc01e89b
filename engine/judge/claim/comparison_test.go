package claim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// TestComparisons settles claims about a case and its seed without any solver: the evaluator finds the models itself.
func TestComparisons(t *testing.T) {
	const x, both = "(declare-const x Int)", "(declare-const x Int)(declare-const y Int)"
	for _, test := range []struct {
		name, seed, mutant string
		relation           oracle.Relation
		got                smtlib.Answer // to the mutant; the seed has the other one
		want               Standing
	}{
		{"a model of the seed that is none of the mutant", x + "(assert (= x 3))(check-sat)", x + "(assert (= x 4))(check-sat)", oracle.Equivalent, smtlib.Unsat, Refuted},
		{"the same where models need not stay", x + "(assert (= x 3))(check-sat)", x + "(assert (= x 4))(check-sat)", oracle.Equisatisfiable, smtlib.Unsat, Assumed},
		{"a model of both", x + "(assert (= x 3))(check-sat)", x + "(assert (> x 2))(check-sat)", oracle.Equisatisfiable, smtlib.Unsat, Proven},
		{"a model of the mutant that is one of the seed", x + "(assert (> x 2))(check-sat)", x + "(assert (= x 3))(check-sat)", oracle.Stronger, smtlib.Sat, Proven},
		{"a model of the mutant that is none of the seed", x + "(assert (> x 7))(check-sat)", x + "(assert (= x 3))(check-sat)", oracle.Stronger, smtlib.Sat, Refuted},
		{"both answers are right", x + "(assert (= x 3))(check-sat)", x + "(assert false)(check-sat)", oracle.Equisatisfiable, smtlib.Unsat, Refuted},
		{"the seed has a constant that the model does not have", both + "(assert (= x 3))(assert (= y 1))(check-sat)", x + "(assert (= x 3))(check-sat)", oracle.Equivalent, smtlib.Sat, Assumed},
	} {
		t.Run(test.name, func(t *testing.T) {
			mutant, err := smtlib.Parse("mutant", []byte(test.mutant), smt.NewArena())
			require.NoError(t, err)
			c := &testcase.Case{Script: mutant}
			v := &oracle.Verdict{Kind: oracle.KindMetamorphic, Relation: test.relation, Got: test.got}
			require.Nil(t, ComparisonOf(c, v), "no seed")
			c.Origin.SeedScript = testcase.ReadSeedScript("seed", test.seed)
			p := ComparisonOf(c, v)
			require.NotNil(t, p)
			require.Equal(t, test.want, p.Settle(context.Background(), nil, solvers.Limits{}).Standing)
		})
	}
	c := &testcase.Case{Origin: testcase.Origin{SeedScript: testcase.ReadSeedScript("seed", "(check-sat)")}}
	require.Nil(t, ComparisonOf(c, &oracle.Verdict{Kind: oracle.KindCrash}))
}
