package confirm

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// The developers of a solver first run a reported file with their program, in a configuration that they vouch for. A
// campaign does not see a finding in this way: its target has a mode and options of the campaign and of the profile, or
// is a library. So each reduced case is tried with the program alone, from the mildest configuration on, and with the
// other builds of the solver.

// Bounds of trials.
const (
	trialTime     = time.Minute
	maxSingles    = 6
	maxOthers     = 8
	maxTrialBytes = 8 << 10 // of each output
)

// tryForReport tries a case for a report to the developers of the solver that is wrong; nil where that says nothing.
func (w *instances) tryForReport(ctx context.Context, c *testcase.Case, o *wire.Subject) *finding.Upstream {
	if w.plan.Trier == nil || len(o.Verdict.Targets) == 0 || ctx.Err() != nil {
		return nil
	}
	i := slices.IndexFunc(w.plan.Targets, func(t solvers.Target) bool { return t.Name() == o.Verdict.Targets[0] })
	if i < 0 || w.plan.Targets[i].Solver() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	t := &trials{w: w, ctx: ctx, c: c, o: o, target: w.plan.Targets[i]}
	t.lim = limitsFor(o.Verdict, w.reduceLimits(5*time.Second))
	p := t.target.Solver().Profile
	u := &finding.Upstream{Tracker: p.Tracker, Issue: p.Issue, Undocumented: p.OutsideContract(c.Script)}
	for i := range c.Script.Commands {
		if name := optionName(&c.Script.Commands[i]); name != "" && !isEverydayOption(name) {
			u.Options++
		}
	}
	program := w.plan.Trier.Program(t.target)
	var mild *finding.Trial
	if program != nil {
		mild = t.tryConfigurations(program)
		u.Built = program.HowBuilt()
	}
	t.tryBuilds(mild)
	u.Trials = t.done
	return u
}

// isEverydayOption reports whether an option is so common that nobody counts it: options for output, and models, which
// every user asks for. Cores, proofs and the like do count, since they change which code runs.
func isEverydayOption(option string) bool {
	return isOutputOption(option) && !strings.HasPrefix(option, "produce-") || option == "produce-models" || option == "produce-assertions"
}

// trials is one case being tried.
type trials struct {
	w      *instances
	ctx    context.Context
	c      *testcase.Case
	o      *wire.Subject
	target solvers.Target
	lim    solvers.Limits
	done   []finding.Trial
}

// tryConfigurations tries the program of the target's build, and returns the mildest trial that shows the finding for
// anybody who starts the program without a configuration of the developers; nil if none does.
func (t *trials) tryConfigurations(program *solvers.Solver) *finding.Trial {
	for _, c := range program.Profile.Configurations {
		t.tryProgram(program, c.Name, c.Args, nil, true)
	}
	if hit := t.tryProgram(program, finding.TrialDefault, nil, nil, true); hit != nil && hit.Shows {
		return hit
	}
	args, options := t.w.plan.Trier.Settings(t.target)
	arguments := solvers.SplitOptions(args)
	n := len(arguments) + len(options)
	if n > 1 && n <= maxSingles {
		for _, words := range arguments {
			if hit := t.tryProgram(program, finding.TrialOption, words, nil, true); hit != nil && hit.Shows {
				return hit
			}
		}
		for i := range options {
			if hit := t.tryProgram(program, finding.TrialOption, nil, options[i:i+1], true); hit != nil && hit.Shows {
				return hit
			}
		}
	}
	if n > 0 {
		name := finding.TrialOptions
		if n == 1 {
			name = finding.TrialOption
		}
		if hit := t.tryProgram(program, name, args, options, true); hit != nil && hit.Shows {
			return hit
		}
	}
	return nil
}

