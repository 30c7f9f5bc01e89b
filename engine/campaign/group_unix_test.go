//go:build linux || darwin

package campaign_test

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, as solvers are.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
