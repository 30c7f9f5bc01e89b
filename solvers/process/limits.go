package process

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
)

const (
	// stackLimit bounds the stack, in bytes, where the user's own limit is higher: an endless recursion must end in a
	// signal. It is not raised, because the C library makes the stacks of threads as large as this limit, and those
	// count as memory.
	stackLimit = 64 << 20
	fileLimit  = 64 << 20 // bytes a solver may write into one file
)

// DefaultLimits hold for what neither the options of a target nor a run sets.
var DefaultLimits = solvers.Limits{Wall: 10 * time.Second, Memory: 2 << 30, Output: 1 << 20}

// setLimits bounds a process that has just been started; see the package comment for why afterwards. Errors mean that
// the process is already gone.
func setLimits(pid int, lim solvers.Limits, memory string) {
	setLimit(pid, unix.RLIMIT_CORE, 0)
	setLimit(pid, unix.RLIMIT_FSIZE, fileLimit)
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err == nil && stack.Cur > stackLimit {
		setLimit(pid, unix.RLIMIT_STACK, stackLimit)
	}
	setMemoryLimit(pid, lim, memory)
	setCPULimit(pid, 0, lim)
}

func setMemoryLimit(pid int, lim solvers.Limits, memory string) {
	what := unix.RLIMIT_DATA
	switch memory {
	case "address":
		what = unix.RLIMIT_AS
	case "resident":
		return
	}
	setLimit(pid, what, uint64(lim.Memory))
}

// setLimit sets a soft limit and leaves the hard one, which the child has inherited from us.
func setLimit(pid, what int, value uint64) {
	hard := ownHardLimits()[what]
	_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: min(value, hard), Max: hard}, nil)
}

var ownHardLimits = sync.OnceValue(func() map[int]uint64 {
	hard := map[int]uint64{}
	for _, what := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_STACK, unix.RLIMIT_DATA, unix.RLIMIT_AS, unix.RLIMIT_CPU} {
		var r unix.Rlimit
		if err := unix.Getrlimit(what, &r); err != nil {
			r.Max = unix.RLIM_INFINITY
		}
		hard[what] = r.Max
	}
	return hard
})

// setCPULimit allows so much more than used as a run cannot reach: its own limits are enforced sooner and more exactly,
// by looking. It is there for a process that nobody looks at any more.
func setCPULimit(pid int, used time.Duration, lim solvers.Limits) {
	allow := lim.Wall*time.Duration(runtime.NumCPU()) + 2*time.Second
	seconds := uint64((used + allow) / time.Second)
	setLimit(pid, unix.RLIMIT_CPU, seconds)
}

// cpuClock returns the id of a process's CPU clock, as clock_getcpuclockid(3) makes it.
func cpuClock(pid int) int32 {
	const schedulerClock = 2
	return int32((^uint32(pid))<<3 | schedulerClock)
}

// readClock returns the time of a CPU clock, 0 when its process is gone.
func readClock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

func openStatus(pid int) *os.File {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil
	}
	return f
}

var peakLine = []byte("\nVmHWM:")

// readPeak returns the peak of resident memory from a status file of /proc, 0 when the process is gone.
func readPeak(status *os.File) int64 {
	if status == nil {
		return 0
	}
	var block [2048]byte
	n, _ := status.ReadAt(block[:], 0)
	_, rest, found := bytes.Cut(block[:n], peakLine)
	if !found {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte(" kB"))
	kb, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

// ownPeak is the peak of our own resident memory.
func ownPeak() int64 {
	status := ownStatus()
	return readPeak(status)
}

var ownStatus = sync.OnceValue(func() *os.File { return openStatus(os.Getpid()) })
