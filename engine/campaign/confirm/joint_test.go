package confirm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func madeOf(t *testing.T, seed, mutant string) *testcase.Case {
	script, err := smtlib.Parse("mutant", []byte(mutant), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: script, Origin: testcase.Origin{SeedScript: testcase.ReadSeedScript("seed", seed)}}
}

func TestJoinAndSplit(t *testing.T) {
	const x, y = "(declare-const x Int)\n", "(declare-const y Int)\n"
	for _, test := range []struct{ name, seed, mutant, joint, ofSeed, ofMutant string }{
		{"what both assert is there once", x + "(assert (> x 1))(assert (< x 9))(check-sat)", x + "(assert (> x 1))(check-sat)",
			x + "(assert (> x 1))\n(push 1)\n(assert (< x 9))\n(check-sat)\n(pop 1)\n(push 1)\n(check-sat)\n(pop 1)\n",
			x + "(assert (> x 1))\n(assert (< x 9))\n(check-sat)\n", x + "(assert (> x 1))\n(check-sat)\n"},
		{"each with its own constant, names of assertions left out", x + "(assert (! (> x 1) :named a))(check-sat)", y + "(assert (> y 1))(check-sat)",
			x + y + "(push 1)\n(assert (> x 1))\n(check-sat)\n(pop 1)\n(push 1)\n(assert (> y 1))\n(check-sat)\n(pop 1)\n",
			x + "(assert (> x 1))\n(check-sat)\n", y + "(assert (> y 1))\n(check-sat)\n"},
		{"the last check-sat of the seed, where the case has one", x + "(push 1)(assert (> x 1))(check-sat)(pop 1)(assert (< x 1))(check-sat)", x + "(assert (= x 1))(check-sat)",
			x + "(push 1)\n(assert (< x 1))\n(check-sat)\n(pop 1)\n(push 1)\n(assert (= x 1))\n(check-sat)\n(pop 1)\n",
			x + "(assert (< x 1))\n(check-sat)\n", x + "(assert (= x 1))\n(check-sat)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := madeOf(t, test.seed, test.mutant)
			joint, err := joinPair(c, 0)
			require.NoError(t, err)
			require.Equal(t, test.joint, string(joint.Text()))
			again := splitPair(joint, c)
			require.Equal(t, test.ofSeed, again.Origin.SeedScript.Text())
			require.Equal(t, test.ofMutant, string(again.Text()))
		})
	}
	one := madeOf(t, "(check-sat)", "(check-sat)")
	require.Nil(t, splitPair(one, one), "one check-sat")
	_, err := joinPair(madeOf(t, x+"(assert (> x 1))(check-sat)", "(declare-const x Real)(assert (> x 1.0))(check-sat)"), 0)
	require.EqualError(t, err, "the two have different things of the name x")
	_, err = joinPair(madeOf(t, "(check-sat)", "(check-sat)(check-sat)"), 0)
	require.EqualError(t, err, "no check-sat of the seed belongs to that of the case")
}

func TestEvident(t *testing.T) {
	const x, gt, lt, check = "(declare-const x Int)", "(assert (> x 1))", "(assert (< x 9))", "(check-sat)"
	less := madeOf(t, x+gt+lt+check, x+lt+check)
	more := madeOf(t, x+gt+check, x+lt+gt+check)
	same := madeOf(t, x+gt+lt+check, x+lt+gt+check)
	other := madeOf(t, x+gt+check, x+lt+check)
	for _, test := range []struct {
		relation oracle.Relation
		holds    []bool // of less, more, same, other
	}{
		{oracle.Weaker, []bool{true, false, true, false}},
		{oracle.Stronger, []bool{false, true, true, false}},
		{oracle.Equivalent, []bool{false, false, true, false}},
		{oracle.Equisatisfiable, []bool{false, false, true, false}},
		{oracle.RelationScripted, []bool{false, false, false, false}},
	} {
		var got []bool
		for _, c := range []*testcase.Case{less, more, same, other} {
			got = append(got, relationShows(c, 0, test.relation))
		}
		require.Equal(t, test.holds, got, test.relation)
	}
}
