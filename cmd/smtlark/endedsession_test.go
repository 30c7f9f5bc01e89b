//go:build linux

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// session is a session of smtlark solve -in over z3, with a folder of its own for temporary files.
type session struct {
	*exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	files   string
	solvers []int // its children, when it had replied
}

// startSession starts a session, sends text to it and reads the expected reply.
func startSession(t *testing.T, text, reply string) *session {
	t.Helper()
	if _, err := exec.LookPath("z3"); err != nil && os.Getenv("SMTLARK_SOLVERS") == "" {
		t.Skip("z3 is not installed")
	}
	s := &session{Cmd: exec.Command("smtlark", "solve", "-in", "--solver", "z3"), files: t.TempDir()}
	s.Env = append(os.Environ(), "TMPDIR="+s.files)
	var err error
	s.in, err = s.StdinPipe()
	require.NoError(t, err)
	s.out, err = s.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.Start())
	_, err = io.WriteString(s.in, text)
	require.NoError(t, err)
	got := make([]byte, len(reply))
	_, err = io.ReadFull(s.out, got)
	require.NoError(t, err)
	require.Equal(t, reply, string(got))
	s.solvers = childrenOf(s.Process.Pid)
	require.NotEmpty(t, s.solvers)
	return s
}

// leavesNothing waits for the end of the session, which is one by an exit code, and finds neither a solver nor a file.
// It returns what Wait does.
func (s *session) leavesNothing(t *testing.T) error {
	t.Helper()
	ended := s.Wait()
	require.True(t, s.ProcessState.Exited(), s.ProcessState.String())
	for _, pid := range s.solvers {
		require.False(t, system.Lives(pid))
	}
	left, err := os.ReadDir(s.files)
	require.NoError(t, err)
	require.Empty(t, left)
	return ended
}

// TestClientIsGone: a client that has closed the pipe of the replies leaves neither a solver nor a temporary file of
// one behind.
func TestClientIsGone(t *testing.T) {
	s := startSession(t, "(declare-const x Int)(check-sat)\n", "sat\n")
	require.NoError(t, s.out.Close())
	_, err := io.WriteString(s.in, "(check-sat)\n")
	require.NoError(t, err)
	require.Error(t, s.leavesNothing(t)) // the disk, that is the pipe
}

// TestClientIsGoneWhileASolverWorks: nobody waits for an answer that has no reader, whether the client has closed its
// end of the pipes or was killed.
func TestClientIsGoneWhileASolverWorks(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		s := startSession(t, easyText+hardText, "sat\nasked\n")
		require.NoError(t, s.out.Close())
		require.Error(t, s.leavesNothing(t))
	})
	t.Run("of a file", func(t *testing.T) {
		dir, files := t.TempDir(), t.TempDir()
		path := filepath.Join(dir, "hard.smt2")
		require.NoError(t, os.WriteFile(path, []byte(easyText+hardText), 0o600))
		solve := exec.Command("smtlark", "solve", path, "--solver", "z3")
		solve.Env = append(os.Environ(), "TMPDIR="+files)
		out, err := solve.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, solve.Start())
		s := &session{Cmd: solve, files: files}
		_, err = io.ReadFull(out, make([]byte, len("sat\n")))
		require.NoError(t, err)
		s.solvers = childrenOf(solve.Process.Pid)
		require.NotEmpty(t, s.solvers)
		require.NoError(t, out.Close())
		require.Error(t, s.leavesNothing(t))
	})
	t.Run("killed", func(t *testing.T) {
		dir := t.TempDir()
		// The session is not the child of the shell that is killed, or its end could not be waited for.
		client := exec.Command("sh", "-c", `mkfifo in out; TMPDIR=$PWD/files smtlark solve -in --solver z3 <in >out & echo $! >session; exec 3>in 4<out; cat >&3 <<END
`+easyText+hardText+`END
read sat <&4; read asked <&4; echo $sat $asked; exec sleep 1000`)
		client.Dir = dir
		require.NoError(t, os.Mkdir(filepath.Join(dir, "files"), 0o700))
		out, err := client.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, client.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "sat asked\n", line)
		text, err := os.ReadFile(filepath.Join(dir, "session"))
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		below := childrenOf(pid)
		require.NotEmpty(t, below)
		require.NoError(t, client.Process.Kill())
		_ = client.Wait()
		require.Eventually(t, func() bool { return !system.Lives(pid) }, time.Minute, 10*time.Millisecond)
		for _, x := range below {
			require.Eventually(t, func() bool { return !system.Lives(x) }, time.Minute, 10*time.Millisecond)
		}
		left, err := os.ReadDir(filepath.Join(dir, "files"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

const (
	easyText = "(declare-const x Int)(check-sat)\n"
	hardText = "(declare-const y (_ BitVec 128))(declare-const z (_ BitVec 128))(assert (bvugt y (_ bv1 128)))(assert (bvugt z (_ bv1 128)))" +
		"(assert (bvumul_noovfl y z))(assert (= (bvmul y z) (_ bv170141183460469231731687303715884105727 128)))(echo \"asked\")(check-sat)\n" // a prime number
)

// childrenOf returns the processes that a process has started.
func childrenOf(parent int) (pids []int) {
	for _, p := range system.Processes() {
		if p.Parent == parent {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// TestSignalsEndASession: ^C and SIGTERM leave neither a solver nor a file behind, whether the session waits for its
// client or for a solver.
func TestSignalsEndASession(t *testing.T) {
	for name, x := range map[string]struct {
		sent        os.Signal
		text, reply string
	}{
		"^C, idle": {os.Interrupt, easyText, "sat\n"}, "^C, busy": {os.Interrupt, easyText + hardText, "sat\nasked\n"},
		"SIGTERM, idle": {syscall.SIGTERM, easyText, "sat\n"}, "SIGTERM, busy": {syscall.SIGTERM, easyText + hardText, "sat\nasked\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSession(t, x.text, x.reply)
			require.NoError(t, s.Process.Signal(x.sent))
			_ = s.leavesNothing(t)
		})
	}
}
