package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// What is known about the answers of a case is known by construction, and a smaller case was not constructed. A wrong
// unsat keeps its proof as long as the witness satisfies what is left. A wrong sat has no such proof: there somebody has to
// vouch for each smaller case, which is the evaluator where it can, else solvers that are right about the case as found.
// They are the targets of the campaign that gave the right answer, and those of Plan.Vouchers.

// claim is an answer that must be right for a verdict to be one.
type claim struct {
	script  *smtlib.Script
	check   int
	want    smtlib.Answer
	witness *eval.Model // of sat; nil: none is at hand
}

// claims returns what must be true of the answers of a case for its verdict to be one.
func claims(c *testcase.Case, v *oracle.Verdict) []claim {
	switch v.Kind {
	case oracle.KindKnownAnswer:
		return []claim{{c.Script, max(0, v.Check), v.Want, c.Witness}}
	case oracle.KindExpectation:
		if t := c.LiveTrace(); t.Several() {
			return furtherClaims(t, v.Message, c.Witness)
		}
	}
	return nil
}

// furtherClaims returns what must be true of the answers of the further solvers of a trace for one of them to have failed
// as a message says. It does not say at which check, so all that expect the answer count.
func furtherClaims(t *solvers.Trace, message string, witness *eval.Model) (out []claim) {
	want := smtlib.None
	for _, p := range [][2]smtlib.Answer{{smtlib.Sat, smtlib.Unsat}, {smtlib.Unsat, smtlib.Sat}} {
		if message == fmt.Sprintf("a further solver answers %s, the answer is %s", p[0], p[1]) {
			want = p[1]
		}
	}
	if want == smtlib.None {
		return nil
	}
	type life struct { // of a further solver, from new to delete
		script *smtlib.Script
		known  solvers.Known
		checks int
	}
	lives := map[int]*life{}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Kind == solvers.CallNew && c.Instance != 0 && lives[c.Instance] == nil {
			lives[c.Instance] = &life{script: &smtlib.Script{Arena: t.Arena, Name: "further"}}
			continue
		}
		l := lives[c.Instance]
		if l == nil {
			continue
		}
		switch c.Kind {
		case solvers.CallDelete:
			delete(lives, c.Instance)
		case solvers.CallTransfer:
			missing := l.known.Missing(t.Arena, c.Args)
			for k := range missing {
				l.known.Note(&missing[k])
			}
			l.script.Commands = append(l.script.Commands, missing...)
		case solvers.CallCommand:
			l.known.Note(&c.Command)
			l.script.Commands = append(l.script.Commands, c.Command)
			if c.Command.Kind.IsCheck() {
				if c.Expect == want {
					out = append(out, claim{l.script, l.checks, want, witness})
				}
				l.checks++
			}
		}
	}
	return out
}

// evaluator is what is named as the voucher where a case needs none.
const evaluator = "smtlark's evaluator"

// proven reports whether a claim needs nobody to vouch for it: the witness satisfies the assertions, or one of them is
// false whatever the values are, or is the negation of another one.
func (k *claim) proven() bool {
	asserts := k.script.AssertsAt(k.check)
	a := k.script.Arena
	switch {
	case k.want == smtlib.Sat && k.witness != nil:
		return holdAll(a, k.witness, asserts)
	case k.want == smtlib.Unsat:
		ev := eval.New(a, eval.NewModel(a))
		return slices.ContainsFunc(asserts, func(t smt.Term) bool {
			if a.Op(t) == smt.OpNot && slices.Contains(asserts, a.Arg(t, 0)) {
				return true
			}
			value, known := ev.Holds(t)
			return known && !value
		})
	}
	return false
}

// question is what a voucher is asked about a claim: its declarations, assertions and checks, without options and without
// questions that not every solver knows.
func (k *claim) question() *solvers.Query {
	var cmds []smtlib.Command
	for _, c := range k.script.Commands {
		switch {
		case c.Kind == smtlib.CmdSetOption && c.Name != ":global-declarations", c.Kind == smtlib.CmdSetInfo,
			solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply:
			continue
		case c.Kind == smtlib.CmdCheckSatUsing:
			c = smtlib.Command{Kind: smtlib.CmdCheckSat}
		}
		cmds = append(cmds, c)
	}
	return solvers.FromScript(k.script.WithCommands(cmds))
}

// voucher is a solver that was right about the case as it was found.
type voucher struct {
	target solvers.Target
	limit  time.Duration // of a run
}

// name is what a report calls the solver.
func (v *voucher) name() string {
	if s := v.target.Solver(); s != nil {
		return s.Name
	}
	return v.target.Name()
}

// jury is who vouches for the cases of one reduction.
type jury struct {
	lim     solvers.Limits
	all     []*voucher
	trusted []*voucher
	wrong   []string // who gives the answer, too, that is wrong by construction
}

const (
	firstVouch = 5 * time.Second // for the case as it was found
	maxTrusted = 2               // vouchers that are asked about every case
	maxVouch   = 12              // that are asked about the case as it was found
)

