package confirm

import (
	"context"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

// isOutputOption reports whether an option of a script changes the output, and not the search.
func isOutputOption(option string) bool {
	return strings.HasPrefix(option, "produce-") || strings.HasPrefix(option, "print-") || option == "incremental" || option == "global-declarations"
}

// neededOptions tries a confirmed verdict with the default options of the target and of the script, and describes the
// result: "" if no other options are set. runs holds the runs with default options if the verdict shows there, too.
func (w *repeater) neededOptions(ctx context.Context, c *testcase.Case, o *wire.Subject, mode solvers.Mode) (text string, runs []finding.Run) {
	if len(o.Verdict.Targets) == 0 || w.plan.Without == nil || w.plan.Options == nil {
		return "", nil
	}
	i := slices.IndexFunc(w.plan.Targets, func(t solvers.Target) bool { return t.Name() == o.Verdict.Targets[0] })
	if i < 0 {
		return "", nil
	}
	target := w.plan.Targets[i]
	own := w.plan.Options(target)
	all := slices.Clone(own)
	for i := range c.Script.Commands {
		x := &c.Script.Commands[i]
		if name := optionName(x); name != "" && !isOutputOption(name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	if mode == "" {
		mode = target.Mode()
	}
	shows := func(drop []string) (bool, []finding.Run) {
		run, err := w.plan.Without(target, mode, drop)
		if err != nil {
			return true, nil
		}
		rs := []*replica{{target, withSequence(run, o.Sequence)}}
		if len(o.Verdict.Against) > 0 && o.Verdict.Kind != oracle.KindCrash {
			rs = append(rs, w.replicasIn(o.Verdict.Against[:1], mode)...)
		}
		small := withoutOptions(c, drop)
		got := &wire.Repetitions{}
		once := *o
		// Each option is tried once, since there may be many. An option that is kept by bad luck only makes the
		// sentence longer.
		once.Times = 1
		return w.tryMode(ctx, small, &once, mode, rs, got), got.Details
	}
	// Most findings need no option, and then one question is enough.
	if hit, runs := shows(all); hit || ctx.Err() != nil {
		if ctx.Err() != nil {
			return "", nil
		}
		return byDefault, runs
	}
	need, done := neededOf(ctx, all, func(drop []string) bool {
		hit, _ := shows(drop)
		return hit
	})
	switch {
	case ctx.Err() != nil:
		return "", nil
	case !done:
		return "it needs some of the options " + strings.Join(need, ", "), nil
	case len(need) == 1:
		return "it needs option " + need[0], nil
	}
	return "it needs options " + strings.Join(need, ", "), nil
}

// byDefault is said of a finding that needs none of the options that were set.
const byDefault = "it shows with default options, too"

// needsOf is neededOptions for the reduced case of a finding. That case may do without options that the case as it was
// found needed, and may have none left.
func (w *repeater) needsOf(ctx context.Context, small *testcase.Case, o *wire.Subject) (text string, runs []finding.Run) {
	if text, runs = w.neededOptions(ctx, small, o, modeNamed(o.Mode)); text == "" && ctx.Err() == nil {
		text = byDefault
	}
	return text, runs
}

// maxWithout bounds how often a verdict is tried without some of its options.
const maxWithout = 40

// neededOf leaves out options as long as shows holds without them; it needs all of the remaining ones. done is false if
// this takes more than maxWithout tries. The verdict was already tried without all of the options.
func neededOf(ctx context.Context, all []string, shows func(drop []string) bool) (need []string, done bool) {
	return driver.Shortest(ctx, all, 1+maxWithout, func(part []string) bool {
		return len(part) > 0 && shows(slices.DeleteFunc(slices.Clone(all), func(o string) bool { return slices.Contains(part, o) }))
	})
}

// optionName returns the name of the option that a command sets, "" for other commands.
func optionName(c *smtlib.Command) string {
	if c.Kind != smtlib.CmdSetOption {
		return ""
	}
	return strings.TrimPrefix(c.Name, ":")
}

// withoutOptions is the case without the commands that set some options; a trace stays one.
func withoutOptions(c *testcase.Case, names []string) *testcase.Case {
	drop := func(x *smtlib.Command) bool {
		name := optionName(x)
		return name != "" && slices.Contains(names, name)
	}
	if t := c.LiveTrace(); t != nil {
		less := *t
		less.Calls = slices.DeleteFunc(slices.Clone(t.Calls), func(x solvers.Call) bool {
			return x.Kind == solvers.CallCommand && drop(&x.Command)
		})
		return knownAs(c, testcase.FromTrace(c.Script.Name, &less))
	}
	return knownAs(c, &testcase.Case{Script: c.Script.WithCommands(slices.DeleteFunc(slices.Clone(c.Script.Commands), func(x smtlib.Command) bool { return drop(&x) }))})
}

// knownAs gives a case the known facts about another one with the same answers, and its origin.
func knownAs(c, out *testcase.Case) *testcase.Case {
	out.Expect, out.Witness, out.Origin = c.Expect, c.Witness, c.Origin
	return out
}
