package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// player plays the actions of a campaign file on live solvers.
type player struct {
	m   *maker
	p   map[string]solving.LivePlayer // by the name of the action
	err error                         // the first mistake in the file's actions
}

// playerFor returns a player if the technique, or one that it mixes, has actions of its own, else nil. mix(...) has
// ensured that each name denotes one action.
func (m *maker) playerFor(t starlark.Callable) *player {
	out := &player{m: m, p: map[string]solving.LivePlayer{}}
	for _, part := range parts(t) {
		if p, ok := part.(solving.LivePlayer); ok {
			for name := range p.Live() {
				out.p[name] = p
			}
		}
	}
	if len(out.p) == 0 {
		return nil
	}
	return out
}

// claims returns the operators and actions that the techniques of API fuzzing can make for groups of targets. It
// returns nil if there is no such technique. A mistake in the configuration of a technique is reported when the first
// case is made.
func claims(techniques []starlark.Callable, groups [][]*target.Solver) *finding.Claims {
	var all []finding.Claims
	for _, t := range techniques {
		c, ok := t.(solving.Claimer)
		if !ok {
			continue
		}
		for _, targets := range groups {
			if operators, actions, err := c.Claims(targets); err == nil {
				all = append(all, finding.Claims{Operators: operators, Actions: actions})
			}
		}
	}
	return finding.MergeClaims(all)
}

// parts returns the techniques that a technique mixes, or the technique itself.
func parts(t starlark.Callable) []starlark.Callable {
	m, ok := t.(*mixed)
	if !ok {
		return []starlark.Callable{t}
	}
	var out []starlark.Callable
	for _, p := range m.parts {
		out = append(out, parts(p)...)
	}
	return out
}

// play plays an action of the campaign file.
func (p *player) play(ctx context.Context, call solving.Caller, s solvers.Session, c *solvers.Call) error {
	if x := p.p[c.Name]; x != nil {
		return x.Play(ctx, call, s, c)
	}
	return fmt.Errorf("the case holds an action %q, which the campaign file does not have", c.Name)
}

// sameNames returns an error if techniques have different actions of the same name.
func sameNames(t starlark.Callable) error {
	run := map[string]starlark.Callable{}
	for _, part := range parts(t) {
		p, ok := part.(solving.LivePlayer)
		if !ok {
			continue
		}
		live := p.Live()
		for _, name := range slices.Sorted(maps.Keys(live)) {
			if other := run[name]; other != nil && other != live[name] {
				return fmt.Errorf("two of the techniques have an action %q, and they are not the same: give them names of their own", name)
			}
			run[name] = live[name]
		}
	}
	return nil
}

// wrap makes a target play the cases that contain such actions; it runs other cases as usual.
func (p *player) wrap(t solvers.Target) solvers.Target {
	return &liveTarget{Target: t, p: p}
}

type liveTarget struct {
	solvers.Target
	p *player
}

// Limits returns the limits of runs that give none.
func (t *liveTarget) Limits() solvers.Limits { return solvers.LimitsOf(t.Target) }

// Counts implements solvers.Counter.
func (t *liveTarget) Counts(ctx context.Context) (int, error) {
	if c, ok := t.Target.(solvers.Counter); ok {
		return c.Counts(ctx)
	}
	return 0, nil
}

// UseStatistics implements solvers.Counter.
func (t *liveTarget) UseStatistics() {
	if c, ok := t.Target.(solvers.Counter); ok {
		c.UseStatistics()
	}
}

// Modules implements solvers.Counter.
func (t *liveTarget) Modules(ctx context.Context) ([]coverage.Module, error) {
	if c, ok := t.Target.(solvers.Counter); ok {
		return c.Modules(ctx)
	}
	return nil, nil
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
	return solvers.RunLive(ctx, t.Target, q, lim, func(ctx context.Context, s solvers.Session, c *solvers.Call) error {
		err := t.p.play(ctx, call, s, c)
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
