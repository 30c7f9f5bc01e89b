//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// startProcess starts the process in a process group of its own, and returns the pipe of its standard error.
func (c *child) startProcess(by *confine.Starter, argv, env []string, dir string, input bool, lim solvers.Limits) (stderr *os.File, err error) {
	var opened []int
	closeAll := func() {
		for _, fd := range opened {
			syscall.Close(fd)
		}
	}
	pipe := func() (r, w int, err error) {
		if r, w, err = newPipe(); err == nil {
			opened = append(opened, r, w)
		}
		return r, w, err
	}
	outR, outW, err := pipe()
	if err != nil {
		return nil, err
	}
	errR, errW, err := pipe()
	if err != nil {
		closeAll()
		return nil, err
	}
	var inR, inW int
	if input {
		// Without input it reads the null device: ours might be a terminal, which would stop it.
		inR, inW, err = pipe()
	} else if inR, err = syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
		opened = append(opened, inR)
	}
	if err != nil {
		closeAll()
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{uintptr(inR), uintptr(outW), uintptr(errW)}, Sys: processAttributes(),
	}
	exec := launchArgv(argv, input, lim)
	if err := by.Do(func() { c.pid, err = syscall.ForkExec(exec[0], exec, attr) }); err != nil {
		closeAll()
		return nil, err
	}
	if err != nil {
		closeAll()
		return nil, &os.PathError{Op: "start", Path: argv[0], Err: err}
	}
	c.kernel = newHandle(c.pid)
	// As long as we hold the child's ends too, its output does not end with it.
	syscall.Close(inR)
	syscall.Close(outW)
	syscall.Close(errW)
	if input {
		enlargePipe(inW)
		c.stdin = pollableFile(inW, "stdin of solver")
	}
	c.stdout = pollableFile(outR, "stdout of solver")
	return pollableFile(errR, "stderr of solver"), nil
}

func pollableFile(fd int, name string) *os.File {
	_ = syscall.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), name)
}

// killGroup ends the process and all of its group.
func (c *child) killGroup() { _ = syscall.Kill(-c.pid, syscall.SIGKILL) }

// reapStatus reaps the process.
func (c *child) reapStatus() end {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		_, err := syscall.Wait4(c.pid, &status, 0, &usage)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	e := end{exit: status.ExitStatus(), cpu: time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), peak: peakOf(int64(usage.Maxrss))}
	if status.Signaled() {
		e.exit, e.signal = -1, unix.SignalName(status.Signal())
	}
	return e
}

// writeNow writes what the pipe to the process takes without waiting.
func (c *child) writeNow(text []byte) (n int, err error) {
	raw, err := c.stdin.SyscallConn()
	if err != nil {
		return 0, err
	}
	err = raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), text)
		return true
	})
	return max(n, 0), err
}

// hasPendingInput reports whether a pipe has something to read, or has ended.
func hasPendingInput(f *os.File) (bool, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	ready := 0
	_ = raw.Control(func(fd uintptr) {
		ready, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	})
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return ready != 0, err
}
