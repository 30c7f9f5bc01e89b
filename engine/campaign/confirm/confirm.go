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
	"github.com/smtlark/smtlark/engine/claim"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// replica is a target with a process of its own, in the place of a target of the campaign.
type replica struct {
	orig, run solvers.Target
}

// close ends the replica's processes. A replica that is the target itself starts anew with its next run.
func (r *replica) close() { _ = r.run.Close() }

// replicasIn returns targets for the given mode; mode "" means that of each target. names nil means all targets. Those
// that cannot be had in that mode are left out.
func (w *instances) replicasIn(names []string, mode solvers.Mode) []*replica {
	var out []*replica
	for _, t := range w.plan.Targets {
		if names != nil && !slices.Contains(names, t.Name()) {
			continue
		}
		want := mode
		if want == "" {
			want = t.Mode()
		}
		r := &replica{orig: t}
		var err error
		changer, ok := t.(campaign.ModeChanger)
		switch {
		case w.plan.InMode != nil:
			r.run, err = w.plan.InMode(t, want)
		case ok:
			r.run, err = changer.InMode(want)
		default:
			err = fmt.Errorf("%s has one mode only", t.Name())
		}
		if err != nil || r.run == nil {
			if want != t.Mode() {
				continue
			}
			r.run = t
		}
		r.run = withSequence(r.run, w.ahead)
		out = append(out, r)
	}
	return out
}

func closeReplicas(rs []*replica) {
	for _, r := range rs {
		r.close()
	}
}

// askReplicas runs a query on new processes; the runs bear the names of the campaign's targets.
func askReplicas(ctx context.Context, rs []*replica, q *solvers.Query, lim solvers.Limits) []*solvers.Run {
	runs := make([]*solvers.Run, len(rs))
	for i, r := range rs {
		run := *r.run.Run(ctx, q, lim)
		run.Target = r.orig.Name()
		runs[i] = &run
		r.close()
	}
	return runs
}

// TargetsOf returns the targets that a verdict needs; nil means all.
func TargetsOf(v *oracle.Verdict) []string {
	switch v.Kind {
	case oracle.KindCrash, oracle.KindKnownAnswer, oracle.KindAssumedAnswer, oracle.KindDisagreement, oracle.KindInvalidModel, oracle.KindRunaway, oracle.KindMetamorphic:
		return slices.Concat(v.Targets, v.Against)
	}
	return nil
}

