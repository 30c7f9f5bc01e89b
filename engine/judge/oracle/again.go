package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// The kinds of verdicts of oracles that ask a solver again.
const (
	KindInvalidValue = "invalid-value" // get-value and get-model contradict each other
	KindInvalidReply = "invalid-reply" // a reply to another question, such as an interpolant, that cannot be right
	KindInvalidCore  = "invalid-core"  // an unsat core, or unsat assumptions, that the solver itself calls sat
)

// AssumptionTwice describes unsat assumptions that are sat and have one of them twice.
const AssumptionTwice = "its unsat assumptions, one of which it names twice, are sat"

// AskFunc runs a query on the solver of a target, in a new process and with the target's options. Limits that are zero
// are those of the target. It returns nil if it cannot.
type AskFunc func(target string, q *solvers.Query, lim solvers.Limits) *solvers.Run

// isChosen reports whether a case is among the share of the cases that an oracle looks at, by the case's own numbers.
func isChosen(c *testcase.Case, oracle string, share float64) bool {
	return rng.New(c.Origin.Seed).Split(c.Origin.Number).SplitString(oracle).Chance(share)
}

// Values reports solvers whose get-value contradicts their get-model. After a sat it asks for both, for some terms of
// the case, and evaluates the terms in the model. A term whose value the model leaves open counts for nothing.
func Values(ask AskFunc, share float64) Oracle { return &values{ask, share} }

type values struct {
	ask   AskFunc
	share float64
}

func (*values) Name() string { return "values" }

// maxTerms bounds the terms of one get-value.
const maxTerms = 24

func (o *values) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	if !isChosen(c, o.Name(), o.share) {
		return nil
	}
	return EachKind(runs, func(r *solvers.Run) *Verdict {
		i, at := lastAnswer(c, r, smtlib.Sat)
		if at < 0 {
			return nil
		}
		// The script up to that answer: a model is about the assertions at that point.
		script := c.Script.WithCommands(c.Script.Commands[:at+1])
		terms := append(closedTerms(script.Arena, script.Asserts()), namedTerms(script)...)
		if len(terms) == 0 {
			return nil
		}
		asked := script.WithCommands(append(slices.Clone(script.Commands),
			smtlib.Command{Kind: smtlib.CmdGetModel}, smtlib.Command{Kind: smtlib.CmdGetValue, Terms: terms}))
		q := solvers.FromScript(asked)
		q.Models = true
		again := o.ask(r.Target, q, solvers.Limits{})
		if again == nil || answerAt(again, i) != smtlib.Sat || len(again.Values) < 2 {
			return nil
		}
		model, reply := again.Values[len(again.Values)-2], again.Values[len(again.Values)-1]
		if again.IsRounded(model + reply) {
			return nil
		}
		m, err := modelreader.Parse(script, model)
		if err != nil {
			return nil
		}
		pairs, err := modelreader.ParseValues(script, m, reply)
		if err != nil {
			return nil
		}
		ev := newEvaluator(script.Arena, m, terms) // evaluation beyond the limit gives unknown, which refutes nothing
		for _, p := range pairs {
			v, err := ev.Eval(p.Term)
			if err == nil && value.Equal(v, p.Value) == value.False {
				return &Verdict{Oracle: o.Name(), Kind: KindInvalidValue, Got: smtlib.Sat, Check: i,
					Summary: "get-value contradicts get-model",
					Detail: fmt.Sprintf("%s is %s by get-value, %s in the model\n%s\n%s\n", smtlib.TermText(script.Arena, p.Term),
						p.Value.Text(script.Arena), v.Text(script.Arena), strings.TrimSpace(reply), strings.TrimSpace(model)),
					Asked: string(asked.WithOption(":produce-models", "true").Text()), Reply: strings.TrimSpace(model) + "\n" + strings.TrimSpace(reply)}
			}
		}
		return nil
	})
}

