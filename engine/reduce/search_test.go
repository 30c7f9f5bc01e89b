package reduce_test

import (
	"context"
	"hash/fnv"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/solvers"
)

// textAsker asks a function of the text, in many goroutines at once.
type textAsker struct {
	holds func(text string) bool

	mu       sync.Mutex
	texts    map[string]int
	accepted int
}

func (x *textAsker) Ask(ctx context.Context, c *driver.Candidate) driver.Observation {
	h := fnv.New32()
	h.Write([]byte(c.Text))
	for range h.Sum32() % 7 { // replies come in another order than they were asked for
		runtime.Gosched()
	}
	if ctx.Err() != nil {
		return driver.Observation{Cut: true}
	}
	x.mu.Lock()
	if x.texts == nil {
		x.texts = map[string]int{}
	}
	x.texts[c.Text]++
	x.mu.Unlock()
	return driver.Observation{Holds: x.holds(c.Text), Runs: 1}
}

func (x *textAsker) Accepted(driver.Observation) { x.accepted++ }

// The result, the steps and all counts are the same for any number of jobs, and the same as without any.
func TestJobsDoNotMatter(t *testing.T) {
	done := map[smt.Op]int{}
	seeds(t, func(name, text string, c *testcase.Case) {
		for op := smt.Op(1); int(op) < 400; op++ {
			if !ops(c.Script)[op] || done[op] >= 1 || op%4 != 0 {
				continue
			}
			done[op]++
			keep := "(" + op.Info().Name
			if !strings.Contains(text, keep) {
				continue
			}
			var want string
			var stats driver.Stats
			for _, jobs := range []int{0, 1, 4, 7} {
				x := &textAsker{holds: has(keep)}
				opt := reduce.Options{Laws: laws, Asker: x, Jobs: jobs}
				if jobs == 0 {
					opt.Asker = nil
				}
				r, err := reduce.Run(context.Background(), parse(t, text), func(c *testcase.Case) bool { return has(keep)(string(c.Text())) }, opt)
				require.NoError(t, err)
				repeated := 0
				for _, n := range x.texts {
					repeated += n - 1
				}
				require.LessOrEqual(t, repeated, r.Stats.Rechecks, "only the current case is asked about again")
				if want == "" {
					want, stats = string(r.Case.Text()), r.Stats
				}
				require.Equal(t, want, string(r.Case.Text()), "%s, keeping %s, %d jobs", name, keep, jobs)
				require.Equal(t, stats.Tests, r.Stats.Tests, "%s, %d jobs", name, jobs)
				require.Equal(t, stats.Kept, r.Stats.Kept)
				require.Equal(t, stats.Repeated, r.Stats.Repeated)
				require.Equal(t, stats.Passes, r.Stats.Passes)
			}
		}
	})
	require.Greater(t, len(done), 20)
}

// A bound on tests ends at the same case for any number of jobs.
func TestJobsAndBudget(t *testing.T) {
	for _, bound := range []int{1, 2, 5, 17, 40} {
		var want string
		for _, jobs := range []int{1, 4} {
			x := &textAsker{holds: has("forall")}
			r, err := reduce.Run(context.Background(), parse(t, mixed), nil, reduce.Options{Laws: laws, Asker: x, Jobs: jobs, Tests: bound})
			require.NoError(t, err)
			require.LessOrEqual(t, r.Stats.Tests, bound)
			if want == "" {
				want = string(r.Case.Text())
			}
			require.Equal(t, want, string(r.Case.Text()), "%d tests, %d jobs", bound, jobs)
		}
	}
}

// With one job nothing is asked twice but the result, to make sure of it.
func TestOneJobAsksOnce(t *testing.T) {
	x := &textAsker{holds: has("str.len", "str.replace")}
	r, err := reduce.Run(context.Background(), parse(t, mixed), nil, reduce.Options{Laws: laws, Asker: x, Jobs: 1})
	require.NoError(t, err)
	require.Zero(t, r.Stats.Ahead)
	for text, n := range x.texts {
		if n > 1 {
			require.Equal(t, string(r.Case.Text()), text)
		}
	}
	require.Equal(t, r.Stats.Tests+r.Stats.Rechecks, r.Stats.Runs)
	require.Equal(t, r.Stats.Kept, x.accepted)
}

