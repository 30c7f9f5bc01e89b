package fakesolver

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// dieBy ends the process by a signal as if there were no Go runtime: its handlers would turn the signal into exit
// code 2. The thread that calls it is the one that dies, as by a fault of its own, so that its stack is the same each
// time: a signal to the process may hit any thread.
func dieBy(sig syscall.Signal) {
	var action [4]uint64 // struct sigaction of the kernel: all zero is SIG_DFL
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	runtime.LockOSThread()
	_ = syscall.Tgkill(os.Getpid(), syscall.Gettid(), sig)
	sleepForever()
}
