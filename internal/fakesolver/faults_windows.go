package fakesolver

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// dieBy ends the process with the exit code of the exception that stands for the signal.
func dieBy(sig syscall.Signal) {
	code := map[syscall.Signal]windows.NTStatus{sigSEGV: windows.STATUS_ACCESS_VIOLATION, sigABRT: windows.STATUS_FATAL_APP_EXIT, sigKILL: 137}[sig]
	_ = windows.TerminateProcess(windows.CurrentProcess(), uint32(code))
	os.Exit(int(code))
}

func leaveSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// newBlock takes memory that is not Go's.
func newBlock(n int) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n), nil
}
