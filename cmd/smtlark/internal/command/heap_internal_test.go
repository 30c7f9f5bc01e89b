package command

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeapGrowth(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1: 400, 20 << 20: 400, 96 << 20: 100, 64 << 20: 200, 192 << 20: 75, 1 << 40: 75} {
		require.Equal(t, want, heapGrowth(live), "%d bytes in use", live)
	}
}

// The memory in use determines the growth of the heap. After the memory is freed, the heap may grow as at first.
func TestHeapOfAWorkerIsLimited(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) }()
	LimitHeap()
	growth := func(want int) bool {
		for range 1000 { // the finaliser runs some time after a collection
			runtime.GC()
			now := debug.SetGCPercent(-1)
			debug.SetGCPercent(now)
			if now == want {
				return true
			}
		}
		return false
	}
	held := make([]byte, 300<<20)
	require.True(t, growth(leastGrowth))
	runtime.KeepAlive(held)
	held = nil
	require.True(t, growth(greatestGrowth))
}
