package reduce

import (
	"crypto/sha256"
	"math"
	"slices"

	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Key names a case by all that a reply about it depends on: its text, its calls where it has any, and what is known of its
// answers. What was replied about a key holds for all cases that have it.
func Key(c *testcase.Case) [sha256.Size]byte {
	text := c.Text()
	if t := c.LiveTrace(); t != nil {
		text = t.AppendTo(text)
	}
	return keyOf(text, c.Expect)
}

// Key is that of the case.
func (c *Candidate) Key() [sha256.Size]byte { return keyOf(slices.Concat(c.Text, c.Trace), c.Expect) }

func keyOf(text []byte, expect []smtlib.Answer) [sha256.Size]byte {
	for _, x := range expect {
		text = append(text, byte(x))
	}
	return sha256.Sum256(text)
}

// What shows now and then only may seem to be there, or to be gone, by chance. All searches deal with that in one way: what they
// search with is run so often that few inputs are missed (Retries), and what they have come to is looked at again from time to
// time and at the end; where it does not show any more, they go back to what was before it (Trail).

// Retries is how often an input is run before it counts as not showing what another one showed in some of n runs: until the
// chance to miss one that shows it as often is below 2 %, but not more than 20 times.
func Retries(shown, n int) int {
	if shown <= 0 || shown >= n {
		return 1
	}
	miss := 1 - float64(shown)/float64(n)
	return min(20, int(math.Ceil(math.Log(0.02)/math.Log(miss))))
}

// recheckEvery is after how many inputs in a row that did not show it the smallest one is looked at again.
const recheckEvery = 64

// Trail is the way of a search: what was the smallest before, the latest last.
type Trail[T any] struct {
	// Longest bounds how many are remembered; 0 means no bound. The earliest are forgotten.
	Longest int
	earlier []T
	misses  int
}

// Accept notes that the smallest so far was replaced by a smaller one.
func (t *Trail[T]) Accept(before T) {
	if t.Longest > 0 && len(t.earlier) == t.Longest {
		t.earlier = append(t.earlier[:0], t.earlier[1:]...)
	}
	t.earlier = append(t.earlier, before)
}

// Asked notes whether an input showed it, and reports whether the smallest one is to be looked at again.
func (t *Trail[T]) Asked(shows bool) (recheck bool) {
	if shows {
		t.misses = 0
		return false
	}
	t.misses++
	return t.misses%recheckEvery == 0
}

// Back gives up the smallest one and returns what was before it; ok is false where nothing is remembered.
func (t *Trail[T]) Back() (before T, ok bool) {
	n := len(t.earlier)
	if n == 0 {
		return before, false
	}
	before = t.earlier[n-1]
	t.earlier = t.earlier[:n-1]
	return before, true
}

// AtStart reports whether nothing is remembered.
func (t *Trail[T]) AtStart() bool { return len(t.earlier) == 0 }
