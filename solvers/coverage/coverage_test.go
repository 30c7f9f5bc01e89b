package coverage

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

func TestBuckets(t *testing.T) {
	for n, bucket := range map[int]int{1: 0, 2: 1, 3: 2, 4: 3, 7: 3, 8: 4, 15: 4, 16: 5, 31: 5, 32: 6, 127: 6, 128: 7, 255: 7} {
		require.EqualValues(t, 1<<bucket, bucketBits[n], "%d", n)
	}
	require.Zero(t, bucketBits[0])
	e := Edge(1234<<3 | 5)
	require.Equal(t, []int{1234, 5}, []int{e.Number(), e.Bucket()})
}

// TestTakeReadsAllCounts compares reading by words with reading byte by byte, over several cases with one set.
func TestTakeReadsAllCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := make([]uint64, rapid.IntRange(1, 40).Draw(t, "words"))
		var seen Seen
		var run Taken
		known := map[Edge]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "cases") {
			var want []Edge
			taken := 0
			counts := map[int]int{0: 1} // AFL++'s own mark
			for range rapid.IntRange(0, 30).Draw(t, "edges") {
				counts[rapid.IntRange(1, len(words)*8-1).Draw(t, "edge")] = rapid.IntRange(1, 255).Draw(t, "count")
			}
			for n, count := range counts {
				at, shift := n/8, n%8*8
				if bigEndian {
					shift = 56 - shift
				}
				words[at] |= uint64(count) << shift
				if n == 0 {
					continue
				}
				taken++
				e := Edge(n << 3)
				for b := bucketBits[count]; b > 1; b >>= 1 {
					e++
				}
				if !known[e] {
					want = append(want, e)
				}
			}
			slices.Sort(want)
			run.read.readAndClear(words)
			require.Equal(t, taken, run.Edges())
			require.Len(t, run.All(), taken)
			fresh := run.Beyond(&seen)
			if len(fresh) == 0 {
				fresh = nil
			}
			require.Equal(t, want, fresh)
			for _, w := range words {
				require.Zero(t, w, "the map is cleared")
			}
			edges := seen.Edges()
			pairs, more := seen.Add(fresh)
			require.Equal(t, len(want), pairs)
			require.Equal(t, edges+more, seen.Edges())
			again, err := Unpack(Pack(fresh), 8*len(words))
			require.NoError(t, err)
			require.Equal(t, fresh, again)
			for _, e := range fresh {
				known[e] = true
				require.True(t, seen.Has(e))
			}
			require.Equal(t, len(known), seen.Pairs())
			require.Len(t, seen.All(), len(known))
			require.True(t, slices.IsSorted(seen.All()))
		}
		copied := seen.Clone()
		copied.Add([]Edge{Edge(len(words)*64 + 3)})
		require.False(t, seen.Has(Edge(len(words)*64+3)))
	})
}

func TestSizes(t *testing.T) {
	n, err := ParseSize("p", []byte("warning\n4711\n"))
	require.NoError(t, err)
	require.Equal(t, 4711, n)
	_, err = ParseSize("p", []byte("sat\n0\n-3\n99999999999\n"))
	require.ErrorContains(t, err, "does not print how many edges")
	for _, broken := range []string{"!", "AAAA", Pack([]Edge{80})} {
		_, err := Unpack(broken, 10)
		require.Error(t, err, broken)
	}
	_, err = NewMap(0)
	require.Error(t, err)
}
