package workspace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// answering answers each question with the next of its answers, and keeps the questions.
type answering struct {
	answers   []smtlib.Answer
	questions []string
}

func (a *answering) AskerName() string { return "a" }

func (a *answering) Ask(context.Context, *solvers.Query) (*solvers.Run, error) {
	return nil, errors.New("a question for a model has a limit of its own")
}

func (a *answering) AskForModel(_ context.Context, q *solvers.Query) (*solvers.Run, error) {
	answer := a.answers[len(a.questions)]
	a.questions = append(a.questions, q.Text())
	return &solvers.Run{Answers: []smtlib.Answer{answer}, Values: []string{"model " + string(rune('0'+len(a.questions)))}}, nil
}

// TestModel: after unsat, and at once where the assertions are said to be unsatisfiable, a model of their negation is
// asked for.
func TestModel(t *testing.T) {
	const negated = "(not (and p q))"
	for _, x := range []struct {
		unsat   bool
		answers []smtlib.Answer
		want    string
		negated []bool
	}{
		{false, []smtlib.Answer{smtlib.Sat}, "model 1", []bool{false}},
		{false, []smtlib.Answer{smtlib.Unsat, smtlib.Sat}, "model 2", []bool{false, true}},
		{false, []smtlib.Answer{smtlib.Unknown}, "", []bool{false}},
		{true, []smtlib.Answer{smtlib.Sat}, "model 1", []bool{true}},
		{true, []smtlib.Answer{smtlib.Unsat}, "", []bool{true}},
	} {
		script, err := smtlib.Parse("s", []byte("(declare-const p Bool)(declare-const q Bool)(assert p)(assert q)(check-sat)"), smt.NewArena())
		require.NoError(t, err)
		by := &answering{answers: x.answers}
		subject := &workspace.QuestionSubject{Script: script, Preamble: derive.PreambleOf(script), Asserts: script.Asserts(), Unsat: x.unsat}
		text, err := subject.Model(t.Context(), by, nil)
		require.NoError(t, err)
		require.Equal(t, x.want, text)
		require.Len(t, by.questions, len(x.negated))
		for i, q := range by.questions {
			require.Equal(t, x.negated[i], strings.Contains(q, negated), q)
		}
	}
}