// seat finds vouchers for the case as it was found: who is right about each of its claims. The targets of the campaign that
// gave the right answer come first, then other kinds of solvers than the one that is wrong, then other versions.
func (w *worker) seat(ctx context.Context, v *oracle.Verdict, list []claim) *jury {
	j := &jury{lim: w.plan.Limits}
	for _, r := range w.right(v.Against) {
		j.all = append(j.all, &voucher{target: r.run, limit: firstVouch})
	}
	if w.plan.Vouchers != nil {
		own := len(j.all)
		for _, t := range w.plan.Vouchers() {
			x := &voucher{target: t, limit: firstVouch}
			if slices.ContainsFunc(j.all, func(y *voucher) bool { return y.name() == x.name() }) {
				_ = t.Close()
				continue
			}
			j.all = append(j.all, x)
		}
		wrong := w.wrongSolver(v)
		slices.SortStableFunc(j.all[own:], func(a, b *voucher) int { return kinship(a.target.Solver(), wrong) - kinship(b.target.Solver(), wrong) })
	}
	for i, x := range j.all {
		if len(j.trusted) == maxTrusted || i == maxVouch || ctx.Err() != nil {
			break
		}
		right, wall := true, time.Duration(0)
		for k := range list {
			run := x.ask(ctx, &list[k], j.lim)
			answer := smtlib.None
			if run != nil {
				answer, wall = answerAt(run, list[k].check), max(wall, run.Wall)
			}
			if answer.Decided() && answer != list[k].want {
				j.wrong = append(j.wrong, x.name())
			}
			if right = answer == list[k].want; !right {
				break
			}
		}
		if right {
			x.limit = time.Second + 3*wall
			j.trusted = append(j.trusted, x)
		}
	}
	return j
}

// right returns targets by name, each in mode fresh where it has that.
func (w *worker) right(names []string) []*replica {
	var out []*replica
	for _, n := range names {
		rs := w.replicas([]string{n}, solvers.Fresh)
		if len(rs) == 0 {
			rs = w.replicas([]string{n}, "")
		}
		out = append(out, rs...)
	}
	return out
}

// wrongSolver is the solver that a verdict is about; nil when that is not known.
func (w *worker) wrongSolver(v *oracle.Verdict) *solvers.Solver {
	for _, t := range w.plan.Targets {
		if slices.Contains(v.Targets, t.Name()) {
			return t.Solver()
		}
	}
	return nil
}

// kinship says how much a solver is like another one: 0 another kind, 1 another version, 2 the same.
func kinship(a, b *solvers.Solver) int {
	switch {
	case a == nil || b == nil || a.Profile == nil || b.Profile == nil || a.Profile.Name != b.Profile.Name:
		return 0
	case a.Version != b.Version:
		return 1
	}
	return 2
}

// ask asks the voucher about a claim; nil when it does not take the logic, or what is in it.
func (v *voucher) ask(ctx context.Context, k *claim, lim solvers.Limits) *solvers.Run {
	q := k.question()
	if s := v.target.Solver(); s != nil && s.Profile != nil && s.Profile.Declines(q) != "" {
		return nil
	}
	if lim.Wall == 0 || lim.Wall > v.limit {
		lim.Wall = v.limit
	}
	run := *v.target.Run(ctx, q, lim)
	if v.target.Mode() != solvers.Fresh {
		_ = v.target.Close() // starts anew
	}
	return &run
}

// vouch asks for each claim whether it is right. Each must be by at least one voucher, and none may deny it.
func (j *jury) vouch(ctx context.Context, list []claim) (out vouched, ok bool) {
	for i := range list {
		k := &list[i]
		right := false
		for _, x := range j.trusted {
			run := x.ask(ctx, k, j.lim)
			if run == nil {
				continue
			}
			switch answer := answerAt(run, k.check); {
			case answer == k.want:
				right = true
				if !slices.Contains(out.by, x.name()) {
					out.by = append(out.by, x.name())
				}
				if len(list) == 1 {
					out.runs = append(out.runs, run)
				}
			case answer.Decided():
				return vouched{}, false
			}
		}
		if !right {
			return vouched{}, false
		}
	}
	return out, true
}

// others asks all the vouchers that are not among the given runs about the reduced case: for the table of a finding.
func (j *jury) others(ctx context.Context, c *testcase.Case, v *oracle.Verdict, have []RunInfo) (out []RunInfo) {
	if j == nil || v.Kind != oracle.KindKnownAnswer {
		return nil
	}
	lim := j.lim
	lim.Wall = 2 * time.Second
	for _, x := range j.all[:min(len(j.all), maxVouch)] {
		s := x.target.Solver()
		if ctx.Err() != nil || s == nil || slices.ContainsFunc(have, func(r RunInfo) bool { return r.Solver == s.Name && (r.Mode == string(solvers.Fresh)) }) {
			continue
		}
		if run := x.ask(ctx, &claim{script: c.Script}, lim); run != nil {
			out = append(out, runInfo(run))
		}
	}
	return out
}

func (j *jury) close() {
	if j == nil {
		return
	}
	for _, v := range j.all {
		_ = v.target.Close()
	}
}

// nobody says why no one can vouch.
func (j *jury) nobody() error {
	text := "no other solver gives the right answer, so nothing can tell that a smaller case is still unsat"
	if len(j.wrong) > 0 {
		text += "; the same answer, which is wrong by construction, comes from " + strings.Join(j.wrong, ", ")
	}
	return errors.New(text)
}
