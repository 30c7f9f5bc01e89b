package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Process is a worker process. It is the leader of a session of its own, so that ^C reaches the coordinator alone and
// everything that it started, its solvers above all, can be found and ended after its death.
type Process struct {
	cmd    *exec.Cmd
	family family         // what the process has started
	In     io.WriteCloser // its standard input
	Out    io.ReadCloser  // and output
	stderr system.Ends
	once   sync.Once
	how    string
	number uint64 // the value of the shared number when it ended
	done   chan struct{}

	// Code that watches the descendants of the process holds a read lock. Once the process is gone, other processes may
	// have reused its ids.
	life sync.RWMutex
	gone bool
}

// Start starts argv. memory, if not 0, is the soft memory limit of the worker's runtime.
func Start(argv, env []string, memory int64) (*Process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	if memory > 0 && os.Getenv("GOMEMLIMIT") == "" {
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+strconv.FormatInt(memory/4*3, 10))
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	p.family.prepare(cmd)
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = time.Second // a grandchild may hold stderr open
	var err error
	if p.In, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait would close it before everything was read.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	p.Out = r
	number, forget := shareNumber(cmd)
	err = system.StartUnhurried(cmd.Start)
	w.Close()
	forget()
	if err != nil {
		if number != nil {
			_ = number.Close()
		}
		r.Close()
		p.In.Close()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	p.family.started(p.PID())
	go func() {
		err := cmd.Wait()
		p.how = describeEnd(cmd, err, p.stderr.String())
		if number != nil {
			p.number = number.Value().Load()
			_ = number.Close()
		}
		p.life.Lock()
		p.family.end(p.PID())
		p.gone = true
		p.life.Unlock()
		close(p.done)
	}()
	return p, nil
}

// whileThere calls f unless the process is gone, which then waits for f.
func (p *Process) whileThere(f func()) {
	p.life.RLock()
	defer p.life.RUnlock()
	if !p.gone {
		f()
	}
}

// describeEnd describes in words how a process ended, including its standard error.
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

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process and everything in its session at once. It does nothing if the process is gone already.
func (p *Process) Kill() {
	p.once.Do(func() {
		p.whileThere(func() {
			_ = p.cmd.Process.Kill()
			p.family.end(p.PID())
		})
	})
}

// Memory returns the resident memory of the process in bytes, 0 if it is not known.
func (p *Process) Memory() int64 { return residentMemory(p.PID()) }

// EndOrphans ends programs that the running process has started and that have left its session.
func (p *Process) EndOrphans() {
	p.whileThere(func() { p.family.endOrphans() })
}

// numberVariable names the file that a worker opens the shared number by.
const numberVariable = "SMTLARK_SHARED_NUMBER"

// shareNumber makes a shared number that the process can open with InheritedNumber; nil if the system does not support
// this, which is only slower. Call forget when the process has the file of the number.
func shareNumber(cmd *exec.Cmd) (number *system.SharedNumber, forget func()) {
	number, file, err := system.NewSharedNumber()
	if err != nil {
		return nil, func() {}
	}
	const firstExtraFile = 3
	cmd.Env = append(cmd.Env, numberVariable+"="+strconv.Itoa(firstExtraFile+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	return number, func() { file.Close() }
}

// InheritedNumber is the number that this process shares with the one that started it by Start, which reads it with
// Number; nil if there is none. What this process starts does not inherit it.
func InheritedNumber() *atomic.Uint64 {
	descriptor, err := strconv.Atoi(os.Getenv(numberVariable))
	if err != nil {
		return nil
	}
	os.Unsetenv(numberVariable)
	file := os.NewFile(uintptr(descriptor), "shared number")
	defer file.Close()
	number, err := system.OpenSharedNumber(file)
	if err != nil {
		return nil
	}
	return number.Value()
}

// Number returns the last value that the process stored in the shared number, after it has ended; 0 if there is no
// shared number.
func (p *Process) Number() uint64 {
	<-p.done
	return p.number
}

// Wait waits for the process and returns how it ended.
func (p *Process) Wait() string {
	<-p.done
	return p.how
}

// goDeath says in words how Go's runtime ended a worker; "" for other deaths.
func goDeath(stderr string) string {
	switch {
	case strings.Contains(stderr, "goroutine stack exceeds"):
		return "stack overflow: a value or a recursion that is nested too deep"
	case strings.Contains(stderr, "out of memory"), strings.Contains(stderr, "cannot allocate memory"), strings.Contains(stderr, "failed to reserve"), strings.Contains(stderr, "pthread_create failed"):
		return "the system gave it no more memory (see ulimit -v and the limits of the container)"
	}
	return ""
}
