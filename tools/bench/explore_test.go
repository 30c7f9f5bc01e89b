package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// searcher says that a path can be taken if it finds inputs.
type searcher struct {
	a        *smt.Arena
	declared []smtlib.Command
	texts    []string
	shared   int // conjuncts that a query has in common with the one before
	all      int
	previous []smt.Term
	fails    int
}

func (s *searcher) Declare(f smt.Symbol) error {
	s.declared = append(s.declared, smtlib.DeclareCommand(s.a, f))
	return nil
}

func (s *searcher) Ask(asserts []smt.Term) (bool, error) {
	if s.fails--; s.fails == 0 {
		return false, errors.New("the solver is gone")
	}
	for i, t := range asserts {
		if s.all++; i < len(s.previous) && s.previous[i] == t {
			s.shared++
		}
	}
	s.previous = append(s.previous[:0], asserts...)
	script := &smtlib.Script{Arena: s.a, Commands: append([]smtlib.Command{}, s.declared...)}
	for _, t := range asserts {
		script.Commands = append(script.Commands, smtlib.AssertCommand(t))
	}
	s.texts = append(s.texts, script.Text())
	m, truth := search.GuidedModel(script, rng.New(1), 60)
	if truth != value.True {
		return false, nil
	}
	return eval.CheckModel(script, m).Result == value.True, nil
}

// TestExplore checks that the queries are the same each time, come from all programs, and extend common parts.
func TestExplore(t *testing.T) {
	explore := func(limit int) *searcher {
		s := &searcher{a: smt.NewArena()}
		n, err := explorePaths(s.a, limit, s)
		require.NoError(t, err)
		require.Equal(t, limit, n)
		require.Len(t, s.texts, limit)
		return s
	}
	one := explore(300)
	require.Equal(t, one.texts, explore(300).texts)
	all := strings.Join(one.texts, "")
	for _, operator := range []string{"bvslt", "zero_extend", "(+ "} {
		require.Contains(t, all, operator)
	}
	require.Greater(t, one.shared, one.all/2)
	failing := &searcher{a: smt.NewArena(), fails: 5}
	_, err := explorePaths(failing.a, 300, failing)
	require.ErrorContains(t, err, "the solver is gone")
	require.Len(t, failing.texts, 4)
}
