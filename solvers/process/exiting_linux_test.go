package process

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process that is on its way out is told from one that closed its output and goes on, however long it is until it is reaped.
func TestExitingIsTold(t *testing.T) {
	gone := exec.Command("true")
	require.NoError(t, gone.Start())
	defer func() { _ = gone.Wait() }()
	for p := (osProcess{pid: gone.Process.Pid}); !p.isExiting(); { // it ends, but is not reaped
		time.Sleep(time.Millisecond)
	}
	stays := exec.Command("sleep", "1000")
	require.NoError(t, stays.Start())
	p := osProcess{pid: stays.Process.Pid}
	require.False(t, p.isExiting())
	require.NoError(t, stays.Process.Kill())
	_ = stays.Wait()
}
