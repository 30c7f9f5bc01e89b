package process

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
)

// osProcess is a process of the operating system: its group, its resource usage, the limits set from outside, and its
// end.
type osProcess struct{ pid int }

func newProcess(pid int) osProcess { return osProcess{pid} }

func (p *osProcess) cpuTime() time.Duration {
	u, ok := usageOf(p.pid)
	if !ok {
		return 0
	}
	return fromMachTime(u.user + u.system)
}

func (p *osProcess) peakMemory() int64 {
	u, ok := usageOf(p.pid)
	if !ok {
		return 0
	}
	return int64(u.resident)
}

func (p *osProcess) isExiting() bool { return false } // the system does not tell

func (p *osProcess) close() {}

func (p *osProcess) setFixedLimits()                           {} // see launchArgv
func (p *osProcess) setMemoryLimit(solvers.Limits, string)     {}
func (p *osProcess) setCPULimit(time.Duration, solvers.Limits) {}

// awaitEnd waits until the process has ended, and leaves it a zombie.
func (p *osProcess) awaitEnd() {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	change := unix.Kevent_t{Ident: uint64(p.pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT,
		Fflags: unix.NOTE_EXIT}
	events := make([]unix.Kevent_t, 1)
	for {
		// ESRCH means that the process has already ended.
		_, err := unix.Kevent(queue, []unix.Kevent_t{change}, events, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
