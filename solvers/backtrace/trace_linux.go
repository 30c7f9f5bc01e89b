//go:build linux && (amd64 || arm64)

package backtrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

const supported = true

// maxDumps bounds the dumps of one process, since a Java virtual machine causes and handles many faults.
const maxDumps = 8

// fatal are the signals that end a process by default and that users do not send to end one.
var fatal = map[syscall.Signal]bool{
	syscall.SIGSEGV: true, syscall.SIGABRT: true, syscall.SIGBUS: true, syscall.SIGFPE: true, syscall.SIGILL: true,
	syscall.SIGSYS: true, syscall.SIGTRAP: true,
}

// Trace runs a command and writes what each fatal signal finds to a file, a line each. It returns the exit status as a
// shell reports it: the exit code, or 128 plus the number of the signal. It is the main function of a separate process.
func Trace(file string, argv []string) (exit int, err error) {
	runtime.LockOSThread() // the thread that starts a process is its tracer
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Ptrace: true}})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	t := &tracer{main: pid, known: map[int]bool{pid: true}, out: json.NewEncoder(out)}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, unix.WALL, nil); err != nil || !status.Stopped() {
		return 0, fmt.Errorf("%s did not stop to be traced (%v)", path, err)
	}
	const options = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return 0, err
	}
	if err := syscall.PtraceCont(pid, 0); err != nil {
		return 0, err
	}
	return t.traceToEnd()
}

type tracer struct {
	main  int
	known map[int]bool // threads that have been seen
	dumps int
	out   *json.Encoder
}

func (t *tracer) traceToEnd() (int, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case pid == t.main && status.Exited():
			return status.ExitStatus(), nil
		case pid == t.main && status.Signaled():
			return 128 + int(status.Signal()), nil
		case !status.Stopped():
			delete(t.known, pid)
			continue
		}
		pass := 0
		switch signal := status.StopSignal(); {
		case status.TrapCause() > 0: // a new thread or process, which begins with a stop of its own
		case signal == syscall.SIGSTOP && !t.known[pid]:
		default:
			pass = int(signal)
			if fatal[signal] && t.dumps < maxDumps {
				t.dumps++
				if d, err := dumpOf(pid, signal); err == nil {
					_ = t.out.Encode(d)
				}
			}
		}
		t.known[pid] = true
		_ = syscall.PtraceCont(pid, pass) // it may be gone
	}
}

// dumpOf reads a stopped thread.
func dumpOf(pid int, signal syscall.Signal) (*dump, error) {
	d := &dump{Signal: unix.SignalName(signal)}
	var r syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(pid, &r); err != nil {
		return nil, err
	}
	var sp, end uint64
	d.Registers, d.PC, sp = dwarfRegisters(&r)
	var err error
	if d.Maps, d.Base, end, err = mappingsOf(pid, sp); err != nil {
		return nil, err
	}
	// How far the stack is known counts from the pointer, not from the first mapped byte: where a stack overflows,
	// that one lies above it by as much as chance has it, and the same crash would have one frame more or less.
	if d.Base < end {
		known := min(end, sp+maxStack)
		d.Stack, d.Cut = make([]byte, known-d.Base), known < end
		d.Stack = d.Stack[:readMemory(pid, d.Base, d.Stack)]
	}
	return d, nil
}

// readMemory reads memory of a stopped process from an address on, as far as possible, and returns the number of bytes
// read. A ptrace call for each word would take most of the time of a crash.
func readMemory(pid int, address uint64, into []byte) int {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0
	}
	defer memory.Close()
	got, _ := memory.ReadAt(into, int64(address))
	return got
}
