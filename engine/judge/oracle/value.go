package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// KnownValue reports replies to the get-value and get-assignment commands of a case that differ from the value that the
// assertions force. A term over constants that are asserted to equal something has the same value in every model, and a
// named formula that is asserted is true in every model. KnownValue also reports replies to echo, get-option, get-info
// and get-assertions that contradict earlier commands of the case.
func KnownValue() Oracle { return knownValue{} }

type knownValue struct{}

func (knownValue) Name() string { return "known-value" }

func (o knownValue) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	questions := questionsAfterCheck(c.Script, smtlib.CmdGetValue, smtlib.CmdGetAssignment)
	talks := Talks(c.Script)
	if len(questions) == 0 && !talks {
		return nil
	}
	return EachKind(runs, func(r *solvers.Run) *Verdict {
		for k := range questions {
			if v := questions[k].judgeRun(c.Script, r); v != nil {
				v.Oracle = o.Name()
				return v
			}
		}
		if talks {
			if v := judgeDialogue(c, r); v != nil {
				v.Oracle = o.Name()
				return v
			}
		}
		return nil
	})
}

// ValueQuestion is a command whose reply has values, such as get-value, with the facts that hold at its place in the script.
type ValueQuestion struct {
	Command int // number of the command
	// Check is the number of the check-sat that it is about; -1: none, or the assertions have changed since.
	Check    int
	Asserted []smt.Term
	Assumed  []smt.Term   // by the check-sat; they are among Asserted, too
	checks   int          // before the command
	reply    int          // among the replies to commands that ask for values, models beside the script left out
	model    *model.Model // the forced values; computed on demand
}

// Questions lists the commands of a script whose replies have values and that asks reports.
func Questions(s *smtlib.Script, asks func(*smtlib.Command) bool) (out []ValueQuestion) {
	isAsked := func(c *smtlib.Command) bool { return solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply && asks(c) }
	if !slices.ContainsFunc(s.Commands, func(c smtlib.Command) bool { return isAsked(&c) }) {
		return nil
	}
	var asserted smt.Stack[smt.Term]
	check, checks, reply := -1, 0, 0
	var assumed []smt.Term
	for i := range s.Commands {
		c := &s.Commands[i]
		smtlib.FollowLevels(&asserted, c)
		switch c.Kind {
		case smtlib.CmdAssert, smtlib.CmdPush, smtlib.CmdPop, smtlib.CmdReset, smtlib.CmdResetAssertions:
			check = -1
			assumed = nil
		}
		if c.Kind == smtlib.CmdAssert {
			asserted.Add(c.Terms...)
		}
		if isAsked(c) {
			out = append(out, ValueQuestion{Command: i, Check: check, checks: checks, reply: reply,
				Asserted: slices.Concat(asserted.Items(), assumed), Assumed: assumed})
		}
		switch solvers.ReplyTo(c.Kind, c.Name) {
		case solvers.AnswerReply:
			check = checks
			checks++
			assumed = c.Terms
		case solvers.ValueReply:
			reply++
		}
	}
	return out
}

// questionsAfterCheck lists the commands of some kinds after a check-sat.
func questionsAfterCheck(s *smtlib.Script, kinds ...smtlib.Kind) []ValueQuestion {
	all := Questions(s, func(c *smtlib.Command) bool { return slices.Contains(kinds, c.Kind) })
	return slices.DeleteFunc(all, func(q ValueQuestion) bool { return q.Check < 0 })
}

// ReplyIn returns the reply of a run to the question; "" if it is an error, or if nothing is known to be the reply.
func (q *ValueQuestion) ReplyIn(s *smtlib.Script, r *solvers.Run) string {
	models, known := hasModels(s, r)
	if !known {
		return ""
	}
	at := q.reply
	if models {
		at += q.checks
	}
	if strings.HasPrefix(r.Values[at], "(error") || r.IsRounded(r.Values[at]) {
		return ""
	}
	return r.Values[at]
}

