package driver

import (
	"math"
	"slices"
)

// What shows now and then only may seem to be there, or to be gone, by chance. All searches deal with that in one way:
// what they search with is run so often that few inputs are missed (neededRuns), and what they have come to is looked
// at again from time to time and at the end; where it does not show any more, they go back to what was before it
// (Trail).

// maxRuns bounds the runs of one input.
const maxRuns = 20

// neededRuns returns the number of runs after which an input counts as not showing something that another input showed
// in some of n runs: until the chance to miss one that shows it as often is below 2 %, but not more than 20 times.
func neededRuns(shown, n int) int {
	if shown <= 0 || shown >= n {
		return 1
	}
	miss := 1 - float64(shown)/float64(n)
	return min(maxRuns, int(math.Ceil(math.Log(0.02)/math.Log(miss))))
}

// Repeats decides how often to run an input before it counts as not showing what is looked for. The zero value is once.
type Repeats struct{ tries int }

// Measured says that the input to begin with showed it in some of n runs.
func (r *Repeats) Measured(shown, n int) { r.tries = neededRuns(shown, n) }

// AtMost says how often an input is run at most.
func (r *Repeats) AtMost(tries int) { r.tries = min(tries, maxRuns) }

// Tries returns the greatest number of runs of an input.
func (r *Repeats) Tries() int { return max(1, r.tries) }

// Until runs an input until it shows it, as often as it takes, or until run says that it is of no use. It returns how
// often that was.
func (r *Repeats) Until(run func() (over bool)) (runs int) {
	for runs < r.Tries() {
		runs++
		if run() {
			break
		}
	}
	return runs
}

// recheckEvery is after how many inputs in a row that did not show it the smallest one is looked at again.
const recheckEvery = 64

// Trail is the way of a search: what was the smallest before, the latest last. The latest are all remembered, of those
// before them the fewer the longer ago they were, so that a long way through a large input needs little memory and a
// way back is at most about a quarter longer than it had to be.
type Trail[T any] struct {
	// Longest bounds how many are remembered; 0 means no bound. The earliest are forgotten.
	Longest int
	earlier []step[T]
	steps   int
	misses  int
}

// step is one of the smallest inputs of a search, and how many were before it.
type step[T any] struct {
	number int
	input  T
}

// Accept notes that the smallest so far was replaced by a smaller one.
func (t *Trail[T]) Accept(before T) {
	if t.Longest > 0 && len(t.earlier) == t.Longest {
		t.earlier = slices.Delete(t.earlier, 0, 1)
	}
	t.steps++
	t.earlier = slices.DeleteFunc(t.earlier, func(s step[T]) bool { return s.number%gap(t.steps-s.number) != 0 })
	t.earlier = append(t.earlier, step[T]{t.steps, before})
}

// gap returns the distance between the remembered steps of so many steps ago. Each gap is a multiple of those before
// it: what is forgotten is never asked for again.
func gap(ago int) int {
	gap := 1
	for ; ago >= 8*gap; gap *= 2 {
	}
	return gap
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
	before = t.earlier[n-1].input
	t.earlier = slices.Delete(t.earlier, n-1, n) // and what it refers to can go, too
	return before, true
}

// AtStart reports whether nothing is remembered.
func (t *Trail[T]) AtStart() bool { return len(t.earlier) == 0 }
