package claim

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/linear"
	"github.com/smtlark/smtlark/solvers"
)

// Statement is the meaning of a reply to a question other than check-sat: the reply is right if every condition holds.
type Statement struct {
	Command string // name of the command, such as get-interpolant
	Reply   string
	// Malformed says which syntactic rule the reply breaks, such as "the interpolant has a symbol that is not shared: y";
	// "" if it breaks none.
	Malformed  string
	Conditions []Condition
	// Inferences is the number of steps of a proof, and Steps that of those that can be judged.
	Inferences, Steps int
	steps             []proofStep // of a proof, each of which is a condition, too
	question          *question   // of the proof
}

// Condition is a claim that must hold for a reply to be right.
type Condition struct {
	// Wrong says in one line what is wrong with the reply if the claim does not hold.
	Wrong string
	Claim
	Part string // of the reply, such as the name of a step; "": the whole
}

// question is a command with its reply, and the facts that hold at its place in the script.
type question struct {
	oracle.ValueQuestion
	script  *smtlib.Script // up to the command
	command *smtlib.Command
	reply   string
	answer  smtlib.Answer // of the check-sat before it
	witness *model.Model  // of the case; nil: none
}

// asserted returns the assertions without assumptions.
func (q *question) asserted() []smt.Term { return q.Asserted[:len(q.Asserted)-len(q.Assumed)] }

// unsatisfiable returns the condition that terms cannot be true together.
func (q *question) unsatisfiable(wrong string, terms ...smt.Term) Condition {
	return q.condition(wrong, smtlib.Unsat, terms)
}

// follows returns the condition that a formula follows from others.
func (q *question) follows(wrong string, from []smt.Term, formula smt.Term) Condition {
	return q.condition(wrong, smtlib.Unsat, append(slices.Clone(from), q.script.Arena.Not(formula)))
}

func (q *question) condition(wrong string, want smtlib.Answer, terms []smt.Term) Condition {
	return *NewCondition(wrong, q.script, want, terms, q.witness)
}

// readers read replies by the name of the command. They return nil for a reply that says nothing, such as fail, or that
// they cannot read.
var readers = map[string]func(*question) *Statement{
	"get-interpolant":       readInterpolant,
	"get-interpol":          readInterpolant,
	"get-interpolant-next":  readInterpolant,
	"get-interpolants":      readInterpolants,
	"get-abduct":            readAbduct,
	"get-abduct-next":       readAbduct,
	"get-qe":                readElimination,
	"get-qe-disjunct":       readElimination,
	"get-learned-literals":  readLearnedLiterals,
	"get-consequences":      readConsequences,
	"get-objectives":        readObjectives,
	"get-unsat-core":        readCore,
	"get-unsat-assumptions": readCore,
	"get-timeout-core":      readTimeoutCore,
	"get-difficulty":        readDifficulty,
	"get-assertions":        readAssertions,
	"get-proof":             readProof,
	"check-synth":           readSynthesis,
	"simplify":              readSimplification,
	"apply":                 readGoals,
}

// judgedElsewhere are commands whose replies other oracles judge in a campaign: oracle.cores and oracle.values.
var judgedElsewhere = []string{"get-unsat-core", "get-unsat-assumptions", "get-assertions"}

