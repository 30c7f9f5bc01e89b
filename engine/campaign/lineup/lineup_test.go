package lineup_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/lineup"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/rule"
)

// fake is a target that does nothing but being closed.
type fake struct {
	solvers.Target
	name   string
	mode   solvers.Mode
	found  *solvers.Solver
	closed *int
}

func (f *fake) Name() string            { return f.name }
func (f *fake) Solver() *solvers.Solver { return f.found }
func (f *fake) Run(context.Context, *solvers.Query, solvers.Limits) *solvers.Run {
	return &solvers.Run{}
}
func (f *fake) Close() error { *f.closed++; return nil }

// made returns a solver of a kind and version whose targets are fakes.
func made(t *testing.T, kind, version string, closed *int, theories ...string) *target.Solver {
	p, err := solvers.ProfileFromMap(map[string]any{"name": kind, "binaries": []string{}, "modes": []string{"fresh", "incremental"}, "theories": append([]string{"Core"}, theories...)})
	require.NoError(t, err)
	found := &solvers.Solver{Profile: p, Name: kind + "-" + version, Version: version, Path: "/" + kind + version}
	s := &target.Solver{Found: found, Expr: `solver("` + kind + `")`, Opt: process.TargetOptions{Mode: solvers.Incremental, SMTOptions: []rule.Setting{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}, Args: []string{"--c", "value"}}}
	s.New = func(opt process.TargetOptions) solvers.Target {
		return &fake{name: opt.Name, mode: opt.Mode, found: found, closed: closed}
	}
	return s
}

func TestTargetsKnowWhatTheyWereMadeOf(t *testing.T) {
	closed := 0
	s := made(t, "z3", "4", &closed)
	wrapped := 0
	set := lineup.Set{Wrap: func(t solvers.Target) solvers.Target { wrapped++; return t }}
	one := set.Open(s)
	require.Equal(t, `solver("z3")`, set.Expr(one))
	require.Equal(t, []string{"a", "b", "--c value"}, set.Options(one))
	fresh, err := set.InMode(one, solvers.Fresh)
	require.NoError(t, err)
	require.Equal(t, solvers.Fresh, fresh.(*fake).mode)
	require.Equal(t, one.Name(), fresh.Name())
	require.Equal(t, 2, wrapped)
	_, err = set.InMode(one, solvers.Native)
	require.ErrorContains(t, err, "z3-4 has no mode native")
	_, err = set.Without(one, solvers.Fresh, []string{"a", "--c value"})
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, s.Without([]string{"a", "--c value"}).Options())
	require.Equal(t, []string{"a", "b", "--c value"}, s.Options(), "it is another solver that lacks them")

	stranger := &fake{name: "stranger", closed: &closed}
	_, err = set.InMode(stranger, solvers.Fresh)
	require.EqualError(t, err, "stranger is no target of this campaign")
	require.Empty(t, set.Expr(stranger))
	set.Keep(one, fresh)
	require.NoError(t, set.Close())
	require.Equal(t, 2, closed)
}

func TestReferencesAreTheNewestOfTheMostTheories(t *testing.T) {
	closed := 0
	few, old, young := made(t, "few", "9", &closed), made(t, "many", "1", &closed), made(t, "many", "2", &closed)
	old.Found.Profile.Theories, young.Found.Profile.Theories = []string{"Core", "Ints"}, []string{"Core", "Ints"}
	var names []string
	for _, r := range lineup.References(nil, func() []*solvers.Solver { return []*solvers.Solver{few.Found, old.Found, young.Found} }) {
		names = append(names, r.Solver().Name)
	}
	require.Equal(t, []string{"many-2", "many-1", "few-9"}, names)
	named := lineup.References([]*target.Solver{few}, nil)
	require.Len(t, named, 1)
	require.Equal(t, solvers.Fresh, named[0].(*fake).mode)
}

