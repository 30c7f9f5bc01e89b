package api

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// TestReduceLeavesNoUnusedLine checks that only calls that the failure needs are left, and that the trace replays.
func TestReduceLeavesNoUnusedLine(t *testing.T) {
	done := 0
	for seed := range uint64(150) {
		w, text := walkCase(t, seed, everything(ByBoth))
		if !strings.Contains(text, "bvadd") {
			continue
		}
		fails := func(c *testcase.Case) bool {
			for _, x := range traceOf(c).Calls {
				if x.Command.Kind == smtlib.CmdAssert && strings.Contains(smtlib.TermText(c.Script.Arena, x.Command.Terms[0]), "bvadd") {
					return true
				}
			}
			return false
		}
		c := w.Case("case")
		if !fails(c) {
			continue
		}
		done++
		res, err := Reduce(context.Background(), c, fails, reduce.Options{})
		require.NoError(t, err)
		small := res.Case
		require.True(t, fails(small))
		lines := strings.Split(strings.TrimSpace(small.Script.Text()), "\n")
		require.LessOrEqual(t, len(lines), 5, small.Script.Text())
		for _, x := range traceOf(small).Calls {
			require.NotEqual(t, solvers.CallMakeTerm, x.Kind)
		}
		_, err = small.Wire().Case(nil)
		require.NoError(t, err)
	}
	require.Positive(t, done)
}

// TestReduceIsAnyTime checks that Reduce returns the best case so far when its time is up.
func TestReduceIsAnyTime(t *testing.T) {
	w, _ := walkCase(t, 3, everything(ByBoth))
	ctx, cancel := context.WithCancel(context.Background())
	tests := 0
	res, err := Reduce(ctx, w.Case("case"), func(*testcase.Case) bool {
		if tests++; tests == 3 {
			cancel()
		}
		return true
	}, reduce.Options{})
	require.NoError(t, err)
	require.Equal(t, 3, tests)
	require.False(t, res.Stats.Done)
	require.NotNil(t, res.Case)
}

// TestReduceIsOneMinimal checks that no call of the result can be removed together with its dependents. It keeps
// properties of a trace that its script lacks: the seed of one call, a condition, a further solver, a term that is only
// made.
func TestReduceIsOneMinimal(t *testing.T) {
	with := func(text string, what func(c *solvers.Call) bool) func(c *testcase.Case) bool {
		return func(c *testcase.Case) bool {
			return strings.Contains(tracetext.Text(traceOf(c)), text) && slices.ContainsFunc(traceOf(c).Calls, func(x solvers.Call) bool { return what(&x) })
		}
	}
	always := func(*solvers.Call) bool { return true }
	done := map[string]int{}
	for seed := range uint64(60) {
		w, _ := walkCase(t, seed, everything(ByBoth))
		c := w.Case("case")
		calls := traceOf(c).Calls
		odd := calls[len(calls)/2].Seed
		for name, fails := range map[string]func(*testcase.Case) bool{
			"seed":      with("check-sat", func(c *solvers.Call) bool { return c.Seed == odd }),
			"condition": with("?sat get-value", always),
			"made":      with("mk-term", func(c *solvers.Call) bool { return c.Kind == solvers.CallMakeTerm }),
			"pop":       with("push", func(c *solvers.Call) bool { return c.Command.Kind == smtlib.CmdPop }),
		} {
			if !fails(c) {
				continue
			}
			done[name]++
			if done[name] > 4 {
				continue
			}
			res, err := Reduce(context.Background(), c, fails, reduce.Options{})
			require.NoError(t, err)
			require.True(t, res.Stats.Done)
			require.True(t, fails(res.Case), name)
			text := tracetext.Text(res.Case.WithTruth())
			lines := units(text)
			require.LessOrEqual(t, len(lines), 9, "%s:\n%s", name, text)
			for i := range lines {
				less, err := tracetext.Read([]byte("# smtlark trace 1\n"+strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")), nil)
				if err == nil && len(less.Calls) > 0 {
					x := testcase.FromTrace("case", less)
					if name == "made" || name == "seed" { // reading makes all terms, with the seeds of what needs them
						continue
					}
					require.False(t, fails(x), "%s: %q can go:\n%s", name, lines[i], text)
				}
			}
		}
	}
	for _, name := range []string{"seed", "condition", "made", "pop"} {
		require.Positive(t, done[name], name)
	}
}

// units returns the calls of a trace with their return lines.
func units(text string) (out []string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "return"):
			out[len(out)-1] += line
		default:
			out = append(out, line)
		}
	}
	return out
}

// TestReduceSameForAnyJobs: replies that come in another order change nothing.
func TestReduceSameForAnyJobs(t *testing.T) {
	for seed := range uint64(6) {
		want := ""
		for _, jobs := range []int{1, 4} {
			w, _ := walkCase(t, seed, everything(ByBoth))
			c := w.Case("case")
			res, err := Reduce(context.Background(), c, nil, reduce.Options{Asker: countsChecks{2}, Jobs: jobs})
			require.NoError(t, err)
			text := tracetext.Text(res.Case.WithTruth())
			if want == "" {
				want = text
			}
			require.Equal(t, want, text)
		}
	}
}

// countsChecks keeps cases with some letters in their calls.
type countsChecks struct{ n int }

func (k countsChecks) Ask(_ context.Context, c *driver.Candidate) driver.Observation {
	text := string(c.Trace)
	if text == "" {
		text = string(c.Text)
	}
	return driver.Observation{Holds: strings.Count(text, "a") >= k.n && strings.Contains(text, "assert"), Runs: 1}
}

func (countsChecks) Accepted(driver.Observation) {}

// TestReduceShrinksTransfers checks that terms transferred from another solver become smaller, too.
func TestReduceShrinksTransfers(t *testing.T) {
	tr, err := tracetext.Read([]byte(`# smtlark trace 1
0 mk-sort "Int"
return s1
0 mk-sort "Bool"
return s2
0 mk-const s1 "x"
return t3
0 mk-value s1 "5"
return t4
0 mk-term > s2 2 t3 t4
return t5
0 mk-term not s2 1 t5
return t6
0 mk-term or s2 2 t5 t6
return t7
0 assert-formula t5
0 @1 new
0 @1 transfer 0 3 t7 t6 t5
0 @1 assert-formula t7
0 @1 check-sat
`), nil)
	require.NoError(t, err)
	fails := func(c *testcase.Case) bool {
		text := tracetext.Text(traceOf(c))
		return strings.Contains(text, "@1 transfer") && strings.Contains(text, "@1 check-sat")
	}
	res, err := Reduce(context.Background(), testcase.FromTrace("case", tr), fails, reduce.Options{})
	require.NoError(t, err)
	require.True(t, fails(res.Case))
	require.Less(t, strings.Count(tracetext.Text(traceOf(res.Case)), "\n"), 10, tracetext.Text(traceOf(res.Case)))
	require.NotContains(t, tracetext.Text(traceOf(res.Case)), "mk-term")
	_, err = res.Case.Wire().Case(nil)
	require.NoError(t, err)
}
