package reduce

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestScopes(t *testing.T) {
	s, err := smtlib.Parse("test", []byte("(push 2)(push 1)(pop 1)(check-sat)(pop 2)(push 1)(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	require.Equal(t, []level{{0, 4}, {0, 4}, {5, 7}, {1, 2}}, scopes(s.Commands))
}