// confirmVerdict tries a verdict again in fresh processes: first in mode fresh, which is what a user does, then in the modes of
// the campaign.
func (w *Confirmer) confirmVerdict(ctx context.Context, o *wire.Confirm) error {
	r := &wire.Confirmed{Job: o.Job}
	r.Tries = o.Times
	c, err := o.Case.Case(nil)
	if err != nil {
		r.Error = fmt.Sprintf("smtlark cannot read back the case it printed: %v", err)
		return w.endJob(r, &r.Spending)
	}
	err = campaign.Protect(func() {
		var compared claim.Ruling
		if r.Refuted, compared = w.compareWithSeed(ctx, c, o.Verdict); r.Refuted != nil || ctx.Err() != nil {
			return
		}
		if o.Verdict.Want != smtlib.Sat { // one that is refuted need not be seen again
			if r.Refuted, c = w.settleVerdict(ctx, c, o.Verdict); r.Refuted != nil || ctx.Err() != nil {
				return
			}
		}
		names := TargetsOf(o.Verdict)
		fresh := w.replicasIn(names, solvers.Fresh)
		hit := len(fresh) > 0 && w.tryMode(ctx, c, &o.Subject, solvers.Fresh, fresh, &r.Repetitions)
		if own := w.replicasIn(names, ""); !hit && ctx.Err() == nil && (len(fresh) == 0 || slices.ContainsFunc(own, notFresh)) {
			hit = w.tryMode(ctx, c, &o.Subject, "", own, &r.Repetitions)
			if !hit && ctx.Err() == nil && slices.ContainsFunc(own, notFresh) {
				hit = w.trySequences(ctx, c, &o.Subject, r)
			}
		}
		if !hit && ctx.Err() == nil {
			w.tryAtOnce(ctx, c, &o.Subject, r)
		}
		if o.Verdict.Want == smtlib.Sat && r.Hits > 0 && ctx.Err() == nil {
			refuted, known := w.settleVerdict(ctx, c, o.Verdict)
			if r.Refuted = refuted; refuted != nil {
				return
			}
			if known != c {
				c, r.Case = known, known.Wire()
			}
		}
		if r.Hits > 0 && ctx.Err() == nil {
			w.settleSides(ctx, c, r.Said)
		}
		if r.Said != nil && compared.Standing == claim.Proven {
			r.Said.SettleRelation(compared.By)
		}
		if r.Said != nil {
			r.Said.Settle(oracle.IsAssumed(c, o.Verdict.Want))
		}
		if r.Hits > 0 {
			r.Details = append(r.Details, w.runOthers(ctx, c, r.Details)...)
			mode := modeNamed(r.Mode)
			r.Stack = w.stackOf(ctx, c, o.Verdict, mode, r.Ahead)
			again := o.Subject
			again.Sequence = r.Ahead
			if v := r.Said; v != nil && v.Settled && triage.Same(o.Verdict, v) { // a model says whose bug it is
				again.Verdict = v
			}
			if own := w.byItself(ctx, c, &again, mode, &r.Repetitions); own != nil {
				c, r.Case = own, own.Wire()
			}
			r.Needs, r.Plain = w.neededOptions(ctx, c, &again, mode)
			if w.plan.Reducer == nil { // else the reduced case is tried
				r.Upstream = w.tryForReport(ctx, c, &again)
			}
		}
	})
	if err != nil {
		r.Error = err.Error()
	}
	r.Cut = ctx.Err() != nil
	return w.endJob(r, &r.Spending)
}

// ownMode is what the mode of a finding is called where each target is used in the mode that the campaign gives it.
const ownMode = "own"

// modeNamed returns the mode of a finding; "" is that of the campaign.
func modeNamed(name string) solvers.Mode {
	if name == ownMode {
		return ""
	}
	return solvers.Mode(name)
}

func notFresh(r *replica) bool { return r.orig.Mode() != solvers.Fresh }

// tryMode repeats a case and reports whether the verdict came back. The first repetition that shows it is stored.
func (w *Confirmer) tryMode(ctx context.Context, c *testcase.Case, o *wire.Subject, mode solvers.Mode, rs []*replica, r *wire.Repetitions) bool {
	return w.tryQuery(ctx, c, w.queryFor(c), o, mode, rs, r)
}

// tryQuery is tryMode for what is asked about the case.
func (w *Confirmer) tryQuery(ctx context.Context, c *testcase.Case, q *solvers.Query, o *wire.Subject, mode solvers.Mode, rs []*replica, r *wire.Repetitions) bool {
	defer closeReplicas(rs)
	lim := limitsFor(o.Verdict, w.repetitionLimits(rs))
	oracles := w.plan.OraclesNamed(o.Verdict.Oracle)
	hits, tries, waited := 0, 0, false
	var first []*solvers.Run
	r.Varies = nil
	for range o.Times {
		runs := askReplicas(ctx, rs, q, lim)
		if !waited && slices.ContainsFunc(runs, wasStarved) { // that says nothing about the solver
			waited = true
			more := lim
			more.Wall *= 4
			runs = askReplicas(ctx, rs, q, more)
		}
		if ctx.Err() != nil {
			break
		}
		if tries++; first == nil {
			first = runs
		}
		for i := range runs {
			r.Varies = addNew(r.Varies, describeDifferences(first[i], runs[i]))
		}
		said := w.sameVerdict(oracles, c, runs, o.Verdict)
		if said == nil {
			if len(r.Details) == 0 {
				r.Details = finding.RunsOf(runs)
			}
			continue
		}
		if hits++; hits == 1 {
			r.Details = finding.RunsOf(runs)
			r.Said = said
		}
	}
	r.Hits, r.Tries = hits, tries
	if hits > 0 {
		if r.Mode = string(mode); mode == "" {
			r.Mode = ownMode
		}
	}
	return hits > 0
}

