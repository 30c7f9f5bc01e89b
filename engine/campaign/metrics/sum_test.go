package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Cases that are summed up first count as they do one by one.
func TestSum(t *testing.T) {
	fresh := func() *Stats {
		return &Stats{Targets: []TargetStats{{Name: "a", Classes: map[string]uint64{}}, {Name: "b", Classes: map[string]uint64{}}}}
	}
	one, summed := fresh(), fresh()
	for _, codes := range [][]string{{"1:s:1000:2000 1:u:500:70000", "1:uk:1:1 -", "3:-:9:9 1::5:0"}, {"1:s:1:1 2::1:90000000"}} {
		var sum Sum
		for i, runs := range codes {
			m := Made{Cases: 1, Make: int64(i + 300), Repeat: i == 2}
			if i > 0 {
				m.Technique, m.Steps = "storm", []string{"x", "y"}
			}
			require.NoError(t, sum.Add(&m, runs, 2))
			all, err := ParseRunCodes(runs, 2)
			require.NoError(t, err)
			for k := range all {
				if all[k].Class != 0 {
					one.Targets[k].AddRun(&all[k])
				}
			}
			one.AddCase(CaseMade{Technique: m.Technique, Steps: m.Steps, Repeat: m.Repeat, Seconds: float64(m.Make) / 1e6})
		}
		require.EqualValues(t, len(codes), sum.Cases())
		require.NoError(t, summed.AddSum(&sum))
	}
	require.InDelta(t, one.MakeTime, summed.MakeTime, 1e-9)
	for i := range one.Targets {
		a, b := &one.Targets[i], &summed.Targets[i]
		require.InDelta(t, a.CPU, b.CPU, 1e-9)
		require.InDelta(t, a.Wall, b.Wall, 1e-9)
		a.CPU, a.Wall, b.CPU, b.Wall = 0, 0, 0, 0
	}
	require.Equal(t, one.Targets, summed.Targets)
	require.Equal(t, one.Cases, summed.Cases)

	var sum Sum
	require.Error(t, sum.Add(&Made{Cases: 1}, "1:s:1:1", 2))
	require.Error(t, fresh().AddSum(&Sum{Made: []Made{{Cases: 1}}, Targets: make([]TargetStats, 1)}), "other targets")
	require.Error(t, fresh().AddSum(&Sum{Made: []Made{{Cases: 1}}, Targets: []TargetStats{{Classes: map[string]uint64{"odd": 1}}, {}}}))
	require.Error(t, fresh().AddSum(&Sum{Made: []Made{{Cases: 1}}, Targets: []TargetStats{{Runs: 2}, {}}}), "more runs than cases")
}
