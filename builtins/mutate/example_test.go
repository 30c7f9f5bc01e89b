package mutate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// stormOnAPage is the complete STORM technique of the design. It must run unchanged.
const stormOnAPage = `
def storm(max_depth = 64, max_asserts = 64, formulas = (200, 1500), model_by = None):
    def technique(seeds, rng):
        seed = seeds.pick(rng)
        model = seed.model(by = model_by) or smt.random_model(seed, rng)
        pool = mutate.pool([(f, smt.holds(f, model)) for f in seed.predicates(max_depth)])
        for _ in range(rng.int(*formulas)):
            pool.grow(rng, ops = {"and": 1, "not": 1}, from_initial = 0.3, max_depth = max_depth)
        parts = [f if value else smt.not_(f) for f, value in pool.sample(rng, rng.int(1, max_asserts))]
        return seed.with_asserts(parts, answer = "sat", witness = model)
    return technique
`

func TestStormOnAPage(t *testing.T) {
	tech := technique(t, t.TempDir(), stormOnAPage+"\ntechnique = storm()\nseeds = corpus.bundled()\n")
	n := 0
	makeCases(t, tech, 3, 40, func(i int, c *testcase.Case) {
		n++
		require.Equal(t, smtlib.Sat, c.ExpectAt(0), "case %d", i)
		requireTrue(t, c)
	})
	require.Greater(t, n, 35)
}

// TestMixedTechniquesOfTheDesign has the technique of the design's campaign that composes others.
func TestMixedTechniquesOfTheDesign(t *testing.T) {
	tech := technique(t, t.TempDir(), `
load("@std//storm.star", "storm")
load("@std//fusion.star", "semantic_fusion")
load("@std//opfuzz.star", "opfuzz")
technique = mix({storm(): 3, semantic_fusion(): 2, opfuzz(): 1}, adapt = True)
seeds = corpus.bundled()
until = stop.any(stop.after("8h"), stop.quiet("1h"), stop.findings(50))
`)
	makeCases(t, tech, 5, 20, func(_ int, c *testcase.Case) { require.NotEmpty(t, c.Script.Asserts()) })
}

// TestMutatorsAreDeterministic makes cases in another order, by another instance of the technique: each is the same.
func TestMutatorsAreDeterministic(t *testing.T) {
	for name, expr := range mutators {
		src := "load(\"@std//" + name + ".star\", \"" + name + "\")\ntechnique = " + expr + "\nseeds = corpus.bundled()\n"
		one, other := technique(t, t.TempDir(), src), technique(t, t.TempDir(), src)
		texts := map[uint64]string{}
		for n := range uint64(150) {
			if c := one.turn(t, 9, n); c != nil {
				texts[n] = string(c.Text())
			}
		}
		require.Greater(t, len(texts), 100, name)
		for n := uint64(150); n > 0; n-- {
			if c := other.turn(t, 9, n-1); c != nil {
				require.Equal(t, texts[n-1], string(c.Text()), "%s, case %d", name, n-1)
			} else {
				require.Empty(t, texts[n-1])
			}
		}
	}
}
