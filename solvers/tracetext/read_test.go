package tracetext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A function whose parameter is no variable is an error of the trace: it could not even be printed.
func TestParametersAreVariables(t *testing.T) {
	_, err := Read([]byte(head+"\n0 mk-sort \"Int\"\nreturn s1\n0 mk-const s1 \"x\"\nreturn t2\n0 mk-fun \"f\" 1 t2 t2\nreturn f3\n"), nil)
	require.ErrorContains(t, err, "must be a variable")
}
