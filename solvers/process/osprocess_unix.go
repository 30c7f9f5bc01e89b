//go:build linux || darwin

package process

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killGroup ends the process and all of its group.
func (p *osProcess) killGroup() { _ = syscall.Kill(-p.pid, syscall.SIGKILL) }

// reap reaps the process.
func (p *osProcess) reap() end {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		_, err := syscall.Wait4(p.pid, &status, 0, &usage)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	e := end{exit: status.ExitStatus(), cpu: time.Duration(usage.Utime.Nano() + usage.Stime.Nano()),
		peak: peakOf(int64(usage.Maxrss))}
	if status.Signaled() {
		e.exit, e.signal = -1, unix.SignalName(status.Signal())
	}
	return e
}
