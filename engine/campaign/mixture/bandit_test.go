package mixture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/internal/lacktest"
)

func TestEpochs(t *testing.T) {
	n, last := uint64(0), -1
	for n < 50_000 {
		epoch, end := EpochOf(n)
		require.Equal(t, last+1, epoch)
		require.EqualValues(t, EpochSize(epoch), end-n, "epoch %d", epoch)
		again, _ := EpochOf(end - 1)
		require.Equal(t, epoch, again)
		last, n = epoch, end
	}
}

// result returns the yield of a case of these tests: the first part has verdicts, the second new shapes, the third
// nothing.
func result(n uint64, weights []uint32) (part int, verdicts []finding.SignedVerdict, features []uint32) {
	part, _ = slotOf(5, n, weights)
	switch part {
	case 0:
		if n%10 == 0 {
			verdicts = []finding.SignedVerdict{{Signature: triage.Signature{Key: fmt.Sprint("k", n/20)}}}
		}
	case 1:
		features = []uint32{uint32(n % 3000), 1, 2}
	}
	return part, verdicts, features
}

// play runs epochs in which results come in another order each time, and returns the weights of each epoch.
func play(t *testing.T, seed uint64, epochs int) [][]uint32 {
	parts := []finding.Part{{Name: "finds", Weight: 1}, {Name: "explores", Weight: 1}, {Name: "idles", Weight: 1}}
	b := NewBandit(parts, 0)
	r := rand.New(rand.NewPCG(seed, 1))
	type done struct {
		n    uint64
		part int
		v    []finding.SignedVerdict
		f    []uint32
	}
	var waiting []done
	var out [][]uint32
	from := uint64(0)
	flush := func(upto uint64, keep int) {
		r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		rest := waiting[:0]
		for i, d := range waiting {
			if d.n >= upto && i < keep {
				rest = append(rest, d)
				continue
			}
			b.Done(d.n, parts[d.part].Name, d.v, d.f, nil)
		}
		waiting = rest
	}
	previous := uint64(0)
	for e := range epochs {
		require.True(t, b.Ready(e) || e >= lag)
		flush(previous, len(waiting)) // what an epoch must wait for is there; some of the one before may not be
		require.True(t, b.Ready(e), "epoch %d", e)
		w := b.WeightsOf(e)
		out = append(out, w)
		previous = from
		for range EpochSize(e) {
			part, v, f := result(from, w)
			waiting = append(waiting, done{from, part, v, f})
			from++
		}
		require.False(t, b.Ready(e+lag), "epoch %d", e)
	}
	return out
}

func TestWeightsDoNotDependOnTheOrderOfResults(t *testing.T) {
	first := play(t, 1, 7)
	for seed := uint64(2); seed < 6; seed++ {
		require.Equal(t, first, play(t, seed, 7))
	}
	require.Equal(t, first[0][:3], first[1][:3], "nothing is known before the third epoch")
	last := first[len(first)-1]
	require.Greater(t, last[0], last[1], "what finds gets most: %v", first)
	require.Greater(t, last[1], last[2], "what explores gets more than what does nothing: %v", first)
	require.GreaterOrEqual(t, last[2], uint32(16), "nobody is left out")
}

func TestWeightsAreKnownFirst(t *testing.T) {
	b := NewBandit([]finding.Part{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}, 0)
	require.Equal(t, []uint32{250, 750, 0, 0}, b.WeightsOf(0), "their own")
	for n := range uint64(63) {
		b.Done(n, "a", nil, nil, nil)
	}
	require.True(t, b.Ready(1))
	require.False(t, b.Ready(2), "one case of epoch 0 is not done")
	b.Done(63, "", nil, nil, nil) // killed
	require.True(t, b.Ready(2))
	require.Greater(t, b.WeightsOf(2)[1], uint32(750), "a had its chance")
	resumed := NewBandit([]finding.Part{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}, 1000)
	epoch, _ := EpochOf(1000)
	require.True(t, resumed.Ready(epoch+lag), "what came before is not waited for")
	require.False(t, resumed.Ready(epoch+lag+1))

	n := uint64(500)
	require.NoError(t, NeedWeights(nil, &n, nil))
	require.Error(t, NeedWeights(resumed.parts, &n, nil))
	require.Error(t, NeedWeights(resumed.parts, &n, []uint32{1}))
	require.NoError(t, NeedWeights(resumed.parts, &n, []uint32{1, 2}))
	require.NoError(t, NeedWeights(resumed.parts, &n, []uint32{1, 2, 0, 0}))
}

