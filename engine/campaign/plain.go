package campaign

import (
	"context"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// maxOptions bounds the options that are tried one by one.
const maxOptions = 8

// kept are options of a script that say what is printed, not how it is solved.
func kept(option string) bool {
	return strings.HasPrefix(option, "produce-") || strings.HasPrefix(option, "print-") || option == "incremental" || option == "global-declarations"
}

// needs tries a confirmed verdict with default options, of the target and of the script, and says what came of it: "" when
// there are no others. runs are those with default options, where the verdict shows there, too.
func (w *worker) needs(ctx context.Context, c *testcase.Case, o *order, mode solvers.Mode) (text string, runs []RunInfo) {
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
		if name := optionName(x); name != "" && !kept(name) {
			all = append(all, name)
		}
	}
	if len(all) == 0 || len(all) > maxOptions {
		return "", nil
	}
	if mode == "" {
		mode = target.Mode()
	}
	shows := func(drop []string) (bool, []RunInfo) {
		run, err := w.plan.Without(target, mode, drop)
		if err != nil {
			return true, nil
		}
		rs := []*replica{{target, prime(run, o.Before)}}
		if len(o.Verdict.Against) > 0 && o.Verdict.Kind != oracle.KindCrash {
			rs = append(rs, w.replicas(o.Verdict.Against[:1], mode)...)
		}
		small := &testcase.Case{Script: withoutOptions(c.Script, drop), Expect: c.Expect, Witness: c.Witness, Origin: c.Origin}
		got := &report{}
		once := *o
		once.Times = 1
		return w.tryMode(ctx, small, &once, mode, rs, got), got.Details
	}
	if hit, runs := shows(all); hit || ctx.Err() != nil {
		if ctx.Err() != nil {
			return "", nil
		}
		return "it shows with default options, too", runs
	}
	var need []string
	for _, name := range all {
		if hit, _ := shows([]string{name}); !hit && ctx.Err() == nil && !slices.Contains(need, name) {
			need = append(need, name)
		}
	}
	switch len(need) {
	case 0:
		return "it needs one of the options " + strings.Join(all, ", "), nil
	case 1:
		return "it needs option " + need[0], nil
	}
	return "it needs options " + strings.Join(need, ", "), nil
}

// optionName returns the name of the option that a command sets, "" for other commands.
func optionName(c *smtlib.Command) string {
	if c.Kind != smtlib.CmdSetOption {
		return ""
	}
	return strings.TrimPrefix(c.Name, ":")
}

// withoutOptions drops the commands that set some options.
func withoutOptions(s *smtlib.Script, names []string) *smtlib.Script {
	var rest []smtlib.Command
	for i := range s.Commands {
		if name := optionName(&s.Commands[i]); name == "" || !slices.Contains(names, name) {
			rest = append(rest, s.Commands[i])
		}
	}
	return s.WithCommands(rest)
}
