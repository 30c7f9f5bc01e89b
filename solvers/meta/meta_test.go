package meta_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// fake is a session whose answers are given.
type fake struct {
	*meta.Recorder
	answers []smtlib.Answer
	model   string
	core    []smt.Term
	values  []string
	assumed []smt.Term // unsat assumptions
	dies    bool
	closed  int
	options []string
}

func newFake(a *smt.Arena, answers ...smtlib.Answer) *fake {
	return &fake{Recorder: meta.NewWriter(a, &strings.Builder{}), answers: answers}
}

func (f *fake) Call(ctx context.Context, c *solvers.Call) (solvers.Reply, error) {
	if len(c.Before) > 0 {
		return solvers.OneByOne(c, func(c *solvers.Call) (solvers.Reply, error) { return f.Call(ctx, c) })
	}
	switch c.Command.Kind {
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming:
		if f.dies {
			died := solvers.SessionError{Class: solvers.Crash, Message: "SIGSEGV", Call: "check-sat", Dead: true}
			return solvers.Reply{}, &died
		}
		a := f.answers[0]
		f.answers = f.answers[1:]
		return solvers.Reply{Answer: a}, nil
	case smtlib.CmdSetOption:
		f.options = append(f.options, strings.TrimPrefix(c.Command.Name, ":")+"="+c.Command.Text)
		return solvers.Reply{}, nil
	case smtlib.CmdGetModel:
		return solvers.Reply{Text: f.model}, nil
	case smtlib.CmdGetUnsatCore:
		return solvers.ReplyOfTerms(f.Arena(), f.core), nil
	case smtlib.CmdGetUnsatAssumptions:
		return solvers.ReplyOfTerms(f.Arena(), f.assumed), nil
	case smtlib.CmdGetValue:
		return solvers.ReplyOfValues(f.Arena(), c.Command.Terms, f.values), nil
	}
	return f.Recorder.Call(ctx, c)
}

func (f *fake) Close() (*solvers.Run, error) { f.closed++; return nil, nil }

func play(t *testing.T, s solvers.Session, a *smt.Arena, text string) *solvers.Run {
	t.Helper()
	script, err := smtlib.Parse("s", []byte(text), a)
	require.NoError(t, err)
	run := &solvers.Run{}
	new(solvers.Player).Play(t.Context(), s, solvers.FromScript(script).Calls(), run)
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
	back, err := tracetext.Read([]byte(b.String()), nil)
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
	_, err := x.Close()
	require.NoError(t, err)
	require.Equal(t, 1, two.closed)
}

// Solvers may differ in values that the standard leaves open without contradicting each other, but two instances of one
// build may not.
func TestCrossOfOpenValues(t *testing.T) {
	const open = "(set-logic ALL)(declare-const x (_ FloatingPoint 5 11))(define-fun f () Bool (= ((_ fp.to_ubv 4) RNE x) #b0000))(assert f)(check-sat)"
	for text, problems := range map[string][2]int{open: {0, 1}, strings.ReplaceAll(open, "((_ fp.to_ubv 4) RNE x) #b0000", "x x"): {1, 1}} {
		for i, one := range []bool{false, true} {
			a := smt.NewArena()
			x := meta.NewCross(newFake(a, smtlib.Sat), newFake(a, smtlib.Unsat))
			x.OneBuild = one
			require.Equal(t, []smtlib.Answer{smtlib.Unknown}, play(t, x, a, text).Answers)
			require.Len(t, x.Problems, problems[i], text)
		}
		other := func(name string, answer smtlib.Answer) solvers.Target {
			return &opened{name, func(a *smt.Arena) (solvers.Session, error) { return newFake(a, answer), nil }}
		}
		for name, n := range map[string]int{"two": problems[0], "one": problems[1]} {
			target := meta.NewCrossTarget("c", &solvers.Solver{Name: "c"}, solvers.Reset, other("one", smtlib.Sat), other(name, smtlib.Unsat))
			require.Len(t, target.Run(t.Context(), query(t, text), solvers.Limits{}).Failed, n, "%s: %s", name, text)
		}
	}
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
	for _, c := range []struct {
		answer smtlib.Answer
		model  string
		bad    bool
	}{
		{smtlib.Sat, "((define-fun x () Int 4))", false},
		{smtlib.Sat, "((define-fun x () Int 3))", true},
		{smtlib.Unknown, "((define-fun x () Int 3))", false},
		{smtlib.Sat, "(", false},
		{smtlib.Sat, "((define-fun y () Int 3))", false},
	} {
		a := smt.NewArena()
		f := newFake(a, c.answer, smtlib.Sat)
		f.model = c.model
		x := meta.NewChecked(f, nil)
		play(t, x, a, problem)
		require.Equal(t, c.bad, len(x.Problems) > 0, "%v", c)
	}
}

