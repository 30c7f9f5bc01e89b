package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func parsed(t *testing.T, text string) *smtlib.Script {
	t.Helper()
	s, err := smtlib.Parse("seed", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

// A seed is asked once for each target and each way of asking; a case that was read back has it asked anew.
func TestSeedsAreAskedOnce(t *testing.T) {
	asked := 0
	runs := NewSeedRuns(func(target string, q *solvers.Query, _ solvers.Limits) *solvers.Run {
		if target == "gone" {
			return nil
		}
		asked++
		return &solvers.Run{Target: target, Answers: []smtlib.Answer{smtlib.Sat}}
	})
	c := &testcase.Case{Script: parsed(t, "(assert false)(check-sat)")}
	require.Nil(t, runs.Of(c, "a", false), "a case of no seed")
	require.False(t, c.Origin.Compared)
	for range 3 { // another value with the same text, as the next case has
		c.Origin.SeedScript = testcase.NewSeedScript(parsed(t, "(assert true)(check-sat)"))
		require.Equal(t, smtlib.Sat, runs.Of(c, "a", false).Answer())
	}
	require.True(t, c.Origin.Compared)
	require.Equal(t, 1, asked)
	runs.Of(c, "b", false)
	runs.Of(c, "a", true)
	require.Equal(t, 3, asked, "another target, and a question for models")
	require.Nil(t, runs.Of(c, "gone", false))

	back, err := c.Wire().Case(nil)
	require.NoError(t, err)
	require.Equal(t, c.Origin.SeedScript.Text(), back.Origin.SeedScript.Text())
	runs.Of(back, "a", false)
	runs.Of(back, "a", false)
	require.Equal(t, 5, asked, "what is confirmed counts on nothing that was said before")

	back.Origin.SeedScript = testcase.ReadSeedScript("seed", "(assert")
	require.Nil(t, runs.Of(back, "a", false), "a seed that cannot be read")
	for range 2 * maxSeedRuns {
		c.Origin.SeedScript = testcase.NewSeedScript(parsed(t, "(assert true)(check-sat)"))
		asked++
		runs.Of(c, string(rune(asked)), false)
	}
	require.Len(t, runs.runs, maxSeedRuns)
}

func TestRelations(t *testing.T) {
	for _, x := range []struct {
		relation                    Relation
		satUnsat, unsatSat, carries bool // seed sat and case unsat; seed unsat and case sat
	}{
		{Equisatisfiable, true, true, false}, {Equivalent, true, true, true}, {Stronger, false, true, true}, {Weaker, true, false, true},
	} {
		require.Equal(t, x.satUnsat, x.relation.Contradicted(smtlib.Sat, smtlib.Unsat), x.relation)
		require.Equal(t, x.unsatSat, x.relation.Contradicted(smtlib.Unsat, smtlib.Sat), x.relation)
		require.Equal(t, x.carries, x.relation.Carries(), x.relation)
		for _, a := range []smtlib.Answer{smtlib.Unknown, smtlib.None} {
			require.False(t, x.relation.Contradicted(a, smtlib.Sat) || x.relation.Contradicted(smtlib.Unsat, a), "an answer that says nothing")
		}
	}
}

// Check-sats are compared where it is clear which belong together.
func TestChecksOfSeeds(t *testing.T) {
	ask := func(answers ...smtlib.Answer) *SeedRuns {
		return NewSeedRuns(func(string, *solvers.Query, solvers.Limits) *solvers.Run { return &solvers.Run{Answers: answers} })
	}
	c := &testcase.Case{Script: parsed(t, "(check-sat)")}
	judge := func(seeds *SeedRuns, answers ...smtlib.Answer) []Verdict {
		c.Origin.SeedScript = testcase.NewSeedScript(parsed(t, "(check-sat)"))
		return Metamorphic(Equisatisfiable, seeds).Judge(c, []*solvers.Run{{Target: "a", Solver: "a-1", Answers: answers}})
	}
	require.Len(t, judge(ask(smtlib.Unsat, smtlib.Sat), smtlib.Unsat), 1, "one against the last one")
	require.Empty(t, judge(ask(smtlib.Unsat, smtlib.Sat), smtlib.Sat))
	require.Empty(t, judge(ask(smtlib.Unsat), smtlib.Unsat, smtlib.Sat), "nobody knows which is the seed's")
	got := judge(ask(smtlib.Unsat, smtlib.Sat), smtlib.Unsat, smtlib.Unsat)
	require.Len(t, got, 1)
	require.Equal(t, 1, got[0].Check)
	require.Equal(t, Equisatisfiable, got[0].Relation)
	require.Equal(t, "seed: sat, mutant: unsat", got[0].Message)
}
