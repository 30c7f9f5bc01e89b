//go:build linux || darwin

package system

import (
	"os/exec"
	"sync"
	"syscall"
)

// detached holds the processes that StartDetached has started, by process ID.
var detached sync.Map

// StartDetached starts a command that outlives the current process and does not receive the signals that end it: the
// command has a session of its own, and EndOrphans leaves it alone.
func StartDetached(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	detached.Store(cmd.Process.Pid, true)
	return nil
}
