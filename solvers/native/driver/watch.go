package driver

import (
	"sync"
	"time"
)

// watcher ends checks that exceed their time. The process has one timer, which fires when the time can be up at the
// earliest; most checks end before. The timer keeps running when a check ends, since setting it costs as much as a
// small check; it then examines the check that runs at that time.
type watcher struct {
	mu     sync.Mutex
	timer  *time.Timer
	looks  time.Time     // when the timer looks, zero where it is not set
	api    API           // of the check that runs, nil for none
	wall   time.Time     // when it shall end; zero: never
	cpu    time.Duration // CPU time of the process at which it shall end; 0: never
	fired  bool
	missed bool // the library cannot be stopped
	log    *CallLog
}

func (w *watcher) useLog(log *CallLog) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = log
}

// watchEvery is the interval at which a check that was told to end is told again: a stop before the search began may be
// lost.
const watchEvery = 4 * time.Millisecond

// checkWatcher is the watcher of this process.
var checkWatcher watcher

// watchCheck watches a check.
func (w *watcher) watchCheck(x API, wall time.Time, cpu time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api, w.wall, w.cpu, w.fired, w.missed = x, wall, cpu, false, false
	left := w.timeLeft()
	if w.looks.IsZero() || w.looks.After(time.Now().Add(left)) {
		w.lookIn(left)
	}
}

// lookIn sets the timer.
func (w *watcher) lookIn(d time.Duration) {
	w.looks = time.Now().Add(d)
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.stopIfOver)
	} else {
		w.timer.Reset(d)
	}
}

// endWatching records that the check has ended, and returns whether it was told to end.
func (w *watcher) endWatching() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api = nil
	if w.fired {
		w.log.noteStop(false)
	}
	return w.fired
}

// timeLeft returns the time before which the limit cannot be reached, at least a millisecond. CPU time passes no faster
// than wall time with one busy thread, and little faster with Go's own threads.
func (w *watcher) timeLeft() time.Duration {
	d := time.Hour
	if !w.wall.IsZero() {
		d = time.Until(w.wall)
	}
	if w.cpu > 0 {
		d = min(d, w.cpu-ProcessCPU())
	}
	return max(d, time.Millisecond)
}

// stopIfOver stops the check if its time is over, again and again until it ends. The lock keeps the library's solver
// alive meanwhile.
func (w *watcher) stopIfOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks = time.Time{}
	if w.api == nil || w.missed {
		return
	}
	if !w.wall.IsZero() && !time.Now().Before(w.wall) || w.cpu > 0 && ProcessCPU() >= w.cpu {
		w.fired = true
		w.log.noteStop(true)
		w.missed = !w.api.Stop()
		w.lookIn(watchEvery)
		return
	}
	w.lookIn(w.timeLeft())
}
