//go:build linux || darwin

package system

import (
	"os/exec"
	"syscall"
)

// Group holds the processes that StartGroup has started.
type Group struct{}

// StartGroup starts a command in a process group of its own. When the context of the command ends, the whole group is
// killed.
func StartGroup(cmd *exec.Cmd) (*Group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return &Group{}, cmd.Start()
}

// Close frees the resources of the group, after the command has been waited for.
func (*Group) Close() {}
