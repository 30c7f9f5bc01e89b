package growth

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

var counting = []finding.Counting{{Name: "a", Edges: 4000}, {Name: "b", Edges: 100}}

// resultOf returns the edges that a case of these tests takes: every tenth case an edge of its own, the others common
// ones.
func resultOf(n uint64) *Report {
	r := rand.New(rand.NewPCG(n, 7))
	took := []coverage.Edge{8, 16}
	if r.IntN(3) == 0 {
		took = append(took, coverage.Edge(24+8*r.IntN(20)))
	}
	if n%10 == 0 {
		took = append(took, coverage.Edge(400+n%3000*8))
	}
	out := &Report{Covered: []Covered{{0, coverage.Pack(took)}}, Text: fmt.Sprintf("(assert x%d)", n)}
	if n%50 == 0 {
		out.Covered = append(out.Covered, Covered{1, coverage.Pack([]coverage.Edge{coverage.Edge(n % 800)})})
	}
	if n > 500 {
		out.Parents = []uint64{n % 100 * 10}
	}
	if n%7 == 0 {
		return nil // told of before
	}
	return out
}

// play has the results of some epochs come in another order each time, and returns what workers are told.
func play(t *testing.T, g *Growth, seed uint64, from, epochs int) (changes []*News) {
	r := rand.New(rand.NewPCG(seed, 1))
	var late []uint64
	for e := from; e < epochs; e++ {
		r.Shuffle(len(late), func(i, k int) { late[i], late[k] = late[k], late[i] })
		for _, n := range late {
			g.Done(n, resultOf(n))
		}
		require.True(t, g.Ready(e), "epoch %d", e)
		c, err := g.At(e)
		require.NoError(t, err)
		changes = append(changes, c)
		again, err := g.At(e)
		require.NoError(t, err)
		require.Nil(t, again)
		late = nil
		first := mixture.FirstOf(e)
		for i := range uint64(mixture.EpochSize(e)) {
			if r.IntN(4) == 0 {
				late = append(late, first+i)
				continue
			}
			g.Done(first+i, resultOf(first+i))
		}
	}
	return changes
}

func TestSeedsDoNotDependOnTheOrderOfResults(t *testing.T) {
	first := play(t, New(counting, 0, nil, nil), 1, 0, 6)
	for seed := uint64(2); seed < 6; seed++ {
		require.Equal(t, first, play(t, New(counting, 0, nil, nil), seed, 0, 6))
	}
	for _, c := range first[:FirstEpoch] {
		require.Empty(t, c.Table, "nothing is known before the third epoch")
	}
	table := first[5].Table
	require.NotEmpty(t, table)
	own, common := 0.0, 0.0
	owns, commons := 0, 0
	for _, s := range table {
		if s.Number%10 == 0 {
			own, owns = own+float64(s.Weight), owns+1
		} else {
			common, commons = common+float64(s.Weight), commons+1
		}
	}
	require.Greater(t, own/float64(owns), common/float64(max(1, commons)), "rare edges weigh more: %v", table)
	told := map[uint64]bool{}
	for _, c := range first {
		for _, s := range c.Added {
			require.False(t, told[s.Number])
			require.Equal(t, resultOf(s.Number).Text, s.Text)
			told[s.Number] = true
		}
		for _, s := range c.Table {
			require.True(t, told[s.Number], "seed %d of epoch %d was told before", s.Number, c.Epoch)
			require.Less(t, s.Number, mixture.FirstOf(c.Epoch-1), "seeds of epoch %d", c.Epoch)
		}
	}
}

// TestFirstCaseCounts: a case is new by its number, not by when its result came.
func TestFirstCaseCounts(t *testing.T) {
	g := New(counting[:1], 0, nil, nil)
	same := func(text string) *Report {
		return &Report{Covered: []Covered{{0, coverage.Pack([]coverage.Edge{80})}}, Text: text}
	}
	g.Done(40, same("later"))
	g.Done(3, same("earlier"))
	for n := range uint64(mixture.EpochSize(0)) {
		if n != 40 && n != 3 {
			g.Done(n, nil)
		}
	}
	require.True(t, g.Ready(2))
	c, err := g.At(2)
	require.NoError(t, err)
	require.Equal(t, []finding.GrownSeed{{Number: 3, Text: "earlier"}}, c.Added)
	require.Equal(t, map[uint64]int{3: 1}, g.Novel())
	g.Done(5000, &Report{Covered: []Covered{{7, ""}}})
	require.Equal(t, 1, g.Seeds())
}

