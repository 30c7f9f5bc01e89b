package reduce

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// Property is what a reduction of a file keeps: something about what targets do with the case.
type Property struct {
	// Name says in a few words what is kept.
	Name string
	// Models: the targets are asked for models.
	Models bool
	holds  func(c *testcase.Case, runs []*solvers.Run) bool
}

// Verdict keeps a verdict of an oracle: the same wrong thing on the same targets. A known answer that is sat is kept by
// the reduction itself, by the witness; one that is unsat needs another target that still says unsat.
func Verdict(o oracle.Oracle, v oracle.Verdict) Property {
	user, _ := o.(oracle.ModelUser)
	return Property{
		Name:   v.Summary,
		Models: user != nil && user.NeedsModels(),
		holds: func(c *testcase.Case, runs []*solvers.Run) bool {
			return slices.ContainsFunc(o.Judge(c, runs), func(w oracle.Verdict) bool {
				return triage.Same(&v, &w) && confirmed(&w, runs)
			})
		},
	}
}

// confirmed reports whether a wrong sat is still known to be wrong.
func confirmed(v *oracle.Verdict, runs []*solvers.Run) bool {
	if v.Kind != oracle.KindKnownAnswer || v.Want != smtlib.Unsat {
		return true
	}
	return slices.ContainsFunc(runs, func(r *solvers.Run) bool { return v.Check < len(r.Answers) && r.Answers[v.Check] == smtlib.Unsat })
}

// Outcome keeps what the first target did: a class other than ok with its message, else all answers, in order.
func Outcome(first *solvers.Run) Property {
	if first.Class != solvers.OK {
		name := first.Class.String()
		if first.Message != "" {
			name += ": " + first.Message
		}
		return Property{Name: name, holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
			return runs[0].Class == first.Class && runs[0].Message == first.Message
		}}
	}
	words := make([]string, len(first.Answers))
	for i, a := range first.Answers {
		words[i] = a.String()
	}
	return Property{Name: "answers " + strings.Join(words, ", "), holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
		return runs[0].Class == solvers.OK && slices.Equal(runs[0].Answers, first.Answers)
	}}
}

// Output keeps that the output of the first target, stdout and stderr, matches.
func Output(re *regexp.Regexp) Property {
	return Property{Name: fmt.Sprintf("output matches %q", re), holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
		return re.MatchString(runs[0].Stdout) || re.MatchString(runs[0].Stderr)
	}}
}

// Slower keeps that the first target takes at least factor times the CPU time of the second, and at least least.
func Slower(factor float64, least time.Duration) Property {
	return Property{Name: fmt.Sprintf("%g times slower", factor), holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
		return runs[0].CPU >= least && float64(runs[0].CPU) >= factor*float64(runs[1].CPU)
	}}
}

// Holds reports whether runs of a case have the property.
func (p Property) Holds(c *testcase.Case, runs []*solvers.Run) bool { return p.holds(c, runs) }

// Ask runs a case on targets, each in a new process.
func Ask(ctx context.Context, targets []solvers.Target, c *testcase.Case, models bool, lim solvers.Limits) []*solvers.Run {
	q := c.Query()
	if models {
		q = q.WithModel()
	}
	runs := make([]*solvers.Run, len(targets))
	for i, t := range targets {
		runs[i] = t.Run(ctx, q, lim)
		if t.Mode() != solvers.Fresh {
			_ = t.Close() // no candidate may depend on the one before it
		}
	}
	return runs
}

// Predicate asks the targets about each candidate, each in a new process.
func (p Property) Predicate(ctx context.Context, targets []solvers.Target, lim solvers.Limits) Predicate {
	return func(c *testcase.Case) bool {
		runs := Ask(ctx, targets, c, p.Models, lim)
		return ctx.Err() == nil && p.holds(c, runs)
	}
}

// Limits returns limits for candidates: a smaller case should not take much longer than the case itself.
func Limits(first []*solvers.Run) solvers.Limits {
	longest := time.Duration(0)
	for _, r := range first {
		longest = max(longest, r.Wall)
	}
	return solvers.Limits{Wall: 2*longest + 2*time.Second}
}
