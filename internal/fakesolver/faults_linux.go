package fakesolver

import (
	"os"
	"syscall"
	"unsafe"
)

// dieBy ends the process by a signal as if there were no Go runtime: its handlers would turn the signal into exit
// code 2.
func dieBy(sig syscall.Signal) {
	var action [4]uint64 // struct sigaction of the kernel: all zero is SIG_DFL
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	_ = syscall.Kill(os.Getpid(), sig)
	sleepForever()
}
