package meta_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
)

// fake is a session whose answers are given.
type fake struct {
	*meta.Writer
	answers []smtlib.Answer
	model   string
	core    []smt.Term
	dies    bool
	closed  int
	options []string
}

func newFake(a *smt.Arena, answers ...smtlib.Answer) *fake {
	return &fake{Writer: meta.NewWriter(a, &strings.Builder{}), answers: answers}
}

func (f *fake) CheckSat([]smt.Term) (smtlib.Answer, error) {
	if f.dies {
		return smtlib.None, &solvers.SessionError{Class: solvers.Crash, Message: "SIGSEGV", Call: "check-sat", Dead: true}
	}
	a := f.answers[0]
	f.answers = f.answers[1:]
	return a, nil
}

func (f *fake) SetOption(name, value string) error {
	f.options = append(f.options, name+"="+value)
	return nil
}
func (f *fake) Model() (string, error)              { return f.model, nil }
func (f *fake) UnsatCore() ([]smt.Term, error)      { return f.core, nil }
func (f *fake) Close() error                        { f.closed++; return nil }
func (f *fake) Values([]smt.Term) ([]string, error) { return nil, nil }

func play(t *testing.T, s solvers.Session, a *smt.Arena, text string) *solvers.Run {
	t.Helper()
	script, err := smtlib.Parse("s", []byte(text), a)
	require.NoError(t, err)
	run := &solvers.Run{}
	solvers.PlayQuery(s, solvers.FromScript(script), run)
	return run
}

const problem = "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(push 1)(assert (> x 3))(check-sat)(get-model)(pop 1)(check-sat)"

func TestWriterWritesTheScript(t *testing.T) {
	a := smt.NewArena()
	var b strings.Builder
	play(t, meta.NewWriter(a, &b), a, problem)
	script, err := smtlib.Parse("s", []byte(problem), smt.NewArena())
	require.NoError(t, err)
	require.Equal(t, script.Text(), b.String())
}

func TestTeeWritesAheadAndForwards(t *testing.T) {
	a := smt.NewArena()
	f := newFake(a)
	f.dies = true
	var b strings.Builder
	tee, err := meta.NewTee(f, &b, "solver fake")
	require.NoError(t, err)
	run := play(t, tee, a, problem)
	require.Equal(t, solvers.Crash, run.Class)
	require.Equal(t, []string{"produce-models=true"}, f.options)
	back, err := solvers.ReadTrace([]byte(b.String()), nil)
	require.NoError(t, err)
	text := back.Script("s").Text()
	require.True(t, strings.HasSuffix(text, "(assert (> x 3))\n(check-sat)\n"), "the last line is the call that died: %s", text)
	require.Equal(t, []string{"solver fake"}, back.Notes)
}

func TestCrossVotes(t *testing.T) {
	a := smt.NewArena()
	one, two, three := newFake(a, smtlib.Sat, smtlib.Sat), newFake(a, smtlib.Unsat, smtlib.Unknown), newFake(a, smtlib.Sat, smtlib.Unsat)
	x := meta.NewCross(one, two, three)
	run := play(t, x, a, problem)
	require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unknown}, run.Answers, "two to one, then one to one")
	require.Len(t, x.Problems, 2)
	require.Equal(t, "disagreement", x.Problems[0].Kind)
	require.Equal(t, 1, x.Problems[0].Solver)
	require.Equal(t, -1, x.Problems[1].Solver)
	require.Equal(t, one.options, three.options)
	require.NoError(t, x.Close())
	require.Equal(t, 1, two.closed)
}

func TestCrossOutlivesADeath(t *testing.T) {
	a := smt.NewArena()
	one, two := newFake(a), newFake(a, smtlib.Sat, smtlib.Unsat)
	one.dies = true
	x := meta.NewCross(one, two)
	run := play(t, x, a, problem)
	require.Equal(t, []smtlib.Answer{smtlib.Sat, smtlib.Unsat}, run.Answers)
	require.Len(t, x.Problems, 1)
	require.Equal(t, "crash", x.Problems[0].Kind)
}

func TestCheckedModels(t *testing.T) {
	for model, bad := range map[string]bool{"((define-fun x () Int 4))": false, "((define-fun x () Int 3))": true, "(": false} {
		a := smt.NewArena()
		f := newFake(a, smtlib.Sat, smtlib.Sat)
		f.model = model
		x := meta.NewChecked(f, nil)
		play(t, x, a, problem)
		require.Equal(t, bad, len(x.Problems) > 0, model)
	}
}

func TestCheckedCores(t *testing.T) {
	const text = "(set-logic QF_LIA)(declare-const x Int)(assert (! (> x 3) :named n))(assert (< x 2))(check-sat)(get-unsat-core)"
	for second, bad := range map[smtlib.Answer]bool{smtlib.Sat: true, smtlib.Unsat: false, smtlib.Unknown: false} {
		a := smt.NewArena()
		f := newFake(a, smtlib.Unsat)
		opened := newFake(a, second)
		x := meta.NewChecked(f, func() (solvers.Session, error) { return opened, nil })
		play(t, x, a, text)
		require.Equal(t, bad, len(x.Problems) > 0, second)
		require.Equal(t, 1, opened.closed)
	}
}
