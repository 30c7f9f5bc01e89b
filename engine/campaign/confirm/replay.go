package confirm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// replayer replays findings: the reproductions in a repro.star, and stored findings with other versions of solvers.
type replayer struct {
	arbiter
	*teller
}

// reproduceAll runs the reproductions of a repro.star.
func (w *replayer) reproduceAll(ctx context.Context, o *wire.Reproduce) error {
	r := &wire.Reproduced{Job: o.Job}
	var failed error
	err := campaign.Protect(func() {
		for i := range w.plan.Reproductions {
			p := &w.plan.Reproductions[i]
			if p.Verdict == nil {
				r.Replays = append(r.Replays, w.replayOne(ctx, p, o.Times))
				continue
			}
			info, err := w.replayVerdict(ctx, p, o.Times)
			failed = errors.Join(failed, scriptFault(err))
			r.Replays = append(r.Replays, info)
		}
	})
	var fault *campaign.LoadError
	if err = errors.Join(err, failed); err != nil {
		r.Error, r.Fault = err.Error(), campaign.FaultInternal
	}
	if errors.As(err, &fault) {
		r.Fault = fault.Fault
	}
	return w.out.Line(r, true)
}

// replayOne repeats one reproduction.
func (w *replayer) replayOne(ctx context.Context, p *campaign.Reproduction, times int) finding.Replay {
	info := finding.Replay{Target: p.Target.Name(), Want: describeWanted(p)}
	q := p.Case.Query()
	if p.Oracle != nil && oracle.NeedsModels([]oracle.Oracle{p.Oracle}) {
		q = q.WithModel()
	}
	rs := []*replica{{p.Target, withSequence(p.Target, p.Sequence)}}
	if p.Against != nil {
		rs = append(rs, &replica{p.Against, p.Against})
	}
	defer closeReplicas(rs)
	lim := p.Limits.Or(w.plan.Limits)
	if p.Oracle != nil && p.Oracle.Name() == oracle.KindRunaway {
		lim = oracle.RunawayReplayLimits.Or(lim)
	}
	var preamble string
	try := func(ask func() []*solvers.Run) {
		for range times {
			runs := ask()
			if runs == nil || ctx.Err() != nil {
				return
			}
			preamble = runs[0].Preamble
			info.Tries++
			ok := showsReproduction(p, runs[0])
			if ok && p.Against != nil {
				ok = answerAt(runs[1], p.Check) == p.Want
			}
			if ok {
				info.Reproduced++
			}
			if info.Runs == nil || ok && info.Reproduced == 1 {
				info.Runs = finding.RunsOf(runs)
			}
		}
	}
	try(func() []*solvers.Run { return askReplicas(ctx, rs, q, lim) })
	if info.Reproduced == 0 && ctx.Err() == nil {
		// Some faults show only where a process gets the whole script in one input, as from a file.
		if whole := allAtOnce(p, q, preamble); whole != nil {
			pieces := info
			info.Tries = 0
			try(func() []*solvers.Run {
				runs := []*solvers.Run{whole(ctx, lim)}
				if p.Against != nil {
					runs = append(runs, askReplicas(ctx, rs[1:], q, lim)...)
				}
				return runs
			})
			if info.AtOnce = info.Reproduced > 0; !info.AtOnce {
				info = pieces
			}
		}
	}
	if info.Reproduced > 0 && ctx.Err() == nil {
		// It reproduces, but the claim that the verdict rests on is refuted, so the solver is not wrong.
		if info.Refuted = w.refutationOf(ctx, p); info.Refuted != "" {
			info.Reproduced = 0
		}
	}
	return info
}

// replayVerdict repeats a reproduction that oracles of a campaign file judge.
func (w *replayer) replayVerdict(ctx context.Context, p *campaign.Reproduction, times int) (finding.Replay, error) {
	info := finding.Replay{Target: p.Target.Name(), Want: fmt.Sprintf("%s, says the oracle %s", p.Verdict.Kind, p.Verdict.Oracle)}
	if p.Verdict.Message != "" {
		info.Want = fmt.Sprintf("%s: %s", p.Verdict.Kind, p.Verdict.Message)
	}
	var oracles []oracle.Oracle
	for _, o := range p.Oracles {
		if o.Name() == p.Verdict.Oracle {
			oracles = append(oracles, o)
		}
	}
	if len(oracles) == 0 {
		return info, fmt.Errorf("the campaign file has no oracle %q", p.Verdict.Oracle)
	}
	rs := make([]*replica, len(p.Targets))
	for i, t := range p.Targets {
		rs[i] = &replica{t, withSequence(t, p.Sequence)}
	}
	defer closeReplicas(rs)
	// A finding was found with the questions about models that the oracles of its campaign add, and was perhaps reduced
	// without them.
	queries := []*solvers.Query{p.Case.Query()}
	if oracle.NeedsModels(p.Oracles) {
		queries = append(queries, p.Case.Query().WithModel())
	}
	for range times {
		shown, first := false, []*solvers.Run(nil)
		for _, q := range queries {
			runs := askReplicas(ctx, rs, q, p.Limits.Or(w.plan.Limits))
			if ctx.Err() != nil {
				return info, nil
			}
			verdicts, err := Judge(oracles, p.Case, runs)
			if err != nil {
				return info, err
			}
			if first == nil {
				first = runs
			}
			if shown = slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool { return triage.Same(p.Verdict, &v) }); shown {
				first = runs
				break
			}
		}
		info.Tries++
		if shown {
			info.Reproduced++
		}
		if info.Runs == nil || shown && info.Reproduced == 1 {
			info.Runs = finding.RunsOf(first)
		}
	}
	return info, nil
}

