package process

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
)

// sized is a query of about the given number of bytes that takes a solver no time.
func sized(bytes int) *solvers.Query {
	q := commands("(set-logic QF_LIA)", "(declare-const x Int)")
	for n, i := 0, 0; n < bytes; i++ {
		text := fmt.Sprintf("(assert (or (and (>= x %d) (<= (+ x %d) 123456789)) (not (= x (- %d)))))", i%17, i, i)
		n += len(text)
		q.Commands = append(q.Commands, solvers.PrintedCommand{Text: text})
	}
	q.Commands = append(q.Commands, commands("(check-sat)").Commands...)
	return q
}

// bench reports our own CPU and the solver's CPU a case, beside the wall time.
func bench(b *testing.B, target solvers.Target, q *solvers.Query) {
	run := target.Run(context.Background(), q, solvers.Limits{})
	require.Equal(b, solvers.OK, run.Class, "%+v", run)
	b.ReportAllocs()
	b.ResetTimer()
	begun, solver := system.CPUTime(), time.Duration(0)
	for range b.N {
		run = target.Run(context.Background(), q, solvers.Limits{})
		solver += run.CPU
	}
	b.ReportMetric(float64(system.CPUTime()-begun)/float64(b.N)/1e3, "own-us/op")
	b.ReportMetric(float64(solver)/float64(b.N)/1e3, "solver-us/op")
	require.Equal(b, solvers.OK, run.Class)
}

func BenchmarkFake(b *testing.B) {
	for _, m := range solvers.Modes() {
		b.Run(string(m), func(b *testing.B) { bench(b, fake(b, TargetOptions{Mode: m}, nil), sized(15_000)) })
	}
}

func BenchmarkReal(b *testing.B) {
	for _, s := range solvers.Discover([]*solvers.Profile{z3Profile(), cvc5Profile()}, nil) {
		for _, m := range solvers.Modes() {
			b.Run(s.Name+"/"+string(m), func(b *testing.B) {
				target := New(s, TargetOptions{Mode: m})
				defer target.Close()
				bench(b, target, sized(15_000))
			})
		}
	}
}
