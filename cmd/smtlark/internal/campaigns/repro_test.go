package campaigns

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers"
)

// TestNotAsked: a program that did not start says nothing of a finding, whatever the others did.
func TestNotAsked(t *testing.T) {
	ran := finding.Run{Target: "z3", Class: solvers.OK}
	require.NoError(t, notAsked(nil))
	require.NoError(t, notAsked([]finding.Run{ran, {Target: "cvc5", Class: solvers.Timeout}}))
	require.EqualError(t, notAsked([]finding.Run{ran, {Target: "cvc5", Class: solvers.StartFailure, Message: "no such file"}}), "cvc5 could not be asked: no such file")
	require.EqualError(t, notAsked([]finding.Run{{Target: "cvc5", Class: solvers.StartFailure, Outcome: "did not start"}}), "cvc5 could not be asked: did not start")
}
