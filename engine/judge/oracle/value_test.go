package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func TestKnownValue(t *testing.T) {
	const head = "(set-option :produce-models true)(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(declare-const p Bool)"
	for _, tc := range []struct {
		script string
		values []string
		wrong  bool
	}{
		{"(assert (= x #x03))(check-sat)(get-value ((bvadd x #x01)))", []string{"(((bvadd x #x01) #x04))"}, false},
		{"(assert (= x #x03))(check-sat)(get-value ((bvadd x #x01)))", []string{"(((bvadd x #x01) #x05))"}, true},
		{"(assert (and (bvule x #x03) (bvule #x03 x) (= y (bvnot x))))(check-sat)(get-value (y))", []string{"((y #xfc))"}, false},
		{"(assert (and (bvule x #x03) (bvule #x03 x) (= y (bvnot x))))(check-sat)(get-value (y))", []string{"((y #xfd))"}, true},
		{"(assert (bvule x #x03))(check-sat)(get-value (x))", []string{"((x #x09))"}, false}, // nothing is forced: another oracle's affair
		{"(push 1)(assert (= x #x03))(pop 1)(check-sat)(get-value (x))", []string{"((x #x09))"}, false},
		{"(check-sat-assuming (p))(get-value (p))", []string{"((p false))"}, true},
		{"(assert (= x #x03))(check-sat)(get-value (x))", []string{"(model)", "((x #x09))"}, true}, // a model beside it
		{"(assert (= x #x03))(check-sat)(get-value (x))", []string{"(error \"no\")"}, false},
		{"(assert (= x #x03))(check-sat)(get-value (x))", nil, false},
		{"(assert (! (or p (= x y)) :named n))(check-sat)(get-assignment)", []string{"((n true))"}, false},
		{"(assert (! (or p (= x y)) :named n))(check-sat)(get-assignment)", []string{"((n false))"}, true},
		{"(assert (! (or p (= x y)) :named |a b|))(check-sat)(get-assignment)", []string{"((|a b| false))"}, true},
		{"(assert (or p (! (= x y) :named n)))(check-sat)(get-assignment)", []string{"((n false))"}, false}, // may be either
		{"(assert (and (= x #x03) (= y #x04) (or p (not (! (= x y) :named n)))))(check-sat)(get-assignment)", []string{"((n true))"}, true},
		{"(push 1)(assert (! p :named n))(pop 1)(check-sat)(get-assignment)", []string{"((n false))"}, false},
		{"(assert (! p :named n))(check-sat)(get-assignment)", []string{"((m false) (n unknown))"}, false},
		{"(assert (! p :named n))(check-sat)(get-assignment)", []string{"n false"}, false},
	} {
		s, err := smtlib.Parse("case", []byte(head+tc.script), smt.NewArena())
		require.NoError(t, err)
		c := &testcase.Case{Script: s}
		run := &solvers.Run{Target: "t", Solver: "z", Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat}, Values: tc.values}
		verdicts := oracle.KnownValue().Judge(c, []*solvers.Run{run})
		require.Equal(t, tc.wrong, len(verdicts) == 1, "%s: %s", tc.script, strings.Join(tc.values, " "))
		run.RoundsReals = true // bit vectors are no reals
		require.Equal(t, tc.wrong, len(oracle.KnownValue().Judge(c, []*solvers.Run{run})) == 1)
		run.Answers[0] = smtlib.Unknown
		require.Empty(t, oracle.KnownValue().Judge(c, []*solvers.Run{run}))
	}
}
