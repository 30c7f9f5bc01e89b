package system

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// CPUTime returns the CPU time of this process, without its children.
func CPUTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0
	}
	return ticks(kernel) + ticks(user)
}

// ChildrenCPUTime returns the CPU time of the children of this process that have ended; false where the system does not
// count it, as here.
func ChildrenCPUTime() (time.Duration, bool) { return 0, false }

// ticks converts a span of time in units of 100 ns.
func ticks(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

// Signal returns the name of the signal that ended a process, "" if none did: SignalOf its exit code.
func Signal(state *os.ProcessState) string { return SignalOf(uint32(state.ExitCode())) }

// SignalOf returns the name of the signal that other systems have for an exit code that Windows gives a process that
// dies of an exception, "" for other codes.
func SignalOf(exit uint32) string {
	switch windows.NTStatus(exit) {
	case windows.STATUS_ACCESS_VIOLATION, windows.STATUS_STACK_OVERFLOW, windows.STATUS_IN_PAGE_ERROR:
		return "SIGSEGV"
	case windows.STATUS_ILLEGAL_INSTRUCTION, windows.STATUS_PRIVILEGED_INSTRUCTION:
		return "SIGILL"
	case windows.STATUS_INTEGER_DIVIDE_BY_ZERO, windows.STATUS_INTEGER_OVERFLOW, windows.STATUS_FLOAT_DIVIDE_BY_ZERO:
		return "SIGFPE"
	case windows.STATUS_HEAP_CORRUPTION, windows.STATUS_STACK_BUFFER_OVERRUN, windows.STATUS_FATAL_APP_EXIT, windows.STATUS_ASSERTION_FAILURE:
		return "SIGABRT"
	}
	if exit == killedExit {
		return "SIGKILL"
	}
	return ""
}

// Kernel names the kernel's release, "" if it is not known.
func Kernel() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}
