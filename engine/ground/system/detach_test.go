//go:build linux

package system

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ending the processes that were left behind does not end detached ones.
func TestDetached(t *testing.T) {
	AdoptOrphans()
	cmd, left := exec.Command("sleep", "600"), exec.Command("sleep", "600")
	require.NoError(t, StartDetached(cmd))
	require.NoError(t, left.Start())
	session, err := syscall.Getpgid(cmd.Process.Pid)
	require.NoError(t, err)
	require.Equal(t, cmd.Process.Pid, session)
	require.Equal(t, 1, EndOrphans(nil))
	require.True(t, Lives(cmd.Process.Pid))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
}
