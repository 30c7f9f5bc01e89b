//go:build linux || darwin

package campaign_test

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, as solvers are.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// freeze stops a process until thaw.
func freeze(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func thaw(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
