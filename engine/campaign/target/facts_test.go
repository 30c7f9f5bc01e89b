package target_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/rule"
)

// asked is a target that answers each question as a function says, and counts.
type asked struct {
	solvers.Target
	n   *int
	say func(q *solvers.Query) *solvers.Run
}

func (a *asked) Run(_ context.Context, q *solvers.Query, _ solvers.Limits) *solvers.Run {
	*a.n++
	return a.say(q)
}

func (a *asked) Close() error { return nil }

// A solver's own answers override its profile, are cached by build, and are part of the recorded answers.
func TestWhatASolverTakesIsLearnedOnce(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{}, "modes": []string{"fresh"}, "theories": []string{"Core", "FixedSizeBitVectors"},
		"api_exclude": []rule.VersionedLack{{Lack: rule.Operator.Of("bvsmod")}, {Lack: rule.Operator.Of("bvnego")}},
		"api_avoid":   []rule.VersionedLack{{Lack: rule.Operator.Of("bvcomp")}}})
	require.NoError(t, err)
	n := 0
	made := func() *target.Solver {
		return &target.Solver{Found: &solvers.Solver{Profile: p, Name: "mine-1", Version: "1"}, New: func(process.TargetOptions) solvers.Target {
			return &asked{n: &n, say: func(q *solvers.Query) *solvers.Run {
				run := &solvers.Run{Class: solvers.OK, Values: make([]string, q.Count(solvers.ValueReply))}
				for i := range run.Values {
					run.Values[i] = "(x)"
				}
				switch text := q.Text(); {
				case strings.Contains(text, "bvnego"), strings.Contains(text, "bvuaddo"):
					run.Class, run.Message = solvers.SolverError, "no such thing as 'x7' on page 12"
				case strings.Contains(text, "bvxnor"):
					run.Class, run.Message = solvers.Crash, "SIGSEGV"
				}
				return run
			}}
		}}
	}
	cache := memo.New(t.TempDir())
	first := made()
	require.NoError(t, target.LearnFacts(context.Background(), []*target.Solver{first}, cache, nil))
	require.NotNil(t, first.Learned)
	f := first.Learned.Facts
	require.Equal(t, lacktest.Lacks("operator bvsmod"), f.Takes)
	require.Contains(t, f.Refuses, solvers.Refused{Lack: rule.Operator.Of("bvuaddo"), Message: "no such thing as 'x7' on page 12"})
	require.Len(t, f.Dies, 2, "the operator, and with more arguments")
	require.Contains(t, f.Dies[0].Script, "bvxnor")
	require.Equal(t, []string{`no such thing as .+ on page \d+`}, f.Refusals)
	require.NotContains(t, first.Excluded(), rule.Operator.Of("bvsmod"))
	require.Contains(t, first.Excluded(), rule.Operator.Of("bvnego"))
	require.Contains(t, first.Excluded(), rule.Operator.Of("bvuaddo"))
	require.Contains(t, first.Excluded(), rule.Operator.Of("bvcomp"), "what is avoided is not asked")
	class, _ := first.Found.Profile.Classify(solvers.Evidence{Errors: `(error "no such thing as y on page 3")`})
	require.Equal(t, solvers.Refusal, class)
	require.Less(t, n, 200)

	for number := range uint64(20) {
		script := target.QuestionItDiedOf([]*target.Solver{first}, number)
		require.Equal(t, number < 16, script != "", "the first cases of a campaign")
		if script != "" {
			require.Contains(t, script, "bvxnor")
		}
	}
	require.Empty(t, target.QuestionItDiedOf([]*target.Solver{made()}, 0), "it was not asked")

	n = 0
	second := made()
	require.NoError(t, target.LearnFacts(context.Background(), []*target.Solver{second}, cache, nil))
	require.Zero(t, n, "it was asked before")
	require.Equal(t, f, second.Learned.Facts)

	replayed := made()
	require.NoError(t, target.LearnFacts(context.Background(), []*target.Solver{replayed}, nil, testcase.Answers{*first.Learned.Answer}))
	require.Zero(t, n, "the recorded answers say it")
	require.Equal(t, first.Excluded(), replayed.Excluded())

	old := made()
	require.NoError(t, target.LearnFacts(context.Background(), []*target.Solver{old}, cache, testcase.Answers{}))
	require.Nil(t, old.Learned, "cases of before are made by the profile")
}

