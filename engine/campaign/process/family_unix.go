//go:build linux || darwin

package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// family is a process and all processes that it has started: its session, and processes that have left the session. The
// latter are recognised by an environment variable that they inherit; on Linux, the coordinator becomes their parent.
type family struct{ setting string }

// familyName is the name of the setting; its value begins with the number of the coordinator's process.
const familyName = "SMTLARK_FAMILY"

var families atomic.Uint64

// leaders are the running workers that this process has started, by process number.
var leaders sync.Map

// prepare is called before the start.
func (f *family) prepare(cmd *exec.Cmd) {
	system.AdoptOrphans()
	f.setting = fmt.Sprintf("%s=%d-%d-%d", familyName, os.Getpid(), time.Now().UnixNano(), families.Add(1))
	cmd.Env = append(cmd.Env, f.setting)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// started is called with the number of the process.
func (f *family) started(leader int) { leaders.Store(leader, nil) }

// endOrphans ends the processes that have left the session of a running leader.
func (f *family) endOrphans() {
	isLeader := func(pid int) bool {
		_, ok := leaders.Load(pid)
		return ok
	}
	system.EndOrphansBut(isLeader, f.keeps)
}

// keeps reports whether a child of this process is not of the family.
func (f *family) keeps(child system.Relative) bool { return !system.Began(child.PID, f.setting) }

// end kills and reaps the rest of the session.
func (f *family) end(leader int) {
	defer leaders.Delete(leader)
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
	// Nobody looks again: no orphan may be left out.
	system.EndOrphans(func(p system.Relative) bool { return p.PID == leader || f.keeps(p) })
}

// EndLeftFamily is called by a worker that ends: if its coordinator is gone, nothing else ends the background processes
// of the worker's solvers.
func EndLeftFamily() {
	value := os.Getenv(familyName)
	// A dying process closes its files before its children get another parent; a worker notices its death by the closed
	// files.
	if parent := os.Getppid(); value == "" || strings.HasPrefix(value, fmt.Sprintf("%d-", parent)) && system.Lives(parent) {
		return // the coordinator sees to it
	}
	system.AdoptOrphans()
	// A process that is just becoming another program shows no settings: it is waited for, and it takes a few looks that
	// find none.
	for looks, none := 0, 0; looks < 2500 && none < 5; looks++ {
		left := 0
		for _, p := range system.Processes() {
			if p.PID == os.Getpid() {
				continue
			}
			if p.Parent != os.Getpid() && !system.Began(p.PID, familyName+"="+value) {
				if system.IsStarting(p.PID) {
					left++
				}
				continue
			}
			left++
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
			if p.Parent == os.Getpid() {
				var st syscall.WaitStatus
				_, _ = syscall.Wait4(p.PID, &st, syscall.WNOHANG, nil)
			}
		}
		if none++; left > 0 {
			none = 0
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// member is a process of a session.
type member struct{ pid, parent int }
