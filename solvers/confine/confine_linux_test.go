package confine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// deeds are the actions that a confined process attempts. Each gets the folder outside and says how it went.
var deeds = map[string]func(outside string) error{
	"write": func(d string) error { return os.WriteFile(filepath.Join(d, "kept"), []byte("x"), 0o600) },
	"append": func(d string) error {
		_, err := os.OpenFile(filepath.Join(d, "kept"), os.O_APPEND|os.O_WRONLY, 0)
		return err
	},
	"truncate": func(d string) error { return os.Truncate(filepath.Join(d, "kept"), 0) },
	"create":   func(d string) error { return os.WriteFile(filepath.Join(d, "new"), nil, 0o600) },
	"remove":   func(d string) error { return os.Remove(filepath.Join(d, "kept")) },
	"rename":   func(d string) error { return os.Rename(filepath.Join(d, "kept"), "stolen") },
	"mkdir":    func(d string) error { return os.Mkdir(filepath.Join(d, "folder"), 0o700) },
	"link":     func(d string) error { return os.Symlink("/", filepath.Join(d, "link")) },
	"tcp":      func(string) error { return dial("tcp", os.Getenv("TCP")) },
	"listen":   func(string) error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
	"udp": func(string) error {
		_, err := net.ListenPacket("udp", "127.0.0.1:0")
		return err
	},
	"abstract": func(string) error { return dial("unix", os.Getenv("ABSTRACT")) },
	"agent":    func(d string) error { return dial("unix", filepath.Join(d, "agent.sock")) },
	"socket": func(string) error {
		_, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		return err
	},
	"chmod": func(d string) error { return os.Chmod(filepath.Join(d, "kept"), 0o666) },
	"fchmod": func(d string) error {
		f, err := os.Open(filepath.Join(d, "kept"))
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Chmod(0o666)
	},
	"fchmodat2": func(d string) error {
		path, err := syscall.BytePtrFromString(filepath.Join(d, "kept"))
		if err != nil {
			return err
		}
		if _, _, errno := syscall.Syscall6(sysFchmodat2, ^uintptr(99), uintptr(unsafe.Pointer(path)), 0o666, 0, 0, 0); errno != 0 { // AT_FDCWD
			return errno
		}
		return nil
	},
	"chown":    func(d string) error { return os.Chown(filepath.Join(d, "kept"), os.Getuid(), os.Getgid()) },
	"lchown":   func(d string) error { return os.Lchown(filepath.Join(d, "kept"), os.Getuid(), os.Getgid()) },
	"times":    func(d string) error { return os.Chtimes(filepath.Join(d, "kept"), time.Unix(1, 0), time.Unix(1, 0)) },
	"setxattr": func(d string) error { return unix.Setxattr(filepath.Join(d, "kept"), "user.x", []byte("y"), 0) },
	"flags": func(d string) error {
		f, err := os.Open(filepath.Join(d, "kept"))
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.IoctlSetPointerInt(int(f.Fd()), uint(attributeRequests[0]), 0x40) // no time of reading
	},
	"io_uring": func(string) error {
		var params [120]byte
		if _, _, errno := syscall.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0); errno != 0 {
			return errno
		}
		return nil
	},
	"signal": func(string) error { return syscall.Kill(os.Getppid(), syscall.SIGCONT) },

	"ok inside":    func(string) error { return os.WriteFile("mine", []byte("x"), 0o600) },
	"ok folder":    func(string) error { return os.MkdirAll("a/b", 0o700) },
	"ok move":      func(string) error { return os.Rename("a/b", "c") },
	"ok temporary": func(string) error { _, err := os.CreateTemp("", "x"); return err },
	"ok null":      func(string) error { return os.WriteFile("/dev/null", []byte("x"), 0) },
	"ok read":      func(d string) error { _, err := os.ReadFile(filepath.Join(d, "kept")); return err },
	"ok exec":      func(string) error { return exec.Command("/bin/sh", "-c", "echo x > mine; cat mine >/dev/null").Run() },
	"ok pair":      func(string) error { _, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0); return err },
}

