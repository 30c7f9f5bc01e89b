package property

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/solvers"
)

// Property is a property of the targets' runs that a reduction of a file keeps.
type Property struct {
	// Name describes the property in a few words.
	Name string
	// Models: the targets are asked for models.
	Models bool
	// Timed: the property is about time, so limits of runs must not change.
	Timed bool
	reads bool // holds looks at the case, not only at the known facts about its answers
	holds func(c *testcase.Case, runs []*solvers.Run) bool
}

// Verdict keeps a verdict of an oracle: the same bug on the same targets. The reduction itself keeps a known answer sat
// by the witness; a known answer unsat needs another target that still answers unsat.
func Verdict(o oracle.Oracle, v oracle.Verdict) Property {
	user, _ := o.(oracle.ModelUser)
	wrongSat := v.IsWrongAnswer() && v.Want == smtlib.Unsat
	return Property{
		Name:   v.Summary,
		Models: user != nil && user.NeedsModels() || wrongSat,
		reads:  true,
		holds: func(c *testcase.Case, runs []*solvers.Run) bool {
			return slices.ContainsFunc(o.Judge(c, runs), func(w oracle.Verdict) bool {
				return triage.Same(&v, &w) && confirmed(&w, runs) && !(wrongSat && satisfied(c, w.Check, runs))
			})
		},
	}
}

// satisfied reports, by evaluation, whether the model that some run gives at a check satisfies the assertions there.
// Then the answer sat is not wrong. The runs are of a query that asks for models (solvers.Query.WithModel).
func satisfied(c *testcase.Case, check int, runs []*solvers.Run) bool {
	k := claim.Claim{Script: c.Script, Check: check, Want: smtlib.Unsat}
	return slices.ContainsFunc(runs, func(r *solvers.Run) bool {
		text := oracle.ModelAt(c.Script, r, check)
		if text == "" {
			return false
		}
		m, err := modelreader.Parse(c.Script, text)
		return err == nil && k.Satisfied(m)
	})
}

// confirmed reports whether a wrong sat is still known to be wrong.
func confirmed(v *oracle.Verdict, runs []*solvers.Run) bool {
	if !v.IsWrongAnswer() || v.Want != smtlib.Unsat {
		return true
	}
	return slices.ContainsFunc(runs, func(r *solvers.Run) bool { return v.Check < len(r.Answers) && r.Answers[v.Check] == smtlib.Unsat })
}

// Outcome keeps the outcome of the first target: a class other than ok with its message, else all answers, in order.
func Outcome(first *solvers.Run) Property {
	if first.Class != solvers.OK {
		name := first.Class.String()
		if first.Message != "" {
			name += ": " + first.Message
		}
		return Property{Name: name, Timed: first.Class == solvers.Timeout, holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
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

// Streams say which output of a run a property looks at.
type Streams struct{ Stdout, Stderr bool }

// Output keeps that some output of one target matches.
func Output(target int, re *regexp.Regexp, in Streams) Property {
	where := "output"
	switch {
	case !in.Stderr:
		where = "stdout"
	case !in.Stdout:
		where = "stderr"
	}
	return Property{Name: fmt.Sprintf("%s matches %q", where, re), holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
		return in.Stdout && re.MatchString(runs[target].Stdout) || in.Stderr && re.MatchString(runs[target].Stderr)
	}}
}

// Pattern reads a pattern for Output. The answers sat, unsat and unknown, and delta-sat, match whole lines only: else
// sat would match unsat too.
func Pattern(text string) (*regexp.Regexp, error) {
	if _, ok := smtlib.ParseAnswer(text); ok {
		text = `(?m)^\s*` + text + `\s*$`
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%w; for plain text write \\Q%s\\E", err, text)
	}
	return re, nil
}

// Ending keeps the exit code or signal of a target's process, and the exact output on the streams in same.
func Ending(target int, first *solvers.Run, same Streams) Property {
	name := fmt.Sprintf("exit code %d", first.ExitCode)
	if first.Signal != "" {
		name = first.Signal
	}
	if first.Class == solvers.Timeout {
		name = "time limit"
	}
	if same.Stdout {
		name += ", same stdout"
	}
	if same.Stderr {
		name += ", same stderr"
	}
	return Property{Name: name, Timed: first.Class == solvers.Timeout, holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
		r := runs[target]
		if stopped(r) != stopped(first) || r.ExitCode != first.ExitCode || r.Signal != first.Signal {
			return false
		}
		return (!same.Stdout || r.Stdout == first.Stdout) && (!same.Stderr || r.Stderr == first.Stderr)
	}}
}

// stopped returns the class of a run that was ended from outside or never began, and OK for any other run.
func stopped(r *solvers.Run) solvers.Class {
	switch r.Class {
	case solvers.Timeout, solvers.StartFailure, solvers.Cancelled, solvers.OutOfMemory:
		return r.Class
	}
	return solvers.OK
}

// All keeps several properties at once.
func All(ps ...Property) Property {
	var all Property
	for i, p := range ps {
		if i > 0 {
			all.Name += "; "
		}
		all.Name += p.Name
		all.Models, all.Timed, all.reads = all.Models || p.Models, all.Timed || p.Timed, all.reads || p.reads
	}
	all.holds = func(c *testcase.Case, runs []*solvers.Run) bool {
		return !slices.ContainsFunc(ps, func(p Property) bool { return !p.holds(c, runs) })
	}
	return all
}

// Func keeps the property that a function tests. It is given the case, read back, and may be called by several
// goroutines at once.
func Func(name string, holds func(c *testcase.Case, runs []*solvers.Run) bool) Property {
	return Property{Name: name, reads: true, holds: holds}
}

// Slower keeps that the first target takes at least factor times the CPU time of the second, and at least least.
func Slower(factor float64, least time.Duration) Property {
	return Property{Name: fmt.Sprintf("%g times slower", factor), Timed: true, holds: func(_ *testcase.Case, runs []*solvers.Run) bool {
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
	return ask(ctx, targets, q, lim, false)
}

// ask runs a query on targets. Where processes are not to be kept, the next query gets new ones.
func ask(ctx context.Context, targets []solvers.Target, q *solvers.Query, lim solvers.Limits, keep bool) []*solvers.Run {
	runs := make([]*solvers.Run, len(targets))
	for i, t := range targets {
		runs[i] = t.Run(ctx, q, lim)
		if t.Mode() != solvers.Fresh && !(keep && !runs[i].Class.IsBug()) {
			Renew(t, keep) // no candidate may depend on the one before it
		}
	}
	return runs
}

// Renew makes the next run of a target one in a new process. Where many are to come, it may start one ahead.
func Renew(t solvers.Target, many bool) {
	if r, ok := t.(interface{ Renew() }); ok && many {
		r.Renew()
		return
	}
	_ = t.Close()
}

// Limit returns the wall-clock limit of candidates at first: a smaller case should not take much longer than the case
// itself.
func Limit(first []*solvers.Run) time.Duration {
	longest := time.Duration(0)
	for _, r := range first {
		longest = max(longest, r.Wall)
	}
	return 2*longest + leastWall
}
