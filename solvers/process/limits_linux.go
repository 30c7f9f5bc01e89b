package process

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ownMemoryLimit reports whether the memory limit is enforced by polling the process.
func ownMemoryLimit(memory string) bool { return memory == "resident" }

// setLimit sets a soft limit and leaves the hard one, which the child has inherited from us.
func setLimit(pid, what int, value uint64) {
	hard := ownHardLimits()[what]
	_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: min(value, hard), Max: hard}, nil)
}

var ownHardLimits = sync.OnceValue(func() map[int]uint64 {
	hard := map[int]uint64{}
	for _, what := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_STACK, unix.RLIMIT_DATA, unix.RLIMIT_AS,
		unix.RLIMIT_CPU} {
		var r unix.Rlimit
		if err := unix.Getrlimit(what, &r); err != nil {
			r.Max = unix.RLIM_INFINITY
		}
		hard[what] = r.Max
	}
	return hard
})

// peakOf computes the peak of resident memory from ru_maxrss. This is no substitute for the value that /proc gives for
// a living process, because the kernel initializes ru_maxrss with the size of the process that forked.
func peakOf(maxrss int64) int64 {
	if peak := maxrss << 10; peak > ownPeak() {
		return peak
	}
	return 0
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

// ownPeak returns the peak of our own resident memory, including the time before the program began.
func ownPeak() int64 {
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return 0
	}
	return own.Maxrss << 10
}