// TestSeedsNearAChange: where a campaign is led somewhere, the given seeds that come near become seeds though they take
// nothing new, and those weigh most that come nearest; edges elsewhere count next to nothing.
func TestSeedsNearAChange(t *testing.T) {
	near := make([]float32, counting[0].Edges)
	near[10], near[11] = 1, 0.25
	g := New(counting[:1], 0, nil, &Direction{Near: [][]float32{near}, First: 8})
	took := func(edges ...int) *Report {
		var list []coverage.Edge
		for _, e := range edges {
			list = append(list, coverage.Edge(e<<3))
		}
		return &Report{Covered: []Covered{{0, coverage.Pack(list)}}, Text: "text"}
	}
	results := map[uint64]*Report{1: took(10, 20), 2: took(10, 20), 3: took(11, 20), 4: took(20), 5: took(30, 31, 32, 33, 34, 35), 9: took(10, 20)}
	for n := range uint64(mixture.EpochSize(0)) {
		g.Done(n, results[n])
	}
	c, err := g.At(2)
	require.NoError(t, err)
	weight := map[uint64]uint32{}
	for _, s := range c.Table {
		weight[s.Number] = s.Weight
	}
	require.Equal(t, map[uint64]int{1: 1, 3: 1}, g.Novel(), "new edges elsewhere bring nothing")
	require.NotContains(t, weight, uint64(4), "it comes nowhere near and takes nothing new")
	require.NotContains(t, weight, uint64(9), "no given seed, and nothing new")
	require.Equal(t, weight[1], weight[2], "both hold the nearest edge")
	require.Greater(t, weight[2], weight[3])
	require.Greater(t, weight[3], 20*weight[5])
	require.NotZero(t, weight[5])
}

func TestReportsThatAreNone(t *testing.T) {
	for _, broken := range []Covered{{3, ""}, {-1, ""}, {0, "?"}, {0, coverage.Pack([]coverage.Edge{8 * 4000})}} {
		g := New(counting, 0, nil, nil)
		for n := range uint64(mixture.EpochSize(0)) {
			g.Done(n, &Report{Covered: []Covered{broken}})
		}
		_, err := g.At(2)
		require.Error(t, err, "%v", broken)
	}
}

// TestCorporaGoOn checks that a corpus read back from its folder yields the same results for later epochs as the
// original.
func TestCorporaGoOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	whole, err := Continue(dir, counting, 0, nil)
	require.NoError(t, err)
	changes := play(t, whole, 1, 0, 5)

	n := mixture.FirstOf(4) + 7
	seeds, err := SeedsFor(dir, n)
	require.NoError(t, err)
	require.Len(t, seeds, len(changes[4].Table))
	for i, s := range seeds {
		require.Equal(t, changes[4].Table[i].Weight, s.Weight)
		require.Equal(t, resultOf(s.Number).Text, s.Text)
	}
	none, err := SeedsFor(dir, 5)
	require.NoError(t, err)
	require.Empty(t, none)
	none, err = SeedsFor(t.TempDir(), 5000)
	require.NoError(t, err)
	require.Empty(t, none)

	// A killed process had begun a line.
	index := filepath.Join(dir, IndexFile)
	text, err := os.ReadFile(index)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(index, append(text, `{"seed":{"n":`...), 0o600))
	again, err := Continue(dir, counting, n, nil)
	require.NoError(t, err)
	require.Equal(t, whole.Known(0), again.Known(0))
	require.Equal(t, whole.Known(1), again.Known(1))
	require.Equal(t, whole.Seeds(), again.Seeds())
	require.Len(t, again.All(), 2, "the epochs that may still run")
	require.True(t, again.Ready(6), "what came before is not waited for")
	c, err := again.At(5)
	require.NoError(t, err)
	require.NotEmpty(t, c.Table)
	lines, err := os.ReadFile(index)
	require.NoError(t, err)
	require.NotContains(t, string(lines), `{"seed":{"n":{`)

	other, err := Continue(dir, counting[:1], n, nil)
	require.NoError(t, err, "of another build")
	require.Zero(t, other.Seeds())
	require.NoError(t, os.WriteFile(index, []byte(strings.Repeat("x\n", 3)), 0o600))
	_, err = Continue(dir, counting, n, nil)
	require.ErrorContains(t, err, IndexFile+":1")
}