// A case that was accepted by chance is given up when it no longer shows the property.
func TestRecheckGoesBack(t *testing.T) {
	var mu sync.Mutex
	lied := 0
	x := &textAsker{}
	x.holds = func(text string) bool {
		if has("str.len", "str.replace")(text) {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		if lied == 0 && !strings.Contains(text, "str.replace") {
			lied++
			return true // once
		}
		return false
	}
	r, err := reduce.Run(context.Background(), parse(t, mixed), nil, reduce.Options{Laws: laws, Asker: x, Jobs: 2})
	require.NoError(t, err)
	require.Equal(t, 1, lied)
	require.Positive(t, r.Stats.Flaky)
	require.True(t, has("str.len", "str.replace")(string(r.Case.Text())), "%s", r.Case.Text())
}

// A cancelled search keeps its best case so far.
func TestCancelKeepsTheBest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	x := &textAsker{}
	var mu sync.Mutex
	asked, last := 0, ""
	x.holds = func(text string) bool {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 25 {
			cancel()
		}
		return has("str.len")(text)
	}
	r, err := reduce.Run(ctx, parse(t, mixed), nil, reduce.Options{Laws: laws, Asker: x, Jobs: 3, Progress: func(s reduce.Step) { last = string(s.Case.Text()) }})
	require.NoError(t, err)
	require.False(t, r.Stats.Done)
	require.Equal(t, last, string(r.Case.Text()))
	require.Less(t, len(last), len(mixed))
}

// A property that shows only in some runs is checked more often, and limits follow the accepted runs.
func TestRunnerMeasures(t *testing.T) {
	c := driver.Detach(parse(t, mixed))
	p := property.Func("sometimes", func() func(*testcase.Case, []*solvers.Run) bool {
		n := 0
		return func(*testcase.Case, []*solvers.Run) bool { n++; return n%2 == 0 }
	}())
	r := property.NewRunner(p, [][]solvers.Target{{}}, 8*time.Second)
	shown, _ := r.Measure(context.Background(), c, 4)
	require.Equal(t, 2, shown)
	require.Equal(t, 6, r.Tries())
	reply := r.Ask(context.Background(), c)
	require.True(t, reply.Holds)
	require.Equal(t, 2, reply.Runs)
	require.Equal(t, 8*time.Second, r.Limit())
	r.Accepted(driver.Observation{Holds: true, Took: time.Second / 2})
	require.Equal(t, 6500*time.Millisecond, r.Limit())
	r.Accepted(driver.Observation{Holds: true, Took: time.Hour})
	require.Equal(t, 8*time.Second, r.Limit())

	never := property.NewRunner(property.Func("never", func(*testcase.Case, []*solvers.Run) bool { return false }), [][]solvers.Target{{}}, time.Second)
	shown, _ = never.Measure(context.Background(), c, 3)
	require.Zero(t, shown)
	require.Equal(t, 1, never.Tries())
}

func TestPatternsOfAnswersAreWholeLines(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"sat", "unsat\n", false}, {"sat", "sat\n", true}, {"sat", "sat\r\n", true}, {"unsat", "sat\nunsat\n", true}, {"unknown", "unknown: x", false},
		{"sat.*", "unsat", true}, {"Fatal", "x Fatal failure", true},
	} {
		re, err := property.Pattern(tc.pattern)
		require.NoError(t, err)
		require.Equal(t, tc.want, re.MatchString(tc.text), "%s in %q", tc.pattern, tc.text)
	}
	_, err := property.Pattern("(assert")
	require.ErrorContains(t, err, `for plain text write \Q(assert\E`)
}

// lingerer is an Asker for several goroutines that is slow to end cancelled requests.
type lingerer struct {
	asked, busy atomic.Int32
}

func (l *lingerer) Ask(ctx context.Context, _ *driver.Candidate) driver.Observation {
	l.busy.Add(1)
	defer l.busy.Add(-1)
	l.asked.Add(1)
	for range 200 {
		if runtime.Gosched(); ctx.Err() == nil {
			continue
		}
		for range 1000 {
			runtime.Gosched()
		}
		return driver.Observation{Cut: true}
	}
	return driver.Observation{Holds: true}
}

func (l *lingerer) Accepted(driver.Observation) {}

// When a reduction returns, no request is still running: its caller then closes the Asker.
func TestNobodyIsAskedAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var l lingerer
	progress := func(s reduce.Step) {
		if int(l.asked.Load()) > s.Tests {
			cancel()
		}
	}
	_, err := reduce.Run(ctx, parse(t, mixed), nil, reduce.Options{Laws: laws, Asker: &l, Jobs: 4, Progress: progress})
	require.NoError(t, err)
	require.Error(t, ctx.Err(), "there was something to end")
	require.Zero(t, l.busy.Load())
}
