package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// An answer to a problem that an option gives another meaning is no finding, whoever set the option; a crash is one.
func TestOptionsThatChangeTheMeaning(t *testing.T) {
	const problem = "(set-info :status sat)(declare-const a (_ BitVec 4))(assert (= (bvudiv a #x0) #xf))(check-sat)"
	for _, tc := range []struct {
		text, preamble string
		argv           []string
		class          solvers.Class
		kinds          []string
	}{
		{text: problem, kinds: []string{oracle.KindKnownAnswer}},
		{text: "(set-option :rewriter.hi_div0 false)" + problem},
		{text: "(set-option :rewriter.hi_div0 true)" + problem, kinds: []string{oracle.KindKnownAnswer}},
		{text: problem, preamble: "(set-option :print-success true)\n(set-option :rewriter.hi_div0 false)"},
		{text: problem, argv: []string{"z3", "rewriter.hi_div0=false", "-in"}},
		{text: problem, argv: []string{"z3", "-in"}, kinds: []string{oracle.KindKnownAnswer}},
		{text: "(set-option :rewriter.hi_div0 false)" + problem, class: solvers.Crash, kinds: []string{oracle.KindCrash}},
	} {
		c, err := testcase.Parse("case", []byte(tc.text))
		require.NoError(t, err)
		run := &solvers.Run{Target: "z3-1.0/fresh", Solver: "z3-1.0", Class: tc.class, Answers: []smtlib.Answer{smtlib.Unsat}, Preamble: tc.preamble, Argv: tc.argv, Signal: "SIGSEGV"}
		if tc.class == solvers.Crash {
			run.Answers[0] = smtlib.None
		}
		var kinds []string
		for _, v := range oracle.Judge([]oracle.Oracle{oracle.Crash(), oracle.KnownAnswer()}, c, []*solvers.Run{run}) {
			kinds = append(kinds, v.Kind)
		}
		require.Equal(t, tc.kinds, kinds, "%s %s %v", tc.text, tc.preamble, tc.argv)
	}
}

// A :status holds for the standard meaning: if an option changes the meaning of the problem, the status is ignored.
func TestStatusUnderOptions(t *testing.T) {
	for text, known := range map[string]bool{
		"(set-option :encoding ascii)(set-info :status sat)(declare-const s String)(assert (= s \"a\"))(check-sat)": false,
		"(set-option :encoding ascii)(set-info :status sat)(declare-const x Int)(assert (= x 1))(check-sat)":        true,
	} {
		c, err := testcase.Parse("case", []byte(text))
		require.NoError(t, err)
		require.Equal(t, known, c.Expect != nil, text)
	}
}
