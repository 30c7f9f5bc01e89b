// Package confine starts processes that can read all files of the user, but write only below their own folders and have
// no network. The reason: inputs come from strangers, and a solver executes the commands in its input.
//
// The kernel enforces this (Landlock and seccomp, Linux only). Both bind a thread and its descendants irrevocably. A
// Starter is therefore a separate thread that has bound itself once and then starts processes. Such a start costs no
// more than any other, and no other thread of this process is bound. See docs/trust.md.
package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Env names the environment variable that says what confines solvers, see Protection. Children of this process
// inherit it.
const Env = "SMTLARK_CONFINE"

// EnvRead names the environment variable with folders, separated as in PATH. If it is set, confined processes can read
// only these folders, folders of their own and the files of the system. Untrusted programs run in this way.
const EnvRead = "SMTLARK_CONFINE_READ"

// readable returns the folders of EnvRead; nil: everything may be read.
func readable() []string {
	if text := os.Getenv(EnvRead); text != "" {
		return filepath.SplitList(text)
	}
	return nil
}

// ForStrangers reports why untrusted programs must not run here; "" if the kernel can block their access to files and
// the network.
func ForStrangers() string {
	if Current() != Kernel {
		return "solvers are not confined here: " + Describe()
	}
	have := supported()
	if why := have.whyFilesUnprotected(); why != "" {
		return why
	}
	if !have.cutsNetwork() {
		return "neither seccomp nor Landlock keeps programs from the network on this machine"
	}
	return ""
}

// Protection is the means that keeps solvers from writing files of the user.
type Protection string

// The protections; each includes those after it.
const (
	Kernel Protection = "kernel" // the kernel refuses; the default
	Rules  Protection = "rules"  // only commands and options that write files are left out or refused, as on other systems
	None   Protection = "none"   // nothing: --unsafe-solver
)

// Current returns the protection of this process: the value of the environment variable Env, or else Kernel.
func Current() Protection {
	switch p := Protection(os.Getenv(Env)); p {
	case Rules, None:
		return p
	}
	return Kernel
}

// SetCurrent sets the protection of this process and of those that it starts from now on.
func SetCurrent(p Protection) error { return os.Setenv(Env, string(p)) }

// Describe describes in one line how solvers that are started now are protected.
func Describe() string {
	switch Current() {
	case None:
		return "not confined: --unsafe-solver, or " + Env + "=none"
	case Rules:
		return "not confined by the kernel (" + Env + "=rules): only commands and options that write files are left out"
	}
	have := supported()
	if why := have.whyFilesUnprotected(); why != "" {
		return strings.Join(append(have.describeProtection(),
			"files are not protected by the kernel ("+why+"), only commands and options that write files are left out"), "; ")
	}
	return "confined: " + strings.Join(have.describeProtection(), "; ")
}

// Starter is a thread that starts confined processes.
type Starter struct {
	jobs  chan func()
	ready chan struct{} // closed once the thread is bound, or err says why not
	err   error
	end   sync.Once
}

// free is the thread for processes that are not confined. It never ends: see Do.
var free = sync.OnceValue(func() *Starter { return launchThread(nil) })

// Free returns the starter of processes that are not confined.
func Free() *Starter { return free() }

// NewStarter returns a starter of processes that may write only below dir, as far as Current and the kernel provide for
// it. Close ends it.
func NewStarter(dir string) *Starter {
	have := supported()
	if Current() != Kernel || len(have.describeProtection()) == 0 {
		return Free()
	}
	return launchThread(func() error {
		if err := have.confineThread(dir); err != nil {
			return fmt.Errorf("solvers cannot be confined: %w; --unsafe-solver runs them all the same", err)
		}
		return nil
	})
}

// Bind permanently confines the present thread and everything that it starts, as far as Current and the kernel provide
// for it. They can then write only below dir, or nowhere if dir is empty. The caller must have locked its goroutine to
// the thread. Bind is for a process that loads a library itself: threads that the library makes are confined, too.
func Bind(dir string) error {
	have := supported()
	if Current() != Kernel || len(have.describeProtection()) == 0 {
		return nil
	}
	return have.confineThread(dir)
}

// launchThread starts a thread that binds itself and then does jobs. A goroutine that ends while it is locked to its
// thread ends the thread, and the runtime never makes new threads from a locked one, so nothing else is confined.
func launchThread(bind func() error) *Starter {
	s := &Starter{jobs: make(chan func()), ready: make(chan struct{})}
	goOnLaterThread(func() {
		if bind != nil {
			s.err = bind()
		}
		close(s.ready)
		if s.err != nil {
			return
		}
		for job := range s.jobs {
			job()
		}
	})
	return s
}

// goOnLaterThread runs f in a goroutine that is locked to a thread, for good, which is not the first one of this
// process. For signals, the kernel treats the first thread as the whole process: if it were confined, processes that
// are confined with it could send signals to this process.
func goOnLaterThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if !onFirstThread() {
			f()
			return
		}
		defer runtime.UnlockOSThread()
		locked := make(chan struct{}) // the next goroutine gets another thread as long as this one keeps the first
		go func() {
			runtime.LockOSThread()
			close(locked)
			f()
		}()
		<-locked
	}()
}

// Do runs a job that starts a process, on the thread of the starter, and returns when it is done. The thread lives
// until Close, so that a child does not get its parent-death signal earlier: this signal is sent when the thread that
// started the child ends.
func (s *Starter) Do(job func()) error {
	<-s.ready
	if s.err != nil {
		return s.err
	}
	system.Starting()
	done := make(chan struct{})
	s.jobs <- func() {
		defer close(done)
		job()
	}
	<-done
	return nil
}

// Close ends the thread. Children with a parent-death signal are killed by it.
func (s *Starter) Close() {
	if s != free() {
		s.end.Do(func() { close(s.jobs) })
	}
}

// Run runs a command in a process group of its own, such as one that asks a solver for its version, confined to a
// temporary folder of its own, which is removed when it has ended. The command runs in that folder unless it names
// another.
func Run(cmd *exec.Cmd) error {
	dir, err := os.MkdirTemp("", "smtlark-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return RunIn(dir, cmd)
}

// RunIn is Run with an existing folder, which is not removed. A command without an environment gets that of a solver.
func RunIn(dir string, cmd *exec.Cmd) error {
	if cmd.Dir == "" {
		cmd.Dir = dir
	}
	if cmd.Env == nil {
		cmd.Env = SolverEnviron()
	}
	cmd.Env = Environ(cmd.Env, dir)
	s := NewStarter(dir)
	defer s.Close()
	var group *system.Group
	var err error
	if unbound := s.Do(func() { group, err = system.StartGroup(cmd) }); unbound != nil {
		return unbound
	}
	if err != nil {
		return err
	}
	defer group.Close()
	return cmd.Wait()
}
