package oracle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

const (
	none    = smtlib.None
	sat     = smtlib.Sat
	unsat   = smtlib.Unsat
	unknown = smtlib.Unknown
)

// caseOf makes a case with as many check-sats as there are expectations.
func caseOf(t require.TestingT, expect ...smtlib.Answer) *testcase.Case {
	text := "(set-logic QF_LIA)"
	for range expect {
		text += "(check-sat)"
	}
	script, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: script, Expect: expect}
}

func run(solver, version, mode string, answers ...smtlib.Answer) *solvers.Run {
	name := solver + "-" + version
	return &solvers.Run{Target: name + "/" + mode, Solver: name, Version: version, Mode: solvers.Mode(mode), Class: solvers.OK, Answers: answers}
}

func died(r *solvers.Run, class solvers.Class, message string) *solvers.Run {
	r.Class, r.Message = class, message
	return r
}

func TestKnownAnswer(t *testing.T) {
	c := caseOf(t, sat, none, unsat)
	vs := oracle.KnownAnswer().Judge(c, []*solvers.Run{
		run("z3", "4.8", "fresh", sat, unsat, unsat),
		run("z3", "4.8", "reset", sat, sat, sat),
		run("z3", "4.13", "reset", sat, sat, sat),
		run("cvc5", "1.0", "fresh", unknown, sat, unknown),
	})
	require.Len(t, vs, 1, "only the third check-sat is wrong, and both wrong targets are one verdict")
	v := vs[0]
	require.Equal(t, oracle.KindKnownAnswer, v.Kind)
	require.Equal(t, []string{"z3-4.13/reset", "z3-4.8/reset"}, v.Targets, "the newest version comes first")
	require.Equal(t, []string{"z3-4.8/fresh"}, v.Against)
	require.Equal(t, sat, v.Got)
	require.Equal(t, unsat, v.Want)
	require.Equal(t, 2, v.Check)
	require.Equal(t, "z3-4.13 (reset) and z3-4.8 (reset) answer sat to check-sat 3 of 3, the answer is unsat", v.Summary)
}

func TestKnownAnswerCountsTheFirstWrongAnswerOfATarget(t *testing.T) {
	vs := oracle.KnownAnswer().Judge(caseOf(t, sat, sat), []*solvers.Run{
		run("a", "1", "fresh", unsat, unsat), run("b", "1", "fresh", sat, unsat),
	})
	require.Len(t, vs, 2)
	require.Equal(t, []string{"a-1/fresh"}, vs[0].Targets)
	require.Equal(t, []string{"b-1/fresh"}, vs[1].Targets, "a was wrong before")
}

// A run that ended early counts for the answers it gave.
func TestAnswersBeforeADeathCount(t *testing.T) {
	c := caseOf(t, sat, sat)
	runs := []*solvers.Run{died(run("z3", "1", "fresh", unsat, none), solvers.Timeout, "")}
	require.Len(t, oracle.KnownAnswer().Judge(c, runs), 1)
	runs = []*solvers.Run{died(run("z3", "1", "fresh", sat, none), solvers.Crash, "SIGSEGV")}
	require.Empty(t, oracle.KnownAnswer().Judge(c, runs))
	require.Len(t, oracle.Crash().Judge(c, runs), 1)
}

func TestNoBugs(t *testing.T) {
	c := caseOf(t, sat)
	for _, class := range solvers.Classes() {
		if class.IsBug() {
			continue
		}
		runs := []*solvers.Run{died(run("z3", "1", "fresh", none), class, "x"), died(run("z3", "1", "reset", unknown), class, "x"), run("cvc5", "1", "fresh", sat)}
		require.Empty(t, oracle.Judge([]oracle.Oracle{oracle.Crash(), oracle.KnownAnswer(), oracle.Disagreement()}, c, runs), class)
	}
	require.Empty(t, oracle.KnownAnswer().Judge(caseOf(t, unknown), []*solvers.Run{run("z3", "1", "fresh", sat)}), "unknown is not known")
}

func TestDisagreement(t *testing.T) {
	for name, tc := range map[string]struct {
		runs    []*solvers.Run
		target  string // blamed
		summary string
	}{
		"two of three kinds": {
			[]*solvers.Run{run("z3", "4.8", "fresh", sat), run("z3", "4.8", "reset", sat), run("z3", "4.8", "incremental", sat), run("cvc5", "1.0", "fresh", unsat), run("bitwuzla", "0.8", "fresh", unsat)},
			"z3-4.8/fresh", "z3-4.8 (fresh, reset, incremental) answers sat, cvc5-1.0 (fresh) and bitwuzla-0.8 (fresh) answer unsat (the majority)",
		},
		"an old version against a new one and another solver": {
			[]*solvers.Run{run("z3", "4.8", "fresh", unsat), run("z3", "4.13", "fresh", sat), run("cvc5", "1.0", "fresh", sat)},
			"z3-4.8/fresh", "",
		},
		"versions of one solver": {
			[]*solvers.Run{run("z3", "4.8", "fresh", unsat), run("z3", "4.13", "fresh", sat), run("z3", "5", "fresh", sat)},
			"z3-4.8/fresh", "",
		},
		"modes of one solver": {
			[]*solvers.Run{run("z3", "4.8", "fresh", sat), run("z3", "4.8", "reset", sat), run("z3", "4.8", "incremental", unsat)},
			"z3-4.8/incremental", "",
		},
		"nobody": {
			[]*solvers.Run{run("z3", "4.8", "fresh", unsat), run("cvc5", "1.0", "fresh", sat), run("boolector", "3", "fresh", unknown)},
			"", "cvc5-1.0 (fresh) answers sat, z3-4.8 (fresh) answers unsat",
		},
	} {
		vs := oracle.Disagreement().Judge(caseOf(t, none), tc.runs)
		require.Len(t, vs, 1, name)
		require.Equal(t, tc.target, vs[0].Target, name)
		if tc.summary != "" {
			require.Equal(t, tc.summary, vs[0].Summary, name)
		}
		require.NotEqual(t, vs[0].Got, vs[0].Want, name)
	}
}

