//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// launch starts a process in a process group of its own.
func launch(by *confine.Starter, argv, env []string, dir string, input bool, lim solvers.Limits) (*launched, error) {
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
		// Without input the child reads the null device: our own standard input might be a terminal, which would stop
		// the child.
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
	var pid int
	if err := by.Do(func() { pid, err = syscall.ForkExec(exec[0], exec, attr) }); err != nil {
		closeAll()
		return nil, err
	}
	if err != nil {
		closeAll()
		return nil, &os.PathError{Op: "start", Path: argv[0], Err: err}
	}
	l := &launched{process: newProcess(pid)}
	// Close our copies of the child's ends: while we hold them, the output pipes do not end when the child does.
	syscall.Close(inR)
	syscall.Close(outW)
	syscall.Close(errW)
	if input {
		enlargePipe(inW)
		l.stdin = pollableFile(inW, "stdin of solver")
	}
	l.stdout, l.stderr = &waitedPipe{os.NewFile(uintptr(outR), "stdout of solver")}, pollableFile(errR, "stderr of solver")
	return l, nil
}

func pollableFile(fd int, name string) *os.File {
	_ = syscall.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), name)
}

// writeNow writes as much text to a pipe as it accepts without blocking.
func writeNow(pipe *os.File, text []byte) (n int, err error) {
	raw, err := pipe.SyscallConn()
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
