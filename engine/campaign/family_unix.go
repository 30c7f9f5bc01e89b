//go:build linux || darwin

package campaign

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// family is a process and what it has started: a session.
type family struct{}

// prepare is called before the start.
func (f *family) prepare(cmd *exec.Cmd) {
	adoptOrphans()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// started is called with the number of the process.
func (f *family) started(int) {}

// end kills and reaps what is left of the session.
func (f *family) end(leader int) {
	for range 50 {
		left := 0
		for _, s := range sessionMembers(leader) {
			if s.pid == leader {
				continue // reaped by cmd.Wait
			}
			left++
			_ = syscall.Kill(s.pid, syscall.SIGKILL)
			if s.parent == os.Getpid() {
				var st syscall.WaitStatus
				_, _ = syscall.Wait4(s.pid, &st, syscall.WNOHANG, nil)
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// member is a process of a session.
type member struct{ pid, parent int }
