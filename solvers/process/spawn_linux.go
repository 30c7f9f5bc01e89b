package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
)

func newPipe() (r, w int, err error) {
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
		return 0, 0, os.NewSyscallError("pipe2", err)
	}
	return p[0], p[1], nil
}

// enlargePipe gives a pipe a big buffer, which saves switches between writer and solver; a refusal does no harm.
func enlargePipe(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 256<<10) }

func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// launchArgv returns the argument vector that starts a program: limits are set afterwards, by setFixedLimits and its
// like.
func launchArgv(argv []string, _ bool, _ solvers.Limits) []string { return argv }