// closedTerms returns terms without free variables below some assertions whose values solvers can print.
func closedTerms(a *smt.Arena, asserts []smt.Term) []smt.Term {
	var out []smt.Term
	under := map[smt.Term]bool{} // has a variable below it, bound or free, or an unknown head
	a.PostOrder(asserts, func(t smt.Term) {
		op := a.Op(t)
		open := op == smt.OpVar || op == smt.OpOpaque || op == smt.OpAnnot
		for _, x := range a.Args(t) {
			open = open || under[x]
		}
		under[t] = open
		if open || a.IsLiteral(t) {
			return
		}
		switch a.SortKind(a.Sort(t)) {
		case smt.KindRegLan, smt.KindFunc, smt.KindUnknown:
		default:
			out = append(out, t)
		}
	})
	if len(out) <= maxTerms {
		return out
	}
	picked := make([]smt.Term, 0, maxTerms) // evenly over the case
	for k := range maxTerms {
		picked = append(picked, out[k*len(out)/maxTerms])
	}
	return picked
}

// namedTerms returns the names that stand for terms of the assertions at the end of a script, a few of them.
func namedTerms(s *smtlib.Script) (out []smt.Term) {
	asserts := s.Asserts()
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Kind != smtlib.CmdAssert || len(c.Named) == 0 || !slices.Contains(asserts, c.Terms[0]) {
			continue
		}
		for _, f := range c.Named {
			if t, err := s.Arena.Apply(f); err == nil && len(out) < maxTerms/4 {
				out = append(out, t)
			}
		}
	}
	return out
}

// EachKind judges runs and returns one verdict for each kind of solver. The targets of a verdict are all runs that
// judge reports for the same check.
func EachKind(runs []*solvers.Run, judge func(*solvers.Run) *Verdict) []Verdict {
	var order []string
	found := map[string]*Verdict{}
	wrong := map[string][]*solvers.Run{}
	for _, r := range runs {
		v := judge(r)
		if v == nil {
			continue
		}
		kind := KindOfSolver(r.Solver, r.Version)
		if found[kind] == nil {
			found[kind] = v
			order = append(order, kind)
		}
		if found[kind].Check == v.Check && found[kind].Summary == v.Summary {
			wrong[kind] = append(wrong[kind], r)
		}
	}
	var out []Verdict
	for _, kind := range order {
		v, rs := found[kind], wrong[kind]
		v.Target, v.Targets = rs[0].Target, targetNames(rs)
		v.Summary = solverNames(rs) + ": " + v.Summary
		out = append(out, *v)
	}
	return out
}

// lastAnswer returns the number of the last check-sat of a run if it has the given answer, and its place among the
// commands; else at is -1.
func lastAnswer(c *testcase.Case, r *solvers.Run, want smtlib.Answer) (check, at int) {
	check = len(r.Answers) - 1
	if r.Class != solvers.OK || check < 0 || r.Answers[check] != want {
		return 0, -1
	}
	return check, checkCommand(c.Script, check)
}

// checkCommand returns the place among the commands of a check-sat, given by its number from 0; -1 if there are fewer.
func checkCommand(s *smtlib.Script, number int) int {
	n := 0
	for i := range s.Commands {
		if !s.Commands[i].Kind.IsCheck() {
			continue
		}
		if n == number {
			return i
		}
		n++
	}
	return -1
}

// Cores reports wrong unsat cores and unsat assumptions. After an unsat, it asks the solver again for a core of the
// assertions at that point, and then about the core alone. If the solver calls the core sat, it contradicts itself. The
// solver is asked in a share of the cases, and whenever the case itself asked and the reply lists a part that holds in
// the witness of the case.
func Cores(ask AskFunc, share float64) Oracle { return &cores{ask, share} }

type cores struct {
	ask   AskFunc
	share float64
}

func (*cores) Name() string { return "cores" }

