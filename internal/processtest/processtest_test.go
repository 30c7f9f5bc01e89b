package processtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRunGroup checks that the processes that a command has started end when its context ends.
func TestRunGroup(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	file := filepath.Join(t.TempDir(), "pid")
	cmd := exec.CommandContext(ctx, sh, "-c", `sleep 1000 & echo $! > "$1.new"; mv "$1.new" "$1"; wait`, "sh", file)
	done := make(chan error, 1)
	go func() { done <- RunGroup(cmd) }()
	var text []byte
	require.Eventually(t, func() bool { text, err = os.ReadFile(file); return err == nil }, time.Minute, time.Millisecond)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.True(t, Exists(pid))
	cancel()
	require.Error(t, <-done)
	// It is nobody's child here: a zombie stays until it is reaped.
	require.Eventually(t, func() bool { return !Exists(pid) || isZombie(pid) }, time.Minute, time.Millisecond)
}

func isZombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}
