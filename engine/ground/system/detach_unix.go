//go:build linux || darwin

package system

import (
	"os/exec"
	"sync"
	"syscall"
)

// detached are the processes that StartDetached has started, by their numbers.
var detached sync.Map

// StartDetached starts a command that outlives the present process and hears nothing of what ends that: it has a
// session of its own, and EndOrphans leaves it alone.
func StartDetached(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	detached.Store(cmd.Process.Pid, true)
	return nil
}
