package catalogue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

func TestVersionMatches(t *testing.T) {
	for _, tc := range []struct {
		have, want string
		ok         bool
	}{
		{"4.8.12", "", true}, {"4.8.12", "4.8", true}, {"4.8.12", "4.8.12", true}, {"4.13.3", "4.1", false}, {"4.13.3", "4.13.30", false},
		{"1.0.3-dev", "1.0.3", true},
	} {
		require.Equal(t, tc.ok, VersionMatches(tc.have, tc.want), "%v", tc)
	}
}

func TestLibrariesAreNamedAsTheirPrograms(t *testing.T) {
	one, err := solvers.ProfileFromMap(map[string]any{"name": "one", "binaries": []string{"no-such-program-1"}}, nil)
	require.NoError(t, err)
	ps := []*solvers.Profile{one}
	s := New(func(string, ...string) ([]*solvers.Profile, error) { return ps, nil })
	found := &solvers.Solver{Profile: ps[0], Name: "libone-2.0"}
	s.libs[ps[0]] = []*solvers.Solver{{Profile: ps[0], Name: "libone-1.0", Unusable: "broken"}, found}
	for _, name := range []string{"libone-2.0", "one-2.0", "libone"} {
		got, err := s.LibraryNamed(t.Context(), name)
		require.NoError(t, err, name)
		require.Same(t, found, got, name)
	}
	_, err = s.LibraryNamed(t.Context(), "one-1.0")
	require.ErrorContains(t, err, `no C library of a solver is named "one-1.0"`)
}
