package process

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A process that is on its way out is told from one that closed its output and goes on, however long it is until it is
// reaped.
func TestExitingIsTold(t *testing.T) {
	gone := exec.Command("true")
	require.NoError(t, gone.Start())
	defer func() { _ = gone.Wait() }()
	require.NoError(t, unix.Waitid(unix.P_PID, gone.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)) // it has ended, and is not reaped
	ended := osProcess{pid: gone.Process.Pid}
	require.True(t, ended.isExiting())
	stays := exec.Command("sleep", "1000")
	require.NoError(t, stays.Start())
	p := osProcess{pid: stays.Process.Pid}
	require.False(t, p.isExiting())
	require.NoError(t, stays.Process.Kill())
	_ = stays.Wait()
}