var order = []string{"write", "append", "truncate", "create", "remove", "rename", "mkdir", "link", "tcp", "listen", "udp", "abstract", "signal",
	"agent", "socket", "chmod", "fchmod", "fchmodat2", "chown", "lchown", "times", "setxattr", "flags", "io_uring",
	"ok inside", "ok folder", "ok move", "ok temporary", "ok null", "ok read", "ok exec", "ok pair"}

// bySeccomp are those that Landlock knows nothing of.
var bySeccomp = []string{"agent", "socket", "chmod", "fchmod", "fchmodat2", "chown", "lchown", "times", "setxattr", "flags", "io_uring"}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

func TestMain(m *testing.M) {
	if outside := os.Getenv("OUTSIDE"); outside != "" {
		for _, name := range order {
			fmt.Printf("%s=%v\n", name, deeds[name](outside) == nil)
		}
		return
	}
	os.Exit(m.Run())
}

// tried starts this test as a child by a starter and returns which deeds succeeded.
func tried(t *testing.T, s *Starter, dir string) (map[string]bool, string) {
	t.Helper()
	outside := t.TempDir()
	kept := filepath.Join(outside, "kept")
	require.NoError(t, os.WriteFile(kept, []byte("KEEP ME"), 0o600))
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	abstract, err := net.Listen("unix", fmt.Sprintf("@smtlark-test-%d", os.Getpid()))
	require.NoError(t, err)
	defer abstract.Close()
	agent, err := net.Listen("unix", filepath.Join(outside, "agent.sock"))
	require.NoError(t, err)
	defer agent.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(Environ(os.Environ(), dir), "OUTSIDE="+outside, "TCP="+tcp.Addr().String(), "ABSTRACT="+abstract.Addr().String())
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, s.Do(func() { err = cmd.Start() }))
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), out.String())
	did := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		name, ok, _ := strings.Cut(strings.TrimSpace(line), "=")
		did[name] = ok == "true"
	}
	text, _ := os.ReadFile(kept)
	return did, string(text)
}

func TestConfined(t *testing.T) {
	have := supported()
	if have.landlock == 0 {
		t.Skip("this kernel has no Landlock")
	}
	dir := t.TempDir()
	s := NewStarter(dir)
	defer s.Close()
	did, kept := tried(t, s, dir)
	require.Equal(t, "KEEP ME", kept)
	for _, name := range order {
		switch {
		case slices.Contains(bySeccomp, name) && !have.seccomp, name == "udp" && !have.seccomp, (name == "tcp" || name == "listen") && !have.seccomp && have.landlock < 4,
			name == "abstract" && have.landlock < 6, name == "signal" && !have.signals, name == "truncate" && have.landlock < 3:
			continue
		}
		require.Equal(t, strings.HasPrefix(name, "ok "), did[name], name)
	}
}

// Older kernels support fewer features, which must be requested with their version of the interface.
func TestOlderKernels(t *testing.T) {
	have := supported()
	for abi := 1; abi < have.landlock; abi++ {
		dir := t.TempDir()
		old := support{landlock: abi}
		s := launchThread(func() error { return old.confineThread(dir) })
		did, kept := tried(t, s, dir)
		s.Close()
		for _, name := range []string{"write", "append", "create", "remove", "rename", "mkdir", "link"} {
			require.False(t, did[name], "ABI %d: %s", abi, name)
		}
		for name, done := range did {
			if name != "ok move" || abi >= 2 { // the first knew no moves between folders
				require.False(t, strings.HasPrefix(name, "ok ") && !done, "ABI %d: %s", abi, name)
			}
		}
		require.Equal(t, abi < 4, did["tcp"], "ABI %d", abi)
		if abi >= 3 {
			require.Equal(t, "KEEP ME", kept)
		}
	}
}

// Only the thread of the starter is bound: the process itself writes where it likes, from all of its threads.
func TestOthersAreFree(t *testing.T) {
	outside := t.TempDir()
	var starters []*Starter
	for range 8 {
		s := NewStarter(t.TempDir())
		require.NoError(t, s.Do(func() {}))
		starters = append(starters, s)
	}
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			path := filepath.Join(outside, fmt.Sprint(i))
			for range 20 { // file operations block, so that the runtime starts threads
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
		if i%8 == 0 {
			starters[i/8].Close()
		}
	}
	wait.Wait()
}

