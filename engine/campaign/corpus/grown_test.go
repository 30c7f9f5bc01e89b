package corpus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

func TestGrownSeedsAreDrawnByWeight(t *testing.T) {
	require.Nil(t, NewGrown(nil, false))
	require.Nil(t, NewGrown([]finding.GrownSeed{{Number: 1}}, false))
	g := NewGrown([]finding.GrownSeed{{Number: 3, Weight: 1, Text: "three"}, {Number: 5, Weight: 0}, {Number: 9, Weight: 3, Text: "nine"}}, false)
	c := New("test", []Seed{Text{"a", ""}, Text{"b", ""}, Text{"c", ""}, Text{"d", ""}})
	require.Nil(t, (*Grown)(nil).Draw(c, 1, 100))
	require.Nil(t, (*Grown)(nil).Pick(rng.New(1)))
	count := map[string]int{}
	const cases = 10_000
	for n := uint64(0); n < cases; n++ {
		seed := g.Draw(c, 7, 4+n)
		if seed == nil {
			count[""]++
			continue
		}
		require.Equal(t, seed, g.Draw(c, 7, 4+n), "by the number of the case alone")
		count[seed.Name()]++
	}
	require.InDelta(t, cases/2, count[""], cases/50)
	require.InDelta(t, 3*count["grown/case-3"], count["grown/case-9"], cases/20)
	require.Len(t, count, 3)
	require.Nil(t, g.Draw(c, 7, 0), "the seeds that were given come first")
	picked := 0
	for n := range uint64(cases) {
		if s := g.Pick(rng.New(n)); s != nil {
			picked++
			text, err := s.Read()
			require.NoError(t, err)
			n, ok := GrownFrom(s.Name())
			require.True(t, ok)
			require.Equal(t, map[uint64]string{3: "three", 9: "nine"}[n], string(text))
		}
	}
	require.InDelta(t, cases/4, picked, cases/50)
	for _, name := range []string{"seeds/a.smt2", "grown/case-x", "grown/case-"} {
		_, ok := GrownFrom(name)
		require.False(t, ok, name)
	}
}