// replyAfter is ReplyIn if the check-sat before the question got the given answer, else "".
func (q *ValueQuestion) replyAfter(answer smtlib.Answer, s *smtlib.Script, r *solvers.Run) string {
	if answerAt(r, q.Check) != answer {
		return ""
	}
	return q.ReplyIn(s, r)
}

// hasModels reports whether a run has a model after each check-sat among its replies. It is not known of one that ended
// early.
func hasModels(s *smtlib.Script, r *solvers.Run) (models, known bool) {
	switch len(r.Values) - countValueReplies(s) {
	case 0:
		return false, true
	case s.CheckSats():
		return true, true
	}
	return false, false
}

// judgeRun compares the answers of a run with the forced values.
func (q *ValueQuestion) judgeRun(s *smtlib.Script, r *solvers.Run) *Verdict {
	text := q.replyAfter(smtlib.Sat, s, r)
	if text == "" {
		return nil
	}
	here := s.WithCommands(s.Commands[:q.Command+1])
	if s.Commands[q.Command].Kind == smtlib.CmdGetAssignment {
		return q.judgeAssignment(here, text)
	}
	pairs, err := modelreader.ParseValues(here, nil, text)
	if err != nil {
		return nil
	}
	ev := q.evaluator(s.Arena)
	for _, p := range pairs {
		v, err := ev.Eval(p.Term)
		if err != nil || value.Equal(v, p.Value) != value.False {
			continue
		}
		reply := strings.TrimSpace(text)
		return &Verdict{Kind: KindInvalidValue, Got: smtlib.Sat, Check: q.Check,
			Summary: "get-value gives a value that the assertions exclude",
			Detail: fmt.Sprintf("%s is %s by get-value; the assertions leave %s\n%s\n", smtlib.TermText(s.Arena, p.Term),
				p.Value.Text(s.Arena), v.Text(s.Arena), reply),
			Asked: string(here.Text()), Reply: reply}
	}
	return nil
}

// evaluator evaluates under the values that are forced where the question stands.
func (q *ValueQuestion) evaluator(a *smt.Arena) *eval.Evaluator {
	if q.model == nil {
		q.model = forcedValues(a, q.Asserted)
	}
	return forcedEvaluator(a, q.model)
}

// forcedEvaluator evaluates under forced values, as far as the bounds below go.
func forcedEvaluator(a *smt.Arena, m *model.Model) *eval.Evaluator {
	ev := eval.New(a, m)
	ev.Limits.Steps, ev.Limits.Instances, ev.Limits.Calls = maxForcedSteps, maxForcedInstances, maxForcedInstances
	return ev
}

// judgeAssignment compares the reply to get-assignment with the forced values of named formulas; here ends with the
// command.
func (q *ValueQuestion) judgeAssignment(here *smtlib.Script, text string) *Verdict {
	said, err := smtlib.ParseSExprs(text)
	if err != nil || len(said) != 1 {
		return nil
	}
	a := here.Arena
	named := map[string]smt.Symbol{}
	for i := range here.Commands {
		for _, f := range here.Commands[i].Named {
			named[a.SymbolInfo(f).Name] = f
		}
	}
	ev := q.evaluator(a)
	for _, pair := range said[0].List {
		if len(pair.List) != 2 {
			return nil
		}
		f, known := named[strings.Trim(pair.List[0].Atom, "|")]
		got := pair.List[1].Atom
		if !known || got != "true" && got != "false" {
			continue
		}
		why, want := "it is asserted", true
		body := a.SymbolInfo(f).Body
		isIt := func(t smt.Term) bool { return t == body || a.Op(t) == smt.OpAnnot && a.Arg(t, 0) == body }
		if !slices.ContainsFunc(q.Asserted, isIt) {
			if want, known = ev.Holds(body); !known {
				continue
			}
			why = fmt.Sprintf("the assertions leave %t", want)
		}
		if want == (got == "true") {
			continue
		}
		reply := strings.TrimSpace(text)
		return &Verdict{Kind: KindInvalidValue, Got: smtlib.Sat, Check: q.Check,
			Summary: "get-assignment gives a value that the assertions exclude",
			Detail:  fmt.Sprintf("%s is %s by get-assignment; %s\n%s\n", pair.List[0].Atom, got, why, reply),
			Asked:   string(here.Text()), Reply: reply}
	}
	return nil
}