func TestFree(t *testing.T) {
	t.Setenv(Env, string(None))
	dir := t.TempDir()
	s := NewStarter(dir)
	require.Same(t, Free(), s)
	did, kept := tried(t, s, dir)
	require.True(t, did["write"])
	require.NotEqual(t, "KEEP ME", kept)
	s.Close()
	require.NoError(t, s.Do(func() {}), "the thread that all share stays")
}

func TestDescribe(t *testing.T) {
	if supported().landlock > 0 {
		require.Regexp(t, `^confined: files read-only but a temporary folder \(Landlock ABI \d+\)`, Describe())
	}
	t.Setenv(Env, "rules")
	require.Contains(t, Describe(), "not confined by the kernel")
	t.Setenv(Env, "none")
	require.Contains(t, Describe(), "--unsafe-solver")
}

// With its first thread bound, a process gets signals from those that are confined with that thread.
func TestFirstThreadStaysFree(t *testing.T) {
	for range 500 {
		var thread int
		s := launchThread(nil)
		require.NoError(t, s.Do(func() { thread = syscall.Gettid() }))
		s.Close()
		require.NotEqual(t, syscall.Getpid(), thread)
	}
}

// If EnvRead is set, programs can read the files of the system and the folders of that variable, but no files of the
// user.
func TestStrangersReadNothing(t *testing.T) {
	if supported().landlock == 0 {
		t.Skip("no Landlock")
	}
	require.Empty(t, ForStrangers())
	outside, given := t.TempDir(), t.TempDir()
	for _, dir := range []string{outside, given} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	}
	read := func(dir string) error {
		return Run(exec.CommandContext(t.Context(), "/bin/cat", filepath.Join(dir, "file")))
	}
	require.NoError(t, read(outside))
	t.Setenv(EnvRead, given)
	require.NoError(t, read(given))
	require.Error(t, read(outside))
	require.NoError(t, Run(exec.CommandContext(t.Context(), "/bin/sh", "-c", "echo x > mine && cat mine && cat /proc/self/status >/dev/null")))
	t.Setenv(Env, string(Rules))
	require.Contains(t, ForStrangers(), "not confined")
}

// Solvers get only the listed variables of the environment: no token, no agent's socket, no home.
func TestSolverEnviron(t *testing.T) {
	for name, value := range map[string]string{
		"SECRET_TOKEN": "s3cret", "AWS_SECRET_ACCESS_KEY": "s3cret", "SSH_AUTH_SOCK": "/run/agent", "GITHUB_TOKEN": "s3cret", "LICENSE_FILE": "/opt/license",
		"PATHS": "s3cret", "LC_MESSAGES": "C", "HOME": "/home/somebody", "PASSED_ON": "yes",
	} {
		t.Setenv(name, value)
	}
	t.Setenv(EnvPass, "PASSED_ON,NOWHERE")
	env := Environ(SolverEnviron("LICENSE_FILE=/own"), "/tmp/folder")
	for _, setting := range env {
		require.NotContains(t, setting, "s3cret")
		require.NotContains(t, setting, "SSH_AUTH_SOCK")
	}
	require.Contains(t, env, "PATH="+os.Getenv("PATH"))
	require.Contains(t, env, "LC_MESSAGES=C")
	require.Contains(t, env, "PASSED_ON=yes")
	require.Contains(t, env, "LICENSE_FILE=/own")
	require.Contains(t, env, "HOME=/tmp/folder")
	require.Contains(t, env, "TMPDIR=/tmp/folder")
}

// The programs for other processors are as long as their jumps can reach, and end with the refusal.
func TestFilterProgram(t *testing.T) {
	program := filterProgram(1, 2, 3, []uint32{4, 5}, 6, []uint32{7})
	last := len(program) - 1
	for i, x := range program {
		if x.Code&0x07 == unix.BPF_JMP {
			require.LessOrEqual(t, i+1+int(x.Jt), last)
			require.LessOrEqual(t, i+1+int(x.Jf), last)
		}
	}
	require.EqualValues(t, unix.SECCOMP_RET_ERRNO|uint32(unix.EACCES), program[last].K)
}
