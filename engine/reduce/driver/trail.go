package driver

import (
	"math"
	"slices"
)

// A property that shows only now and then may seem to be present, or absent, by chance. All searches handle this in one
// way. They run each input often enough that few inputs are missed (neededRuns). They recheck their current result from
// time to time and at the end, and if it no longer shows the property, they go back to the result before it (Trail).

// maxRuns bounds the runs of one input.
const maxRuns = 20

// neededRuns returns the number of runs after which an input counts as not showing a property that another input showed
// in shown of n runs. With that many runs, the chance to miss an input that shows it equally often is below 2 %; there
// are never more than 20.
func neededRuns(shown, n int) int {
	if shown <= 0 || shown >= n {
		return 1
	}
	miss := 1 - float64(shown)/float64(n)
	return min(maxRuns, int(math.Ceil(math.Log(0.02)/math.Log(miss))))
}

// Repeats decides how often to run an input before it counts as not showing the property. The zero value means once.
type Repeats struct{ tries int }

// Measured says that the input to begin with showed it in some of n runs.
func (r *Repeats) Measured(shown, n int) { r.tries = neededRuns(shown, n) }

// AtMost says how often an input is run at most.
func (r *Repeats) AtMost(tries int) { r.tries = min(tries, maxRuns) }

// Tries returns the greatest number of runs of an input.
func (r *Repeats) Tries() int { return max(1, r.tries) }

// Until runs an input until it shows the property, at most Tries times, or until run reports that further runs are of
// no use. It returns the number of runs.
func (r *Repeats) Until(run func() (over bool)) (runs int) {
	for runs < r.Tries() {
		runs++
		if run() {
			break
		}
	}
	return runs
}

// recheckEvery is the number of inputs in a row that did not show the property after which the smallest one is checked
// again.
const recheckEvery = 64

// Trail is the history of a search: the earlier smallest inputs, the latest last. It remembers all of the latest ones,
// and of older ones the fewer the older they are. So a long search through a large input needs little memory, and going
// back is at most about a quarter longer than necessary.
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

// gap returns the distance between remembered steps that are ago steps old. Each gap is a multiple of the smaller ones,
// so a forgotten step is never needed again.
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

// Back gives up the smallest input and returns the one before it; ok is false if none is remembered.
func (t *Trail[T]) Back() (before T, ok bool) {
	n := len(t.earlier)
	if n == 0 {
		return before, false
	}
	before = t.earlier[n-1].input
	t.earlier = slices.Delete(t.earlier, n-1, n) // so that the candidate it refers to can be freed, too
	return before, true
}

// AtStart reports whether nothing is remembered.
func (t *Trail[T]) AtStart() bool { return len(t.earlier) == 0 }
