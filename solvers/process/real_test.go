package process

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// commands makes a query of lines; the kind of reply follows from the command's name.
func commands(lines ...string) *solvers.Query {
	q := &solvers.Query{}
	for _, l := range lines {
		c := solvers.PrintedCommand{Text: l}
		switch head := headOf(l); {
		case strings.HasPrefix(head, "check-"):
			c.Reply = solvers.AnswerReply
		case strings.HasPrefix(head, "get-"), head == "echo":
			c.Reply = solvers.ValueReply
		}
		q.Commands = append(q.Commands, c)
	}
	return q
}

func z3Profile() *solvers.Profile {
	return &solvers.Profile{
		Name:    "z3",
		Program: solvers.Program{Binaries: []string{"z3", "z3-[0-9]*"}, Version: `Z3 version (\S+)`, Modes: []string{"fresh", "reset", "incremental"}, SessionArgs: []string{"-in"}},
		Dialect: solvers.Dialect{Echo: "plain", ContinuesAfterError: true, HasReset: true, ResetKeepsOptions: true, MultilineTokens: true, ChecksStatus: true},
		Replies: solvers.Replies{Errors: "stdout"},
	}
}

func cvc5Profile() *solvers.Profile {
	return &solvers.Profile{
		Name:    "cvc5",
		Program: solvers.Program{Binaries: []string{"cvc5", "cvc5-[0-9]*"}, Version: `cvc5 version (\d\S*)`, Modes: []string{"fresh", "reset", "incremental"}, Args: []string{"-q", "--lang=smt2"}, TryArgs: []string{"--strings-exp", "--fp-exp"}, IncrementalArgs: []string{"--incremental"}},
		Dialect: solvers.Dialect{Echo: "quoted", HasReset: true, ChecksStatus: true},
		Replies: solvers.Replies{Errors: "stdout"},
	}
}

// realSolvers finds z3 and cvc5; in CI both must be there.
func realSolvers(t *testing.T) []*solvers.Solver {
	t.Helper()
	var usable []*solvers.Solver
	kinds := map[string]bool{}
	for _, s := range solvers.Discover([]*solvers.Profile{z3Profile(), cvc5Profile()}, nil) {
		require.Empty(t, s.Unusable, s.Path)
		usable = append(usable, s)
		kinds[s.Profile.Name] = true
	}
	if os.Getenv("CI") == "true" {
		require.True(t, kinds["z3"] && kinds["cvc5"], "z3 and cvc5 must be installed in CI")
	}
	if len(usable) == 0 {
		t.Skip("no z3 or cvc5 on this machine")
	}
	return usable
}

// everyMode runs a test for each real solver in each mode.
func everyMode(t *testing.T, test func(t *testing.T, target solvers.Target)) {
	for _, s := range realSolvers(t) {
		for _, m := range solvers.Modes() {
			t.Run(s.Name+"/"+string(m), func(t *testing.T) {
				target := New(s, TargetOptions{Mode: m})
				defer func() { require.NoError(t, target.Close()) }()
				test(t, target)
			})
		}
	}
}

func TestRealSolversSameAnswersInAllModes(t *testing.T) {
	everyMode(t, func(t *testing.T, target solvers.Target) {
		for range 3 {
			sat := commands("(set-logic QF_LIA)", "(declare-const x Int)", "(assert (> x 3))", "(check-sat)")
			run := target.Run(context.Background(), sat, solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, "%+v", run)
			require.Equal(t, []smtlib.Answer{smtlib.Sat}, run.Answers)

			unsat := commands("(set-logic QF_LRA)", "(declare-const x Real)", "(assert (> x 3.0))", "(push 1)", "(assert (< x 3.0))", "(check-sat)", "(pop 1)", "(check-sat)")
			run = target.Run(context.Background(), unsat, solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, "%+v", run)
			require.Equal(t, []smtlib.Answer{smtlib.Unsat, smtlib.Sat}, run.Answers)

			run = target.Run(context.Background(), sat.WithModel(), solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, "%+v", run)
			require.Contains(t, run.Values[0], "define-fun x () Int")

			bad := commands("(set-logic QF_LRA)", "(assert (> y 3.0))", "(check-sat)")
			run = target.Run(context.Background(), bad, solvers.Limits{})
			require.Equal(t, solvers.ParseError, run.Class, "%+v", run)
			require.Equal(t, []smtlib.Answer{smtlib.None}, run.Answers)
		}
	})
}

// TestStatistics checks that a solver's statistics can replace edges, and that the run equals that of the query alone.
func TestStatistics(t *testing.T) {
	for _, s := range realSolvers(t) {
		s.Profile.Statistics = true // which is of this call of realSolvers
		for _, mode := range []solvers.Mode{solvers.Fresh, solvers.Reset, solvers.Incremental} {
			target := New(s, TargetOptions{Mode: mode})
			defer target.Close()
			c := target.(solvers.Counter)
			n, err := c.Counts(context.Background())
			require.NoError(t, err)
			require.Zero(t, n)
			c.UseStatistics()
			n, err = c.Counts(context.Background())
			require.NoError(t, err)
			require.Equal(t, coverage.StatisticsSize, n)
			modules, err := c.Modules(context.Background())
			require.NoError(t, err)
			require.Empty(t, modules)
			q := commands("(set-logic QF_LIA)", "(declare-const x Int)", "(assert (> (* 2 x) 3))", "(check-sat)", "(get-value (x))")
			require.Nil(t, target.Run(context.Background(), q, solvers.Limits{}).Coverage)
			q.Counts = true
			run := target.Run(context.Background(), q, solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, "%s %s: %s", s.Name, mode, run.Message)
			require.Len(t, run.Values, 1)
			require.Equal(t, smtlib.Sat, run.Answer())
			require.Positive(t, run.Coverage.Edges(), "%s %s", s.Name, mode)
			q.Commands = append(q.Commands, solvers.PrintedCommand{Text: "(exit)"})
			run = target.Run(context.Background(), q, solvers.Limits{})
			require.Equal(t, solvers.OK, run.Class, run.Message)
			require.Nil(t, run.Coverage, "behind exit nothing is told")
		}
	}
}
