package confirm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func TestWhatShowsAReproduction(t *testing.T) {
	run := func(class solvers.Class, message string, answers ...smtlib.Answer) *solvers.Run {
		return &solvers.Run{Class: class, Message: message, Answers: answers}
	}
	wrong := &campaign.Reproduction{Got: smtlib.Unsat, Want: smtlib.Sat, Check: 1}
	require.True(t, showsReproduction(wrong, run(solvers.Timeout, "", smtlib.Sat, smtlib.Unsat)))
	require.False(t, showsReproduction(wrong, run(solvers.OK, "", smtlib.Unsat, smtlib.Sat)))
	require.False(t, showsReproduction(wrong, run(solvers.OK, "", smtlib.Unsat)))
	any := &campaign.Reproduction{Want: smtlib.Sat}
	require.True(t, showsReproduction(any, run(solvers.OK, "", smtlib.Unsat)))
	require.False(t, showsReproduction(any, run(solvers.OK, "", smtlib.Unknown)))
	crash := &campaign.Reproduction{Class: solvers.Crash, Message: "In Foo"}
	require.True(t, showsReproduction(crash, run(solvers.Crash, "SIGSEGV in foo()")))
	require.False(t, showsReproduction(crash, run(solvers.Crash, "SIGSEGV in bar()")))
	require.False(t, showsReproduction(crash, run(solvers.Assertion, "in foo")))
}
