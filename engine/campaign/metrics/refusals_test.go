package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// TestRefusals: runs count for their target and technique, refusals in the same words together, whichever worker
// counted them.
func TestRefusals(t *testing.T) {
	made := func(technique string, n uint64) *testcase.Case {
		return &testcase.Case{Origin: testcase.Origin{Technique: technique, Number: n}}
	}
	var one, other, all Refusals
	one.Add(made("storm", 4), []*solvers.Run{{Target: "b", Class: solvers.Unsupported, Message: "no such logic"}, {Target: "a", Class: solvers.OK}}, nil)
	one.Add(made("storm", 5), []*solvers.Run{{Target: "b", Class: solvers.ParseError, Message: "line 7: what"}}, nil)
	other.Add(made("storm", 2), []*solvers.Run{{Target: "b", Class: solvers.Unsupported, Message: "no such logic"}, {Target: "b", Class: solvers.Crash}}, []string{"c"})
	all.Join(one.Take())
	require.Nil(t, one)
	all.Join(other.Take())
	require.Equal(t, Refusals{
		{Name: "a", Techniques: []TechniqueRefusals{{Name: "storm", Runs: 1}}},
		{Name: "b", Techniques: []TechniqueRefusals{{Name: "storm", Runs: 4, Declined: 2, Rejected: 1, Reasons: []Refused{
			{"unsupported", "no such logic", 2, 2}, {"parse-error", solvers.Normalize("line 7: what"), 1, 5},
		}}}},
		{Name: "c", Techniques: []TechniqueRefusals{{Name: "storm", NotMeant: 1}}},
	}, all)
	other.Add(made("probe", 1), []*solvers.Run{{Target: "b", Class: solvers.Unsupported, Message: "no such logic"}}, nil)
	all.Join(other.Take())
	sum := all[1].All()
	require.Equal(t, Refused{"unsupported", "no such logic", 3, 1}, sum.Reasons[0])
	require.Equal(t, uint64(5), sum.Runs)
	require.InDelta(t, 0.8, sum.Lost(), 0.001)
}
