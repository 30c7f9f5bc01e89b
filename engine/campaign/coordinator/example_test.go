package coordinator_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/worker"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers"
)

// workerEnv makes the test binary a worker of the example's campaign.
const workerEnv = "SMTLARK_EXAMPLE_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) == "" {
		leaktest.Main(m)
		return
	}
	if err := worker.Work(context.Background(), os.Stdin, os.Stdout, loadExample, nil, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(70)
	}
	os.Exit(0)
}

// comparisons makes cases that compare two numbers.
type comparisons struct{}

func (comparisons) Name() string { return "comparisons" }

func (comparisons) Make(_ context.Context, n uint64, r *rng.Source) (*testcase.Case, error) {
	text := fmt.Sprintf("(declare-const x Int)(assert (= x %d))(assert (< x %d))(check-sat)", r.Intn(9), r.Intn(9))
	return testcase.Parse(fmt.Sprintf("case-%d", n), []byte(text))
}

// hasty is a solver that says sat to everything.
type hasty struct{}

func (hasty) Name() string { return "hasty" }
func (hasty) Solver() *solvers.Solver {
	return &solvers.Solver{Name: "hasty-1.0", Profile: &solvers.Profile{Name: "hasty"}}
}
func (hasty) Mode() solvers.Mode { return solvers.Fresh }
func (hasty) Close() error       { return nil }

func (hasty) Run(context.Context, *solvers.Query, solvers.Limits) *solvers.Run {
	return &solvers.Run{Target: "hasty", Solver: "hasty-1.0", Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat}}
}

// loadExample is the campaign. A campaign file makes such a plan (package starlark/host).
func loadExample(_ context.Context, file string, _ finding.Inputs, _ func(string)) (*campaign.Plan, error) {
	return &campaign.Plan{
		Declared:  finding.Declared{Name: "example", File: file, Bounds: finding.Bounds{Limits: solvers.Limits{Wall: time.Second}, Confirm: 1}},
		Technique: comparisons{},
		Targets:   []solvers.Target{hasty{}},
		Oracles:   []oracle.Oracle{oracle.Crash()},
		Reducer:   campaign.DefaultReducer(nil),
	}, nil
}

// A campaign of 300 cases by two worker processes, which are this program itself.
func ExampleRun() {
	program, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	stats, err := coordinator.Run(context.Background(), coordinator.Config{
		File:    "example.star",
		Command: []string{program},
		Env:     []string{workerEnv + "=1"},
		Workers: 2,
		Stop:    finding.Stop{Cases: 300},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stats.Cases, "cases,", stats.Targets[0].Runs, "runs of", stats.Targets[0].Name)
	// Output:
	// 300 cases, 300 runs of hasty
}
