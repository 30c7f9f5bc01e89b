package derive

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// MapTerms returns the commands of a script with f applied to each term of its assertions and checks, and the new
// terms. The symbols that the new terms use are not yet declared, see Insert.
func MapTerms(s *smtlib.Script, f func(smt.Term) (smt.Term, error)) (cmds []smtlib.Command, fresh []smt.Term, err error) {
	cmds = slices.Clone(s.Commands)
	for i := range cmds {
		c := &cmds[i]
		if c.Kind != smtlib.CmdAssert && !c.Kind.IsCheck() || len(c.Terms) == 0 {
			continue
		}
		terms := make([]smt.Term, len(c.Terms))
		for k, t := range c.Terms {
			if terms[k], err = f(t); err != nil {
				return nil, nil, err
			}
			if terms[k] != t {
				fresh = append(fresh, terms[k])
			}
		}
		c.Terms = terms
	}
	return cmds, fresh, nil
}

// Insert returns commands with declarations before every use and outside every push.
func Insert(cmds, declarations []smtlib.Command) []smtlib.Command {
	at := slices.IndexFunc(cmds, func(c smtlib.Command) bool {
		return c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdAssert || c.Kind.IsCheck()
	})
	if at < 0 {
		at = len(cmds)
	}
	return slices.Insert(cmds, at, declarations...)
}

// WithTactic returns a script with (check-sat-using tactic) for every check-sat.
func WithTactic(s *smtlib.Script, tactic string) *smtlib.Script {
	cmds := slices.Clone(s.Commands)
	for i := range cmds {
		if cmds[i].Kind == smtlib.CmdCheckSat {
			cmds[i] = smtlib.Command{Kind: smtlib.CmdCheckSatUsing, Text: tactic}
		}
	}
	return s.WithCommands(cmds)
}

// KeepAnswers returns a case with the known answers of another case that has the same number of check-sats. The witness
// is kept if it satisfies the case.
func KeepAnswers(c, from *testcase.Case) *testcase.Case {
	if c.Script.CheckSats() != from.Script.CheckSats() {
		return c
	}
	w := from.Witness
	if w != nil && !stillSatisfies(w, c.Script, from.Script) {
		w = nil
	}
	return c.With(c.Script, from.Expect, w)
}

// stillSatisfies reports whether a model that satisfies one script is known to satisfy another one, too. Terms are
// shared, so that only assertions that were changed are evaluated.
func stillSatisfies(m *model.Model, s, before *smtlib.Script) bool {
	if s.Arena != before.Arena {
		return false
	}
	old := map[smt.Term]bool{}
	for _, t := range before.Asserts() {
		old[t] = true
	}
	changed := slices.DeleteFunc(s.Asserts(), func(t smt.Term) bool { return old[t] })
	ev := eval.New(s.Arena, m)
	ev.Limits = eval.QuickLimits()
	return eval.CheckTerms(ev, changed).Result == value.True
}

// KeepShifted returns a case with the known answers of another case that hold for it too. If the case is weaker, sat
// stays sat, with the same witness; if it is stronger, unsat stays unsat.
func KeepShifted(c, from *testcase.Case, weaker bool) *testcase.Case {
	keep, w := smtlib.Unsat, from.Witness
	if weaker {
		keep = smtlib.Sat
	} else {
		w = nil
	}
	n, was := c.Script.CheckSats(), from.Script.CheckSats()
	expect, any := make([]smtlib.Answer, n), false
	for i := range expect {
		if from.ExpectAt(was-n+i) == keep { // where there are fewer, they are the last ones
			expect[i], any = keep, true
		}
	}
	if !any {
		return c
	}
	return c.With(c.Script, expect, w)
}

// IsChanged reports whether a case asks something different from an earlier form of it, or has more known answers.
func IsChanged(c, old *testcase.Case) bool {
	switch {
	case c == old:
		return false
	case c.Script.Arena != old.Script.Arena || c.Trace != old.Trace:
		return true
	case !slices.EqualFunc(c.Script.Commands, old.Script.Commands, sameCommand):
		return true
	}
	known := slices.ContainsFunc(c.Expect, func(a smtlib.Answer) bool { return a != smtlib.None })
	return known && !slices.Equal(c.Expect, old.Expect) || c.Witness != nil && c.Witness != old.Witness
}

// sameCommand compares commands of one arena, wherever they were read.
func sameCommand(x, y smtlib.Command) bool {
	return x.Kind == y.Kind && x.N == y.N && x.Name == y.Name && x.Text == y.Text && x.Sort == y.Sort && slices.Equal(x.Terms, y.Terms) &&
		slices.Equal(x.Symbols, y.Symbols) && slices.Equal(x.Sorts, y.Sorts) && slices.Equal(x.Params, y.Params) && slices.Equal(x.Named, y.Named)
}

// StillKnown returns the known answers of a script over the declarations of a case: a check-sat is sat if it asserts a
// part of a satisfiable one, and unsat if it asserts more than an unsatisfiable one. The result is nil if no answer is
// known.
func StillKnown(from *testcase.Case, s *smtlib.Script) []smtlib.Answer {
	sets := func(x *smtlib.Script) (out [][]smt.Term) {
		for i := range x.CheckSats() {
			out = append(out, slices.Compact(slices.Sorted(slices.Values(x.AssertsAt(i)))))
		}
		return out
	}
	within := func(small, large []smt.Term) bool {
		for _, t := range small {
			if _, ok := slices.BinarySearch(large, t); !ok {
				return false
			}
		}
		return true
	}
	known := sets(from.Script)
	any := false
	var out []smtlib.Answer
	for _, now := range sets(s) {
		answer := smtlib.None
		for i, was := range known {
			switch e := from.ExpectAt(i); {
			case e == smtlib.Sat && within(now, was), e == smtlib.Unsat && within(was, now):
				answer, any = e, true
			}
		}
		out = append(out, answer)
	}
	if !any {
		return nil
	}
	return out
}
