package driver

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// An input that always shows the property is run once. One that showed it in one of three runs is run until it shows
// it, up to a limit.
func TestRepeats(t *testing.T) {
	var r Repeats
	require.Equal(t, 1, r.Until(func() bool { return false }))
	r.Measured(1, 3)
	require.Equal(t, 10, r.Tries())
	n := 0
	require.Equal(t, 4, r.Until(func() bool { n++; return n == 4 }))
	require.Equal(t, 10, r.Until(func() bool { return false }))
}

// A search of a list keeps to its bounds, and then still has a part that holds.
func TestShortestKeepsToItsBounds(t *testing.T) {
	list := []int{1, 2, 3, 4, 5, 6, 7, 8}
	holds := func(part []int) bool { return slices.Contains(part, 3) && slices.Contains(part, 8) }
	asked := 0
	short, done := Shortest(t.Context(), list, 3, func(part []int) bool { asked++; return holds(part) })
	require.False(t, done)
	require.Equal(t, 3, asked)
	require.True(t, holds(short))

	ctx, cancel := context.WithCancel(t.Context())
	asked = 0
	short, done = Shortest(ctx, list, 0, func(part []int) bool {
		if asked++; asked == 4 {
			cancel()
			return true // about the interruption
		}
		return holds(part)
	})
	require.False(t, done)
	require.Equal(t, 4, asked)
	require.True(t, holds(short))

	short, done = Shortest(t.Context(), list, 0, holds)
	require.True(t, done)
	require.Equal(t, []int{3, 8}, short)
}

// No part of a list is asked about twice.
func TestShortestAsksOnce(t *testing.T) {
	seen := map[string]bool{}
	short, _ := Shortest(t.Context(), []byte("abcdefgh"), 0, func(part []byte) bool {
		require.False(t, seen[string(part)], "%s", part)
		seen[string(part)] = true
		return slices.Contains(part, 'c') == slices.Contains(part, 'f') && slices.Contains(part, 'a')
	})
	require.Equal(t, "acf", string(short), "neither c nor f can go alone")
}

func caseOf(t *testing.T, text string) *testcase.Case {
	t.Helper()
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: s}
}

// A predicate is asked once for a text and the known facts about its answers. A reply that comes after the end of the
// search is not stored.
func TestMemoOfPredicates(t *testing.T) {
	var memo Memo
	asked, over := 0, false
	fails := memo.Predicate(func(*testcase.Case) bool { asked++; return true }, func() bool { return over })
	c := caseOf(t, "(check-sat)")
	require.True(t, fails(c))
	require.True(t, fails(caseOf(t, "(check-sat)")))
	require.Equal(t, 1, asked)
	c.Expect = []smtlib.Answer{smtlib.Sat}
	require.True(t, fails(c))
	require.Equal(t, 2, asked, "the same text, but another answer is known")

	interrupted := memo.Predicate(func(*testcase.Case) bool { over = true; return true }, func() bool { return over })
	other := caseOf(t, "(push 1)(check-sat)")
	require.False(t, interrupted(other))
	_, known := memo.Lookup(Key(other))
	require.False(t, known)
	memo.Clear()
	_, known = memo.Lookup(Key(c))
	require.False(t, known)
}

// counter is an Asker that counts.
type counter struct {
	holds bool
	asked int
}

func (a *counter) Ask(context.Context, *Candidate) Observation {
	a.asked++
	return Observation{Holds: a.holds}
}
func (a *counter) Accepted(Observation) {}

// A case that did not hold is not asked about again. One that held is, since it may be flaky.
func TestMemoOfAskers(t *testing.T) {
	for _, holds := range []bool{false, true} {
		var memo Memo
		of := &counter{holds: holds}
		a, c := memo.Asker(of), Detach(caseOf(t, "(check-sat)"))
		require.Equal(t, holds, a.Ask(t.Context(), c).Holds)
		require.Equal(t, holds, a.Ask(t.Context(), c).Holds)
		require.Equal(t, map[bool]int{false: 1, true: 2}[holds], of.asked)
	}
}

// Passes run until none changes anything, those that gain most for a test first; the last ones run once, at the end.
func TestRounds(t *testing.T) {
	l := &list[int]{all: []int{1, 2, 3, 4, 5, 6}, holds: func(part []int) bool { return slices.Contains(part, 6) }}
	whole := part{0, 1, 2, 3, 4, 5}
	s := New(t.Context(), l, &whole, SearchOptions[part]{})
	var order []string
	pass := func(name string, last bool, drop int) *Pass {
		return &Pass{Name: name, Last: last, Run: func() {
			order = append(order, name)
			s.Offer(func() *part {
				p := *s.Current()
				p = p[min(drop, len(p)-1):]
				return &p
			})
		}}
	}
	require.True(t, s.Rounds([]*Pass{pass("one", false, 1), pass("last", true, 1), pass("two", false, 2)}))
	require.Equal(t, []string{"one", "two", "two", "one", "two", "one", "last"}, order)
	stats := s.Stats()
	require.Equal(t, []int{6, 1}, []int{stats.Before, stats.After})
	require.True(t, stats.Done)
	require.Equal(t, 3, stats.Kept)
}

// Passes that took away more for each test come first, behind those that stay ahead; where two did the same, they keep
// their order.
func TestByYield(t *testing.T) {
	s := &Search[int]{stats: Stats{Passes: []PassStats{{Name: "little", Tests: 9, Gain: 10}, {Name: "much", Tests: 1, Gain: 10}, {Name: "also little", Tests: 9, Gain: 10}}}}
	work := []*Pass{{Name: "little"}, {Name: "new"}, {Name: "also little"}, {Name: "ahead", First: true}, {Name: "much"}, {Name: "also new"}}
	s.byYield(work)
	var names []string
	for _, p := range work {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"ahead", "much", "little", "also little", "new", "also new"}, names)
}

// A candidate is read back as the case that it was made of; an invalid text is an error.
func TestCandidateIsReadBack(t *testing.T) {
	script, err := smtlib.Parse("c.smt2", []byte("(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n"), smt.NewArena())
	require.NoError(t, err)
	c, err := Detach(&testcase.Case{Script: script}).Case()
	require.NoError(t, err)
	require.Equal(t, script.Text(), string(c.Text()))
	_, err = (&Candidate{Text: "(assert"}).Case()
	require.Error(t, err)
}
