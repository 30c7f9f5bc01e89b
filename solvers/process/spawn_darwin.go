package process

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
)

func newPipe() (r, w int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(p[:]); err != nil {
		return 0, 0, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	return p[0], p[1], nil
}

func enlargePipe(int) {}

func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// launchArgv returns the argument vector that starts a program. Here no process can set the limits of another one, so a
// shell sets its own limits and then becomes the program. A process that reads its input from us ends when that input
// ends. It gets no CPU limit: it serves many runs, so a limit set once would be wrong.
func launchArgv(argv []string, input bool, lim solvers.Limits) []string {
	if unix.Access(argv[0], unix.X_OK) != nil { // so that the error names the program, not the shell
		return argv
	}
	limits := "ulimit -c 0; ulimit -f " + strconv.Itoa(fileLimit/512) // in blocks
	if !input {
		limits += "; ulimit -t " + strconv.FormatUint(cpuLimit(0, lim), 10)
	}
	return append([]string{"/bin/sh", "-c", limits + `; exec "$@"`, "sh"}, argv...)
}
