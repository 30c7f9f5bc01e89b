package driver

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// inOrder tries one after the other.
func inOrder(try func(keep []int) (ok, stop bool)) func(next func() (func() []int, bool)) int {
	stopped := false
	return func(next func() (func() []int, bool)) int {
		for k := 0; !stopped; k++ {
			keep, more := next()
			if !more {
				break
			}
			ok, stop := try(keep())
			stopped = stop
			if ok {
				return k
			}
		}
		return -1
	}
}

// ahead looks at what would come next before it says which one is accepted, as speculation does.
func ahead(try func(keep []int) (ok, stop bool)) func(next func() (func() []int, bool)) int {
	return func(next func() (func() []int, bool)) int {
		var list []func() []int
		for k := 0; ; k++ {
			for len(list) < k+4 {
				keep, more := next()
				if !more {
					break
				}
				list = append(list, keep)
			}
			if k >= len(list) {
				return -1
			}
			if ok, _ := try(list[k]()); ok {
				return k
			}
		}
	}
}

// Candidates tried ahead of time do not change the result.
func TestAheadIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		accepted := rapid.SliceOfN(rapid.Bool(), 1<<n, 1<<n).Draw(t, "accepted")
		var tried [2][]int
		try := func(which int) func(keep []int) (bool, bool) {
			return func(keep []int) (bool, bool) {
				m := 0
				for _, k := range keep {
					m |= 1 << k
				}
				tried[which] = append(tried[which], m)
				return accepted[m], false
			}
		}
		require.Equal(t, minimize(n, inOrder(try(0))), minimize(n, ahead(try(1))))
		require.Equal(t, tried[0], tried[1])
	})
}

// Exactly the needed elements stay, whichever they are, and the number of tests is within the bound of delta debugging.
func TestMinimizeKeepsWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		needed := rapid.SliceOfNDistinct(rapid.IntRange(0, max(n-1, 0)), 0, n, rapid.ID).Draw(t, "needed")
		if n == 0 {
			needed = nil
		}
		tests := 0
		kept := minimize(n, inOrder(func(keep []int) (bool, bool) {
			tests++
			in := map[int]bool{}
			for _, k := range keep {
				in[k] = true
			}
			for _, x := range needed {
				if !in[x] {
					return false, false
				}
			}
			return true, false
		}))
		require.Len(t, kept, len(needed))
		for _, x := range needed {
			require.Contains(t, kept, x)
		}
		k := float64(len(needed))
		require.LessOrEqual(t, float64(tests), 4+2*(k+1)*(math.Log2(float64(n+1))+2))
	})
}

// Without monotony the result is still one that was accepted, and no single element of it can go.
func TestMinimizeIsOneMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		accepted := rapid.SliceOfN(rapid.Bool(), 1<<n, 1<<n).Draw(t, "accepted")
		mask := func(keep []int) (m int) {
			for _, k := range keep {
				m |= 1 << k
			}
			return m
		}
		accepted[1<<n-1] = true
		kept := mask(minimize(n, inOrder(func(keep []int) (bool, bool) { return accepted[mask(keep)], false })))
		require.True(t, accepted[kept])
		for i := range n {
			if kept&(1<<i) != 0 {
				require.False(t, accepted[kept&^(1<<i)], "%b can lose %d", kept, i)
			}
		}
	})
}

func TestMinimizeStops(t *testing.T) {
	tests := 0
	kept := minimize(16, inOrder(func([]int) (bool, bool) { tests++; return tests == 2, tests == 3 }))
	require.Equal(t, 3, tests)
	require.Len(t, kept, 8, "the first half went, then it stopped")
}

// Edits that can be kept are kept, the others are left out.
func TestSweepKeepsWhatItCan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SliceOf(rapid.Bool()).Draw(t, "bad")
		applied := make([]bool, len(bad))
		good := 0
		for _, b := range bad {
			if !b {
				good++
			}
		}
		kept := 0
		sweep(len(bad), func(next func() (Span, bool)) int {
			for k := 0; ; k++ {
				s, more := next()
				if !more {
					return -1
				}
				fine := true
				for i := s.From; i < s.To; i++ {
					fine = fine && !bad[i]
				}
				if fine {
					return k
				}
			}
		}, func(s Span) {
			for i := s.From; i < s.To; i++ {
				require.False(t, applied[i], "twice")
				applied[i] = true
			}
			kept += s.To - s.From
		})
		require.Equal(t, good, kept)
		for i := range bad {
			require.Equal(t, !bad[i], applied[i])
		}
	})
}

// TestShortest checks that the result has the property, keeps the order, and is 1-minimal.
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "list")
		wanted := rapid.SliceOfDistinct(rapid.IntRange(0, 9), rapid.ID[int]).Draw(t, "wanted")
		holds := func(part []int) bool {
			for _, x := range wanted {
				if slices.Contains(list, x) && !slices.Contains(part, x) {
					return false
				}
			}
			return true
		}
		short, done := Shortest(context.Background(), list, 0, holds)
		require.True(t, done)
		require.True(t, holds(short))
		for i := range short {
			require.False(t, holds(slices.Concat(short[:i], short[i+1:])), "%v without element %d", short, i)
		}
	})
}
