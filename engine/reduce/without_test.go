package reduce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
)

func TestWithout(t *testing.T) {
	const text = "(declare-const x Int)(assert (= (div 7 2 1) (mod x 2)))(assert (= x (div 9 3)))(assert (forall ((y Int)) (distinct (div y 2 1) (* 2 y y))))(check-sat)"
	c := parse(t, text)
	is := func(name string) func(smt.Term) bool {
		return func(term smt.Term) bool { return triage.HasName(c.Script.Arena, term, name) }
	}
	require.Equal(t, "(declare-const x Int)\n(assert (= 3 (mod x 2)))\n(assert (= x (div 9 3)))\n"+
		"(assert (forall ((y Int)) (distinct (div y 2 1) (* 2 y y))))\n(check-sat)\n", reduce.Without(c, is("nary div")).Script.Text(),
		"what a variable is bound in has no value")
	require.Nil(t, reduce.Without(c, is("+")))
	require.Nil(t, reduce.Without(parse(t, "(declare-const x Int)(assert (= 1 (mod x 2)))(check-sat)"), is("mod")), "nobody knows x")

	var err error
	var m *model.Model
	m, err = modelreader.Parse(c.Script, "((define-fun x () Int 3))")
	require.NoError(t, err)
	c.Witness = m
	require.Contains(t, reduce.Without(c, func(term smt.Term) bool {
		return c.Script.Arena.Op(term) == smt.OpMod
	}).Script.Text(), "(assert (= (div 7 2 1) 1))")
}

func TestNamesOfManyArguments(t *testing.T) {
	of := func(text string) []string {
		return triage.Skeleton(parse(t, "(declare-const x Int)"+text+"(check-sat)").Script, "")
	}
	require.Equal(t, []string{"div"}, of("(assert (= x (div x 2)))"))
	require.Equal(t, []string{"div", "nary div"}, of("(assert (= x (div x 2 3)))"))
	require.False(t, triage.Within(of("(assert (= x (div x 2 3)))"), of("(assert (= x (div x 2)))")), "another mistake")
	require.True(t, triage.HasShape(of("(assert (= x (div x 2 3)))"), []string{"div"}))
	require.Equal(t, []string{"nary div", "div", "+"}, triage.BySpecificity([]string{"(push)", "div", "+", "nary div", "sort Int"}))
}
