// Package processtest runs, ends and looks for processes, for tests.
package processtest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// RunGroup starts a command in a process group of its own and waits for it. When the context of the command ends, the
// whole group is killed, so that nothing that the command has started outlives it.
func RunGroup(cmd *exec.Cmd) error {
	group, err := system.StartGroup(cmd)
	if err != nil {
		return err
	}
	defer group.Close()
	return cmd.Wait()
}

// KillProcess ends a process at once, as SIGKILL does.
func KillProcess(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }()
	return p.Kill()
}

// Exists reports whether there is a process of that number, a zombie too.
func Exists(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" {
		return true // FindProcess has opened it
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
