package system

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Job is a job object: a set of processes with all their descendants. They are ended together, at the latest when the
// job is closed or the process that holds it ends.
type Job struct {
	mu     sync.Mutex
	handle windows.Handle
}

// NewJob makes a job whose processes may each commit the given number of bytes of memory; 0 means no limit.
func NewJob(memory int64) (*Job, error) {
	h, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("making a job object: %w", err)
	}
	j := &Job{handle: h}
	if err := j.Limit(memory); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Limit sets the bytes of memory that each process of the job may commit; 0 is no limit.
func (j *Job) Limit(memory int64) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	if memory > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
		info.ProcessMemoryLimit = uintptr(memory)
	}
	return j.with(func(h windows.Handle) error {
		_, err := windows.SetInformationJobObject(h, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
		if err != nil {
			return fmt.Errorf("setting the limits of a job object: %w", err)
		}
		return nil
	})
}

// with calls f unless the job is closed.
func (j *Job) with(f func(h windows.Handle) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle == 0 {
		return windows.ERROR_INVALID_HANDLE
	}
	return f(j.handle)
}

// Add puts a running process into the job.
func (j *Job) Add(pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("opening process %d: %w", pid, err)
	}
	defer func() { _ = windows.CloseHandle(p) }()
	return j.with(func(h windows.Handle) error { return windows.AssignProcessToJobObject(h, p) })
}

// Kill ends every process of the job.
func (j *Job) Kill() error {
	return j.with(func(h windows.Handle) error { return windows.TerminateJobObject(h, killedExit) })
}

// killedExit is the exit code of processes that were ended by Kill: that of a process ended by SIGKILL in a shell.
const killedExit = 137

// Close ends the rest of the job and frees it.
func (j *Job) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		_ = windows.CloseHandle(j.handle)
		j.handle = 0
	}
}

// Peak returns the greatest amount of memory that a process of the job had committed, in bytes; 0 if it is not known.
func (j *Job) Peak() int64 {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := j.with(func(h windows.Handle) error {
		return windows.QueryInformationJobObject(h, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	})
	if err != nil {
		return 0
	}
	return int64(info.PeakProcessMemoryUsed)
}

// CPU returns the CPU time of all processes of the job, also of those that have ended.
func (j *Job) CPU() time.Duration {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		user, kernel, periodUser, periodKernel int64 // in units of 100 ns
		faults, total, active, terminated      uint32
	}
	err := j.with(func(h windows.Handle) error {
		return windows.QueryInformationJobObject(h, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	})
	if err != nil {
		return 0
	}
	return time.Duration(info.user+info.kernel) * 100
}