// wasStarved reports whether a run was ended by its wall time while it had hardly run: the machine had no time for it, or it waited.
func wasStarved(r *solvers.Run) bool { return r.Class == solvers.Timeout && r.CPU < r.Wall/10 }

// repetitionLimits returns the limits of runs that repeat what was seen: twice the time, because the machine may be busier than it was, and
// the process is a new one, which loads its program or library within that time.
func (w *instances) repetitionLimits(rs []*replica) solvers.Limits {
	lim := w.plan.Limits
	if lim.Wall == 0 {
		for _, r := range rs {
			lim.Wall = max(lim.Wall, solvers.LimitsOf(r.orig).Wall)
		}
	}
	lim.Wall, lim.CPU = 2*lim.Wall, 2*lim.CPU
	return lim
}

// sameVerdict returns the verdict that oracles come to and that is the same as another one; nil if there is none.
func (w *instances) sameVerdict(oracles []oracle.Oracle, c *testcase.Case, runs []*solvers.Run, v *oracle.Verdict) *oracle.Verdict {
	verdicts, _ := Judge(oracles, c, runs)
	i := slices.IndexFunc(verdicts, func(x oracle.Verdict) bool { return triage.Same(v, &x) })
	if i < 0 {
		return nil
	}
	return &verdicts[i]
}

// byItself returns the case with the questions about models that the oracles of the campaign add to every case, where it
// does not show its verdict without them: a finding is replayed from its files. It returns nil where the case shows it as it
// is, and where it does not show it in any way but the campaign's.
func (w *Confirmer) byItself(ctx context.Context, c *testcase.Case, o *wire.Subject, mode solvers.Mode, r *wire.Repetitions) *testcase.Case {
	if !w.models || o.Verdict.Kind == oracle.KindInvalidModel || ctx.Err() != nil {
		return nil
	}
	w.ahead = o.Sequence
	defer func() { w.ahead = finding.Sequence{} }()
	once := *o
	if r.Hits == r.Tries {
		once.Times = 1
	}
	shows := func(c *testcase.Case) bool {
		got := &wire.Repetitions{}
		if !w.tryQuery(ctx, c, c.Query(), &once, mode, w.replicasIn(TargetsOf(o.Verdict), mode), got) {
			return false
		}
		for _, run := range got.Details { // what the stored case says, and not what it says when asked for models
			if i := slices.IndexFunc(r.Details, func(d finding.Run) bool { return d.Target == run.Target }); i >= 0 {
				r.Details[i] = run
			}
		}
		return true
	}
	if shows(c) {
		return nil
	}
	all := withModels(c)
	if !shows(all) {
		return nil
	}
	return all
}

// withModels returns a case that asks for a model after each sat.
func withModels(c *testcase.Case) *testcase.Case {
	calls := &solvers.Trace{Arena: c.Script.Arena, Calls: c.Query().WithModel().Calls()}
	if t := c.LiveTrace(); t != nil {
		calls.Notes = t.Notes
		return knownAs(c, testcase.FromTrace(c.Script.Name, calls))
	}
	return knownAs(c, &testcase.Case{Script: calls.Script(c.Script.Name)}) // a text has no conditions
}

// describeDifferences says in words how two runs of one target with one case differ in what they say: a solver whose calls return
// something else in the next process depends on more than its input.
func describeDifferences(a, b *solvers.Run) (out []string) {
	ended := func(r *solvers.Run) string {
		if r.Class == solvers.OK {
			return "came to the end"
		}
		return r.Class.String()
	}
	if a.Class != b.Class {
		return append(out, fmt.Sprintf("%s: one run %s, another %s", a.Target, ended(a), ended(b)))
	}
	for i := range min(len(a.Answers), len(b.Answers)) {
		if a.Answers[i] != b.Answers[i] {
			out = append(out, fmt.Sprintf("%s: check-sat %d is %s in one run, %s in another", a.Target, i+1, a.Answers[i], b.Answers[i]))
			break // those after it may be consequences
		}
	}
	for i := range min(len(a.Values), len(b.Values)) {
		if a.Values[i] != b.Values[i] {
			out = append(out, fmt.Sprintf("%s: reply %d to a question about models, values or cores is another one in another run", a.Target, i+1))
			break
		}
	}
	if !slices.Equal(a.Failed, b.Failed) {
		out = append(out, fmt.Sprintf("%s: what is expected of further solvers fails in other ways in another run", a.Target))
	}
	return out
}

