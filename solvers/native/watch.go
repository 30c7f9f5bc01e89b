package native

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// watcher ends checks that have taken their time. One goroutine of the process looks every few milliseconds: starting
// one for each check, and waiting for its end, costs more than many a check.
type watcher struct {
	mu     sync.Mutex
	begun  bool          // the goroutine runs
	api    api           // of the check that runs, nil for none
	wall   time.Time     // when it shall end; zero: never
	cpu    time.Duration // CPU time of the process at which it shall end; 0: never
	fired  bool
	missed bool // the library cannot be stopped
}

const watchEvery = 4 * time.Millisecond

var watching watcher

// begin watches a check.
func (w *watcher) begin(x api, wall time.Time, cpu time.Duration) {
	w.mu.Lock()
	w.api, w.wall, w.cpu, w.fired, w.missed = x, wall, cpu, false, false
	if !w.begun {
		w.begun = true
		go w.loop()
	}
	w.mu.Unlock()
}

// end says that the check has come to its end, and returns whether it was told to.
func (w *watcher) end() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api = nil
	return w.fired
}

func (w *watcher) loop() {
	for {
		time.Sleep(watchEvery)
		w.look()
	}
}

// look stops the check if its time is over, again and again until it ends: a stop before the search began may be lost. The
// lock keeps the library's solver alive meanwhile.
func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.api == nil || w.missed {
		return
	}
	if !w.wall.IsZero() && time.Now().After(w.wall) || w.cpu > 0 && processCPU() > w.cpu {
		w.fired = true
		w.missed = !w.api.stop()
	}
}

// processCPU is the CPU time of this process.
func processCPU() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadCPU is the CPU time of the present thread.
func threadCPU() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(id, &ts)
	return time.Duration(ts.Nano())
}
