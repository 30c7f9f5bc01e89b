package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// pathWays are the ways in which the queries are answered: by a solver that a client writes to by itself, and by the
// front end in two modes, the latter also without cores.
var pathWays = []string{"a client's own pipe, push and pop", "solve --mode incremental", "solve --mode cached", "solve --mode cached --cores=false"}

// paths makes a solver answer the queries of symbolic execution by push and pop, first over a client's own pipe, then
// behind the front end.
func (b *bench) paths(ctx context.Context) error {
	const usual = 2000
	queries := cmp.Or(b.cases, usual)
	solver := b.solvers[0]
	fmt.Fprintf(b.out, "## %d queries of symbolic execution, %s below\n\n", queries, solver)
	fmt.Fprintln(b.out, "| way | CPU seconds, ours | of the solver | wall seconds | calls of the solver | sat | hits: repeated, core, model, repaired model, normal form |")
	fmt.Fprintln(b.out, "|---|---:|---:|---:|---:|---:|---|")
	var answers []smtlib.Answer
	for range b.rounds {
		for i, way := range pathWays {
			q := &pathQueries{a: smt.NewArena()}
			if err := q.run(ctx, solver, i, queries); err != nil {
				return err
			}
			if err := q.print(b.out, way); err != nil {
				return err
			}
			if answers != nil && !slices.Equal(answers, q.answers) {
				return errors.New("the ways do not agree on the answers")
			}
			answers = q.answers
		}
	}
	return nil
}

// pathAnswerer gets the difference between a question and the one before, and answers the question.
type pathAnswerer struct {
	do    func(c *smtlib.Command) error
	check func() (smtlib.Answer, error)
	calls func() int // of the solver
	close func() error
}

// answererOf returns the answerer of a way.
func (q *pathQueries) answererOf(ctx context.Context, target solvers.Target, way int) (*pathAnswerer, error) {
	if way == 0 {
		d, err := startDirect(ctx, q.a, target.Solver())
		if err != nil {
			return nil, err
		}
		return &pathAnswerer{do: d.do, check: d.check, calls: func() int { return len(q.answers) }, close: d.close}, nil
	}
	o := frontend.Options{Mode: frontend.Incremental}
	if way >= 2 {
		var err error
		if q.cache, err = cache.Open(cache.Storage{}); err != nil {
			return nil, err
		}
		o.Mode, o.Cache, o.NoCores = frontend.Cached, q.cache, way == 3
	}
	s, err := frontend.New(q.a, []solvers.Target{target}, o)
	if err != nil {
		return nil, err
	}
	return &pathAnswerer{
		do: s.Do,
		check: func() (smtlib.Answer, error) {
			r, err := s.Check(ctx)
			return r.Answer, err
		},
		calls: func() int { return s.Stats()[0].Asked },
		close: s.Close,
	}, nil
}

// pathQueries answers queries, and records their cost.
type pathQueries struct {
	a        *smt.Arena
	by       *pathAnswerer
	cache    *cache.Cache // nil: there is none
	asserted []smt.Term   // each on a level of its own
	answers  []smtlib.Answer
	calls    int

	ours, solvers, wall time.Duration
}

// run has the programs explored in one of the ways.
func (q *pathQueries) run(ctx context.Context, name string, way, queries int) error {
	target, err := programNamed(ctx, name)
	if err != nil {
		return err
	}
	ours, start := system.CPUTime(), time.Now()
	children, _ := system.ChildrenCPUTime()
	if q.by, err = q.answererOf(ctx, target, way); err != nil {
		return errors.Join(err, target.Close())
	}
	err = q.by.do(&smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":produce-models", Text: "true"})
	if err == nil {
		err = q.by.do(&smtlib.Command{Kind: smtlib.CmdSetLogic, Text: "ALL"})
	}
	if err == nil {
		_, err = explorePaths(q.a, queries, q)
	}
	q.calls = q.by.calls()
	err = errors.Join(err, q.by.close(), target.Close())
	after, _ := system.ChildrenCPUTime()
	q.ours, q.solvers, q.wall = system.CPUTime()-ours, after-children, time.Since(start)
	return err
}

// Declare makes an input known to the solver, below all levels.
func (q *pathQueries) Declare(f smt.Symbol) error {
	if err := q.goTo(nil); err != nil {
		return err
	}
	c := smtlib.DeclareCommand(q.a, f)
	return q.by.do(&c)
}

// Ask answers a query.
func (q *pathQueries) Ask(asserts []smt.Term) (bool, error) {
	if err := q.goTo(asserts); err != nil {
		return false, err
	}
	answer, err := q.by.check()
	if q.answers = append(q.answers, answer); err == nil && !answer.Decided() {
		err = fmt.Errorf("the solver does not decide query %d", len(q.answers))
	}
	return answer == smtlib.Sat, err
}

// goTo changes the present assertions to others with as few pops and pushes as possible.
func (q *pathQueries) goTo(asserts []smt.Term) error {
	same := 0
	for same < min(len(asserts), len(q.asserted)) && asserts[same] == q.asserted[same] {
		same++
	}
	if n := len(q.asserted) - same; n > 0 {
		if err := q.by.do(&smtlib.Command{Kind: smtlib.CmdPop, N: n}); err != nil {
			return err
		}
	}
	q.asserted = q.asserted[:same]
	for _, t := range asserts[same:] {
		assertion := smtlib.AssertCommand(t)
		if err := q.by.do(&smtlib.Command{Kind: smtlib.CmdPush, N: 1}); err != nil {
			return err
		}
		if err := q.by.do(&assertion); err != nil {
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
		hits = fmt.Sprintf("%d, %d, %d, %d, %d", s.Repeated, s.Core, s.Model, s.Repaired, s.Memory+s.Disk)
	}
	satisfiable := 0
	for _, x := range q.answers {
		if x == smtlib.Sat {
			satisfiable++
		}
	}
	_, err := fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %d of %d | %d | %s |\n", way, q.ours.Seconds(), q.solvers.Seconds(), q.wall.Seconds(), q.calls, len(q.answers), satisfiable, hits)
	return err
}