func (o *cores) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	chosen := isChosen(c, o.Name(), o.share)
	var questions []ValueQuestion
	if c.Witness != nil {
		questions = questionsAfterCheck(c.Script, smtlib.CmdGetUnsatCore, smtlib.CmdGetUnsatAssumptions)
	}
	if !chosen && len(questions) == 0 {
		return nil
	}
	return EachKind(runs, func(r *solvers.Run) *Verdict {
		i, at := toldPartThatHolds(c, questions, r)
		if at < 0 && chosen {
			i, at = lastAnswer(c, r, smtlib.Unsat)
		}
		if at < 0 {
			return nil
		}
		v := o.askForCore(c, r, i)
		if x := &c.Script.Commands[at]; v == nil && x.Kind == smtlib.CmdCheckSatAssuming {
			v = o.askForAssumptions(c, r, i, at)
		}
		if v != nil {
			v.Oracle, v.Kind, v.Got, v.Check = o.Name(), KindInvalidCore, smtlib.Unsat, i
		}
		return v
	})
}

// toldPartThatHolds returns the number and the place of a check-sat for which a run reported a core or assumptions that
// hold in the witness of the case; else at is -1. Finding this out needs no question.
func toldPartThatHolds(c *testcase.Case, questions []ValueQuestion, r *solvers.Run) (check, at int) {
	if r.Class != solvers.OK {
		return 0, -1
	}
	for k := range questions {
		q := &questions[k]
		exprs, err := smtlib.ParseSExprs(q.replyAfter(smtlib.Unsat, c.Script, r))
		if err != nil || len(exprs) != 1 || !exprs[0].IsList() || exprs[0].Head() == "error" {
			continue
		}
		part := q.ToldPart(c.Script, exprs[0].List)
		if newEvaluator(c.Script.Arena, c.Witness, part).AllTrue(part) == value.True {
			return q.Check, checkCommand(c.Script, q.Check)
		}
	}
	return 0, -1
}

// ToldPart returns the assertions and assumptions that a reply to a question for a core names, and those that it could
// not name.
func (q *ValueQuestion) ToldPart(s *smtlib.Script, told []smtlib.SExpr) (part []smt.Term) {
	a := s.Arena
	names := map[string]bool{}
	asserted, assumed := q.Asserted[:len(q.Asserted)-len(q.Assumed)], q.Assumed
	if s.Commands[q.Command].Kind == smtlib.CmdGetUnsatAssumptions {
		if !areLiterals(a, assumed) {
			return q.Asserted // they may be printed in another form
		}
		for i := range told {
			names[told[i].String()] = true
		}
		for _, t := range assumed {
			if names[smtlib.TermText(a, t)] {
				part = append(part, t)
			}
		}
		return append(part, asserted...)
	}
	for i := range told {
		names[told[i].Symbol()] = true
	}
	for _, t := range asserted {
		if name, formula := a.NameOf(t); formula == 0 || names[name] {
			part = append(part, t)
		}
	}
	return append(part, assumed...)
}

// askForCore asks for a core of all that is asserted at a check-sat.
func (o *cores) askForCore(c *testcase.Case, r *solvers.Run, check int) *Verdict {
	a := c.Script.Arena
	asserts := c.Script.AssertsAt(check)
	if containsFalse(a, asserts) {
		return nil
	}
	named := make([]smt.Term, len(asserts))
	byName := map[string]smt.Term{}
	for k, t := range asserts {
		name := fmt.Sprintf("core!%d", k)
		named[k] = a.Annotate(t, []smt.Attr{{Keyword: ":named", Value: name}})
		byName[name] = t
	}
	script := scope.WithAsserts(c.Script, named)
	script = script.WithCommands(append(script.Commands, smtlib.Command{Kind: smtlib.CmdGetUnsatCore}))
	asked := string(script.WithOption(":produce-unsat-cores", "true").Text()) // before others make terms
	q := solvers.FromScript(script)
	q.Cores = true
	again := o.ask(r.Target, q, solvers.Limits{})
	if again == nil || again.Answer() != smtlib.Unsat || len(again.Values) == 0 {
		return nil
	}
	exprs, err := smtlib.ParseSExprs(again.Values[len(again.Values)-1])
	if err != nil || len(exprs) != 1 || !exprs[0].IsList() || exprs[0].Head() == "error" {
		return nil
	}
	var core []smt.Term
	for k := range exprs[0].List {
		if t := byName[exprs[0].List[k].Symbol()]; t != 0 {
			core = append(core, t)
		}
	}
	return o.recheckPart(c, r, core, "its unsat core is sat", asked, again.Values[len(again.Values)-1])
}

