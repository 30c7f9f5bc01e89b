package campaign_test

import (
	"context"
	"os"
	"testing"

	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// BenchmarkCampaign measures the cost of a case: making it (a parse of 200 bytes), two targets that answer at once,
// three oracles, and sending the result to the coordinator. The metrics split the CPU time a case among the processes.
func BenchmarkCampaign(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	st, err := coordinator.Run(context.Background(), coordinator.Config{
		File: "fake.star", Command: []string{exe}, Env: []string{workerEnv + "=1"}, Workers: 1, Stop: finding.Stop{Cases: uint64(b.N)},
	})
	if err != nil {
		b.Fatal(err)
	}
	n := float64(st.Cases)
	b.ReportMetric(1e6*st.CPU.Workers/n, "worker-us/case")
	b.ReportMetric(1e6*st.MakeTime/n, "make-us/case")
	b.ReportMetric(1e6*st.CPU.Coordinator/n, "coordinator-us/case")
	b.ReportMetric(n/st.Elapsed, "cases/s")
}
