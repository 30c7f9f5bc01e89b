package main

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// TestProfilesAgreeWithSolvers asks each solver with a checked profile, program and library, which input it accepts.
// Campaigns start from the profile if no solver can be asked, and people read it.
func TestProfilesAgreeWithSolvers(t *testing.T) {
	if testing.Short() {
		t.Skip("it asks some hundred questions")
	}
	checked := map[string]bool{"z3-4.13.3": true, "z3-5.4.0": true, "z3-5.4.1": true, "cvc5-1.3.2": true, "bitwuzla-0.8.2": true, "boolector-3.2.4": true, "yices2-2.6.5": true, "cvc4-1.8": true,
		"libz3-4.13.3": true, "libz3-5.4.0": true, "libz3-5.4.1": true, "libcvc5-1.3.2": true, "libbitwuzla-0.8.2": true, "libboolector-3.2.4": true, "libyices2-2.6.5": true}
	n := 0
	for _, s := range installedSolvers(t) {
		if !checked[s.Name] {
			continue
		}
		n++
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			one := &target.Solver{Found: s, Opt: process.TargetOptions{Mode: s.Modes()[0]}}
			require.NoError(t, target.AskFacts(context.Background(), []*target.Solver{one}, nil))
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

// installedSolvers returns the usable programs and libraries of this machine.
func installedSolvers(t *testing.T) []*solvers.Solver {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	native.Self = []string{program, "native"} // see TestMain
	t.Cleanup(func() { native.Self = nil })
	supply := script.NewSupply()
	found, err := supply.Installed()
	require.NoError(t, err)
	libraries, err := command.InstalledLibraries(context.Background(), supply)
	require.NoError(t, err)
	return slices.DeleteFunc(append(found, libraries...), func(s *solvers.Solver) bool { return s.Unusable != "" })
}

// TestKnownFacts checks that the table of known builds agrees with the answers of these builds, for the current
// questions. UPDATE=1 asks the solvers of this machine and rewrites their rows.
func TestKnownFacts(t *testing.T) {
	const file = "../../engine/campaign/target/known.json"
	update := os.Getenv("UPDATE") != ""
	table := target.KnownBuilds()
	for _, s := range installedSolvers(t) {
		one := &target.Solver{Found: s, Opt: process.TargetOptions{Mode: s.Modes()[0]}}
		sameBuild := func(k target.Known) bool { return k.Solver == s.Name && k.SHA256 == s.Build().SHA256 }
		at := slices.IndexFunc(table, sameBuild)
		if at < 0 && !update {
			continue
		}
		ask := target.AskFacts
		if testing.Short() && !update {
			ask = func(ctx context.Context, list []*target.Solver, _ *memo.Cache) error {
				return target.LearnFacts(ctx, list, nil, nil) // it does not take long where the table knows it
			}
		}
		require.NoError(t, ask(t.Context(), []*target.Solver{one}, nil), s.Name)
		row := target.RowOf(one)
		if update {
			table = slices.DeleteFunc(table, sameBuild)
			if len(row.Facts.Unanswered) == 0 && row.Facts.Unasked == 0 { // a faster machine may say more
				table = append(table, row)
			}
			continue
		}
		require.Equal(t, table[at], row, "%s: UPDATE=1 go test ./cmd/smtlark -run KnownFacts", s.Name)
	}
	if update {
		slices.SortFunc(table, func(a, b target.Known) int {
			return cmp.Or(cmp.Compare(a.Solver, b.Solver), cmp.Compare(a.SHA256, b.SHA256))
		})
		text, err := json.MarshalIndent(table, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o644))
	}
}

func lines(list []solvers.Refused) (out []string) {
	for _, r := range list {
		out = append(out, r.Lack.String()+": "+r.Message)
	}
	return out
}