// addNew adds what is not in a list yet, up to a few.
func addNew(list, more []string) []string {
	const most = 6
	for _, s := range more {
		if len(list) < most && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// runOthers runs a case on the targets that are not among the given runs, each in a new process in mode fresh: for the table
// of a finding. Targets that come to the same command line are asked once.
func (w *instances) runOthers(ctx context.Context, c *testcase.Case, have []finding.Run) []finding.Run {
	same := func(a, b *finding.Run) bool {
		return a.Solver == b.Solver && a.Mode == b.Mode && a.Preamble == b.Preamble && len(a.Argv) == len(b.Argv) &&
			(len(a.Argv) == 0 || slices.Equal(a.Argv[:len(a.Argv)-1], b.Argv[:len(b.Argv)-1]))
	}
	var out []finding.Run
	q := w.queryFor(c)
	for _, r := range w.replicasIn(nil, solvers.Fresh) {
		s := r.orig.Solver()
		if slices.ContainsFunc(have, func(h finding.Run) bool { return h.Target == r.orig.Name() }) || s != nil && s.Profile != nil && s.Profile.Declines(q) != "" {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		info := finding.RunOf(askReplicas(ctx, []*replica{r}, q, w.plan.Limits)[0])
		known := func(h finding.Run) bool { return same(&h, &info) }
		if ctx.Err() == nil && !slices.ContainsFunc(have, known) && !slices.ContainsFunc(out, known) {
			out = append(out, info)
		}
	}
	return out
}

// reproduceAll runs what a repro.star asks for.
func (w *Confirmer) reproduceAll(ctx context.Context, o *wire.Reproduce) error {
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
func (w *Confirmer) replayOne(ctx context.Context, p *campaign.Reproduction, times int) finding.Replay {
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
		// It shows, but what the verdict rests on is refuted: there is nothing wrong with the solver.
		if info.Refuted = w.refutationOf(ctx, p); info.Refuted != "" {
			info.Reproduced = 0
		}
	}
	return info
}

// allAtOnce returns how the target of a reproduction is asked as repro.sh does it, with everything in one file and no markers;
// nil where there is no such way, and where answers and the end of the process do not decide.
func allAtOnce(p *campaign.Reproduction, q *solvers.Query, preamble string) func(context.Context, solvers.Limits) *solvers.Run {
	if !takesInput(p.Target, q) || p.Oracle != nil {
		return nil
	}
	in := wholeInput{preamble: preamble, before: p.Before, repeat: p.Repeat, text: p.Case.Wire().Script, reset: p.Class.IsBug()}
	return func(ctx context.Context, lim solvers.Limits) *solvers.Run { return runInput(ctx, p.Target, q, in, lim) }
}

// showsReproduction reports whether a run is what the reproduction is about.
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

// silentDeath reports whether a process died of the signal that a message begins with and said nothing else: what else it says
// before that depends on its memory.
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

func answerAt(r *solvers.Run, i int) smtlib.Answer {
	if i < 0 || i >= len(r.Answers) {
		return smtlib.None
	}
	return r.Answers[i]
}

// limitsFor returns the limits under which a verdict is to show again: what runs away is not waited for longer than its oracle
// waits.
func limitsFor(v *oracle.Verdict, lim solvers.Limits) solvers.Limits {
	if v.Kind == oracle.KindRunaway {
		return oracle.RunawayLimits.Or(lim)
	}
	return lim
}

// reduceLimits bounds the runs of a reduction by what the confirmed runs took: a candidate that needs much longer is not
// worth waiting for.
func (w *instances) reduceLimits(wall time.Duration) solvers.Limits {
	lim := w.plan.Limits
	if limit := max(2*time.Second, 4*wall); lim.Wall == 0 || limit < lim.Wall {
		lim.Wall = limit
	}
	return lim
}
