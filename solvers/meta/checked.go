package meta

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// Checked is a session that checks what its solver gives besides answers: models and values by our own evaluator, and
// what that leaves open (values, unsat cores and unsat assumptions) by a second solver that is opened anew for each.
// What cannot be known, and an answer unknown, is never a problem. Every call is forwarded unchanged.
type Checked struct {
	below
	// second opens another solver over the same arena; nil: what the evaluator leaves open is not checked.
	second func(context.Context) (solvers.Session, error)
	// Problems lists the faults so far.
	Problems []sessionProblem
	// Name is that of the solver, for the run of the session.
	Name string
	// RoundsReals: decimals of six places in what the solver says are near a number and need not be it; they show nothing.
	RoundsReals bool

	declared []smtlib.Command // since the latest reset: names in models
	logic    string
	asserted smt.Stack[smt.Term] // as they were given
	assumed  []smt.Term
	answer   smtlib.Answer // of the latest check-sat; None if there was none, or the problem changed since
	values   *model.Model  // what the solver said of the model behind the answer
	// A command beyond SMT-LIB may have changed the problem: what is refuted may be more than is known.
	open bool
}

// NewChecked returns a session that checks another one.
func NewChecked(s solvers.Session, second func(context.Context) (solvers.Session, error)) *Checked {
	return &Checked{below: below{a: s.Arena(), sessions: []solvers.Session{s}}, second: second}
}

// Call implements solvers.Caller: it makes a call and checks the result of it.
func (x *Checked) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	out, err := x.sessions[0].Call(ctx, x.callFor(0, c))
	if err != nil || c.Kind != solvers.CallCommand {
		return out, err
	}
	for i := range c.Before {
		x.noteProblem(&c.Before[i])
	}
	switch c.Command.Kind {
	case smtlib.CmdGetModel:
		x.checkModel(out.Text)
	case smtlib.CmdGetValue:
		x.checkValues(ctx, c.Command.Terms, out.Values)
	case smtlib.CmdGetUnsatCore:
		x.checkCore(ctx, out.Terms)
	case smtlib.CmdGetUnsatAssumptions:
		x.checkAssumptions(ctx, out.Terms)
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming, smtlib.CmdCheckSatUsing:
		x.assumed, x.answer, x.values = c.Command.Terms, out.Answer, model.New(x.a)
	default:
		x.noteProblem(&c.Command)
	}
	return out, nil
}

// noteProblem keeps the problem that the solver has.
func (x *Checked) noteProblem(c *smtlib.Command) {
	if solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply || solvers.SaysNothing(c) {
		return
	}
	x.answer, x.values, x.assumed = smtlib.None, nil, nil
	switch c.Kind {
	case smtlib.CmdReset:
		x.declared, x.logic, x.open = nil, "", false
	case smtlib.CmdResetAssertions:
		x.declared = nil
	case smtlib.CmdSetLogic:
		x.logic = c.Text
	case smtlib.CmdAssert:
		x.asserted.Add(c.Terms[0])
	case smtlib.CmdOther:
		x.open = true
	}
	smtlib.FollowLevels(&x.asserted, c)
	if c.Kind.IsDeclaration() || c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdPop {
		x.declared = append(x.declared, *c)
	}
}

func (x *Checked) addProblem(kind, message string) {
	x.Problems = append(x.Problems, sessionProblem{kind, 0, message})
}

// latestProblem returns what the latest check-sat was about.
func (x *Checked) latestProblem() []smt.Term {
	return slices.Concat(x.asserted.Items(), x.assumed)
}

// declaredScript has the names that the solver knows.
func (x *Checked) declaredScript() *smtlib.Script {
	return &smtlib.Script{Arena: x.a, Name: "session", Commands: x.declared}
}

// The bounds of one evaluation: about a tenth of a second. What takes longer is unknown.
const (
	maxSteps     = 1 << 19
	maxInstances = 1 << 13
)

func (x *Checked) newEvaluator(m *model.Model) *eval.Evaluator {
	ev := eval.New(x.a, m)
	ev.Limits.Steps, ev.Limits.Instances, ev.Limits.Calls = maxSteps, maxInstances, maxInstances
	return ev
}

// checkModel checks a model by the evaluator. One that follows an answer unknown need not be any.
func (x *Checked) checkModel(text string) {
	if x.answer != smtlib.Sat || x.RoundsReals && solvers.HasRoundedReal(text) {
		return
	}
	m, err := modelreader.Parse(x.declaredScript(), text)
	if err != nil {
		return // what is no model at all is for who asked
	}
	x.values = m
	if v := eval.CheckTerms(x.newEvaluator(m), x.latestProblem()); v.Result == value.False {
		x.addProblem("invalid-model", v.String(x.a))
	}
}

