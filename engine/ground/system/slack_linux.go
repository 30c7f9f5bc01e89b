package system

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// lateBy is the timer slack of processes that StartUnhurried starts. The monitor of Go's runtime sleeps for 20
// microseconds at a time while anything runs, 70 with Linux' usual 50 of slack; these frequent wake-ups took a sixth of
// our share of the CPU in API walks. More than a millisecond brings no further gain.
const lateBy = time.Millisecond

// StartUnhurried calls start, which starts a process. Timers of that process and its descendants may be a millisecond
// late; see prctl(2), PR_SET_TIMERSLACK.
func StartUnhurried(start func() error) error {
	runtime.LockOSThread() // a process has the slack of the thread that starts it
	defer runtime.UnlockOSThread()
	const (
		set  = unix.PR_SET_TIMERSLACK
		back = 0 // the value that this thread started with
	)
	if unix.Prctl(set, uintptr(lateBy), 0, 0, 0) == nil {
		defer func() { _ = unix.Prctl(set, back, 0, 0, 0) }()
	}
	return start()
}