// A solver requires a logic, knows few of them, and keeps declarations beyond their level. Its accepted input is
// learned nevertheless, and cases respect it.
func TestASolverThatWantsALogic(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "strict", "binaries": []string{}, "modes": []string{"fresh", "incremental"},
		"theories": []string{"Core", "Ints", "Reals", "ArraysEx", "UF"}, "api_exclude": []rule.VersionedLack{}})
	require.NoError(t, err)
	strict := &target.Solver{Found: &solvers.Solver{Profile: p, Name: "strict-1", Version: "1"}, New: func(process.TargetOptions) solvers.Target {
		return &asked{n: new(int), say: func(q *solvers.Query) *solvers.Run {
			run := &solvers.Run{Class: solvers.OK, Values: make([]string, q.Count(solvers.ValueReply))}
			for i := range run.Values {
				run.Values[i] = "(x)"
			}
			known := []string{"ALL", "QF_UF", "QF_AX", "QF_LIA", "QF_LRA", "QF_AUFLIRA", "QF_AUFLIA"}
			text := q.Text()
			switch {
			case q.Logic == "":
				run.Class, run.Message = solvers.SolverError, "set-logic comes first"
			case !slices.Contains(known, q.Logic):
				run.Class, run.Message = solvers.Refusal, "unknown logic "+q.Logic
			case strings.Count(text, "declare-const again ") == 2:
				run.Class, run.Message = solvers.SolverError, "again is declared"
			}
			return run
		}}
	}}
	require.NoError(t, target.LearnFacts(t.Context(), []*target.Solver{strict}, memo.New(t.TempDir()), nil))
	lacks := strict.Lacks()
	for _, line := range []string{"no logic", "scoped declarations", "logic QF_ALIRA", "logic QF_NIA"} {
		require.Subset(t, lacks, lacktest.Lacks(line))
	}
	require.NotSubset(t, lacks, lacktest.Lacks("logic QF_AUFLIRA"))
	require.Equal(t, []string{"(declare-", "(define-"}, strict.Found.Profile.OutlivesPop)

	rules := target.AcceptanceOf([]*target.Solver{strict})
	for text, logic := range map[string]string{
		"(declare-const x Int)(assert (< x 1))":                                           "QF_LIA",
		"(set-logic QF_NIA)(declare-const x Int)(assert (< x 1))":                         "QF_LIA",
		"(set-logic QF_ALIRA)(declare-const a (Array Int Real))(assert (= a a))":          "QF_AUFLIRA",
		"(set-logic QF_UFNRA)(declare-sort S 0)(declare-const s S)(assert (= s s))":       "QF_UF",
		"(set-logic QF_NIA)(declare-const x Int)(assert (= (* x x) x))":                   "ALL",
		"(set-logic QF_LRA)(declare-const r Real)(assert (< r 1.0))":                      "QF_LRA",
		"(set-option :produce-models true)(declare-const r Real)(assert (= r (* 2.0 r)))": "QF_LRA",
	} {
		s, err := smtlib.Parse("case", []byte(text), smt.NewArena())
		require.NoError(t, err)
		require.Equal(t, logic, rules.Fit(s).Logic(), text)
		require.Empty(t, rules.Declines(rules.Fit(s)), text)
	}
}

