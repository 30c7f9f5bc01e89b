package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestWithoutTactics(t *testing.T) {
	script, err := smtlib.Parse("tactics.smt2",
		[]byte("(declare-const p Bool)(assert p)(check-sat-using (then simplify smt))(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	q := FromScript(script)
	plain := q.WithoutTactics()
	require.Equal(t, "(declare-const p Bool)\n(assert p)\n(check-sat)\n(check-sat)\n", plain.Text())
	require.Contains(t, q.Text(), "check-sat-using", "the query itself stays")
	require.Equal(t, 2, plain.Count(AnswerReply))
	require.Same(t, plain, plain.WithoutTactics())
}

// No model is requested if the solver has no models of a declared sort; the values of the script keep their places.
func TestWithoutModels(t *testing.T) {
	query := func(text string) *Query {
		script, err := smtlib.Parse("models.smt2", []byte(text), smt.NewArena())
		require.NoError(t, err)
		return FromScript(script).WithModel()
	}
	q := query("(declare-const a (Array Int Int))(check-sat)(get-value ((select a 0)))(get-model)(check-sat)(echo \"x\")")
	without, places := q.WithoutModels([]string{"Seq", "Array"})
	require.Equal(t, "(declare-const a (Array Int Int))\n(check-sat)\n(get-value ((select a 0)))\n(get-model)\n(check-sat)\n(echo \"x\")\n",
		without.Text(), "the script's own question stays")
	require.Equal(t, []int{1, 2, 4}, places)
	require.Equal(t, []string{"", "v", "m", "", "x"}, SpreadValues(make([]string, 5), []string{"v", "m", "x"}, places))
	for _, kinds := range [][]string{nil, {"Seq"}} {
		same, _ := q.WithoutModels(kinds)
		require.Same(t, q, same)
	}
	defined := query("(define-fun f ((a (Array Int Int))) Int (select a 0))(check-sat)")
	same, _ := defined.WithoutModels([]string{"Array"})
	require.Same(t, defined, same, "a model has no values of definitions")
	declared := query("(declare-fun f ((Array Int Int)) Bool)(check-sat)")
	without, _ = declared.WithoutModels([]string{"Array"})
	require.NotContains(t, without.Text(), "get-model")
}
