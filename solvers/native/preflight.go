package native

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// Preflight asks each library two tiny questions and makes those that fail Unusable. It changes the solvers, so call it
// before they are used.
func Preflight(ctx context.Context, found []*solvers.Solver) {
	for _, s := range found {
		if s.Unusable == "" {
			s.Unusable = wrongAnswer(ctx, s)
		}
	}
}

func wrongAnswer(ctx context.Context, s *solvers.Solver) string {
	target := New(s, process.TargetOptions{})
	defer target.Close()
	for relation, want := range map[string]smtlib.Answer{"=": smtlib.Sat, "distinct": smtlib.Unsat} {
		q := &solvers.Query{Commands: []solvers.PrintedCommand{
			{Text: "(declare-fun x () Bool)"}, {Text: "(assert (" + relation + " x x))"},
			{Text: "(check-sat)", Reply: solvers.AnswerReply},
		}}
		lim := process.DefaultLimits
		lim.Wall = helloWall
		run := target.Run(ctx, q, lim)
		switch {
		case ctx.Err() != nil:
			return ""
		case run.Class != solvers.OK:
			return fmt.Sprintf("fails a tiny query: %v: %s", run.Class, run.Message)
		case run.Answer() != want:
			return fmt.Sprintf("answers %v to a tiny query where %v is right", run.Answer(), want)
		}
	}
	return ""
}
