//go:build linux || darwin

package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/smtlark/smtlark/engine/system"
)

// family is a process and what it has started: a session, and what has left that. Such processes are known by a setting that
// they inherit; the coordinator becomes their parent, on Linux.
type family struct{ setting string }

var families atomic.Uint64

// prepare is called before the start.
func (f *family) prepare(cmd *exec.Cmd) {
	system.AdoptOrphans()
	f.setting = fmt.Sprintf("SMTLARK_FAMILY=%d-%d-%d", os.Getpid(), time.Now().UnixNano(), families.Add(1))
	cmd.Env = append(cmd.Env, f.setting)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// started is called with the number of the process.
func (f *family) started(int) {}

// endOrphans ends what has left the session of a leader that goes on.
func (f *family) endOrphans(leader int) {
	system.EndOrphans(func(pid int) bool { return pid == leader || !system.Began(pid, f.setting) })
}

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
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	f.endOrphans(leader)
}

// member is a process of a session.
type member struct{ pid, parent int }