// scriptFault turns an error of an oracle into one of the campaign file, unless it says whose it is.
func scriptFault(err error) error {
	var known *campaign.LoadError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &campaign.LoadError{Fault: campaign.FaultScript, Err: err}
}

// lookTime bounds looking at one version with a sequence of cases.
const lookTime = 20 * time.Second

// replayStored is replayOne for a stored finding. If the finding needs a sequence, one reproduction is enough, and the
// time is bounded by lookTime: a sequence that takes longer says nothing about the version.
func (w *replayer) replayStored(ctx context.Context, p *campaign.Reproduction, times int) finding.Replay {
	if p.Len() == 0 {
		return w.replayOne(ctx, p, times)
	}
	w.tellStage(fmt.Sprintf("%s after %d cases", p.Target.Name(), p.Len()))
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var info finding.Replay
	for range times {
		next := w.replayOne(ctx, p, 1)
		if ctx.Err() != nil {
			return finding.Replay{}
		}
		if next.Tries += info.Tries; next.Reproduced > 0 {
			return next
		}
		info = next
	}
	return info
}

// allAtOnce returns a function that asks the target of a reproduction as repro.sh does, with everything in one file and
// without markers. It returns nil if there is no such way, or if answers and the end of the process do not decide.
func allAtOnce(p *campaign.Reproduction, q *solvers.Query, preamble string) func(context.Context, solvers.Limits) *solvers.Run {
	if !takesInput(p.Target, q) || p.Oracle != nil {
		return nil
	}
	in := wholeInput{preamble: preamble, before: p.Before, repeat: p.Repeat, text: p.Case.Wire().Script, reset: p.Class.IsBug()}
	return func(ctx context.Context, lim solvers.Limits) *solvers.Run { return runInput(ctx, p.Target, q, in, lim) }
}

// showsReproduction reports whether a run shows the fault of the reproduction.
func showsReproduction(p *campaign.Reproduction, r *solvers.Run) bool {
	if p.Oracle != nil {
		return slices.ContainsFunc(p.Oracle.Judge(p.Case, []*solvers.Run{r}), func(v oracle.Verdict) bool {
			return p.Message == "" || containsFold(v.Message, p.Message)
		})
	}
	if p.AnyFault {
		return r.Class.IsBug()
	}
	if p.Class != solvers.Invalid {
		message := p.Message
		if r.Mode == solvers.Native { // messages began so once
			message = strings.TrimPrefix(message, "smtlark: ")
		}
		return r.Class == p.Class && (containsFold(r.Message, message) || silentDeath(r, message))
	}
	if p.Got == smtlib.None { // any answer that contradicts the right one
		a := answerAt(r, p.Check)
		return a.Decided() && p.Want.Decided() && a != p.Want
	}
	return answerAt(r, p.Check) == p.Got
}

// silentDeath reports whether a process died of the signal that a message begins with and said nothing else: what else
// it says before that depends on its memory.
func silentDeath(r *solvers.Run, message string) bool {
	signal, _, more := strings.Cut(message, ":")
	return more && r.Class == solvers.Crash && r.Signal == signal && r.Message == signal
}

// describeWanted says in words what counts as reproduced.
func describeWanted(p *campaign.Reproduction) string {
	switch {
	case p.Oracle != nil:
		return p.Oracle.Name()
	case p.Class != solvers.Invalid && p.Message != "":
		return fmt.Sprintf("%s: %s", p.Class, p.Message)
	case p.Class != solvers.Invalid:
		return p.Class.String()
	case p.Got == smtlib.None:
		return fmt.Sprintf("not %s", p.Want)
	case p.Against != nil:
		return fmt.Sprintf("%s where %s says %s", p.Got, p.Against.Name(), p.Want)
	case p.Want != smtlib.None:
		return fmt.Sprintf("%s where %s is right", p.Got, p.Want)
	}
	return p.Got.String()
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
