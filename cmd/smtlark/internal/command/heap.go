package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/ground/addressspace"
)

// Cases and queries are short-lived. A small heap may grow a lot before each garbage collection, which then costs
// little; one that holds thousands of seeds and laws would take gigabytes on a machine with many workers.
const (
	campaignGoal   = 192 << 20 // bytes, between collections, while less than half of it is in use
	waitingGoal    = 40 << 20
	greatestGrowth = 400 // percent of the memory in use
	leastGrowth    = 75
	greatestHeap   = 1 << 30 // bytes, beyond which there is hardly any growth
)

// collections sees to the growth of the heap after each garbage collection. It holds more than a few bytes, since a
// smaller object shares its memory with others and would outlive collections with them.
type collections struct {
	growth int
	_      [7]uint64
}

// heapGoal is that of this process.
var heapGoal atomic.Uint64

func init() { heapGoal.Store(campaignGoal) }

// KeepHeapSmall is for a process that waits for hours for others, such as for questions or for reports of workers.
func KeepHeapSmall() { heapGoal.Store(waitingGoal) }

// LimitHeap lets the heap of this process grow as AdaptHeap does, and hardly beyond a limit.
func LimitHeap() {
	AdaptHeap()
	limitMemory(greatestHeap)
}

// AdaptHeap makes the growth of this process's heap depend on the memory in use: a small heap may grow by more.
func AdaptHeap() {
	limitMemory(debug.SetMemoryLimit(-1)) // the limit of GOMEMLIMIT, or none
	debug.SetGCPercent(greatestGrowth)
	(&collections{growth: greatestGrowth}).awaitNext()
}

// LimitHeapFor makes the garbage collector work harder if the heap exceeds the size that a file of the given size
// should need. Otherwise, garbage that is not yet collected would be most of the memory that a hostile file uses.
func LimitHeapFor(bytes int) {
	const (
		least = 360 << 20
		times = 24 // a parsed file of many small commands is this many times as large as its text
	)
	limitMemory(max(least, int64(bytes)*times))
}

// limitMemory sets the limit from which the collector works harder, and less where the address space is limited.
func limitMemory(bytes int64) {
	if limit, ok := addressspace.Limit(); ok {
		bytes = min(bytes, addressspace.HeapUnder(limit))
	}
	debug.SetMemoryLimit(bytes)
}

// awaitNext makes the next collection call adaptGrowth, as the finalizer of an unused object.
func (c *collections) awaitNext() { runtime.SetFinalizer(c, (*collections).adaptGrowth) }

func (c *collections) adaptGrowth() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	// Each change stops the process for a moment, so small ones are left out.
	if growth := heapGrowth(live[0].Value.Uint64()); growth*10 < c.growth*9 || growth*10 > c.growth*11 {
		c.growth = growth
		debug.SetGCPercent(growth)
	}
	c.awaitNext()
}

// heapGrowth returns by how many percent of the bytes in use the heap may grow.
func heapGrowth(live uint64) int {
	if live == 0 {
		return greatestGrowth
	}
	return min(greatestGrowth, max(leastGrowth, int(100*heapGoal.Load()/live)-100))
}
