package learn_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// manyQuestions are questions about numbered lines, all of one group.
func manyQuestions(n int) (out []learn.Question) {
	for i := range n {
		out = append(out, learn.Question{Lack: rule.Operator.Of(fmt.Sprint("o", i)), Text: fmt.Sprintf("(assert o%d.)\n", i), Group: "g"})
	}
	return out
}

// without takes all scripts but those that have one of some texts, to which it replies as told.
func without(refuse map[string]learn.Reply, runs *int) learn.Asker {
	return func(ctx context.Context, script string, patience int) (learn.Reply, error) {
		*runs++
		for text, r := range refuse {
			if strings.Contains(script, text) {
				return r, ctx.Err()
			}
		}
		return learn.Reply{Class: solvers.OK}, ctx.Err()
	}
}

// The number of runs is bounded: further questions are only counted, and the results for the others are the same every
// time.
func TestAskingIsBoundedByANumberOfRuns(t *testing.T) {
	refuse := map[string]learn.Reply{}
	for i := 0; i < 4000; i += 2 {
		refuse[fmt.Sprintf("(assert o%d.)", i)] = learn.Reply{Class: solvers.ParseError, Message: "no"}
	}
	var before *solvers.Facts
	for range 2 {
		runs := 0
		f, err := learn.Ask(t.Context(), manyQuestions(4000), nil, false, without(refuse, &runs))
		require.NoError(t, err)
		require.LessOrEqual(t, runs, 1500)
		require.Positive(t, f.Unasked)
		require.NotEmpty(t, f.Refuses)
		if before != nil {
			require.Equal(t, before, f)
		}
		before = f
	}
}

// A question that is not answered in the usual time has more once, and is told apart when that does not help, either.
func TestUnansweredQuestionsAreTold(t *testing.T) {
	slow := func(ctx context.Context, script string, patience int) (learn.Reply, error) {
		switch {
		case strings.Contains(script, "(assert o3.)"), strings.Contains(script, "(assert o5.)") && patience == 1:
			return learn.Reply{Class: solvers.Timeout, Message: "3s of CPU time"}, nil
		}
		return learn.Reply{Class: solvers.OK}, nil
	}
	f, err := learn.Ask(t.Context(), manyQuestions(9), lacktest.Lacks("operator o4", "operator o3"), false, slow)
	require.NoError(t, err)
	require.Equal(t, []solvers.Refused{{Lack: rule.Operator.Of("o3"), Message: "3s of CPU time"}}, f.Unanswered)
	require.Empty(t, f.Refuses)
	require.Equal(t, lacktest.Lacks("operator o4"), f.Takes, "what is not answered lifts no exclusion")
}

// Asking that is stopped leaves no facts, and its replies are not asked for again.
func TestAskingGoesOnWhereItWasStopped(t *testing.T) {
	refuse := map[string]learn.Reply{"(assert o7.)": {Class: solvers.ParseError, Message: "no"}}
	runs := 0
	whole, err := learn.Ask(t.Context(), manyQuestions(40), nil, false, without(refuse, &runs))
	require.NoError(t, err)
	all := runs

	runs = 0
	ctx, stop := context.WithCancelCause(t.Context())
	journal := learn.ReadJournal("")
	late := errors.New("too late")
	ask := without(refuse, &runs)
	f, err := learn.Ask(ctx, manyQuestions(40), nil, false, journal.Through(func(c context.Context, script string, patience int) (learn.Reply, error) {
		if runs == 5 {
			stop(late)
		}
		return ask(c, script, patience)
	}))
	require.Error(t, err)
	require.Nil(t, f)
	require.Equal(t, 5, journal.Len(), "a run that was stopped is no reply")

	runs = 0
	f, err = learn.Ask(t.Context(), manyQuestions(40), nil, false, learn.ReadJournal(journal.Text()).Through(ask))
	require.NoError(t, err)
	require.Equal(t, whole, f)
	require.Equal(t, all-5, runs)
}

// A limit that was reached says nothing for good: it is not kept.
func TestJournalsKeepNoLimits(t *testing.T) {
	journal := learn.ReadJournal("{")
	class := solvers.Timeout
	through := journal.Through(func(context.Context, string, int) (learn.Reply, error) { return learn.Reply{Class: class}, nil })
	_, err := through(t.Context(), "x", 1)
	require.NoError(t, err)
	require.Zero(t, journal.Len())
	class = solvers.OK
	_, err = through(t.Context(), "x", 1)
	require.NoError(t, err)
	require.Equal(t, 1, journal.Len())
}
