// Package system asks the operating system what Go's library does not: processes that are ended with all they have started,
// locks of files, CPU time, names of signals. There is one file a family of systems, so that the rest of smtlark is the same
// on Linux, macOS and Windows; docs/systems.md says what works where.
package system

import (
	"os"
	"os/exec"
)

// RunGroup starts a command in a process group of its own and waits for it. When the context of the command ends, the whole
// group is killed, so that nothing that the command has started outlives it.
func RunGroup(cmd *exec.Cmd) error {
	group, err := StartGroup(cmd)
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
	return exists(p)
}