// tryBuilds tries the other builds in the configuration of a trial; nil means the default one.
func (t *trials) tryBuilds(mild *finding.Trial) {
	var args []string
	if mild != nil {
		args = mild.Args
		if mild.Run.Preamble != "" { // options that are commands
			return
		}
	}
	others, debug := t.w.plan.Trier.Others(t.target)
	for i, s := range debug {
		if i < maxOthers {
			t.tryProgram(s, finding.TrialDebug, args, nil, false)
		}
	}
	for i, s := range others {
		if i < maxOthers {
			t.tryProgram(s, finding.TrialVersion, args, nil, false)
		}
	}
}

// tryProgram asks one program; nil when that was not possible: there was no time, or it does not know the arguments.
func (t *trials) tryProgram(s *solvers.Solver, configuration string, args []string, options []rule.Setting, same bool) *finding.Trial {
	if t.ctx.Err() != nil {
		return nil
	}
	run, err := t.w.plan.Trier.Target(s, args, options)
	if err != nil {
		return nil
	}
	defer run.Close()
	shows, info := t.showsOn(run)
	if t.ctx.Err() != nil || info.Class == solvers.StartFailure || len(args) > 0 && !shows && refusedArguments(&info) {
		return nil
	}
	info.Stdout, info.Stderr = finding.Clip(info.Stdout, maxTrialBytes), finding.Clip(info.Stderr, maxTrialBytes)
	if n := len(info.Argv); n > 1 { // options that are arguments are among them; the last one is the file
		args = info.Argv[1 : n-1]
	}
	one := finding.Trial{
		Configuration: configuration, Kind: t.target.Solver().Profile.Name, Version: s.Version, Path: s.Path, Args: slices.Clone(args), Build: s.Build(),
		SameBuild: same, Shows: shows, Run: info,
	}
	for _, a := range args {
		if s.Profile.IsExperimental(a) {
			one.Experimental = append(one.Experimental, a)
		}
	}
	t.done = append(t.done, one)
	return &t.done[len(t.done)-1]
}

// refusedArguments reports whether a program rejected its command line. Such a run says nothing about the case.
func refusedArguments(r *finding.Run) bool {
	said := strings.ToLower(r.Stdout + r.Stderr)
	return slices.ContainsFunc([]string{"option parsing", "unknown option", "unrecognized option", "invalid option"}, func(text string) bool { return strings.Contains(said, text) })
}

// showsOn runs the case once on a program in the place of the target and reports whether the finding shows. Any fault
// counts for a crash, unless the output names another place: messages of libraries, modes and versions differ.
func (t *trials) showsOn(run solvers.Target) (bool, finding.Run) {
	v := t.o.Verdict
	rs := []*replica{{t.target, run}}
	switch {
	case v.Kind == oracle.KindDisagreement:
		rs = append(rs, t.w.replicasIn(v.Against[:min(1, len(v.Against))], modeNamed(t.o.Mode))...)
	case targetsOf(v) == nil: // an oracle may look at all
		for _, r := range t.w.replicasIn(t.w.inOneMode(nil, v), modeNamed(t.o.Mode)) {
			if r.orig != t.target {
				rs = append(rs, r)
			}
		}
	}
	defer closeReplicas(rs[1:])
	q := t.c.Query()
	if v.Kind == oracle.KindInvalidModel || targetsOf(v) == nil && t.w.models {
		q = q.WithModel()
	}
	runs := askReplicas(t.ctx, rs, q, t.lim)
	info := finding.RunOf(runs[0])
	verdicts, err := Judge(t.w.plan.OraclesNamed(v.Oracle), t.c, runs)
	if err == nil && slices.ContainsFunc(verdicts, func(x oracle.Verdict) bool { return triage.Same(v, &x) }) {
		return true, info
	}
	if v.Kind != oracle.KindCrash || !runs[0].Class.IsBug() {
		return false, info
	}
	was, is := triage.FaultOf(v.Message), triage.FaultOf(runs[0].Stderr+"\n"+runs[0].Stdout)
	return was.Place == "" || is.Place == "" || triage.Loose(was.Place) == triage.Loose(is.Place) || runs[0].Version != t.target.Solver().Version, info
}
