package reduction

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/tracetext"
	script "github.com/smtlark/smtlark/starlark"
)

// reduceCase makes the case smaller: as a trace if it came as one.
func (r *reduction) reduceCase(ctx context.Context, opt reduce.Options) (*reduce.Result, error) {
	opt.Setting = r.setting(ctx)
	opt.Laws = script.StandardRules
	if r.o.trace {
		return api.Reduce(ctx, r.c, nil, opt)
	}
	return reduce.Run(ctx, r.c, nil, opt)
}

// setting returns a function that looks up options as reported by the library of the first target, or nil if that is no
// library. The library is asked only when needed.
func (r *reduction) setting(ctx context.Context) func(name string) (weight.KnownOption, bool) {
	if len(r.sets) == 0 || r.sets[0][0].Mode() != solvers.Native {
		return nil
	}
	all := sync.OnceValue(func() map[string]weight.KnownOption {
		known := map[string]weight.KnownOption{}
		said, err := native.Hello(ctx, r.sets[0][0].Solver())
		if err != nil {
			return known // nothing is known, then
		}
		for _, o := range said.Options {
			if number, err := strconv.ParseBool(o.Value); err == nil && o.Kind == "bool" {
				o.Value = strconv.FormatBool(number)
			}
			known[o.Name] = weight.KnownOption{Default: o.Value, Values: o.Values}
		}
		return known
	})
	return func(name string) (weight.KnownOption, bool) {
		s, ok := all()[name]
		return s, ok
	}
}

// text is a case as it is written to the result.
func (o *reduceOptions) text(c *testcase.Case) []byte {
	if !o.trace {
		return c.Text()
	}
	return tracetext.AppendTo(nil, c.WithTruth())
}

// extent says how large a case is: traces are counted in calls.
func (o *reduceOptions) extent(before, after []byte) string {
	if !o.trace {
		return fmt.Sprintf("%d -> %d bytes", len(before), len(after))
	}
	return fmt.Sprintf("%d -> %d calls", tracetext.CountCalls(before), tracetext.CountCalls(after))
}

// target makes a target of a value of --solver. Calls that depend on answers are best had step by step, so
// traces are played in mode incremental unless a mode is given.
func (o *reduceOptions) target(ctx context.Context, text string, lim solvers.Limits) (solvers.Target, error) {
	return command.TargetNamed(ctx, text, o.native, o.trace, lim)
}

// askWall bounds the time of a solver that is asked again, at first. What takes longer and uses the CPU has its time
// out.
const askWall = 2 * time.Second

// asking are oracles that ask the solvers again.
func (r *reduction) asking(ctx context.Context) []oracle.Oracle {
	if len(r.o.command) > 0 {
		return nil
	}
	var mu sync.Mutex
	var own []solvers.Target
	ask := func(target string, q *solvers.Query, lim solvers.Limits) *solvers.Run {
		mu.Lock()
		defer mu.Unlock()
		if own == nil {
			made, err := r.o.targets(ctx)
			if err != nil {
				return nil
			}
			own = made
			r.asked = made // not one of those that candidates run on
		}
		for _, t := range own {
			if t.Name() == target {
				run := t.Run(ctx, q, lim.Or(solvers.Limits{Wall: min(r.o.timeout, askWall)}))
				if run.Class == solvers.Timeout && run.CPU < run.Wall/8 { // it has waited, which says nothing
					_ = t.Close()
					run = t.Run(ctx, q, lim)
				}
				property.Renew(t, true)
				return run
			}
		}
		return nil
	}
	statements := &claim.Statements{Only: claim.Commands(), Ask: ask} // cores, too, which campaigns ask for by themselves
	if !r.o.trace {
		return []oracle.Oracle{statements}
	}
	return []oracle.Oracle{oracle.Values(ask, 1), oracle.Cores(ask, 1), statements, oracle.Runaway(ask)}
}

// checkWitness evaluates the assertions at the check-sats that are known to be sat; of a script without such, all of
// it.
func checkWitness(c *testcase.Case, s *smtlib.Script) *eval.ModelCheck {
	v := eval.CheckModel(s, c.Witness)
	if !slices.Contains(c.Expect, smtlib.Sat) {
		return v
	}
	for i, want := range c.Expect {
		if want != smtlib.Sat {
			continue
		}
		if v = eval.CheckModel(scope.WithAsserts(s, s.AssertsAt(i)), c.Witness); v.Result == value.False {
			break
		}
	}
	return v
}
