package remote

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// Machines of one name are one to people; why one of them cannot take part is told.
func TestMachines(t *testing.T) {
	d := &Workers{members: map[string]member{}}
	require.Empty(t, d.Machines())
	for _, p := range []cluster.Presence{
		{Member: "3", Machine: "b", Slots: 2}, {Member: "1", Machine: "a", Slots: 4, Labels: []string{"gpu"}}, {Member: "2", Machine: "b", Refused: "it has no z3"},
	} {
		d.members[p.Member] = member{Presence: p}
	}
	require.Equal(t, []metrics.MachineStats{{Name: "a", Workers: 4, Labels: []string{"gpu"}}, {Name: "b", Workers: 2, Note: "it has no z3"}}, d.Machines())
}