// countValueReplies counts the commands of a script that are replied to with values.
func countValueReplies(s *smtlib.Script) (n int) {
	for i := range s.Commands {
		if c := &s.Commands[i]; solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply {
			n++
		}
	}
	return n
}

// forcedValues interprets the constants that have the same value in every model of some assertions, as far as
// equations, bounds that meet, and Boolean constants among their conjuncts tell.
func forcedValues(a *smt.Arena, asserted []smt.Term) *model.Model {
	m := model.New(a)
	ev := forcedEvaluator(a, m)
	var open []smt.Term
	for todo := append([]smt.Term(nil), asserted...); len(todo) > 0; {
		t := todo[0]
		todo = todo[1:]
		for a.Op(t) == smt.OpAnnot {
			t = a.Arg(t, 0)
		}
		if a.Op(t) == smt.OpAnd {
			todo = append(todo, a.Args(t)...)
			continue
		}
		open = append(open, t)
	}
	set := func(x, value smt.Term) bool {
		if !isConstant(a, x) {
			return false
		}
		// The first value stays: a second equation that contradicts it makes the assertions unsat, and does not change
		// the forced values.
		if _, known := m.Value(a.SymbolOf(x)); known {
			return false
		}
		v, err := ev.Eval(value)
		if err != nil || !v.IsValue() || v.Sort() != a.Sort(x) {
			return false
		}
		m.Set(a.SymbolOf(x), v)
		ev.Reset(m)
		return true
	}
	// Two bounds that meet force a value, as an equation does.
	below := map[[2]smt.Term]bool{}
	// Again until nothing changes: a value that becomes known may make others known.
	for changed := true; changed; {
		changed = false
		for _, t := range open {
			op, args := a.Op(t), a.CopyArgs(t)
			switch {
			case op == smt.OpEq && len(args) == 2:
				changed = set(args[0], args[1]) || set(args[1], args[0]) || changed
			case op == smt.OpNot:
				changed = set(args[0], a.BoolVal(false)) || changed
			case a.Sort(t) == smt.SortBool && isConstant(a, t):
				changed = set(t, a.BoolVal(true)) || changed
			case (op == smt.OpLe || op == smt.OpBVUle) && len(args) == 2:
				if below[[2]smt.Term{args[1], args[0]}] {
					changed = set(args[0], args[1]) || set(args[1], args[0]) || changed
				}
				below[[2]smt.Term{args[0], args[1]}] = true
			}
		}
	}
	return m
}

// Bounds, inside of quantifiers and functions, for evaluating a term whose value a solver gives, and for evaluating one
// side of an equation. A case may have hundreds of both. The sides of equations are evaluated again whenever another
// value becomes known, and forced values are seldom under a quantifier.
const (
	maxForcedSteps     = 1 << 12
	maxForcedInstances = 1 << 6
)

// isConstant reports whether a term is a declared constant.
func isConstant(a *smt.Arena, t smt.Term) bool {
	return a.Op(t) == smt.OpApply && a.NumArgs(t) == 0 && a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymDeclared
}

// Either returns an oracle that takes the verdicts of first, or those of second if first has none.
func Either(first, second Oracle) Oracle { return either{first, second} }

type either struct{ first, second Oracle }

func (o either) Name() string { return o.first.Name() }

func (o either) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	if vs := o.first.Judge(c, runs); len(vs) > 0 {
		return vs
	}
	return o.second.Judge(c, runs)
}
