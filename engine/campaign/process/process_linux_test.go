package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Background processes of a worker's descendants are ended while the worker runs and at its end. Other children of this
// process are left alone.
func TestOrphansEnd(t *testing.T) {
	other := exec.Command("sleep", "60")
	require.NoError(t, other.Start())
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	daemon := "(setsid sh -c 'sleep 61 & sleep 62' > /dev/null 2>&1 < /dev/null &); "
	p, err := Start([]string{"sh", "-c", daemon + "read x; " + daemon + "echo done"}, nil, 0)
	require.NoError(t, err)
	left := func() (n int) {
		for _, x := range system.Processes() {
			if x.PID != p.PID() && system.Began(x.PID, p.family.setting) {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return left() >= 3 }, 20*time.Second, 5*time.Millisecond)
	require.Eventually(t, func() bool { p.EndOrphans(); return left() == 0 }, 20*time.Second, 5*time.Millisecond)
	_, err = fmt.Fprintln(p.In)
	require.NoError(t, err)
	require.Equal(t, "exit 0", strings.TrimSpace(p.Wait()))
	require.Eventually(t, func() bool { return left() == 0 }, 20*time.Second, 5*time.Millisecond)
	_, err = os.Stat(fmt.Sprintf("/proc/%d", other.Process.Pid))
	require.NoError(t, err)
}

// A worker need not wake up on time, other programs that this process starts do as before.
func TestTimersOfWorkersMayBeLate(t *testing.T) {
	const slack = "/proc/self/timerslack_ns"
	if _, err := os.Stat(slack); err != nil {
		t.Skip("this kernel does not tell the slack of timers")
	}
	before, err := exec.Command("cat", slack).Output()
	require.NoError(t, err)
	p, err := Start([]string{"cat", slack}, nil, 0)
	require.NoError(t, err)
	worker, err := io.ReadAll(p.Out)
	require.NoError(t, err)
	require.Equal(t, "exit 0", strings.TrimSpace(p.Wait()))
	require.Equal(t, "1000000\n", string(worker))
	after, err := exec.Command("cat", slack).Output()
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}
