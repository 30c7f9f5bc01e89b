package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Answerer answers queries of campaign files: for models, cores, and whether terms are equivalent.
type Answerer interface {
	// AskerName identifies the solver with its version and options: answers are remembered under it.
	AskerName() string
	// Ask runs a query under a deterministic resource limit, if the solver has one.
	Ask(ctx context.Context, q *solvers.Query) (*solvers.Run, error)
	// AskForModel is Ask with a part of the limits, for models that a case can do without.
	AskForModel(ctx context.Context, q *solvers.Query) (*solvers.Run, error)
}

// Questions remembers the question about one case.
type Questions struct {
	answers map[string]*testcase.Answer // by the question and the name of the solver
}

// Once returns the reply of ask to a question about a script. The question is put only once. If recorded answers are
// given, the reply is the recorded one instead of a solver's.
func (q *Questions) Once(what string, about *smtlib.Script, by Answerer, given testcase.Answers, ask func() (string, error)) (*testcase.Answer, error) {
	name := what + " by " + by.AskerName()
	if a := q.answers[name]; a != nil {
		return a, nil
	}
	script := about.Text()
	var a *testcase.Answer
	if given != nil {
		if a = given.Find(what, by.AskerName(), script); a == nil {
			return nil, fmt.Errorf("the recorded answers have no %s of %s: they belong to another case, or the seed is another one", what, about.Name)
		}
	} else {
		text, err := ask()
		if err != nil {
			return nil, err
		}
		a = testcase.NewAnswer(what, about.Name, by.AskerName(), script, text)
	}
	if q.answers == nil {
		q.answers = map[string]*testcase.Answer{}
	}
	q.answers[name] = a
	return a, nil
}

// QuestionSubject is the script of a question, its preamble with all that its assertions need, and these.
type QuestionSubject struct {
	Script   *smtlib.Script
	Preamble *derive.Preamble
	Asserts  []smt.Term
	// Unsat notes that the assertions are claimed to be unsatisfiable. Then no solver is first asked for a model of
	// them, which could take all of its time. Nothing depends on the claim, since models are evaluated.
	Unsat bool
}

// Model returns the text of a model of the assertions, or of their negation if they are unsatisfiable; "" if there is
// none.
func (s *QuestionSubject) Model(ctx context.Context, by Answerer, cache *memo.Cache) (string, error) {
	key := by.AskerName() + "\n" + s.Script.Text()
	if text, ok := cache.Get(key); ok {
		return text, nil
	}
	defer account.Begin(ctx, account.Models, s.Script.Name)()
	answer, text, err := smtlib.Unsat, "", error(nil)
	if !s.Unsat {
		answer, text, err = s.answerWithModel(ctx, by, s.Asserts)
	}
	if err == nil && answer == smtlib.Unsat {
		a := s.Script.Arena
		answer, text, err = s.answerWithModel(ctx, by, []smt.Term{a.Not(a.And(s.Asserts...))})
	}
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if answer != smtlib.Sat {
		// No model, or no time: remembered too, so that all workers make the same cases, and nobody waits again.
		text = ""
	}
	return cache.Put(key, text), nil
}

// answerWithModel asks for an answer and, after sat, a model's text.
func (s *QuestionSubject) answerWithModel(ctx context.Context, by Answerer, asserts []smt.Term) (smtlib.Answer, string, error) {
	run, err := by.AskForModel(ctx, solvers.FromScript(s.Preamble.Asserting(s.Script, asserts)).WithModel())
	if err != nil {
		return smtlib.None, "", err
	}
	if len(run.Answers) == 0 {
		return smtlib.None, "", nil
	}
	text := ""
	if len(run.Values) > 0 {
		text = run.Values[len(run.Values)-1]
	}
	return run.Answers[len(run.Answers)-1], text, nil
}

func coreName(i int) string { return fmt.Sprintf("core!%d", i) }

// Core returns the solver's reply to a question for an unsat core, see CoreOf; "" where there is none.
func (s *QuestionSubject) Core(ctx context.Context, by Answerer, cache *memo.Cache) (string, error) {
	key := "core of " + by.AskerName() + "\n" + s.Script.Text()
	if text, ok := cache.Get(key); ok {
		return text, nil
	}
	defer account.Begin(ctx, account.Models, s.Script.Name)()
	named := make([]smt.Term, len(s.Asserts))
	for i, t := range s.Asserts {
		named[i] = s.Script.Arena.Annotate(t, []smt.Attr{{Keyword: ":named", Value: coreName(i)}})
	}
	script := s.Preamble.Asserting(s.Script, named)
	q := solvers.FromScript(script.WithCommands(append(script.Commands, smtlib.Command{Kind: smtlib.CmdGetUnsatCore})))
	q.Cores = true
	run, err := by.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text := ""
	if n := len(run.Answers); n > 0 && run.Answers[n-1] == smtlib.Unsat && len(run.Values) > 0 {
		text = strings.TrimSpace(run.Values[len(run.Values)-1])
	}
	return cache.Put(key, text), nil
}

// CoreOf returns the assertions that a reply of Core names, in their order; nil if it names none.
func CoreOf(reply string, asserts []smt.Term) []smt.Term {
	exprs, err := smtlib.ParseSExprs(reply)
	if err != nil || len(exprs) != 1 || !exprs[0].IsList() || exprs[0].Head() == "error" {
		return nil
	}
	in := map[string]bool{}
	for i := range exprs[0].List {
		in[exprs[0].List[i].Symbol()] = true
	}
	var core []smt.Term
	for i, t := range asserts {
		if in[coreName(i)] {
			core = append(core, t)
		}
	}
	return core
}

// Decide asks a solver whether terms can hold together.
func Decide(ctx context.Context, by Answerer, a *smt.Arena, ts []smt.Term) (smtlib.Answer, error) {
	s := &smtlib.Script{Arena: a, Name: "query", Commands: []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: "ALL"}}}
	s.Commands = append(s.Commands, derive.Declarations(a, ts)...)
	for i := range ts {
		s.Commands = append(s.Commands, smtlib.AssertCommand(ts[i]))
	}
	s.Commands = append(s.Commands, smtlib.Command{Kind: smtlib.CmdCheckSat})
	run, err := by.Ask(ctx, solvers.FromScript(s))
	if err != nil {
		return smtlib.None, err
	}
	return run.Answer(), ctx.Err()
}
