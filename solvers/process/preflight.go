package process

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// preflightWall bounds each of the tiny queries; the first start of a big program from a cold disk takes its time.
const preflightWall = 20 * time.Second

// Preflight asks each solver two tiny questions in each of its modes, and notes the modes that fail in Broken. A solver
// without a working mode becomes Unusable. It changes the solvers, so call it before they are used.
func Preflight(ctx context.Context, found []*solvers.Solver) {
	solvers.EachUsable(found, func(s *solvers.Solver) { preflightModes(ctx, s) })
}

func preflightModes(ctx context.Context, s *solvers.Solver) {
	broken := map[solvers.Mode]string{}
	for _, m := range s.Modes() {
		target := New(s, TargetOptions{Mode: m, Limits: solvers.Limits{Wall: preflightWall}})
		for _, q := range probeQueries(s.Profile) {
			if why := wrongAnswer(ctx, target, q.query, q.want); why != "" {
				broken[m] = why
				break
			}
		}
		if err := target.Close(); err != nil && broken[m] == "" {
			broken[m] = err.Error()
		}
	}
	if ctx.Err() != nil || len(broken) == 0 {
		return
	}
	s.Broken = broken
	if len(s.Modes()) == 0 {
		var why []string
		for _, m := range slices.Sorted(maps.Keys(broken)) {
			if !slices.Contains(why, broken[m]) {
				why = append(why, broken[m])
			}
		}
		s.Unusable = "fails a tiny query: " + strings.Join(why, "; ")
	}
}

// wrongAnswer runs the query and returns why the answer was not the wanted one; "" if it was.
func wrongAnswer(ctx context.Context, t solvers.Target, q *solvers.Query, want smtlib.Answer) string {
	run := t.Run(ctx, q, solvers.Limits{})
	switch {
	case run.Class != solvers.OK:
		return fmt.Sprintf("%v: %s", run.Class, run.Message)
	case run.Answer() != want:
		return fmt.Sprintf("answers %v where %v is right", run.Answer(), want)
	}
	return ""
}

type tiny struct {
	query *solvers.Query
	want  smtlib.Answer
}

// probeQueries returns an unsatisfiable and a satisfiable query in a theory or logic that the solver supports. The
// second query is unsatisfiable if the solver still has the assertions of the first one.
func probeQueries(p *solvers.Profile) []tiny {
	if slices.Contains(p.Logics, "HORN") {
		return []tiny{{hornQuery("distinct"), smtlib.Unsat}, {hornQuery("="), smtlib.Sat}}
	}
	logic, sort := "QF_UF", "Bool"
	switch {
	case slices.Contains(p.Theories, "FixedSizeBitVectors"):
		logic, sort = "QF_BV", "(_ BitVec 4)"
	case slices.Contains(p.Theories, "Ints"):
		logic, sort = "QF_LIA", "Int"
	case slices.Contains(p.Theories, "Reals"):
		logic, sort = "QF_LRA", "Real"
	}
	make := func(relation string) *solvers.Query {
		return &solvers.Query{Logic: logic, Commands: []solvers.PrintedCommand{
			{Text: "(set-logic " + logic + ")"}, {Text: "(declare-fun x () " + sort + ")"},
			{Text: "(assert (" + relation + " x x))"},
			{Text: "(check-sat)", Reply: solvers.AnswerReply},
		}}
	}
	return []tiny{{make("distinct"), smtlib.Unsat}, {make("="), smtlib.Sat}}
}

// hornQuery returns a query of Horn clauses in which only zero is reachable, and nothing reachable may be in the given
// relation to one.
func hornQuery(relation string) *solvers.Query {
	return &solvers.Query{Logic: "HORN", Commands: []solvers.PrintedCommand{
		{Text: "(set-logic HORN)"}, {Text: "(declare-fun reached (Int) Bool)"},
		{Text: "(assert (forall ((x Int)) (=> (= x 0) (reached x))))"},
		{Text: "(assert (forall ((x Int)) (=> (and (reached x) (" + relation + " x 1)) false)))"},
		{Text: "(check-sat)", Reply: solvers.AnswerReply},
	}}
}
