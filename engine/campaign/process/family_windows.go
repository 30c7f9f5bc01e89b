package process

import (
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// family is a process with all processes that it has started: a Windows job, which ends when smtlark ends at the
// latest.
type family struct{ job *system.Job }

// prepare is called before the start.
func (f *family) prepare(cmd *exec.Cmd) {
	// ^C is for the coordinator alone.
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// started is called with the number of the process.
func (f *family) started(pid int) {
	job, err := system.NewJob(0)
	if err != nil {
		return
	}
	if job.Add(pid) != nil {
		job.Close()
		return
	}
	f.job = job
}

// endOrphans has nothing to do: none leave a job.
func (f *family) endOrphans() {}

// end kills the rest.
func (f *family) end(int) {
	if f.job != nil {
		f.job.Close()
	}
}

var processMemory = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// residentMemory returns the resident memory of a process in bytes, 0 if it is not known.
func residentMemory(pid int) int64 {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var counters struct { // PROCESS_MEMORY_COUNTERS
		size, faults                                                       uint32
		peakWorkingSet, workingSet                                         uintptr
		peakPaged, paged, peakNonPaged, nonPaged, pageFile, peakOfPageFile uintptr
	}
	counters.size = uint32(unsafe.Sizeof(counters))
	if ok, _, _ := processMemory.Call(uintptr(h), uintptr(unsafe.Pointer(&counters)), unsafe.Sizeof(counters)); ok == 0 {
		return 0
	}
	return int64(counters.workingSet)
}

// EndLeftFamily has nothing to do: a job ends with the process that holds it.
func EndLeftFamily() {}