// Commands lists the names of the commands whose replies have a Statement, in alphabetical order.
func Commands() []string {
	var names []string
	for name := range readers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Asks reports whether a script asks a question of Commands.
func Asks(s *smtlib.Script) bool {
	return slices.ContainsFunc(s.Commands, func(x smtlib.Command) bool { return readers[x.CommandName()] != nil })
}

// JudgedReply is a reply with what is known about it.
type JudgedReply struct {
	Question  oracle.ValueQuestion
	Statement Statement
	// Refuted is the evidence that a condition of the statement does not hold; nil: there is none.
	Refuted *Refutation
	// Open counts the conditions that are neither refuted nor confirmed by evaluation or a solver.
	Open int
}

// Wrong says what is wrong with the reply; "": nothing.
func (j *JudgedReply) Wrong() string {
	if j.Refuted != nil {
		return j.Refuted.Condition.Wrong
	}
	return j.Statement.Malformed
}

// IsWrong reports whether the reply is wrong.
func (j *JudgedReply) IsWrong() bool { return j.Wrong() != "" }

// Inquiry says which replies are judged, how thoroughly, and who is asked.
type Inquiry struct {
	Only []string // the commands that count; empty: all of Commands
	// Referees should begin with other kinds of solvers than the one of the run.
	Referees []Referee
	// Steps is the number of steps of a proof that are judged like conditions; all steps are evaluated under some
	// assignments.
	Steps int
	// MaxReply bounds the replies that are read, in bytes; 0: all are.
	MaxReply int
}

// Replies judges the replies of a run to the questions of a case, in their order.
func Replies(ctx context.Context, c *testcase.Case, r *solvers.Run, inquiry *Inquiry) iter.Seq[JudgedReply] {
	asked := oracle.Questions(c.Script, func(x *smtlib.Command) bool {
		name := x.CommandName()
		return readers[name] != nil && (len(inquiry.Only) == 0 || slices.Contains(inquiry.Only, name))
	})
	return func(yield func(JudgedReply) bool) {
		for _, x := range asked {
			s := statementOf(c, r, x, inquiry.MaxReply)
			if s == nil {
				continue
			}
			j := JudgedReply{Question: x, Statement: *s}
			if s.Malformed == "" {
				j.Refuted, j.Open = s.refute(ctx, inquiry)
			}
			if !yield(j) {
				return
			}
		}
	}
}

// statementOf returns the statement in the reply to a question; nil if there is no reply, none that says anything, or
// one that is longer than a bound.
func statementOf(c *testcase.Case, r *solvers.Run, x oracle.ValueQuestion, bound int) *Statement {
	q := question{ValueQuestion: x, reply: strings.TrimSpace(x.ReplyIn(c.Script, r)), witness: c.Witness}
	if q.reply == "" || bound > 0 && len(q.reply) > bound {
		return nil
	}
	q.script = c.Script.WithCommands(c.Script.Commands[:x.Command+1])
	q.command = &c.Script.Commands[x.Command]
	q.answer = answerBefore(r, &x)
	s := readers[q.command.CommandName()](&q)
	if s != nil {
		s.Command, s.Reply = q.command.CommandName(), q.reply
	}
	return s
}

// Referee asks one solver in a new process.
type Referee struct {
	Kind   string // the kind of the solver, such as z3
	Target string // its name in the campaign
	Ask    func(q *solvers.Query, lim solvers.Limits) *solvers.Run
}

// RefereeOf returns a target as a referee, under its name in the campaign or on the command line.
func RefereeOf(ctx context.Context, t solvers.Target, name string) Referee {
	return Referee{Kind: t.Solver().Profile.Name, Target: name, Ask: func(q *solvers.Query, lim solvers.Limits) *solvers.Run {
		return t.Run(ctx, q, lim)
	}}
}

// Refutation shows that a condition does not hold.
type Refutation struct {
	Condition *Condition
	Model     *model.Model // makes all assertions of the condition's script true; nil: none is needed, or none is at hand
	By        []string     // the kinds of solvers, or the evaluator, that showed it
	Targets   []string     // their names in the campaign
}

// Text tells the evidence: a line, the model, and the formulas of the condition as a script.
func (r *Refutation) Text() string {
	k, by := r.Condition, strings.Join(r.By, " and ")
	wrong := k.Wrong
	if k.Part != "" {
		wrong += " (" + k.Part + ")"
	}
	text := fmt.Sprintf("%s: shown by %s\n", wrong, by)
	switch {
	case r.Model != nil:
		text = fmt.Sprintf("%s: a model, found by %s and evaluated exactly\n%s\n", wrong, by, strings.TrimSpace(r.Model.Text()))
	case k.Want == smtlib.Unsat:
		text = fmt.Sprintf("%s: %s answer sat\n", wrong, by)
	}
	must := "unsatisfiable"
	if k.Want == smtlib.Sat {
		must = "satisfiable"
	}
	return text + "; If the reply were right, this would be " + must + ":\n" + k.Script.Text()
}

// Judging one condition takes at most these.
const (
	conditionSteps      = 300     // of the guided search
	conditionEvaluation = 1 << 17 // steps of evaluation in that search, about 60 ms
	conditionReferees   = 4       // solvers that are asked
)

// refute returns the evidence against the first condition that does not hold, or nil and the number of conditions that
// nothing decides. A condition is refuted by a model that is evaluated exactly, by evaluation alone, or by two kinds of
// solvers that agree; the word of one solver is not enough to refute, but enough to confirm.
func (s *Statement) refute(ctx context.Context, inquiry *Inquiry) (wrong *Refutation, open int) {
	if len(s.steps) > 0 {
		return s.refuteSteps(ctx, inquiry)
	}
	for i := range s.Conditions {
		wrong, confirmed := s.Conditions[i].Judge(ctx, inquiry.Referees)
		switch {
		case wrong != nil:
			return wrong, 0
		case !confirmed:
			open++
		}
	}
	return nil, open
}

// NewCondition returns the condition that terms are satisfiable or unsatisfiable together. The script declares their
// symbols. The witness, which may be nil, is tried as a model.
func NewCondition(wrong string, script *smtlib.Script, want smtlib.Answer, terms []smt.Term, witness *model.Model) *Condition {
	return &Condition{Wrong: wrong, Claim: Claim{Script: scope.WithAsserts(script, terms), Want: want, Witness: witness}}
}

// Judge looks for evidence against the condition, and reports whether there is some for it.
func (k *Condition) Judge(ctx context.Context, referees []Referee) (wrong *Refutation, confirmed bool) {
	asserts := k.Script.AssertsAt(k.Check)
	// Linear comparisons that contradict one another show that an optimum is none, without any solver.
	if a := k.Script.Arena; contradictory(a, asserts) || linear.NewRefuter(a).Conflict(normal.Conjuncts(a, asserts)) != nil {
		if k.Want == smtlib.Unsat {
			return nil, true
		}
		return &Refutation{Condition: k, By: []string{Evaluator}}, false
	}
	if m := k.ownModel(); m != nil {
		if k.Want == smtlib.Sat {
			return nil, true
		}
		return &Refutation{Condition: k, Model: m, By: []string{Evaluator}}, false
	}
	q := k.Question()
	if k.Want == smtlib.Unsat {
		q = q.WithModel()
	}
	quantified := hasQuantifier(k.Script.Arena, asserts...)
	var against, targets []string
	for i, x := range referees {
		if i == conditionReferees || ctx.Err() != nil {
			break
		}
		run := x.Ask(q, solvers.Limits{Wall: maxModelTime})
		if run == nil || len(run.Answers) == 0 || !run.Answers[0].Decided() {
			continue
		}
		if run.Answers[0] == k.Want {
			return nil, true
		}
		if k.Want == smtlib.Unsat && len(run.Values) > 0 {
			if m, err := modelreader.Parse(k.Script, run.Values[0]); err == nil && k.Satisfied(m) {
				return &Refutation{Condition: k, Model: m, By: []string{x.Kind}, Targets: []string{x.Target}}, false
			}
		}
		// Without a quantifier, a model that does not evaluate to true is wrong, or rests on a value that SMT-LIB leaves
		// open and each solver fixes in its own way.
		if k.Want == smtlib.Unsat && !quantified {
			continue
		}
		if !slices.Contains(against, x.Kind) {
			against, targets = append(against, x.Kind), append(targets, x.Target)
		}
		if len(against) == 2 {
			return &Refutation{Condition: k, By: against, Targets: targets}, false
		}
	}
	return nil, false
}

// ownModel returns a model of the assertions that needs no solver: the witness of the case, or one that a short search
// finds; nil if there is none.
func (k *Condition) ownModel() *model.Model {
	if k.Witness != nil && k.Satisfied(k.Witness) {
		return k.Witness
	}
	all := eval.NewAllowance(conditionEvaluation)
	found, truth := search.GuidedModelWithin(all, k.Script, rng.New(1), conditionSteps) // it has no other assertions
	if truth != value.True || !k.Satisfied(found) {
		return nil
	}
	return found
}

// Statements is the oracle that judges replies to questions of the case other than check-sat: interpolants, abducts,
// optima and so on, see Commands. The case has to ask.
type Statements struct {
	Ask oracle.AskFunc
	// Only restricts the commands whose replies are judged; nil: all of Commands but those of judgedElsewhere.
	Only []string
	// Others are solvers that are asked about replies, beside those of the runs.
	Others []Referee
}

// In a campaign, replies are judged up to these bounds.
const (
	campaignSteps = 3       // of a proof that are judged like conditions, about 60 ms each
	campaignReply = 1 << 17 // bytes; a proof of that length takes half a second
)

// StatementsName is the name of the oracle Statements.
const StatementsName = "claims"

// Name implements oracle.Oracle.
func (*Statements) Name() string { return StatementsName }

// Judge implements oracle.Oracle.
func (o *Statements) Judge(c *testcase.Case, runs []*solvers.Run) []oracle.Verdict {
	if !Asks(c.Script) {
		return nil
	}
	only := o.Only
	if len(only) == 0 {
		only = slices.DeleteFunc(Commands(), func(name string) bool { return slices.Contains(judgedElsewhere, name) })
	}
	return oracle.EachKind(runs, func(r *solvers.Run) *oracle.Verdict {
		if r.Class != solvers.OK {
			return nil
		}
		inquiry := &Inquiry{Only: only, Referees: RefereesOf(o.Ask, r, runs, o.Others...), Steps: campaignSteps, MaxReply: campaignReply}
		for reply := range Replies(context.Background(), c, r, inquiry) {
			if reply.IsWrong() {
				return o.verdictOf(c, r, &reply)
			}
		}
		return nil
	})
}

// verdictOf returns the verdict about a wrong reply of a run.
func (o *Statements) verdictOf(c *testcase.Case, r *solvers.Run, reply *JudgedReply) *oracle.Verdict {
	s, q, refuted := &reply.Statement, &reply.Question, reply.Refuted
	v := &oracle.Verdict{Oracle: o.Name(), Kind: oracle.KindInvalidReply, Check: max(0, q.Check), Got: answerBefore(r, q), Reply: s.Reply}
	if q.Command+1 < len(c.Script.Commands) {
		v.Asked = c.Script.WithCommands(c.Script.Commands[:q.Command+1]).Text()
	}
	if refuted == nil {
		v.Summary, v.Message = s.Malformed, s.Command+" breaks a rule of form"
		return v
	}
	v.Summary, v.Message = refuted.Condition.Wrong, refuted.Condition.Wrong
	for _, name := range refuted.Targets {
		if name != r.Target {
			v.Against = append(v.Against, name)
		}
	}
	v.Detail = refuted.Text()
	return v
}

func answerBefore(r *solvers.Run, q *oracle.ValueQuestion) smtlib.Answer {
	if q.Check < 0 || q.Check >= len(r.Answers) {
		return smtlib.None
	}
	return r.Answers[q.Check]
}

// RefereesOf returns the solvers of runs as referees of the reply of run r: other kinds of solvers than that of r, one
// of each kind, then the others that are given, then the solver of r.
func RefereesOf(ask oracle.AskFunc, r *solvers.Run, runs []*solvers.Run, others ...Referee) (out []Referee) {
	own := oracle.KindOfSolver(r.Solver, r.Version)
	seen := map[string]bool{own: true}
	add := func(kind, target string) {
		again := func(q *solvers.Query, lim solvers.Limits) *solvers.Run { return ask(target, q, lim) }
		out = append(out, Referee{Kind: kind, Target: target, Ask: again})
	}
	for _, x := range runs {
		if kind := oracle.KindOfSolver(x.Solver, x.Version); !seen[kind] {
			seen[kind] = true
			add(kind, x.Target)
		}
	}
	out = append(out, others...)
	add(own, r.Target)
	return out
}
