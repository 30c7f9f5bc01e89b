package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a worker process. It is the leader of a session of its own, so that ^C reaches the coordinator alone and
// everything that it started, its solvers above all, can be found and ended after its death. The coordinator is a
// subreaper: orphans become its children and leave no zombies.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr tail
	once   sync.Once
	how    string
	done   chan struct{}
}

var subreaper = sync.OnceFunc(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// startProcess starts argv. memory, if not 0, is what the worker's runtime tries to stay below.
func startProcess(argv, env []string, memory int64) (*process, error) {
	subreaper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(os.Environ(), env...)
	if memory > 0 && os.Getenv("GOMEMLIMIT") == "" {
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+strconv.FormatInt(memory/4*3, 10))
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = time.Second // a grandchild may hold stderr open
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait would close it before everything was read.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	p.out = r
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		p.in.Close()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	go func() {
		err := cmd.Wait()
		p.how = describeEnd(cmd, err, p.stderr.text())
		p.sweep()
		close(p.done)
	}()
	return p, nil
}

func describeEnd(cmd *exec.Cmd, err error, stderr string) string {
	how := "exit 0"
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		how = unix.SignalName(st.Signal())
	} else if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() != 0 {
		how = fmt.Sprintf("exit %d", cmd.ProcessState.ExitCode())
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		how = err.Error()
	}
	if words := goDeath(stderr); words != "" && !strings.HasPrefix(how, "SIGKILL") {
		how = words
	} else if stderr = strings.TrimSpace(stderr); stderr != "" {
		how += ": " + stderr
	}
	return how
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the process and everything in its session at once.
func (p *process) kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill()
		p.sweep()
	})
}

// wait returns how the process ended, after it did.
func (p *process) wait() string {
	<-p.done
	return p.how
}

// sweep kills and reaps what is left of the session.
func (p *process) sweep() {
	for range 50 {
		left := 0
		for _, s := range sessionMembers(p.pid()) {
			if s.pid == p.pid() {
				continue // reaped by cmd.Wait
			}
			left++
			_ = syscall.Kill(s.pid, syscall.SIGKILL)
			if s.parent == os.Getpid() {
				var st syscall.WaitStatus
				_, _ = syscall.Wait4(s.pid, &st, syscall.WNOHANG, nil)
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// memory returns the resident memory of the process in bytes, 0 if it is not known.
func (p *process) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.pid()))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

type member struct{ pid, parent int }

// sessionMembers lists the processes of a session.
func sessionMembers(session int) []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var out []member
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// pid (comm) state ppid pgrp session ...; comm may contain anything.
		at := bytes.LastIndexByte(text, ')')
		if at < 0 {
			continue
		}
		fields := strings.Fields(string(text[at+1:]))
		if len(fields) < 4 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		if sid, _ := strconv.Atoi(fields[3]); sid == session {
			out = append(out, member{pid, parent})
		}
	}
	return out
}

// tail keeps the beginning and the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	head []byte
	end  []byte
	lost bool
}

// maxTail bounds each of the two parts, in bytes.
const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(b), maxTail-len(t.head))
	t.head = append(t.head, b[:n]...)
	t.end = append(t.end, b[n:]...)
	if len(t.end) > 2*maxTail {
		t.end = append(t.end[:0], t.end[len(t.end)-maxTail:]...)
		t.lost = true
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost {
		return string(t.head) + "\n[...]\n" + string(t.end)
	}
	return string(t.head) + string(t.end)
}
