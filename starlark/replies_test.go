package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

// Timeouts and the end of memory are told first, before refusals and crashes: the expressions of profiles for them
// begin at the beginning of a line, so that no word in the middle of another message is taken for one, as "timeout" in
// the list of z3's parameters.
func TestLimitsBeginALine(t *testing.T) {
	profiles, err := Supply().Profiles()
	require.NoError(t, err)
	require.NotEmpty(t, profiles)
	for _, p := range profiles {
		for _, e := range append(append([]string{}, p.Timeout...), p.OutOfMemory...) {
			require.True(t, strings.HasPrefix(e, "^"), "%s: %s", p.Name, e)
		}
	}
}

// What solvers printed.
func TestRecordedReplies(t *testing.T) {
	for _, tc := range []struct {
		kind    string
		e       solvers.Evidence
		class   solvers.Class
		message string
	}{
		{"z3", solvers.Evidence{Errors: "(error \"line 1 column 39: unknown parameter 'produce_difficulty'\nLegal parameters are:\n  auto_config (bool) (default: true)\n" +
			"  rlimit (unsigned int) (default: 0)\n  timeout (unsigned int) (default: 4294967295)\")"}, solvers.Refusal, "input:*: unknown parameter 'produce_difficulty'"},
		{"z3", solvers.Evidence{Errors: `(error "line 3 column 20: unknown constant timeout")`}, solvers.ParseError, "input:*: unknown constant timeout"},
		{"z3", solvers.Evidence{Errors: `(error "line 3 column 20: unknown constant |max. memory exceeded|")`}, solvers.ParseError, "input:*: unknown constant |max. memory exceeded|"},
		{"z3", solvers.Evidence{Errors: `(error "tactic failed: canceled")`}, solvers.Timeout, "tactic failed: canceled"},
		{"z3", solvers.Evidence{Errors: `(error "line 1 column 150: canceled")`}, solvers.Timeout, "input:*: canceled"},
		{"z3", solvers.Evidence{Errors: "timeout"}, solvers.Timeout, "timeout"},
		{"z3", solvers.Evidence{Errors: `(error "out of memory")`, ExitCode: 101}, solvers.OutOfMemory, "out of memory"},
		{"cvc5", solvers.Evidence{Stderr: "cvc5 interrupted by timeout.\n", ExitCode: 134}, solvers.Timeout, "cvc5 interrupted by timeout."},
		{"cvc5", solvers.Evidence{Errors: `(error "Parse Error: <stdin>:1.9: Symbol 'resource limit' not declared as a variable")`, ExitCode: 1}, solvers.ParseError,
			"Parse Error: input:*: Symbol 'resource limit' not declared as a variable"},
		{"yices2", solvers.Evidence{Errors: `(error "at line 2, column 9: undefined term: timeout")`}, solvers.ParseError, "at input:*: undefined term: timeout"},
	} {
		p, err := Supply().Kind(tc.kind)
		require.NoError(t, err)
		class, message := p.Classify(tc.e)
		require.Equal(t, tc.class, class, "%s: %s", tc.kind, message)
		require.Equal(t, tc.message, message)
	}
}
