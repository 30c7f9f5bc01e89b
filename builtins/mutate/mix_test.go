package mutate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMixedTechniquesGoThroughTheSeedsInTurns checks that each part of a mixture has every seed before any comes again,
// and that the order of one part is not that of another.
func TestMixedTechniquesGoThroughTheSeedsInTurns(t *testing.T) {
	const size = 12
	var texts []string
	for i := range size {
		texts = append(texts, fmt.Sprintf("%q", fmt.Sprintf("(declare-const x Int)(assert (= x %d))(check-sat)", i)))
	}
	for _, adapt := range []string{"False", "True"} {
		tech := technique(t, t.TempDir(), `
def one(seeds, rng):
    return seeds.next(rng).with_option("one", 1)

def two(seeds, rng):
    return seeds.next(rng).with_option("two", 1)

technique = mix({one: 3, two: 1}, adapt = `+adapt+`)
seeds = corpus.texts([`+strings.Join(texts, ", ")+`])
`)
		rounds := map[bool][]string{}
		for n := range uint64(192) { // as many as adapting mixtures have before they adapt
			c := tech.turn(t, 11, n)
			of := strings.Contains(string(c.Text()), ":one")
			rounds[of] = append(rounds[of], fmt.Sprint(c.Origin.Seeds))
		}
		require.Equal(t, 144, len(rounds[true]), adapt)
		require.Equal(t, 48, len(rounds[false]), adapt)
		require.NotEqual(t, rounds[true][:size], rounds[false][:size], adapt)
		for of, list := range rounds {
			times := map[string]int{}
			for _, s := range list {
				times[s]++
			}
			require.Len(t, times, size, "%v", of)
			for s, n := range times {
				require.Equal(t, len(list)/size, n, "%s comes as often as others", s)
			}
		}
	}
}

// TestCasesOfABurstHaveOneSeed checks that all cases of a burst get the same seed in a mixture, whether seeds are
// picked at random or by turns.
func TestCasesOfABurstHaveOneSeed(t *testing.T) {
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("%q", fmt.Sprintf("(declare-const x Int)(assert (= x %d))(check-sat)", i)))
	}
	for what, pick := range map[string]string{"next": "seeds.next(rng.burst(4))", "pick": "seeds.pick(rng.burst(4))"} {
		tech := technique(t, t.TempDir(), `
def one(seeds, rng):
    return `+pick+`.with_option("drawn", rng.int(0, 1000000000))

technique = mix({one: 3, (lambda seeds, rng: seeds.next(rng).with_option("two", 1)): 1})
seeds = corpus.texts([`+strings.Join(texts, ", ")+`])
`)
		var seeds, cases []string
		for n := range uint64(160) {
			if c := tech.turn(t, 5, n); strings.Contains(string(c.Text()), ":drawn") {
				seeds, cases = append(seeds, fmt.Sprint(c.Origin.Seeds)), append(cases, string(c.Text()))
			}
		}
		require.Len(t, seeds, 120, what)
		times := map[string]int{}
		for _, seed := range seeds {
			times[seed]++
		}
		for seed, n := range times {
			require.Zero(t, n%4, "%s: %s", what, seed)
		}
		// 30 bursts go through 30 seeds by turns; at random some come twice.
		require.GreaterOrEqual(t, len(times), 15, what)
		if what == "next" {
			require.Len(t, times, 30)
		}
		slices.Sort(cases)
		require.Len(t, slices.Compact(cases), 120, "each case draws numbers of its own")
	}
}
