package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/solvers"
)

// again answers queries depending on the text that they contain.
func again(t *testing.T, asked *[]string, replies map[string]*solvers.Run) AskFunc {
	return func(target string, q *solvers.Query, _ solvers.Limits) *solvers.Run {
		require.Equal(t, "t", target)
		text := q.Text()
		*asked = append(*asked, text)
		for part, r := range replies {
			if strings.Contains(text, part) {
				return r
			}
		}
		return nil
	}
}

func reply(a smtlib.Answer, values ...string) *solvers.Run {
	return &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{a}, Values: values}
}

func TestValues(t *testing.T) {
	c := modelCase(t, "(declare-const x Int)(declare-const y Int)(assert (> (+ x 1) 1))(assert (forall ((z Int)) (= (div z y) z)))(check-sat)")
	run := modelRun("t", "z-1", []smtlib.Answer{smtlib.Sat})
	for name, tc := range map[string]struct {
		again *solvers.Run
		found string
	}{
		"agree":            {reply(smtlib.Sat, replyModel("2", "1"), "(((+ x 1) 3) (x 2) (y 1))"), ""},
		"contradict":       {reply(smtlib.Sat, replyModel("2", "1"), "((x 2) ((+ x 1) 2))"), "(+ x 1) is 2 by get-value, 3 in the model"},
		"constant":         {reply(smtlib.Sat, replyModel("2", "1"), "((x 3))"), "x is 3 by get-value, 2 in the model"},
		"unknown to us":    {reply(smtlib.Sat, "((define-fun x () Int 2))", "((x 2) (y 5))"), ""},
		"other answer":     {reply(smtlib.Unknown, replyModel("2", "1"), "((x 7))"), ""},
		"no get-value":     {reply(smtlib.Sat, replyModel("2", "1"), `(error "no")`), ""},
		"gone":             {nil, ""},
		"nothing returned": {reply(smtlib.Sat), ""},
	} {
		var asked []string
		vs := Values(again(t, &asked, map[string]*solvers.Run{"(get-value": tc.again}), 1).Judge(c, []*solvers.Run{run})
		require.Len(t, asked, 1)
		require.Contains(t, asked[0], "(get-model)\n(get-value (")
		require.NotContains(t, asked[0], "(div z y))\n(get-value (z", "nothing with variables")
		require.Equal(t, tc.found != "", len(vs) == 1, "%s: %v", name, vs)
		if tc.found != "" {
			require.Equal(t, KindInvalidValue, vs[0].Kind)
			require.Contains(t, vs[0].Detail, tc.found)
		}
	}
	var asked []string
	require.Empty(t, Values(again(t, &asked, nil), 1).Judge(c, []*solvers.Run{modelRun("t", "z-1", []smtlib.Answer{smtlib.Unsat})}))
	require.Empty(t, Values(again(t, &asked, nil), 0).Judge(c, []*solvers.Run{run}))
	require.Empty(t, asked)
}

func TestCores(t *testing.T) {
	c := modelCase(t, "(declare-const x Int)(push 1)(assert (> x 1))(assert (< x 0))(assert (= x x))(check-sat)(pop 1)(check-sat)")
	c.Script = c.Script.WithCommands(c.Script.Commands[:6])
	run := modelRun("t", "z-1", []smtlib.Answer{smtlib.Unsat})
	core := func(text string) *solvers.Run { return reply(smtlib.Unsat, text) }
	for name, tc := range map[string]struct {
		core, alone *solvers.Run
		questions   int
		found       bool
	}{
		"right":          {core("(core!0 core!1)"), reply(smtlib.Unsat), 2, false},
		"wrong":          {core("(core!0 core!2)"), reply(smtlib.Sat), 2, true},
		"not known":      {core("(core!0 core!2)"), reply(smtlib.Unknown), 2, false},
		"error":          {core(`(error "no core")`), nil, 1, false},
		"other answer":   {reply(smtlib.Unknown, "(core!0)"), nil, 1, false},
		"not understood": {core("core!0"), nil, 1, false},
	} {
		var asked []string
		ask := func(_ string, q *solvers.Query, _ solvers.Limits) *solvers.Run {
			text := q.Text()
			asked = append(asked, text)
			if strings.Contains(text, "(get-unsat-core)") {
				require.True(t, q.Cores)
				return tc.core
			}
			require.NotContains(t, text, ":named")
			return tc.alone
		}
		vs := Cores(ask, 1).Judge(c, []*solvers.Run{run})
		require.Len(t, asked, tc.questions, name)
		require.Contains(t, asked[0], "(assert (! (> x 1) :named core!0))")
		require.Equal(t, tc.found, len(vs) == 1, "%s: %v", name, vs)
		if tc.found {
			require.Equal(t, KindInvalidCore, vs[0].Kind)
			require.Equal(t, "z-1 (fresh): its unsat core is sat", vs[0].Summary)
			require.Contains(t, vs[0].Detail, "(assert (= x x))")
			require.NotContains(t, vs[0].Detail, "(< x 0)")
		}
	}
}

