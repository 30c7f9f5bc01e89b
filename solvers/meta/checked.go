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

// Checked is a session that checks the replies of its solver other than answers. It checks models and values with our
// evaluator, and values, unsat cores and unsat assumptions that the evaluator cannot decide with a second solver,
// opened anew for each check. An undecided check, or an answer unknown, is never a problem. Every call is forwarded
// unchanged.
type Checked struct {
	below
	// second opens another solver over the same arena; nil: only the evaluator checks.
	second func(context.Context) (solvers.Session, error)
	// Problems lists the faults so far.
	Problems []sessionProblem
	// Name is the solver's name, for the run of the session.
	Name string
	// RoundsReals says that numbers with six decimal places in replies may be rounded. Such replies are not checked.
	RoundsReals bool

	declared []smtlib.Command // since the latest reset: names in models
	logic    string
	asserted smt.Stack[smt.Term] // as they were given
	assumed  []smt.Term
	answer   smtlib.Answer // of the latest check-sat; None if there was none, or the problem changed since
	values   *model.Model  // the model of the answer, as far as the solver has told it
	// A command beyond SMT-LIB may have changed the problem, so a core may depend on more than the known assertions.
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

// noteProblem records the solver's problem.
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

// latestProblem returns the assertions and assumptions of the latest check-sat.
func (x *Checked) latestProblem() []smt.Term {
	return slices.Concat(x.asserted.Items(), x.assumed)
}

// declaredScript returns a script with the symbols that the solver knows.
func (x *Checked) declaredScript() *smtlib.Script {
	return &smtlib.Script{Arena: x.a, Name: "session", Commands: x.declared}
}

// Bounds of one evaluation: about a tenth of a second. If it takes longer, the result is unknown.
const (
	maxSteps     = 1 << 19
	maxInstances = 1 << 13
)

func (x *Checked) newEvaluator(m *model.Model) *eval.Evaluator {
	ev := eval.New(x.a, m)
	ev.Limits.Steps, ev.Limits.Instances, ev.Limits.Calls = maxSteps, maxInstances, maxInstances
	return ev
}

// checkModel checks a model by the evaluator. After an answer unknown, the reply need not be a model.
func (x *Checked) checkModel(text string) {
	if x.answer != smtlib.Sat || x.RoundsReals && solvers.HasRoundedReal(text) {
		return
	}
	m, err := modelreader.Parse(x.declaredScript(), text)
	if err != nil {
		return // the caller handles a reply that is not a model
	}
	x.values = m
	if v := eval.CheckTerms(x.newEvaluator(m), x.latestProblem()); v.Result == value.False {
		x.addProblem("invalid-model", v.String(x.a))
	}
}

// checkValues checks values: by the evaluator against one another and against the model if there was one, and then by a
// second solver, which must find a model with them. Values that the second solver may choose differently are not
// checked this way.
func (x *Checked) checkValues(ctx context.Context, ts []smt.Term, texts []string) {
	if x.answer != smtlib.Sat || len(texts) != len(ts) || x.RoundsReals &&
		slices.ContainsFunc(texts, solvers.HasRoundedReal) {
		return
	}
	var pairs []value.TermValue
	for i := range ts { // read one by one, so that an unreadable value does not affect others
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

// checkCore checks an unsat core. A core consists of named assertions, together with all nameless ones. If the core
// itself lists nameless assertions, only the listed ones count.
func (x *Checked) checkCore(ctx context.Context, core []smt.Term) {
	var part, nameless []smt.Term
	for _, t := range x.asserted.Items() {
		if _, formula := x.a.NameOf(t); formula == 0 {
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

// checkAssumptions checks unsat assumptions.
func (x *Checked) checkAssumptions(ctx context.Context, needed []smt.Term) {
	part := slices.Clone(x.asserted.Items())
	for _, t := range needed {
		if slices.Contains(x.assumed, t) {
			part = append(part, t)
		} else if f := x.a.SymbolOf(t); f == 0 || x.a.SymbolInfo(f).Kind != smt.SymNamed { // z3 lists names of assertions, too
			return // it may be an assumption in another form
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

// askSecond asks a new second solver about some formulas alone; None: it could not be asked.
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
		if _, formula := x.a.NameOf(t); formula != 0 { // it may occur twice, but its name must be unique
			t = formula
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

// Close implements solvers.Session: the problems go into Failed.
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
