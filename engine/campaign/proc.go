package campaign

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/system"
)

// process is a worker process. It is the leader of a session of its own, so that ^C reaches the coordinator alone and
// everything that it started, its solvers above all, can be found and ended after its death.
type process struct {
	cmd    *exec.Cmd
	family family // what the process has started
	in     io.WriteCloser
	out    io.ReadCloser
	stderr tail
	once   sync.Once
	how    string
	done   chan struct{}
}

// startProcess starts argv. memory, if not 0, is what the worker's runtime tries to stay below.
func startProcess(argv, env []string, memory int64) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	if memory > 0 && os.Getenv("GOMEMLIMIT") == "" {
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+strconv.FormatInt(memory/4*3, 10))
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	p.family.prepare(cmd)
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
	p.family.started(p.pid())
	go func() {
		err := cmd.Wait()
		p.how = describeEnd(cmd, err, p.stderr.text())
		p.family.end(p.pid())
		close(p.done)
	}()
	return p, nil
}

func describeEnd(cmd *exec.Cmd, err error, stderr string) string {
	how := "exit 0"
	if signal := system.Signal(cmd.ProcessState); signal != "" {
		how = signal
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
		p.family.end(p.pid())
	})
}

// memory returns the resident memory of the process in bytes, 0 if it is not known.
func (p *process) memory() int64 { return residentMemory(p.pid()) }

// wait returns how the process ended, after it did.
func (p *process) wait() string {
	<-p.done
	return p.how
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
