package system

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// StartDetached starts a command that outlives the current process and is not affected by events that end it: the
// command has no console.
func StartDetached(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
	return cmd.Start()
}