// checkedBy plays a script on a checked solver with a second one that gives a fixed answer. It returns the kinds of the
// problems and the commands sent to the second solver.
func checkedBy(t *testing.T, second smtlib.Answer, text string, set func(f *fake, s *smtlib.Script)) (kinds []string, asked string) {
	t.Helper()
	a := smt.NewArena()
	script, err := smtlib.Parse("s", []byte(text), a)
	require.NoError(t, err)
	f := newFake(a)
	set(f, script)
	var told strings.Builder
	var one *fake
	x := meta.NewChecked(f, func(context.Context) (solvers.Session, error) {
		one = &fake{Recorder: meta.NewWriter(a, &told), answers: []smtlib.Answer{second}}
		return one, nil
	})
	run := &solvers.Run{}
	new(solvers.Player).Play(t.Context(), x, solvers.FromScript(script).Calls(), run)
	require.Equal(t, solvers.OK, run.Class, run.Message)
	require.True(t, one == nil || one.closed == 1, "the second solver is closed")
	for _, p := range x.Problems {
		kinds = append(kinds, p.Kind)
	}
	return kinds, told.String()
}

const cores = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(push 1)(declare-const z Int)(assert (= z 0))(pop 1)" +
	"(assert (! (> x 3) :named n))(assert (< x 2))(assert (! (= y 0) :named m))(check-sat)(get-unsat-core)"

// TestCheckedCores: a core is one together with the assertions that have no name; a second solver that says unknown
// proves nothing.
func TestCheckedCores(t *testing.T) {
	for second, want := range map[smtlib.Answer][]string{smtlib.Sat: {"invalid-core"}, smtlib.Unsat: nil, smtlib.Unknown: nil} {
		kinds, asked := checkedBy(t, second, cores, func(f *fake, s *smtlib.Script) {
			f.answers = []smtlib.Answer{smtlib.Unsat}
			f.core = []smt.Term{f.Arena().Const(s.Commands[7].Named[0])}
		})
		require.Equal(t, want, kinds, second)
		require.Equal(t, "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (> x 3))\n(assert (< x 2))\n", asked)
	}
	all := func(f *fake, s *smtlib.Script) {
		f.answers = []smtlib.Answer{smtlib.Unsat}
		f.core = []smt.Term{f.Arena().Const(s.Commands[7].Named[0]), f.Arena().Const(s.Commands[9].Named[0])}
	}
	kinds, asked := checkedBy(t, smtlib.Sat, cores, all)
	require.Empty(t, kinds, "a core of all says nothing")
	require.Empty(t, asked)
	nameless := strings.NewReplacer("(! ", "", " :named n)", "", " :named m)", "").Replace(cores)
	kinds, asked = checkedBy(t, smtlib.Sat, nameless, func(f *fake, s *smtlib.Script) {
		f.answers, f.core = []smtlib.Answer{smtlib.Unsat}, s.Commands[7].Terms
	})
	require.Equal(t, []string{"invalid-core"}, kinds, "a core of assertions without names is one of those")
	require.Equal(t, 1, strings.Count(asked, "assert"), asked)
	kinds, _ = checkedBy(t, smtlib.Sat, strings.Replace(cores, "(check-sat)", "(block-model :values)(check-sat)", 1), func(f *fake, s *smtlib.Script) {
		f.answers = []smtlib.Answer{smtlib.Unsat}
		f.core = []smt.Term{f.Arena().Const(s.Commands[7].Named[0])}
	})
	require.Empty(t, kinds, "what else is asserted is not known")
}

