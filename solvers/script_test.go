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
