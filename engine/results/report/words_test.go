package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// A run on a cluster names the machines, as many as a reader can take in.
func TestMachinesText(t *testing.T) {
	require.Equal(t, "a: 1 worker; c: 8 workers (gpu, big); b: 0 workers, the campaign asks z3, which this machine does not have",
		machinesText([]metrics.MachineStats{{Name: "a", Workers: 1}, {Name: "c", Workers: 8, Labels: []string{"gpu", "big"}}, {Name: "b", Note: "the campaign asks z3, which this machine does not have"}}))
	require.Regexp(t, `m: 1 worker; and 5 more$`, machinesText(machinesOf(maxMachines+5)))
	r := &reportRun{Stats: &metrics.Stats{}}
	require.NotContains(t, environment(r), fact{"machines", ""})
	r.Stats.Workers.Machines = machinesOf(1)
	require.Contains(t, environment(r), fact{"machines", "m: 1 worker"})
}

func machinesOf(n int) []metrics.MachineStats {
	out := make([]metrics.MachineStats, n)
	for i := range out {
		out[i] = metrics.MachineStats{Name: "m", Workers: 1}
	}
	return out
}
