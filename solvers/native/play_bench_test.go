package native

import (
	"context"
	"strings"
	"testing"
	"time"

	machine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/internal/standardmachine"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// BenchmarkTraces makes random walks of the API and plays them on each library, children and restarts included. It
// tells runs by CPU time of all processes, and how much of that time is not the library's: making and writing the
// trace, the pipe, reading it, and the binding.
func BenchmarkTraces(b *testing.B) {
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		b.Run(s.Name, func(b *testing.B) { benchTraces(b, s) })
	}
}

func benchTraces(b *testing.B, s *solvers.Solver) {
	kind := s.Profile.Name
	t := New(s, process.TargetOptions{}).(*target)
	defer t.Close()
	t.clock = true
	cfg := &machine.WalkConfig{Machine: standardmachine.New(b), Truth: machine.ByBoth,
		Gen: gen.Config{Rules: gen.Exclusions{Kinds: []string{kind}, Theories: strings.Fields(theories[kind] + " UF")}}}
	calls, checks, children, timeouts := 0, 0, time.Duration(0), 0
	before := system.CPUTime()
	for i := range b.N {
		w, err := machine.NewWalk(smt.NewArena(), rng.New(uint64(i)), cfg)
		if err != nil {
			b.Fatal(err)
		}
		trace := w.Trace("")
		q := trace.ConditionalQuery(trace.Script("case"))
		run := t.Run(context.Background(), q, solvers.Limits{Wall: 500 * time.Millisecond})
		calls, checks, children = calls+len(trace.Calls), checks+q.Count(solvers.AnswerReply), children+run.CPU
		if run.Class == solvers.Timeout {
			timeouts++
		}
	}
	total, n := system.CPUTime()-before+children, float64(b.N)
	b.ReportMetric(n/total.Seconds(), "runs/cpu-s")
	b.ReportMetric(float64(t.calls)/n, "libcalls/run")
	b.ReportMetric(float64(calls)/n, "calls/run")
	b.ReportMetric(float64(checks)/n, "checks/run")
	b.ReportMetric(float64(timeouts)/n*100, "%timeouts")
	b.ReportMetric(100*(1-t.inside.Seconds()/total.Seconds()), "%engine")
}

// BenchmarkTiny is the cost of a run that asks nothing: the pipe, a context or term manager, a solver, and its end.
func BenchmarkTiny(b *testing.B) {
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		b.Run(s.Name, func(b *testing.B) {
			t := New(s, process.TargetOptions{}).(*target)
			defer t.Close()
			t.clock = true
			q := &solvers.Query{Shares: true, Commands: []solvers.PrintedCommand{{Text: "(declare-const p (_ BitVec 8))"}, {Text: "(assert (bvult p #x07))"}, {Text: "(check-sat)", Reply: solvers.AnswerReply}}}
			t.Run(context.Background(), q, solvers.Limits{}) // starts the child
			before, children := system.CPUTime(), time.Duration(0)
			t.inside = 0
			for range b.N {
				children += t.Run(context.Background(), q, solvers.Limits{}).CPU
			}
			total, n := system.CPUTime()-before+children, float64(b.N)
			b.ReportMetric(total.Seconds()*1e6/n, "cpu-µs/run")
			b.ReportMetric(t.inside.Seconds()*1e6/n, "library-µs/run")
		})
	}
}
