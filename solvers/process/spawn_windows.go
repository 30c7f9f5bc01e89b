package process

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// launch starts a process in a job of its own.
func launch(by *confine.Starter, argv, env []string, dir string, input bool,
	_ solvers.Limits) (out *launched, err error) {
	var ours []*os.File
	var theirs []windows.Handle
	defer func() {
		for _, h := range theirs {
			_ = windows.CloseHandle(h)
		}
		if err != nil {
			for _, f := range ours {
				f.Close()
			}
		}
	}()
	pipe := func(name string, toChild bool) error {
		f, h, err := newPipe(name, toChild)
		if err == nil {
			ours, theirs = append(ours, f), append(theirs, h)
		}
		return err
	}
	if err := pipe("stdout of solver", false); err != nil {
		return nil, err
	}
	if err := pipe("stderr of solver", false); err != nil {
		return nil, err
	}
	if input {
		err = pipe("stdin of solver", true)
	} else {
		var null windows.Handle
		if null, err = openNull(); err == nil {
			theirs = append(theirs, null)
		}
	}
	if err != nil {
		return nil, err
	}
	job, err := system.NewJob(0)
	if err != nil {
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{uintptr(theirs[2]), uintptr(theirs[0]), uintptr(theirs[1])},
		// Its main thread waits until the process is in its job.
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW},
	}
	var pid int
	var process uintptr
	if err := by.Do(func() { pid, process, err = syscall.StartProcess(argv[0], argv, attr) }); err != nil {
		job.Close()
		return nil, err
	}
	if err != nil {
		job.Close()
		return nil, &os.PathError{Op: "start", Path: argv[0], Err: err}
	}
	l := &launched{process: osProcess{pid: pid, process: windows.Handle(process), job: job}}
	if err = job.Add(pid); err == nil {
		// The process is resumed only when it is in the job: processes that it started earlier would stay outside.
		err = resumeThread(l.process.process)
	}
	if err != nil {
		_ = windows.TerminateProcess(l.process.process, 1)
		l.process.close()
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	l.stdout, l.stderr = &waitedPipe{ours[0]}, ours[1]
	if input {
		l.stdin = ours[2]
	}
	return l, nil
}

var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// resumeThread resumes a process that was started suspended.
func resumeThread(process windows.Handle) error {
	if err := resumeProcess.Find(); err != nil {
		return err
	}
	if status, _, _ := resumeProcess.Call(uintptr(process)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// pipes counts the pipes of this process, for their names.
var pipes atomic.Int64

// newPipe makes a pipe whose end here supports deadlines, unlike those of os.Pipe, and whose other end a child can
// inherit.
func newPipe(name string, toChild bool) (here *os.File, there windows.Handle, err error) {
	path, err := windows.UTF16PtrFromString(`\\.\pipe\smtlark-` + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(pipes.Add(1), 10))
	if err != nil {
		return nil, 0, err
	}
	access, other := uint32(windows.PIPE_ACCESS_INBOUND), uint32(windows.GENERIC_WRITE)
	if toChild {
		access, other = windows.PIPE_ACCESS_OUTBOUND, windows.GENERIC_READ
	}
	const buffer = 256 << 10
	h, err := windows.CreateNamedPipe(path, access|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, buffer, buffer, 0, nil)
	if err != nil {
		return nil, 0, os.NewSyscallError("CreateNamedPipe", err)
	}
	there, err = windows.CreateFile(path, other, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		_ = windows.CloseHandle(h)
		return nil, 0, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(h), name), there, nil
}

func openNull() (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(os.DevNull)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil,
		windows.OPEN_EXISTING, 0, 0)
	return h, os.NewSyscallError("CreateFile", err)
}

// writeNow leaves everything to the writer: this system has no write that does not block.
func writeNow(*os.File, []byte) (int, error) { return 0, nil }

// hasPendingInput reports whether a pipe has something to read, or has ended.
func hasPendingInput(f *os.File) (ready bool, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	controlErr := raw.Control(func(fd uintptr) {
		var n uint32
		n, err = availableBytes(windows.Handle(fd))
		ready = n > 0 || err != nil
	})
	if controlErr != nil {
		return false, controlErr
	}
	return ready, nil
}

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// availableBytes returns the number of bytes that a pipe holds; the error says that it has ended.
func availableBytes(pipe windows.Handle) (uint32, error) {
	var n uint32
	ok, _, err := peekNamedPipe.Call(uintptr(pipe), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0)
	if ok == 0 {
		return 0, err
	}
	return n, nil
}