// TestSlots gives out the cases of a campaign: each part has its own cases one after the other, without a gap, as far
// as whole blocks go.
func TestSlots(t *testing.T) {
	count := func(end uint64, slot func(n uint64) (int, uint64)) [3]map[uint64]bool {
		turns := [3]map[uint64]bool{{}, {}, {}}
		for n := range end {
			part, turn := slot(n)
			require.False(t, turns[part][turn], "case %d: turn %d of part %d comes twice", n, turn, part)
			turns[part][turn] = true
		}
		for part, seen := range turns {
			for i := range len(seen) {
				require.True(t, seen[uint64(i)], "turn %d of part %d is left out", i, part)
			}
		}
		return turns
	}
	turns := count(60, func(n uint64) (int, uint64) { return fixedSlot(7, n, []uint32{3, 2, 1}) })
	require.Equal(t, []int{30, 20, 10}, []int{len(turns[0]), len(turns[1]), len(turns[2])})

	weights := play(t, 1, 7)
	_, end := EpochOf(0)
	for e := range len(weights) - 1 {
		_, end = EpochOf(end)
		require.Equal(t, e+1 < lag, slices.Equal(weights[e][:3], weights[e+1][:3]), "epoch %d", e+1)
	}
	turns = count(end, func(n uint64) (int, uint64) {
		epoch, _ := EpochOf(n)
		return slotOf(7, n, weights[epoch])
	})
	require.Greater(t, len(turns[0]), len(turns[2]))
	first, ok := firstWeights([]finding.Part{{Name: "finds", Weight: 1}, {Name: "explores", Weight: 1}, {Name: "idles", Weight: 1}}, firstEpoch)
	require.True(t, ok)
	require.Equal(t, weights[1], first, "as the campaign has them")
	_, ok = firstWeights(nil, 3*firstEpoch)
	require.False(t, ok)
}

func TestQuotas(t *testing.T) {
	require.Equal(t, []int{2, 2, 1}, quotasOf([]uint32{1, 1, 1}, 5))
	require.Equal(t, []int{0, 64}, quotasOf([]uint32{0, 9}, 64))
	require.Equal(t, []int{0, 0}, quotasOf([]uint32{0, 0}, 64))
}

func TestPartsThatBeginLater(t *testing.T) {
	b := NewBandit([]finding.Part{{Name: "now", Weight: 3}, {Name: "later", Weight: 1, Later: true}}, 0)
	n := uint64(0)
	for e := range laterFrom + 2 {
		require.True(t, b.Ready(e))
		w := b.WeightsOf(e)
		require.Equal(t, e < laterFrom, w[1] == 0, "epoch %d: %v", e, w)
		require.NotZero(t, w[0])
		for range EpochSize(e) {
			part, _ := slotOf(3, n, w)
			require.False(t, e < laterFrom && part == 1)
			b.Done(n, b.parts[part].Name, nil, nil, nil)
			n++
		}
	}
}

// TestWhatIsAvoided: what makes a target die is avoided from the epoch on that follows from the results of the first,
// and for good; it is the same in whatever order results come.
func TestWhatIsAvoided(t *testing.T) {
	b := NewBandit([]finding.Part{{Name: "walk", Weight: 1}}, 0)
	n := uint64(0)
	for e := range 4 {
		b.WeightsOf(e)
		require.Equal(t, e >= lag, len(b.Avoid[e]) > 0, "epoch %d", e)
		first := n
		for i := range EpochSize(e) {
			n = first + uint64(EpochSize(e)-1-i)
			c := &hazard.CaseNote{For: "cvc5-1.4.2", Shapes: lacktest.Lacks("operator =")}
			if n%3 == 0 && e == 0 {
				c.Shapes = lacktest.Lacks("operator =", "operator int.pow2")
				c.Failure = hazard.Died
			}
			b.Done(n, "walk", nil, nil, c)
		}
		n = first + uint64(EpochSize(e))
	}
	require.Equal(t, []string{"operator int.pow2@cvc5-1.4.2"}, b.Avoid[2])
	require.Equal(t, b.Avoid[2], b.Avoid[3])
	require.Equal(t, " --weights 1 --avoid 'operator int.pow2@cvc5-1.4.2'", testcase.Origin{Weights: []uint32{1}, Avoid: b.Avoid[2]}.MixFlags())
}
