package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// TestWhatAWorkerNeedNotTell: a case is silent about an edge only if one with a lower number has told of it.
func TestWhatAWorkerNeedNotTell(t *testing.T) {
	e := &edges{solvers: []finding.Counting{{Name: "s", Edges: 100}}, of: map[string]int{"s/fresh": 0}, all: emptySets(1), earlier: emptySets(1)}
	tell := func(edge coverage.Edge) {
		e.filter[0].Add([]coverage.Edge{edge})
		e.all[0].Add([]coverage.Edge{edge})
	}
	knows := func(edge coverage.Edge) bool { return e.filter[0].Has(edge) }
	e.begin(0, nil)
	tell(1)
	e.last = 10
	e.begin(20, nil)
	require.True(t, knows(1), "a later case of the same epoch")
	tell(2)
	e.last = 30
	e.begin(5, nil)
	require.False(t, knows(1), "cases that another worker gave back come before")
	require.False(t, knows(2))
	e.begin(40, nil)
	require.True(t, knows(2))
	second := mixture.FirstOf(1)
	e.begin(second, nil)
	require.True(t, knows(2))
	tell(3)
	e.last = second + 10
	e.begin(second+5, nil)
	require.True(t, knows(1), "of an earlier epoch")
	require.False(t, knows(3))
	e.begin(50, nil)
	require.False(t, knows(1), "an earlier epoch comes once more")
	e.begin(second+20, []growth.Covered{{Edges: coverage.Pack([]coverage.Edge{77})}, {Solver: 9}})
	require.True(t, knows(77), "the coordinator says that it is known")
	require.True(t, knows(3))
}

func TestSeveralModesOfOneSolver(t *testing.T) {
	list := coveredBy([]told{{0, []coverage.Edge{1, 9}}, {1, []coverage.Edge{5}}, {0, []coverage.Edge{2}}})
	require.Equal(t, []growth.Covered{{Solver: 0, Edges: coverage.Pack([]coverage.Edge{1, 2, 9})}, {Solver: 1, Edges: coverage.Pack([]coverage.Edge{5})}}, list)
}
