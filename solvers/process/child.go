package process

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// pipeGrace is how long the output of a dead process is still read when a grandchild that left the process group
// keeps the pipe open.
const pipeGrace = 100 * time.Millisecond

// child is one solver process.
type child struct {
	pid    int
	stdin  *os.File // nil for processes that read a file
	stdout *os.File
	errs   *capture // stderr
	clock  int32    // id of its CPU clock
	proc   *os.File // its status file in /proc, nil where there is none

	done   chan struct{} // closed once it is reaped; the fields below are then final
	status syscall.WaitStatus
	usage  syscall.Rusage

	mu       sync.Mutex
	dead     bool
	why      solvers.Class // why smtlark killed it; Invalid if it did not
	detail   string        // the message for that
	deadline time.Time
	peak     int64
	wait     sync.WaitGroup
}

// start runs argv in folder dir with its limits, confined as by says. With input, the child reads from a pipe, else from
// /dev/null.
func start(by *confine.Starter, argv, env []string, dir string, input bool, lim solvers.Limits, memory string) (*child, error) {
	var opened []int
	closeAll := func() {
		for _, fd := range opened {
			syscall.Close(fd)
		}
	}
	pipe := func() (r, w int, err error) {
		var p [2]int
		if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
			return 0, 0, os.NewSyscallError("pipe2", err)
		}
		opened = append(opened, p[0], p[1])
		return p[0], p[1], nil
	}
	c := &child{done: make(chan struct{})}
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
		inR, inW, err = pipe()
	} else if inR, err = syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
		opened = append(opened, inR)
	}
	if err != nil {
		closeAll()
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{uintptr(inR), uintptr(outW), uintptr(errW)},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	if err := by.Do(func() { c.pid, err = syscall.ForkExec(argv[0], argv, attr) }); err != nil {
		closeAll()
		return nil, err
	}
	if err != nil {
		closeAll()
		return nil, &os.PathError{Op: "start", Path: argv[0], Err: err}
	}
	setLimits(c.pid, lim, memory)
	syscall.Close(inR)
	syscall.Close(outW)
	syscall.Close(errW)
	if input {
		// A big buffer saves switches between writer and solver; a refusal does no harm.
		_, _ = unix.FcntlInt(uintptr(inW), unix.F_SETPIPE_SZ, 256<<10)
		c.stdin = pollable(inW, "stdin of solver")
	}
	c.stdout = pollable(outR, "stdout of solver")
	c.errs = newCapture(pollable(errR, "stderr of solver"), lim.Output, func() { c.kill(solvers.OutputLimit, "killed after too many bytes of output on stderr") })
	c.clock = cpuClock(c.pid)
	c.proc = openStatus(c.pid)
	c.wait.Go(c.errs.run)
	c.wait.Go(c.reap)
	return c, nil
}

func pollable(fd int, name string) *os.File {
	_ = syscall.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), name)
}

// reap waits for the end of the process. While it is still a zombie its number cannot be reused, so that the moment to
// kill the rest of its group is then.
func (c *child) reap() {
	for {
		err := unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c.mu.Lock()
	_ = syscall.Kill(-c.pid, syscall.SIGKILL)
	for {
		_, err := syscall.Wait4(c.pid, &c.status, 0, &c.usage)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	c.dead = true
	grace := time.Now().Add(pipeGrace)
	_ = c.stdout.SetReadDeadline(grace)
	c.errs.setDeadline(grace)
	c.mu.Unlock()
	close(c.done)
}

// kill ends the whole process group; the first reason given is kept.
func (c *child) kill(why solvers.Class, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return
	}
	if c.why == solvers.Invalid {
		c.why, c.detail = why, detail
	}
	_ = syscall.Kill(-c.pid, syscall.SIGKILL)
}

// killedFor returns the reason given to kill, Invalid if there was none.
func (c *child) killedFor() (solvers.Class, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why, c.detail
}

// readUntil sets the time at which reads of stdout end with os.ErrDeadlineExceeded.
func (c *child) readUntil(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if !c.dead {
		_ = c.stdout.SetReadDeadline(t)
	}
}

// isDead reports whether the process has ended.
func (c *child) isDead() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// close kills the process if it still runs, waits for it and frees everything it held here.
func (c *child) close() {
	c.kill(solvers.Cancelled, "target closed")
	<-c.done
	if c.stdin != nil {
		c.stdin.Close()
	}
	c.stdout.Close()
	c.errs.close()
	c.wait.Wait()
	if c.proc != nil {
		c.proc.Close()
	}
}

// cpu returns the CPU time used so far.
func (c *child) cpu() time.Duration {
	if c.isDead() {
		return time.Duration(c.usage.Utime.Nano() + c.usage.Stime.Nano())
	}
	return readClock(c.clock)
}

// samplePeak reads the peak of the resident memory, in bytes. It keeps the last value known, because a dead process has
// none: ru_maxrss is no substitute, as the kernel starts it with the size of the process that forked.
func (c *child) samplePeak() int64 {
	if p := readPeak(c.proc); p > c.peak {
		c.peak = p
	}
	if c.isDead() {
		if p := int64(c.usage.Maxrss) << 10; p > c.peak && p > ownPeak() {
			c.peak = p
		}
	}
	return c.peak
}

// death describes how a reaped process ended.
func (c *child) death() (exit int, signal string) {
	if c.status.Signaled() {
		return -1, unix.SignalName(c.status.Signal())
	}
	return c.status.ExitStatus(), ""
}
