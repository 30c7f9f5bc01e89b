package mutate_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// turn makes case n of a campaign.
func (m *maker) turn(t testing.TB, seed, n uint64) *testcase.Case {
	m.session.Begin()
	v, err := m.th.Call(t.Context(), m.technique, starlark.Tuple{m.seeds, value.NewCaseRng(rng.New(seed).Split(n), seed, n)}, nil)
	if _, skipped := registry.AsSignal(err).(*registry.Skip); skipped {
		return nil
	}
	require.NoError(t, err, "case %d", n)
	c, err := v.(value.Case).TestCase()
	require.NoError(t, err)
	out := *c
	out.Origin = m.session.Origin(c.Origin)
	return &out
}

// mutators are the techniques whose mutants solvers must accept: by name the expression that makes them.
var mutators = map[string]string{
	"opfuzz":     "opfuzz(witness = 0, pool = 0)",
	"typefuzz":   "typefuzz(witness = 0, pool = 0)",
	"weaken":     "weaken(witness = 0)",
	"skeleton":   "skeleton()",
	"reassembly": "reassembly()",
	"octopus":    "octopus()",
	"rewrite":    "rewrite(witness = 0)",
}

// realSeeds makes a technique over the seeds in the folder that SMTLARK_SEEDS names.
func realSeeds(t testing.TB, name, expr string) *maker {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS names no folder of seeds")
	}
	home := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(home, "seeds"), os.DirFS(dir)))
	return technique(t, home, fmt.Sprintf("load(\"@std//%s.star\", %q)\ntechnique = %s\nseeds = corpus.files(\"seeds\")\n", name, name, expr))
}

// TestMutantsAreAccepted asks z3 and cvc5 about mutants of real seeds: where they accept the seed, they accept at least
// 999 of 1000 mutants. SMTLARK_DEEP=N takes N mutants for each seed.
func TestMutantsAreAccepted(t *testing.T) {
	deep, _ := strconv.Atoi(os.Getenv("SMTLARK_DEEP"))
	if deep == 0 {
		t.Skip("SMTLARK_DEEP=1 asks solvers about a mutant of each seed")
	}
	for _, name := range slices.Sorted(maps.Keys(mutators)) {
		t.Run(name, func(t *testing.T) {
			tech := realSeeds(t, name, mutators[name])
			ask := map[string]*asker{"z3": newAsker(t, "z3"), "cvc5": newAsker(t, "cvc5")}
			asked, refused := 0, map[string][]string{}
			n := uint64(deep * tech.seeds.(*value.Corpus).Len())
			made := uint64(0)
			for i := range n {
				c := tech.turn(t, 7, i)
				if c == nil {
					continue
				}
				made++
				for solver, a := range ask {
					why := a.refuses(t, c)
					if why != "" && a.refusesSeed(t, tech, c) {
						continue
					}
					asked++
					if why != "" {
						key := solver + ": " + why
						refused[key] = append(refused[key], fmt.Sprintf("case %d, %s, %s, %v\n%s", i, c.Script.Logic(), c.Origin.Seeds, c.Origin.Steps, c.Text()))
					}
				}
			}
			bad := 0
			for _, why := range slices.Sorted(maps.Keys(refused)) {
				bad += len(refused[why])
				t.Logf("%d times %s\n%s", len(refused[why]), why, refused[why][0])
			}
			t.Logf("%d mutants of %d cases; %d of %d refused", made, n, bad, asked)
			require.Greater(t, made, n*9/10)
			require.LessOrEqual(t, 1000*bad, asked)
		})
	}
}

// asker asks a solver whether it takes scripts.
type asker struct {
	reset, fresh solvers.Target
	seeds        map[string]bool // refused
}

func newAsker(t testing.TB, name string) *asker {
	return &asker{target(t, name, solvers.Reset), target(t, name, solvers.Fresh), map[string]bool{}}
}

// refuses returns why the solver does not take the script; "" if it does, or runs out of time.
func (a *asker) refuses(t testing.TB, c *testcase.Case) string {
	run := a.reset.Run(t.Context(), c.Query(), solvers.Limits{Wall: 250 * time.Millisecond})
	if !refusal(run.Class) {
		return ""
	}
	if run = a.fresh.Run(t.Context(), c.Query(), solvers.Limits{Wall: time.Second}); !refusal(run.Class) {
		return ""
	}
	line, _, _ := strings.Cut(run.Message, "\n")
	return line
}

func refusal(c solvers.Class) bool {
	return c == solvers.ParseError || c == solvers.SolverError || c == solvers.Unsupported || c == solvers.Refusal
}

// refusesSeed reports whether the solver refuses the seed of a case, too.
func (a *asker) refusesSeed(t testing.TB, tech *maker, c *testcase.Case) bool {
	name := c.Origin.Seeds[0]
	if no, known := a.seeds[name]; known {
		return no
	}
	for _, src := range tech.seeds.(*value.Corpus).Seeds() {
		if src.Name() != name {
			continue
		}
		text, err := src.Read()
		require.NoError(t, err)
		k, err := value.ParseCase(name, text)
		require.NoError(t, err)
		tc, err := k.TestCase()
		require.NoError(t, err)
		a.seeds[name] = a.refuses(t, tc) != ""
	}
	return a.seeds[name]
}

// BenchmarkMutators makes cases as a campaign does, by the techniques in Starlark, as text; user time without children.
func BenchmarkMutators(b *testing.B) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		b.Skip("SMTLARK_SEEDS names no folder of seeds")
	}
	home := b.TempDir()
	require.NoError(b, os.CopyFS(filepath.Join(home, "seeds"), os.DirFS(dir)))
	for _, name := range slices.Sorted(maps.Keys(mutators)) {
		b.Run(name, func(b *testing.B) {
			tech := technique(b, home, fmt.Sprintf("load(\"@std//%s.star\", %q)\ntechnique = %s\nseeds = corpus.files(\"seeds\", logic = [\"QF_LIA\", \"QF_NRA\", \"QF_SLIA\", \"QF_BV\"])\n", name, name, mutators[name]))
			size := uint64(tech.seeds.(*value.Corpus).Len())
			for i := range 2 * size {
				tech.turn(b, 1, i)
			}
			n, from := uint64(0), system.CPUTime()
			var buf []byte
			for b.Loop() {
				if c := tech.turn(b, 1, 2*size+n); c != nil {
					buf = c.Script.AppendTo(buf[:0])
				}
				n++
			}
			b.ReportMetric(float64((system.CPUTime()-from).Microseconds())/float64(n)/1000, "user-ms/mutant")
		})
	}
}