// Asking that is stopped counts for nothing, says so, and goes on from there the next time, with the same result.
func TestLearningThatIsStoppedGoesOn(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{}, "modes": []string{"fresh"}, "theories": []string{"Core", "FixedSizeBitVectors"}})
	require.NoError(t, err)
	n := 0
	var at func()
	made := func() *target.Solver {
		return &target.Solver{Found: &solvers.Solver{Profile: p, Name: "mine-1", Version: "1"}, New: func(process.TargetOptions) solvers.Target {
			return &asked{n: &n, say: func(q *solvers.Query) *solvers.Run {
				if at != nil {
					at()
				}
				run := &solvers.Run{Class: solvers.OK, Values: make([]string, q.Count(solvers.ValueReply))}
				for i := range run.Values {
					run.Values[i] = "(x)"
				}
				if strings.Contains(q.Text(), "bvxnor") {
					run.Class, run.Message = solvers.SolverError, "unknown symbol"
				}
				return run
			}}
		}}
	}
	whole := made()
	require.NoError(t, target.LearnFacts(t.Context(), []*target.Solver{whole}, nil, nil))
	all := n

	cache := memo.New(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	n, at = 0, func() {
		if n == 10 {
			stop()
		}
	}
	half := made()
	require.Error(t, target.LearnFacts(ctx, []*target.Solver{half}, cache, nil))
	require.Nil(t, half.Learned)

	n, at = 0, nil
	rest := made()
	require.NoError(t, target.LearnFacts(t.Context(), []*target.Solver{rest}, cache, nil))
	require.Equal(t, whole.Learned.Facts, rest.Learned.Facts)
	require.Equal(t, all-9, n, "the tenth was stopped")
}

// slowStarter is a target whose runs depend on their limits.
type slowStarter struct {
	solvers.Target
	run func(q *solvers.Query, lim solvers.Limits) *solvers.Run
}

func (s *slowStarter) Run(_ context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	return s.run(q, lim)
}

func (s *slowStarter) Close() error { return nil }

// TestASolverThatStartsSlowly: a question that runs out of time because the program takes long to start is asked again
// with more, and those after it have that from the beginning.
func TestASolverThatStartsSlowly(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{}, "modes": []string{"fresh"}})
	require.NoError(t, err)
	var asked []string
	slow := &target.Solver{Found: &solvers.Solver{Profile: p, Name: "mine-1"}, New: func(process.TargetOptions) solvers.Target {
		return &slowStarter{run: func(q *solvers.Query, lim solvers.Limits) *solvers.Run {
			takes := 5 * time.Second
			if q.Text() == learn.Control {
				takes = time.Second
			}
			asked = append(asked, lim.CPU.String())
			if takes > lim.CPU {
				return &solvers.Run{Class: solvers.Timeout, CPU: lim.CPU}
			}
			return &solvers.Run{Class: solvers.OK, CPU: takes}
		}}
	}}
	script, err := smtlib.Parse("question", []byte("(declare-const p Bool)\n(assert (not p))\n(check-sat)\n"), smt.NewArena())
	require.NoError(t, err)
	q := solvers.FromScript(script)
	for range 2 {
		run, err := slow.Ask(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, solvers.OK, run.Class)
	}
	require.Equal(t, []string{"3s", "12s", "7s", "7s"}, asked)
}

// A solver that does not answer a plain question is not asked the others: each would be waited for.
func TestAHangingSolverIsAskedOnce(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{}, "modes": []string{"fresh"}, "theories": []string{"Core", "FixedSizeBitVectors"}})
	require.NoError(t, err)
	n := 0
	s := &target.Solver{Found: &solvers.Solver{Profile: p, Name: "mine-1", Version: "1"}, New: func(process.TargetOptions) solvers.Target {
		return &asked{n: &n, say: func(*solvers.Query) *solvers.Run { return &solvers.Run{Class: solvers.Timeout, Message: "30s"} }}
	}}
	require.NoError(t, target.LearnFacts(t.Context(), []*target.Solver{s}, nil, nil))
	require.Equal(t, 1, n)
	require.NotNil(t, s.Learned)
	require.Positive(t, s.Learned.Facts.Unasked)
	require.Empty(t, s.Learned.Facts.Refuses)
}