// checkValues checks values: by the evaluator against one another and against the model if there was one, and then by
// a second solver, which must find a model with them. What that other solver is free to choose differently is not
// asked about.
func (x *Checked) checkValues(ctx context.Context, ts []smt.Term, texts []string) {
	if x.answer != smtlib.Sat || len(texts) != len(ts) || x.RoundsReals &&
		slices.ContainsFunc(texts, solvers.HasRoundedReal) {
		return
	}
	var pairs []value.TermValue
	for i := range ts { // one that cannot be read is no obstacle to others
		got, err := modelreader.ParseValues(x.declaredScript(), x.values, solvers.ValuePairs(x.a, ts[i:i+1], texts[i:i+1]))
		if err != nil || len(got) != 1 {
			continue
		}
		p := value.TermValue{Term: ts[i], Value: got[0].Value}
		pairs = append(pairs, p)
		if f := x.a.SymbolOf(p.Term); x.a.Op(p.Term) == smt.OpApply && x.a.NumArgs(p.Term) == 0 && x.a.SymbolInfo(f).
			Kind == smt.SymDeclared {
			if _, known := x.values.Value(f); !known {
				x.values.Set(f, p.Value)
			}
		}
	}
	ev := x.newEvaluator(x.values)
	for _, p := range pairs {
		if v, err := ev.Eval(p.Term); err == nil && value.Equal(v, p.Value) == value.False {
			x.addProblem("invalid-value", smtlib.TermText(x.a,
				p.Term)+" is "+p.Value.Text(x.a)+" by get-value, "+v.Text(x.a)+" by what else was said of the model")
			return
		}
	}
	with := x.latestProblem()
	n := len(with)
	for i, t := range ts {
		if v, err := smtlib.ParseTerm(x.a, x.declaredScript(), texts[i]); err == nil && x.a.Sort(v) == x.a.Sort(t) {
			with = append(with, x.a.Eq(t, v))
		}
	}
	if n < len(with) && x.askSecond(ctx, with) == smtlib.Unsat {
		x.addProblem("invalid-value", "no model has the values "+solvers.ValuePairs(x.a, ts, texts))
	}
}

// checkCore checks an unsat core. It is one of the named assertions, and those without a name count besides; only
// where it lists some of those itself does it leave the others out.
func (x *Checked) checkCore(ctx context.Context, core []smt.Term) {
	var part, nameless []smt.Term
	for _, t := range x.asserted.Items() {
		if !x.hasName(t) {
			nameless = append(nameless, t)
		}
	}
	listed := false
	for _, t := range core {
		if f := x.a.SymbolOf(t); f != 0 && x.a.SymbolInfo(f).Kind == smt.SymNamed {
			t = x.a.SymbolInfo(f).Body
		}
		listed = listed || slices.Contains(nameless, t)
		part = append(part, t)
	}
	if !listed {
		part = append(part, nameless...)
	}
	x.reportIfSat(ctx, append(part, x.assumed...), "the unsat core is sat")
}

// hasName reports whether an assertion has a name.
func (x *Checked) hasName(t smt.Term) bool {
	return slices.ContainsFunc(x.a.Annotations(t), func(a smt.Attr) bool { return a.Keyword == ":named" })
}

// checkAssumptions checks unsat assumptions.
func (x *Checked) checkAssumptions(ctx context.Context, needed []smt.Term) {
	part := slices.Clone(x.asserted.Items())
	for _, t := range needed {
		if slices.Contains(x.assumed, t) {
			part = append(part, t)
		} else if f := x.a.SymbolOf(t); f == 0 || x.a.SymbolInfo(f).Kind != smt.SymNamed { // z3 lists names of assertions, too
			return // it may be one of them, printed in another form
		}
	}
	x.reportIfSat(ctx, part, "the unsat assumptions are sat")
}

// reportIfSat reports a part of the problem that is sat, where the whole was unsat.
func (x *Checked) reportIfSat(ctx context.Context, part []smt.Term, what string) {
	if x.answer == smtlib.Unsat && !x.open && len(part) < len(x.latestProblem()) && x.askSecond(ctx, part) == smtlib.Sat {
		x.addProblem("invalid-core", what)
	}
}

// askSecond asks a second solver, which knows nothing else, about some formulas; None: it could not be asked.
func (x *Checked) askSecond(ctx context.Context, ts []smt.Term) smtlib.Answer {
	if x.second == nil {
		return smtlib.None
	}
	commands := (&scope.Declared{}).Missing(x.a, ts)
	free := model.AnyFixedBySome(x.a, ts)
	x.a.PostOrder(ts, func(t smt.Term) { free = free || x.a.Op(t) == smt.OpOpaque })
	// The other solver may choose another value for such an application, and both would be right.
	if free {
		return smtlib.None
	}
	if x.logic != "" {
		commands = slices.Insert(commands, 0, smtlib.Command{Kind: smtlib.CmdSetLogic, Text: x.logic})
	}
	for _, t := range ts {
		if x.hasName(t) { // a formula may be here twice, its name may not
			t = x.a.Arg(t, 0)
		}
		commands = append(commands, smtlib.AssertCommand(t))
	}
	s, err := x.second(ctx)
	if err != nil {
		return smtlib.None
	}
	defer s.Close()
	if solvers.Tell(ctx, s, commands...) != nil {
		return smtlib.None
	}
	a, err := solvers.Check(ctx, s)
	if err != nil {
		return smtlib.None
	}
	return a
}

// Close implements solvers.Session: what was wrong goes into Failed.
func (x *Checked) Close() (*solvers.Run, error) {
	cost, err := x.below.Close()
	var out solvers.Run
	if cost != nil {
		out = *cost
	}
	for _, p := range x.Problems {
		out.Failed = append(out.Failed, solvers.Failure{Message: x.Name + ": " + p.Kind + ": " + p.Message})
	}
	return &out, err
}