func TestDisagreementAboutAKnownAnswerIsOneVerdict(t *testing.T) {
	oracles := []oracle.Oracle{oracle.Disagreement(), oracle.KnownAnswer()}
	runs := []*solvers.Run{run("z3", "1", "fresh", sat, unsat), run("cvc5", "1", "fresh", sat, sat)}
	vs := oracle.Judge(oracles, caseOf(t, sat, sat), runs)
	require.Len(t, vs, 1)
	require.Equal(t, oracle.KindKnownAnswer, vs[0].Kind)
	vs = oracle.Judge(oracles, caseOf(t, sat, none), runs)
	require.Len(t, vs, 1)
	require.Equal(t, oracle.KindDisagreement, vs[0].Kind)
}

func TestCrash(t *testing.T) {
	vs := oracle.Crash().Judge(caseOf(t, sat), []*solvers.Run{
		died(run("z3", "4.8", "fresh"), solvers.Assertion, "ASSERTION VIOLATION File: a.cpp Line: 3"),
		died(run("z3", "4.13", "reset"), solvers.Assertion, "ASSERTION VIOLATION File: a.cpp Line: 3"),
		died(run("cvc5", "1.0", "fresh"), solvers.Crash, "SIGSEGV"),
		died(run("z3", "4.8", "reset"), solvers.Crash, "SIGSEGV"),
	})
	require.Len(t, vs, 3)
	require.Equal(t, []string{"z3-4.13/reset", "z3-4.8/fresh"}, vs[0].Targets)
	require.Equal(t, "z3-4.13 (reset) and z3-4.8 (fresh) fail a check of their own: ASSERTION VIOLATION File: a.cpp Line: 3", vs[0].Summary)
	require.Equal(t, "z3-4.8 (reset) crashes: SIGSEGV", vs[1].Summary)
	require.Equal(t, "cvc5-1.0 (fresh) crashes: SIGSEGV", vs[2].Summary)
	require.Equal(t, -1, vs[1].Check)
}

func TestKindOfSolver(t *testing.T) {
	require.Equal(t, "z3", oracle.KindOfSolver("z3-4.8.12", "4.8.12"))
	require.Equal(t, "z3", oracle.KindOfSolver("z3-4.8.12#2", "4.8.12"))
	require.Equal(t, "my-solver", oracle.KindOfSolver("my-solver", ""))
	require.Equal(t, "yices-smt2", oracle.KindOfSolver("yices-smt2-2.6", "2.6"))
}

func TestVerdictAsJSON(t *testing.T) {
	v := oracle.Verdict{Oracle: "o", Kind: "k", Target: "t", Targets: []string{"t", "u"}, Got: sat, Want: unsat, Check: 2, Class: solvers.Crash, Message: "m", Summary: "s"}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.Contains(t, string(text), `"got":"sat","want":"unsat"`)
	require.Contains(t, string(text), `"class":"crash"`)
	var back oracle.Verdict
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, v, back)
	require.Error(t, json.Unmarshal([]byte(`{"got":"perhaps"}`), &back))
}

// For random answers, the oracles report exactly the contradictions, and no target is on both sides.
func TestOraclesOnRandomAnswers(t *testing.T) {
	answer := rapid.SampledFrom([]smtlib.Answer{none, sat, unsat, unknown})
	rapid.Check(t, func(t *rapid.T) {
		checks := rapid.IntRange(0, 4).Draw(t, "checks")
		answers := rapid.SliceOfN(answer, checks, checks)
		c := caseOf(t, answers.Draw(t, "expect")...)
		var runs []*solvers.Run
		for i := range rapid.IntRange(0, 5).Draw(t, "runs") {
			runs = append(runs, run(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "solver"), string(rune('1'+i)), "fresh", answers.Draw(t, "answers")[:rapid.IntRange(0, checks).Draw(t, "end")]...))
		}
		wrong, split := false, false
		for i := range checks {
			seen := map[smtlib.Answer]bool{}
			for _, r := range runs {
				if i < len(r.Answers) {
					seen[r.Answers[i]] = true
				}
			}
			wrong = wrong || c.Expect[i] == sat && seen[unsat] || c.Expect[i] == unsat && seen[sat]
			split = split || seen[sat] && seen[unsat]
		}
		require.Equal(t, wrong, len(oracle.KnownAnswer().Judge(c, runs)) > 0)
		d := oracle.Disagreement().Judge(c, runs)
		require.Equal(t, split, len(d) == 1)
		for _, v := range append(d, oracle.KnownAnswer().Judge(c, runs)...) {
			for _, x := range v.Targets {
				require.NotContains(t, v.Against, x)
			}
			require.NotEmpty(t, v.Targets)
		}
	})
}

// TestFurtherWant checks that the right answer of a further solver is stored.
func TestFurtherWant(t *testing.T) {
	run := &solvers.Run{Target: "z3", Solver: "z3", Failed: []solvers.Failure{{Message: "a further solver answers sat, the answer is unsat", Want: smtlib.Unsat}}}
	v := oracle.Expectations().Judge(nil, []*solvers.Run{run})
	require.Len(t, v, 1)
	require.Equal(t, smtlib.Unsat, v[0].FurtherWant)
	text, err := json.Marshal(v[0])
	require.NoError(t, err)
	var back oracle.Verdict
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, smtlib.Unsat, back.FurtherWant)
}
