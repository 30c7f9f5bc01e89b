package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/lacktest"
)

func TestWhatCountsForABuild(t *testing.T) {
	lacks := func(version, library string, lines ...string) []string {
		s := &Solver{Version: version, Library: library, Profile: &Profile{Support: Support{APIExclude: lines}}}
		var out []string
		for _, l := range s.Lacks() {
			out = append(out, l.String())
		}
		return out
	}
	versions := []string{"operator a", "operator b before 1.1", "sort Set before 4.13.2", "sort Bag since 5"}
	require.Equal(t, []string{"operator a", "operator b", "sort Set"}, lacks("1.0.3", "", versions...))
	require.Equal(t, []string{"operator a", "sort Set"}, lacks("1.1", "", versions...))
	require.Equal(t, []string{"operator a", "sort Set"}, lacks("4.8.12", "", versions...))
	require.Equal(t, []string{"operator a"}, lacks("4.13.3-dev", "", versions...))
	require.Equal(t, []string{"operator a", "sort Bag"}, lacks("5.4.0", "", versions...))
	text := []string{"theory HigherOrder over text", "operator a before 2 over text", "sort Set"}
	require.Equal(t, []string{"theory HigherOrder", "operator a", "sort Set"}, lacks("1", "", text...))
	require.Equal(t, []string{"theory HigherOrder", "sort Set"}, lacks("2", "", text...))
	require.Equal(t, []string{"sort Set"}, lacks("1", "lib.so", text...))

	s := &Solver{Version: "2", Profile: &Profile{Support: Support{APIAvoid: []string{"sort Bag before 3"}}}}
	require.Equal(t, lacktest.Lacks("sort Bag"), s.Avoids())
	s.Profile.OutlivesPop = []string{"(set-option :a before 1.9", "declare-datatypes before 2.1"}
	require.Equal(t, []string{"declare-datatypes"}, s.Outlives(true))
}

func TestLinesThatSayNothing(t *testing.T) {
	p := &Profile{Support: Support{APIExclude: []string{"colour blue"}}}
	require.ErrorContains(t, p.Support.check(), `"colour blue" excludes nothing`)
}
