package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/rule"
)

func TestWhatCountsForABuild(t *testing.T) {
	lacks := func(version, library string, rules ...rule.VersionedLack) []string {
		s := &Solver{Version: version, Library: library, Profile: &Profile{Support: Support{APIExclude: rules}}}
		var out []string
		for _, l := range s.Lacks() {
			out = append(out, l.String())
		}
		return out
	}
	always := func(l rule.Lack) rule.VersionedLack { return rule.VersionedLack{Lack: l} }
	before := func(version string, l rule.Lack) rule.VersionedLack {
		return rule.VersionedLack{Lack: l, Bounds: rule.Bounds{Before: version}}
	}
	versions := []rule.VersionedLack{
		always(rule.Operator.Of("a")), before("1.1", rule.Operator.Of("b")), before("4.13.2", rule.Sort.Of("Set")),
		{Lack: rule.Sort.Of("Bag"), Bounds: rule.Bounds{Since: "5"}},
	}
	require.Equal(t, []string{"operator a", "operator b", "sort Set"}, lacks("1.0.3", "", versions...))
	require.Equal(t, []string{"operator a", "sort Set"}, lacks("1.1", "", versions...))
	require.Equal(t, []string{"operator a", "sort Set"}, lacks("4.8.12", "", versions...))
	require.Equal(t, []string{"operator a"}, lacks("4.13.3-dev", "", versions...))
	require.Equal(t, []string{"operator a", "sort Bag"}, lacks("5.4.0", "", versions...))
	text := []rule.VersionedLack{
		{Lack: rule.Theory.Of("HigherOrder"), Bounds: rule.Bounds{OverText: true}},
		{Lack: rule.Operator.Of("a"), Bounds: rule.Bounds{Before: "2", OverText: true}},
		always(rule.Sort.Of("Set")),
	}
	require.Equal(t, []string{"theory HigherOrder", "operator a", "sort Set"}, lacks("1", "", text...))
	require.Equal(t, []string{"theory HigherOrder", "sort Set"}, lacks("2", "", text...))
	require.Equal(t, []string{"sort Set"}, lacks("1", "lib.so", text...))

	s := &Solver{Version: "2", Profile: &Profile{Support: Support{APIAvoid: []rule.VersionedLack{before("3", rule.Sort.Of("Bag"))}}}}
	require.Equal(t, lacktest.Lacks("sort Bag"), s.Avoids())
	s.Profile.OutlivesPop = []string{"(set-option :a before 1.9", "declare-datatypes before 2.1"}
	require.Equal(t, []string{"declare-datatypes"}, s.Outlives(true))
}

func TestRulesOfOtherFields(t *testing.T) {
	configured := rule.VersionedLack{Lack: rule.Operator.Of("a"), Configuration: "safe"}
	support := Support{APIExclude: []rule.VersionedLack{configured}}
	require.ErrorContains(t, support.check(),
		`api_exclude has solver.lacks(operator = "a", configuration = "safe"), which is for configuration_exclude`)
	configured.Configuration = ""
	promises := Promises{ConfigurationExclude: []rule.VersionedLack{configured}}
	require.ErrorContains(t, promises.check(), `configuration_exclude has solver.lacks(operator = "a"), which names no configuration`)
}
