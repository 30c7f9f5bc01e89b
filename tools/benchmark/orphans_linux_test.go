package benchmark

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// startAlone starts a command in a session of its own.
func startAlone(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	system.AdoptOrphans()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, cmd.Start())
	return cmd
}

// isThere reports whether a process is there, those included that have ended and that nobody has waited for.
func isThere(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}

// Of the leader's sessions, ended processes are reaped and running ones are killed. Processes in other sessions are
// left alone, to be waited for.
func TestOrphansEndBySession(t *testing.T) {
	ended, lives := startAlone(t, "true"), startAlone(t, "sleep", "600")
	other, own := startAlone(t, "true"), exec.Command("true")
	require.NoError(t, own.Start())
	for _, cmd := range []*exec.Cmd{ended, other, own} {
		require.Eventually(t, func() bool { return !system.Lives(cmd.Process.Pid) }, time.Minute, time.Millisecond)
	}
	f := &family{sessions: map[int]bool{ended.Process.Pid: true, lives.Process.Pid: true}}
	f.endOrphans()
	require.False(t, isThere(ended.Process.Pid))
	require.False(t, isThere(lives.Process.Pid))
	require.NoError(t, other.Wait())
	require.NoError(t, own.Wait())
}

// A search whose campaign does not wait for its worker leaves no process to this one, not even one that has ended.
func TestSearchLeavesNoProcess(t *testing.T) {
	system.AdoptOrphans()
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o755))
	write := func(name, text string) string {
		path := filepath.Join(folder, "bin", name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
		return path
	}
	write("sham", "echo 1.0\n")
	// The campaign has a worker that ends with it and one that does not, and works when they are there.
	smtlark := write("smtlark", `mkfifo ready orders
setsid sh -c 'echo $$ > obedient; echo > ready; read order < orders' > /dev/null 2>&1 &
read x < ready
exec 3> orders
setsid sh -c 'echo $$ > stubborn; echo > ready; exec sleep 600' > /dev/null 2>&1 3>&- &
read x < ready
while :; do :; done
`)
	dir := t.TempDir()
	p := &Planted{Smtlark: smtlark, Folder: folder, Limit: 300 * time.Millisecond, Seed: "1"}
	s, err := p.Search(t.Context(), "sham", nil, DefaultCampaign, dir)
	require.NoError(t, err)
	require.False(t, s.Found)
	for _, worker := range []string{"obedient", "stubborn"} {
		text, err := os.ReadFile(filepath.Join(dir, worker))
		require.NoError(t, err)
		require.NoDirExists(t, filepath.Join("/proc", strings.TrimSpace(string(text))), worker)
	}
}