func TestUnsatAssumptions(t *testing.T) {
	c := modelCase(t, "(declare-const p Bool)(declare-const q Bool)(assert (! (not p) :named n))(check-sat-assuming (p (not q)))")
	run := modelRun("t", "z-1", []smtlib.Answer{smtlib.Unsat})
	for name, tc := range map[string]struct {
		assumptions string
		alone       smtlib.Answer
		want        string
	}{
		"right":       {"(p)", smtlib.Unsat, ""},
		"a name":      {"(p n)", smtlib.Unsat, ""}, // as z3 says, where assertions have names
		"wrong":       {"((not q))", smtlib.Sat, "its unsat assumptions are sat"},
		"not assumed": {"(p q)", smtlib.Unsat, "an unsat assumption that was not assumed"},
		"error":       {`(error "x")`, smtlib.Sat, ""},
	} {
		ask := func(_ string, q *solvers.Query, _ solvers.Limits) *solvers.Run {
			switch text := q.Text(); {
			case strings.Contains(text, "get-unsat-core"):
				return reply(smtlib.Unknown)
			case strings.Contains(text, "get-unsat-assumptions"):
				require.Contains(t, text, "(set-option :produce-unsat-assumptions true)")
				return reply(smtlib.Unsat, tc.assumptions)
			}
			return reply(tc.alone)
		}
		vs := Cores(ask, 1).Judge(c, []*solvers.Run{run})
		if tc.want == "" {
			require.Empty(t, vs, name)
			continue
		}
		require.Len(t, vs, 1, name)
		require.Contains(t, vs[0].Summary, tc.want)
	}
}

// If a case itself requests a core or assumptions, its witness shows if these are too few. Only then is the solver
// asked again regardless of the share.
func TestToldPartsThatHoldAreAskedAbout(t *testing.T) {
	const assuming = "(declare-const p Bool)(declare-const q Bool)(assert (not (and p q)))(check-sat-assuming (p q))(get-unsat-assumptions)(check-sat)"
	const named = "(declare-const p Bool)(assert (! p :named one))(assert (! (not p) :named two))(assert (or p true))(check-sat)(get-unsat-core)(check-sat)"
	witness := "((define-fun p () Bool true)(define-fun q () Bool false))"
	for _, tc := range []struct {
		text, told string
		asks       bool
	}{
		{assuming, "(p)", true},
		{assuming, "()", true},
		{assuming, "(p q)", false},
		{assuming, "(q)", false}, // too few, but not by the witness
		{assuming, `(error "none")`, false},
		{named, "(one)", true},
		{named, "(one two)", false},
		{named, "(two)", false},
	} {
		c := modelCase(t, tc.text)
		var err error
		c.Witness, err = modelreader.Parse(c.Script, witness)
		require.NoError(t, err)
		// The answer behind it is another one: the part is that of the check which it was asked after.
		run := modelRun("t", "z-1", []smtlib.Answer{smtlib.Unsat, smtlib.Sat}, tc.told)
		asked := 0
		ask := func(_ string, q *solvers.Query, _ solvers.Limits) *solvers.Run {
			asked++
			if text := q.Text(); strings.Contains(text, "get-unsat-assumptions") {
				return reply(smtlib.Unsat, tc.told)
			} else if strings.Contains(text, "get-unsat-core") {
				return reply(smtlib.Unknown)
			}
			return reply(smtlib.Sat)
		}
		vs := Cores(ask, 0).Judge(c, []*solvers.Run{run})
		require.Equal(t, tc.asks, asked > 0, "%s %s", tc.text, tc.told)
		require.Equal(t, tc.asks && tc.text == assuming, len(vs) == 1, "%s %s", tc.text, tc.told)
	}
}

// A constant false is left out of cores and of unsat assumptions by solvers that simplify first.
func TestFalseNeedsNoCore(t *testing.T) {
	for _, text := range []string{"(declare-const p Bool)(check-sat-assuming (p false))", "(assert false)(declare-const p Bool)(check-sat-assuming (p))", "(assert false)(check-sat)"} {
		c := modelCase(t, text)
		run := modelRun("t", "z-1", []smtlib.Answer{smtlib.Unsat})
		ask := func(string, *solvers.Query, solvers.Limits) *solvers.Run { return reply(smtlib.Unsat, "()") }
		require.Empty(t, Cores(ask, 1).Judge(c, []*solvers.Run{run}), text)
	}
}

// Which cases are looked at follows from their numbers.
func TestShare(t *testing.T) {
	c := modelCase(t, "(check-sat)")
	n := 0
	for i := range 1000 {
		c.Origin.Number = uint64(i)
		if isChosen(c, "values", 0.1) {
			require.True(t, isChosen(c, "values", 0.1))
			n++
		}
	}
	require.InDelta(t, 100, n, 40)
}
