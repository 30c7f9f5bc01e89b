package campaign

import (
	"context"
	"errors"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// player plays the actions of a campaign file on live solvers.
type player struct {
	m   *maker
	p   value.LivePlayer
	err error // the first mistake in the file's actions
}

// playerFor returns a player if the technique has actions of its own, else nil.
func (m *maker) playerFor(t starlark.Callable) *player {
	p, ok := t.(value.LivePlayer)
	if !ok || !p.Live() {
		return nil
	}
	return &player{m: m, p: p}
}

// wrap makes a target play cases that hold such actions; other cases it runs as ever.
func (p *player) wrap(t solvers.Target) solvers.Target {
	if p == nil {
		return t
	}
	return &liveTarget{Target: t, p: p}
}

type liveTarget struct {
	solvers.Target
	p *player
}

// Limits returns the limits of runs that give none.
func (t *liveTarget) Limits() solvers.Limits {
	if l, ok := t.Target.(interface{ Limits() solvers.Limits }); ok {
		return l.Limits()
	}
	return solvers.Limits{}
}

// Run implements solvers.Target.
func (t *liveTarget) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	if !q.Trace.HasCustom() {
		return t.Target.Run(ctx, q, lim)
	}
	th := t.p.m.h.Thread("actions", false)
	defer th.Close()
	call := func(fn starlark.Callable, args starlark.Tuple) (starlark.Value, error) {
		return th.Call(ctx, fn, args, nil)
	}
	return solvers.RunLive(ctx, t.Target, q, lim, func(s solvers.Session, c *solvers.Call) error {
		err := t.p.p.Play(call, s, c)
		var expected *solvers.ExpectationError
		var session *solvers.SessionError
		if err != nil && !errors.As(err, &expected) && !errors.As(err, &session) && ctx.Err() == nil {
			t.p.err = errors.Join(t.p.err, err)
		}
		return err
	})
}

// expectations is the oracle of what actions of a campaign file found wrong.
type expectations struct {
	oracle.Oracle
	p *player
}

// Judge implements oracle.Oracle.
func (o *expectations) Judge(c *testcase.Case, runs []*solvers.Run) []oracle.Verdict {
	return o.Oracle.Judge(c, runs)
}

// Err implements oracle.Fallible.
func (o *expectations) Err() error {
	err := o.p.err
	o.p.err = nil
	return err
}
