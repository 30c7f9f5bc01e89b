package script

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

// The time of a call is what it takes beyond 100 ns a step: a loop ends by its steps, which are the same everywhere,
// however slow the machine is.
func TestStepsHaveTime(t *testing.T) {
	c := &watched{t: &Thread{th: &starlark.Thread{}, in: &Interpreter{}}, budget: Budget{Steps: 1 << 50, Wall: time.Second, Heap: 1 << 40}, ctx: t.Context()}
	look := func(steps uint64, computed time.Duration) {
		c.t.th.Steps += steps
		theWatcher.checkCall(c, computed, 0, 0)
	}
	for range 100 {
		look(10_000_000, time.Second) // a loop on a slow machine
	}
	require.NoError(t, c.exceeded)
	require.Zero(t, c.used)
	look(1000, 900*time.Millisecond) // steps that take long
	require.NoError(t, c.exceeded)
	look(0, 200*time.Millisecond)
	require.EqualError(t, c.exceeded, (&BudgetError{"1s of computing"}).Error())
}

// Where steps have no bound, the clock ends a loop, however fast its steps are.
func TestTimeOfUnboundedSteps(t *testing.T) {
	c := &watched{t: &Thread{th: &starlark.Thread{}, in: &Interpreter{}}, budget: Budget{Steps: Unbounded, Wall: time.Second, Heap: 1 << 40}, ctx: t.Context()}
	for range 2 {
		c.t.th.Steps += 1 << 40
		theWatcher.checkCall(c, 600*time.Millisecond, 0, 0)
	}
	require.EqualError(t, c.exceeded, (&BudgetError{"1s of computing"}).Error())
}
