package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// TestProfilesAgreeWithSolvers asks each solver that profiles were checked with what it takes, program and library: a profile is
// what a campaign begins with where nobody can be asked, and what people read.
func TestProfilesAgreeWithSolvers(t *testing.T) {
	if testing.Short() {
		t.Skip("it asks some hundred questions")
	}
	checked := map[string]bool{"z3-4.13.3": true, "z3-5.4.0": true, "z3-5.4.1": true, "cvc5-1.3.2": true, "bitwuzla-0.8.2": true, "boolector-3.2.4": true, "yices2-2.6.5": true, "cvc4-1.8": true,
		"libz3-4.13.3": true, "libz3-5.4.0": true, "libz3-5.4.1": true, "libcvc5-1.3.2": true, "libbitwuzla-0.8.2": true, "libboolector-3.2.4": true, "libyices2-2.6.5": true}
	program, err := os.Executable()
	require.NoError(t, err)
	native.Self = []string{program, "native"} // see TestMain
	t.Cleanup(func() { native.Self = nil })
	supply := script.NewSupply()
	found, err := supply.Installed()
	require.NoError(t, err)
	libraries, err := command.InstalledLibraries(context.Background(), supply)
	require.NoError(t, err)
	n := 0
	for _, s := range append(found, libraries...) {
		if s.Unusable != "" || !checked[s.Name] {
			continue
		}
		n++
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			one := &target.Solver{Found: s, Opt: process.Options{Mode: s.Modes()[0]}}
			require.NoError(t, target.LearnFacts(context.Background(), []*target.Solver{one}, nil, nil))
			require.NotNil(t, one.Learned, "it could not be asked")
			f := one.Learned.Facts
			require.Empty(t, f.Takes, "lines of api_exclude that are wrong")
			require.Empty(t, lines(f.Refuses), "lines that api_exclude lacks")
			require.Empty(t, lines(f.Dies))
		})
	}
	if os.Getenv("CI") == "true" {
		require.GreaterOrEqual(t, n, 10, "make solvers unpacks them")
	} else if n == 0 {
		t.Skip("none of the solvers that profiles were checked with is here: make solvers")
	}
}

func lines(list []solvers.Refused) (out []string) {
	for _, r := range list {
		out = append(out, r.Line+": "+r.Message)
	}
	return out
}