func TestCasesAreForThoseWhoseTurnItIs(t *testing.T) {
	closed := 0
	a, b := made(t, "a", "1", &closed, "FixedSizeBitVectors"), made(t, "b", "1", &closed, "Ints")
	seeds := corpus.New("here", []corpus.Seed{
		corpus.Text{Label: "bv", Text: "(set-logic QF_BV)(check-sat)"}, corpus.Text{Label: "lia", Text: "(set-logic QF_LIA)(check-sat)"},
	})
	members, turns := lineup.Members([]*target.Solver{a, b}, nil, true)
	audience := lineup.NewAudience(members, turns, seeds)
	require.True(t, audience.TakesTurns())
	seen := map[string]bool{}
	compared := 0
	for n := range uint64(200) {
		common, for_, theirs := audience.At(3, n)
		if len(common) != 1 {
			compared++ // one of the sample: no seed is for both, so it is one of whom the case is for
		}
		require.Len(t, for_, 1)
		seen[for_[0].Name()] = true
		require.Len(t, theirs.Seeds(), 1)
		require.Equal(t, map[string]string{"a": "bv", "b": "lia"}[for_[0].Found.Profile.Name], theirs.Seeds()[0].Name())
	}
	require.Positive(t, compared)
	require.Len(t, seen, 2)
	takes := lineup.Takers(members)
	for i, text := range []string{"(declare-const x (_ BitVec 4))(check-sat)", "(declare-const x Int)(check-sat)"} {
		c, err := testcase.Parse("c", []byte(text))
		require.NoError(t, err)
		require.True(t, takes(i, c))
	}
	require.Len(t, lineup.Groups(members, true), 2)

	all, turns := lineup.Members([]*target.Solver{a, b}, nil, false)
	require.Nil(t, turns)
	_, for_, theirs := lineup.NewAudience(all, nil, seeds).At(3, 1)
	require.Equal(t, all, for_)
	require.Nil(t, theirs, "all there are")
	require.Len(t, lineup.Groups(all, false), 1)
}

func TestCasesAreMadeUntilTheyAreTaken(t *testing.T) {
	accepted := acceptance.OfTargets(nil)
	none := errors.New("broken")
	tries := 0
	_, err := lineup.MakeTaken(accepted, nil, rng.New(1), func(*rng.Source) (*testcase.Case, error) { tries++; return nil, none })
	require.ErrorIs(t, err, none)
	require.Equal(t, 1, tries, "an error is told at once")

	tries = 0
	_, err = lineup.MakeTaken(accepted, nil, rng.New(1), func(*rng.Source) (*testcase.Case, error) { tries++; return nil, &campaign.SkipError{} })
	require.Error(t, err)
	require.Equal(t, 1, tries, "a technique that skips at once skips")

	c, err := testcase.Parse("c", []byte("(check-sat)"))
	require.NoError(t, err)
	got, err := lineup.MakeTaken(accepted, nil, rng.New(1), func(*rng.Source) (*testcase.Case, error) { return c, nil })
	require.NoError(t, err)
	require.Equal(t, c, got)
}

// TestInEveryMode: what stands for a target in another mode comes behind all members, once; references and targets with
// a mode of their own have none.
func TestInEveryMode(t *testing.T) {
	made := func(name string, mode solvers.Mode, further ...*target.Solver) *target.Solver {
		v := &target.Solver{Found: &solvers.Solver{Name: name, Profile: &solvers.Profile{Name: name}}, Opt: process.TargetOptions{Name: name + "/" + string(mode), Mode: mode}}
		if further != nil {
			v.Further = func(context.Context) []*target.Solver { return further }
		}
		return v
	}
	fast, fresh, library := made("a", solvers.Incremental), made("a", solvers.Fresh), made("liba", solvers.Native)
	all := []*target.Solver{made("a", solvers.Reset, fast, fresh, library), fresh, made("b", solvers.Reset), made("c", solvers.Reset, made("c", solvers.Fresh))}
	further, modes := lineup.InEveryMode(context.Background(), all, 3)
	require.Equal(t, []*target.Solver{fast, library}, further, "mode fresh is a target of its own")
	require.Equal(t, []int{4, 5, 0}, modes.Others(0))
	require.Empty(t, modes.Others(1))
	require.Empty(t, modes.Others(3), "a reference")

	further, modes = lineup.InEveryMode(context.Background(), all[1:3], 2)
	require.Empty(t, further)
	require.Nil(t, modes)
}
