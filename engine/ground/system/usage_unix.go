//go:build linux || darwin

package system

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the CPU time of this process, without its children.
func CPUTime() time.Duration {
	used, _ := usedBy(syscall.RUSAGE_SELF)
	return used
}

// ChildrenCPUTime returns the CPU time of the children of this process that have ended and were waited for, with all
// that they waited for; false where the system does not count it.
func ChildrenCPUTime() (time.Duration, bool) { return usedBy(syscall.RUSAGE_CHILDREN) }

func usedBy(who int) (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}

// Signal returns the name of the signal that ended a process, "" if none did.
func Signal(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}

// Kernel names the kernel's release, "" if it is not known.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
