package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
)

// osProcess is a process as the operating system has it: the group it leads, what it has used, the limits that are set from outside, and
// its end.
type osProcess struct {
	pid    int
	clock  int32    // id of its CPU clock
	status *os.File // its status file in /proc, nil where there is none
	cpu    uint64   // its limit of CPU time in seconds, 0 before the first
}

func newProcess(pid int) osProcess {
	return osProcess{pid: pid, clock: cpuClock(pid), status: openStatus(pid)}
}

func (p *osProcess) cpuTime() time.Duration { return readClock(p.clock) }

func (p *osProcess) peakMemory() int64 { return readPeak(p.status) }

// isExiting reports whether the process is on its way out: what it had open is closed before it is gone.
func (p *osProcess) isExiting() bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/stat")
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const flags, isExiting = 6, 0x4 // PF_EXITING of the kernel
	if len(fields) <= flags {
		return false
	}
	n, err := strconv.ParseUint(string(fields[flags]), 10, 64)
	return err == nil && n&isExiting != 0
}

func (p *osProcess) close() {
	if p.status != nil {
		p.status.Close()
	}
}

// setFixedLimits sets the limits that are the same for every run. Errors of these functions mean that the process is already
// gone.
func (p *osProcess) setFixedLimits() {
	setLimit(p.pid, unix.RLIMIT_CORE, 0)
	setLimit(p.pid, unix.RLIMIT_FSIZE, fileLimit)
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err == nil && stack.Cur > stackLimit {
		setLimit(p.pid, unix.RLIMIT_STACK, stackLimit)
	}
}

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

// setCPULimit is there for a process that nobody looks at any more.
func (p *osProcess) setCPULimit(used time.Duration, lim solvers.Limits) {
	if seconds := cpuLimit(used, lim); seconds != p.cpu {
		p.cpu = seconds
		setLimit(p.pid, unix.RLIMIT_CPU, seconds)
	}
}

// awaitEnd waits until the process has ended, and leaves it a zombie.
func (p *osProcess) awaitEnd() {
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
