package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Datatypes whose fields have ever larger instances of them have default values, domains and constants all the same:
// the fields of a base constructor need none of these instances.
func TestNonRegularDatatypes(t *testing.T) {
	const (
		nest  = "(declare-datatypes ((L 1)) ((par (X) ((n) (c (t (L (L X))))))))"
		twice = "(declare-datatypes ((P 1) (L 1)) ((par (X) ((p (l X) (r X)))) (par (X) ((c (t (L (P X))) (u (L (L X)))) (n)))))"
		mixed = "(declare-datatypes ((A 1) (B 1)) ((par (X) ((a1 (f1 (B (A X)))) (a2 (f2 (B X))))) (par (X) ((b1) (b2 (g1 (A (B X))))))))"
	)
	for _, tc := range []struct {
		script string
		want   value.Truth
	}{
		{nest + "(declare-const x (L Int))(assert (= x (as n (L Int))))", value.True},
		{nest + "(declare-const x (L Int))(assert (not ((_ is n) x)))", value.False},
		{nest + "(declare-const x (Array (L Int) (L Bool)))(assert (= (select x (as n (L Int))) (as n (L Bool))))", value.True},
		{nest + "(declare-const x (Seq (L Int)))(assert (= x (as seq.empty (Seq (L Int)))))", value.True},
		{nest + "(declare-const y (L Int))(assert (distinct y (c (as n (L (L Int))))))", value.True},
		{nest + "(assert (forall ((x (L Int))) (= (t x) (as n (L (L Int))))))", value.Unknown},
		{twice + "(declare-const x (L Int))(assert (= x (as n (L Int))))", value.True},
		{twice + "(declare-const x (Array Int (P (L Bool))))(assert (= (l (select x 0)) (as n (L Bool))))", value.True},
		{mixed + "(declare-const x (A Int))(assert (= x (a2 (as b1 (B Int)))))", value.False},
		{mixed + "(declare-const x (A Int))(assert (= x (a1 (as b1 (B (A Int))))))", value.True},
	} {
		s, err := smtlib.Parse("nonregular", []byte(tc.script+"(check-sat)"), smt.NewArena())
		require.NoError(t, err, tc.script)
		ev := eval.New(s.Arena, model.New(s.Arena))
		ev.SetCompletion(true)
		require.Equal(t, tc.want, eval.CheckTerms(ev, s.Asserts()).Result, tc.script)
		require.NotEmpty(t, literal.Constants(s.Arena, s.Arena.Sort(s.Arena.Arg(s.Asserts()[0], 0))), tc.script)
	}
}

// How large a datatype without ever larger instances is stays known, whatever is inside it.
func TestSizesOfNestedDatatypes(t *testing.T) {
	s, err := smtlib.Parse("nested", []byte("(declare-datatypes ((O 1)) ((par (X) ((none) (some (of X))))))"+
		"(assert (forall ((x (O (O (O Bool))))) (=> ((_ is some) x) (or ((_ is none) (of x)) ((_ is some) (of x))))))(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	require.Equal(t, value.True, eval.CheckModel(s, model.New(s.Arena)).Result)
}