// askForAssumptions asks for the assumptions that a check-sat-assuming needs.
func (o *cores) askForAssumptions(c *testcase.Case, r *solvers.Run, check, at int) *Verdict {
	script := c.Script.WithCommands(append(slices.Clone(c.Script.Commands[:at+1]), smtlib.Command{Kind: smtlib.CmdGetUnsatAssumptions}))
	script = script.WithOption(":produce-unsat-assumptions", "true")
	asked := string(script.Text())
	again := o.ask(r.Target, solvers.FromScript(script), solvers.Limits{})
	if again == nil || answerAt(again, check) != smtlib.Unsat || len(again.Values) == 0 {
		return nil
	}
	reply := again.Values[len(again.Values)-1]
	exprs, err := smtlib.ParseSExprs(reply)
	if err != nil || len(exprs) != 1 || !exprs[0].IsList() || exprs[0].Head() == "error" {
		return nil
	}
	given := c.Script.Commands[at].Terms
	all := c.Script.AssertsAt(check)
	if containsFalse(c.Script.Arena, all) {
		return nil
	}
	needed := slices.Clone(all[:len(all)-len(given)])
	for k := range exprs[0].List {
		t, err := smtlib.ParseTerm(c.Script.Arena, c.Script, exprs[0].List[k].String())
		if err != nil {
			return nil
		}
		if !slices.Contains(given, t) {
			if f := c.Script.Arena.SymbolOf(t); f != 0 && c.Script.Arena.SymbolInfo(f).Kind == smt.SymNamed {
				continue // z3 lists the names of assertions, too, which are part of the problem anyway
			}
			if !areLiterals(c.Script.Arena, given) {
				return nil // it may be one of them, printed in another form
			}
			return &Verdict{Summary: "an unsat assumption that was not assumed", Detail: reply, Asked: asked, Reply: strings.TrimSpace(reply)}
		}
		needed = append(needed, t)
	}
	what := "its unsat assumptions are sat"
	if named := slices.Sorted(slices.Values(needed[len(all)-len(given):])); len(slices.Compact(named)) < len(exprs[0].List) {
		what = AssumptionTwice // a solver that mixes up its assumptions, and none that leaves one out
	}
	return o.recheckPart(c, r, needed, what, asked, reply)
}

// containsFalse reports whether an assertion or assumption is the constant false. Solvers handle this constant before
// they track dependencies, and leave it out of the core. That is not worth a report.
func containsFalse(a *smt.Arena, ts []smt.Term) bool { return slices.Contains(ts, a.False()) }

// recheckPart asks about some of the assertions alone.
func (o *cores) recheckPart(c *testcase.Case, r *solvers.Run, part []smt.Term, summary, asked, reply string) *Verdict {
	script := scope.WithAsserts(c.Script, part)
	run := o.ask(r.Target, solvers.FromScript(script), solvers.Limits{})
	if run == nil || run.Class != solvers.OK || run.Answer() != smtlib.Sat {
		return nil
	}
	return &Verdict{Summary: summary, Message: summary, Detail: fmt.Sprintf("%s\n%s", strings.TrimSpace(reply), script.Text()),
		Asked: asked, Reply: strings.TrimSpace(reply)}
}

// areLiterals reports whether all terms are constants, other than truth values, or negations of such.
func areLiterals(a *smt.Arena, ts []smt.Term) bool {
	return !slices.ContainsFunc(ts, func(t smt.Term) bool {
		if a.Op(t) == smt.OpNot {
			t = a.Arg(t, 0)
		}
		return a.Op(t) != smt.OpApply || a.NumArgs(t) > 0
	})
}
