package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

func found(name string) *solvers.Solver {
	return &solvers.Solver{Name: name, Profile: &solvers.Profile{
		Name:       name,
		Support:    solvers.Support{APIExclude: []rule.VersionedLack{}},
		Repertoire: solvers.Repertoire{APIOptions: switches("mine"), APILimits: []rule.Limit{{Name: "timeout", Lo: 1, Hi: 9}}},
	}}
}

// Settings for one kind of solver apply only to campaigns with no other kind, and a feature that one target lacks is
// left out for all.
func TestDesignsFollowTheTargets(t *testing.T) {
	d := &Design{
		Machine:   &Machine{Actions: map[string]*Action{}},
		Sorts:     []OnlyFor[gen.Weighted]{{What: gen.Weighted{Text: "Int", Weight: 1}}, {What: gen.Weighted{Text: "Real", Weight: 1}, Kind: "a"}},
		Excludes:  []OnlyFor[rule.Lack]{{rule.Operator.Of("bvmul"), "a"}, {rule.Action.Of("push"), "b"}, {What: rule.Conflict.With("x", "y")}},
		Operators: map[string]string{"bvredor": "a"},
	}
	a, b := found("a"), found("b")
	one, err := d.Config(Aim{Options: true}, []*solvers.Solver{a}, gen.Exclusions{}, lacktest.Lacks("assumption term", "named term", "echo quotes"))
	require.NoError(t, err)
	require.Len(t, one.Gen.Sorts, 2)
	require.Equal(t, lacktest.Lacks("operator bvmul"), one.Gen.Rules.Exclude)
	require.Empty(t, one.Without)
	require.Equal(t, [][2]string{{"x", "y"}}, one.Options.Conflicts)
	require.True(t, one.Literals && one.NoNames && one.NoQuotes)
	require.Equal(t, "mine", one.Options.Specs[0].Name)
	require.Equal(t, "timeout", one.Limits[0].Name)

	both, err := d.Config(Aim{Options: true}, []*solvers.Solver{a, b}, gen.Exclusions{Exclude: lacktest.Lacks("sort Set")}, nil)
	require.NoError(t, err)
	require.Len(t, both.Gen.Sorts, 1)
	require.Equal(t, lacktest.Lacks("operator bvmul", "operator bvredor", "sort Set"), both.Gen.Rules.Exclude)
	require.Equal(t, lacktest.Lacks("action push"), both.Without)
	require.Empty(t, both.Options.Specs, "options of one kind mean nothing to another")
	require.False(t, both.Literals)

	both.Avoid(lacktest.Lacks("action reset", "operator ite", "option o", "named term"))
	require.Equal(t, lacktest.Lacks("action push", "action reset", "option o"), both.Without)
	require.Contains(t, both.Gen.Rules.Exclude, rule.Operator.Of("ite"))
	require.True(t, both.NoNames)
}
