package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/modelreader"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/symbolic"
	"github.com/smtlark/smtlark/engine/system"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// tablePaths is the table of queries of symbolic execution, which is made alone.
const tablePaths = "paths"

// benchPaths has a solver answer the queries of symbolic execution by push and pop, alone and behind a cache of answers, in turn.
func benchPaths(ctx context.Context, e *command.Env, solver string, queries, rounds int) int {
	fmt.Fprintf(e.Stdout, "## %d queries of symbolic execution, %s below\n\n", queries, solver)
	fmt.Fprintln(e.Stdout, "| way | CPU seconds, ours | of the solver | wall seconds | calls of the solver | sat | hits: repeated, core, model, normal form |")
	fmt.Fprintln(e.Stdout, "|---|---:|---:|---:|---:|---:|---|")
	var answers [][]bool
	for range rounds {
		for _, way := range []string{"alone, push and pop", "cached"} {
			q := &pathQueries{a: smt.NewArena()}
			if way == "cached" {
				c, err := cache.Open(cache.Options{})
				if err != nil {
					return e.Fail(command.ExitInternal, "bench", err)
				}
				q.cache, q.client = c, c.Client(q.a)
			}
			if err := q.run(ctx, solver, queries); err != nil {
				return e.Fail(command.ExitSolver, "bench", err)
			}
			if err := q.print(e.Stdout, way); err != nil {
				return e.Fail(command.ExitDisk, "bench", err)
			}
			answers = append(answers, q.answers)
		}
	}
	for _, x := range answers[1:] {
		if !slices.Equal(x, answers[0]) {
			fmt.Fprintln(e.Stderr, "smtlark bench: the ways do not agree on the answers")
			return command.ExitFindings
		}
	}
	return command.ExitOK
}

// pathQueries answers queries by a session, and by a cache before it if there is one.
type pathQueries struct {
	a        *smt.Arena
	session  solvers.Session
	cache    *cache.Cache
	client   *cache.Client
	declared []smtlib.Command
	asserted []smt.Term // each on a level of its own
	answers  []bool
	calls    int // of the solver

	ours, solvers, wall time.Duration
}

// run opens a session and has the programs explored.
func (q *pathQueries) run(ctx context.Context, name string, queries int) error {
	target, err := command.TargetNamed(ctx, name, false, true, solvers.Limits{Wall: time.Hour, Output: 1 << 30})
	if err != nil {
		return err
	}
	defer target.Close()
	opener, ok := target.(solvers.Opener)
	if !ok {
		return fmt.Errorf("%s opens no sessions", target.Name())
	}
	cpu, start := system.CPUTime(), time.Now()
	if q.session, err = opener.Open(ctx, q.a, solvers.LimitsOf(target)); err != nil {
		return err
	}
	defer q.session.Close()
	if err = q.session.SetOption("produce-models", "true"); err == nil {
		err = q.session.SetLogic("ALL")
	}
	if err == nil {
		_, err = symbolic.Explore(q.a, queries, q)
	}
	q.ours, q.wall = system.CPUTime()-cpu, time.Since(start)
	if m, ok := q.session.(solvers.Measured); ok && err == nil {
		var r solvers.Run
		if err = q.session.Close(); err == nil {
			m.Measure(&r)
			q.solvers = r.CPU
		}
	}
	return err
}

// Declare makes an input known to the solver, below all levels.
func (q *pathQueries) Declare(f smt.Symbol) error {
	if err := q.goTo(nil); err != nil {
		return err
	}
	q.declared = append(q.declared, smtlib.DeclareCommand(q.a, f))
	return q.session.Declare(f)
}

// Ask answers from the cache, or asks the solver.
func (q *pathQueries) Ask(asserts []smt.Term) (bool, error) {
	answer, err := q.answer(asserts)
	if err == nil && !answer.Decided() {
		err = fmt.Errorf("the solver does not decide query %d", len(q.answers)+1)
	}
	q.answers = append(q.answers, answer == smtlib.Sat)
	return answer == smtlib.Sat, err
}

func (q *pathQueries) answer(asserts []smt.Term) (smtlib.Answer, error) {
	question := &cache.Question{Logic: "ALL", Asserts: asserts}
	if q.client != nil {
		if known, ok := q.client.Look(question); ok {
			return known.Answer, nil
		}
	}
	if err := q.goTo(asserts); err != nil {
		return smtlib.None, err
	}
	q.calls++
	answer, err := q.session.CheckSat(nil)
	if err != nil || q.client == nil {
		return answer, err
	}
	var m *model.Model
	if x, ok := q.session.(solvers.Modeler); ok && answer == smtlib.Sat {
		text, err := x.Model()
		if err == nil {
			m, err = modelreader.Parse(&smtlib.Script{Arena: q.a, Commands: q.declared}, text)
		}
		if err != nil {
			return answer, err
		}
	}
	q.client.Keep(question, answer, m, nil)
	return answer, nil
}

// goTo brings the solver from the assertions it has to others, by the least pops and pushes.
func (q *pathQueries) goTo(asserts []smt.Term) error {
	same := 0
	for same < min(len(asserts), len(q.asserted)) && asserts[same] == q.asserted[same] {
		same++
	}
	if n := len(q.asserted) - same; n > 0 {
		if err := q.session.Pop(n); err != nil {
			return err
		}
	}
	q.asserted = q.asserted[:same]
	for _, t := range asserts[same:] {
		if err := q.session.Push(1); err != nil {
			return err
		}
		if err := q.session.Assert(t); err != nil {
			return err
		}
		q.asserted = append(q.asserted, t)
	}
	return nil
}

// print writes a row.
func (q *pathQueries) print(w io.Writer, way string) error {
	hits := ""
	if q.cache != nil {
		s, err := q.cache.Stats()
		if err != nil {
			return err
		}
		hits = fmt.Sprintf("%d, %d, %d, %d", s.Repeated, s.Core, s.Model, s.Memory+s.Disk)
	}
	satisfiable := 0
	for _, x := range q.answers {
		if x {
			satisfiable++
		}
	}
	_, err := fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %d of %d | %d | %s |\n", way, q.ours.Seconds(), q.solvers.Seconds(), q.wall.Seconds(), q.calls, len(q.answers), satisfiable, hits)
	return err
}
