package process

import (
	"sync"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// ownMemoryLimit reports whether the memory limit is enforced by polling the process. It always is, since the kernel
// has no such limit.
func ownMemoryLimit(string) bool { return true }

// peakOf makes the peak of resident memory from ru_maxrss, which is in bytes here.
func peakOf(maxrss int64) int64 { return maxrss }

// usage is the rusage_info_v0 of proc_pid_rusage(3).
type usage struct {
	uuid                                        [16]byte
	user, system                                uint64 // in units of mach_absolute_time
	packageWakeups, interruptWakeups, pageIns   uint64
	wired, resident, footprint, started, exited uint64
}

var libSystem = sync.OnceValue(func() (functions struct {
	usage    uintptr
	timebase struct{ numerator, denominator uint32 }
}) {
	lib, err := purego.Dlopen("/usr/lib/libSystem.B.dylib", purego.RTLD_NOW)
	if err != nil {
		return functions
	}
	if f, err := purego.Dlsym(lib, "proc_pid_rusage"); err == nil {
		functions.usage = f
	}
	if f, err := purego.Dlsym(lib, "mach_timebase_info"); err == nil {
		purego.SyscallN(f, uintptr(unsafe.Pointer(&functions.timebase)))
	}
	return functions
})

// usageOf returns the resource usage of a living process.
func usageOf(pid int) (u usage, ok bool) {
	f := libSystem().usage
	if f == 0 {
		return u, false
	}
	failed, _, _ := purego.SyscallN(f, uintptr(pid), 0, uintptr(unsafe.Pointer(&u)))
	return u, int32(failed) == 0
}

// fromMachTime converts a span of mach_absolute_time, whose unit depends on the processor.
func fromMachTime(t uint64) time.Duration {
	base := libSystem().timebase
	if base.denominator == 0 {
		return time.Duration(t)
	}
	return time.Duration(float64(t) * float64(base.numerator) / float64(base.denominator))
}
