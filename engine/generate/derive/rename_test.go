package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A renamed case has the same answers, and the witness that comes along satisfies it: also where two constants change
// names.
func TestRenamedCasesKeepTheirWitness(t *testing.T) {
	a := smt.NewArena()
	script, err := smtlib.Parse("t", []byte(`(declare-const a Int)(declare-const b Int)(declare-fun f (Int) Int)
		(define-fun twice ((x Int)) Int (* 2 x))
		(assert (= a 7))(assert (= (twice b) 6))(assert (= (f a) b))(assert (exists ((y Int)) (= y a)))(check-sat)(get-value (a b))`), a)
	require.NoError(t, err)
	witness := model.New(a)
	for name, n := range map[string]int64{"a": 7, "b": 3} {
		witness.Set(a.Declare(name, nil, smt.SortInt), value.Int64(n))
	}
	c := &testcase.Case{Script: script, Expect: []smtlib.Answer{smtlib.Sat}, Witness: witness}
	for _, names := range []map[string]string{{"a": "y"}, {"a": "b", "b": "a"}, {"twice": "double", "b": "c", "f": "a function"}} {
		r, err := derive.Rename(c, names)
		require.NoError(t, err)
		require.Equal(t, c.Expect, r.Expect)
		text := string(new(smtlib.Printer).Script(nil, r.Script))
		again, err := smtlib.Parse("again", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		require.Equal(t, text, string(new(smtlib.Printer).Script(nil, again)))
		e := eval.New(a, r.Witness)
		for _, term := range r.Script.Asserts()[:2] {
			require.Equal(t, value.True, e.Truth(term), names)
		}
	}
	for _, wrong := range []map[string]string{{"c": "d"}, {"a": "b"}, {"a": "c", "b": "c"}, {"a": "and"}} {
		_, err := derive.Rename(c, wrong)
		require.Error(t, err, wrong)
	}
}