// TestCheckedAssumptions: unsat assumptions are some of those that were made, and refuted with all that is asserted.
func TestCheckedAssumptions(t *testing.T) {
	const text = "(declare-const p Bool)(declare-const q Bool)(assert (or p q))(check-sat-assuming ((not p) (not q)))(get-unsat-assumptions)"
	for _, c := range []struct {
		answer, second smtlib.Answer
		n              int // how many of them
		want           []string
	}{
		{smtlib.Unsat, smtlib.Sat, 1, []string{"invalid-core"}},
		{smtlib.Unsat, smtlib.Unsat, 1, nil},
		{smtlib.Unsat, smtlib.Unknown, 1, nil},
		{smtlib.Unsat, smtlib.Sat, 2, nil}, // all: that the answer is wrong is for others to say
		{smtlib.Unknown, smtlib.Sat, 1, nil},
	} {
		kinds, asked := checkedBy(t, c.second, text, func(f *fake, s *smtlib.Script) {
			f.answers, f.assumed = []smtlib.Answer{c.answer}, s.Commands[3].Terms[:c.n]
		})
		require.Equal(t, c.want, kinds, "%v", c)
		require.Equal(t, c.n == 1 && c.answer == smtlib.Unsat, strings.Contains(asked, "(assert (or p q))\n(assert (not p))\n"), asked)
	}
	kinds, _ := checkedBy(t, smtlib.Sat, text, func(f *fake, s *smtlib.Script) {
		f.answers, f.assumed = []smtlib.Answer{smtlib.Unsat}, s.Commands[2].Terms
	})
	require.Empty(t, kinds, "a term that was not assumed may be one of them, printed in another form")
}

// TestCheckedValues: the evaluator comes first, then a second solver must find a model with the values.
func TestCheckedValues(t *testing.T) {
	const head = "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (> x 3))(check-sat)"
	for name, c := range map[string]struct {
		text   string
		answer smtlib.Answer
		values []string
		second smtlib.Answer
		want   []string
		asked  bool // the second solver
	}{
		"right":              {"(get-value (x (+ x 1)))", smtlib.Sat, []string{"4", "5"}, smtlib.Sat, nil, true},
		"against each other": {"(get-value (x (+ x 1)))", smtlib.Sat, []string{"4", "6"}, smtlib.Sat, []string{"invalid-value"}, false},
		"ground":             {"(get-value ((+ 1 1)))", smtlib.Sat, []string{"3"}, smtlib.Sat, []string{"invalid-value"}, false},
		"against the model":  {"(get-model)(get-value ((+ x 1)))", smtlib.Sat, []string{"6"}, smtlib.Sat, []string{"invalid-value"}, false},
		"no such model":      {"(get-value (x))", smtlib.Sat, []string{"3"}, smtlib.Unsat, []string{"invalid-value"}, true},
		"second unknown":     {"(get-value (x))", smtlib.Sat, []string{"3"}, smtlib.Unknown, nil, true},
		"after unknown":      {"(get-value (x (+ x 1)))", smtlib.Unknown, []string{"4", "6"}, smtlib.Unsat, nil, false},
		"not a value":        {"(get-value (x y))", smtlib.Sat, []string{"?", "4"}, smtlib.Sat, nil, true},
		"in two replies":     {"(get-value (x))(get-value (x))", smtlib.Sat, []string{"4"}, smtlib.Sat, nil, true},
		"free choice":        {"(get-value ((fp.to_real (_ NaN 5 11))))", smtlib.Sat, []string{"1.0"}, smtlib.Unsat, nil, false},
	} {
		kinds, asked := checkedBy(t, c.second, head+c.text, func(f *fake, _ *smtlib.Script) {
			f.answers, f.values, f.model = []smtlib.Answer{c.answer}, c.values, "((define-fun x () Int 4))"
		})
		require.Equal(t, c.want, kinds, name)
		require.Equal(t, c.asked, asked != "", "%s: %s", name, asked)
		if name == "right" {
			require.Contains(t, asked, "(assert (> x 3))\n(assert (= x 4))\n(assert (= (+ x 1) 5))\n")
		}
	}
}
