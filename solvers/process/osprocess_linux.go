package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
)

// osProcess is a process of the operating system: its group, its resource usage, the limits set from outside, and its
// end.
type osProcess struct {
	pid    int
	ended  *os.File // readable when it has ended, nil where the kernel has no such file
	clock  int32    // id of its CPU clock
	status *os.File // its status file in /proc, nil before it is looked at
	cpu    uint64   // its limit of CPU time in seconds, 0 before the first
}

// newProcess takes over a process that was started and is not reaped.
func newProcess(pid int) osProcess {
	p := osProcess{pid: pid, clock: cpuClock(pid)}
	if fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK); err == nil {
		p.ended = os.NewFile(uintptr(fd), "end of solver")
	}
	return p
}

func (p *osProcess) cpuTime() time.Duration { return readClock(p.clock) }

// peakMemory must be called before the process is reaped: later its number may belong to another process.
func (p *osProcess) peakMemory() int64 {
	if p.status == nil {
		p.status = openStatus(p.pid)
	}
	return readPeak(p.status)
}

// isExiting reports whether the process is exiting: its files are closed some time before it is gone.
func (p *osProcess) isExiting() bool {
	fields, err := statusFields(p.pid)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	const flags, isExiting = 6, 0x4 // PF_EXITING of the kernel
	if len(fields) <= flags {
		return false
	}
	n, err := strconv.ParseUint(string(fields[flags]), 10, 64)
	return err == nil && n&isExiting != 0
}

// isAsleep reports whether a process sleeps, waiting for an event such as input (state S).
func isAsleep(pid int) bool {
	fields, err := statusFields(pid)
	return err == nil && len(fields) > 0 && string(fields[0]) == "S"
}

// statusFields returns the fields of /proc/PID/stat after the program's name, which may contain any characters. The
// first field is the state.
func statusFields(pid int) ([][]byte, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, err
	}
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]), nil
}

func (p *osProcess) close() {
	for _, f := range []*os.File{p.status, p.ended} {
		if f != nil {
			f.Close()
		}
	}
}

// setFixedLimits sets the limits that are the same for every run. Errors of these functions mean that the process is
// already gone.
func (p *osProcess) setFixedLimits() {
	setLimit(p.pid, unix.RLIMIT_CORE, 0)
	setLimit(p.pid, unix.RLIMIT_FSIZE, fileLimit)
	if hasLargerStack() {
		setLimit(p.pid, unix.RLIMIT_STACK, stackLimit)
	}
}

// hasLargerStack reports whether our own stack limit, which children inherit, is above that of solvers.
var hasLargerStack = sync.OnceValue(func() bool {
	var stack unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_STACK, &stack) == nil && stack.Cur > stackLimit
})

func (p *osProcess) setMemoryLimit(lim solvers.Limits, memory string) {
	what := unix.RLIMIT_DATA
	switch memory {
	case "address":
		what = unix.RLIMIT_AS
	case "resident":
		return
	}
	setLimit(p.pid, what, uint64(lim.Memory))
}

// setCPULimit sets a limit that ends a process even if nobody polls it any more.
func (p *osProcess) setCPULimit(used time.Duration, lim solvers.Limits) {
	if seconds := cpuLimit(used, lim); seconds != p.cpu {
		p.cpu = seconds
		setLimit(p.pid, unix.RLIMIT_CPU, seconds)
	}
}

// awaitEnd waits until the process has ended, and leaves it a zombie. It uses Go's poller, which waits for the output
// anyway: a thread that waits in the kernel would cost two context switches.
func (p *osProcess) awaitEnd() {
	if p.ended != nil {
		if raw, err := p.ended.SyscallConn(); err == nil && raw.Read(hasEnded) == nil {
			return
		}
	}
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// hasEnded reports whether the process of a pidfd has ended.
func hasEnded(pidfd uintptr) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}
