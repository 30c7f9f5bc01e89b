package process

import (
	"time"

	"golang.org/x/sys/windows"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
)

// osProcess is a process of the operating system: its group, its resource usage, the limits set from outside, and its
// end.
type osProcess struct {
	pid     int
	process windows.Handle
	job     *system.Job
}

func (p *osProcess) cpuTime() time.Duration { return p.job.CPU() }

func (p *osProcess) peakMemory() int64 { return p.job.Peak() }

func (p *osProcess) isExiting() bool { return false } // the system does not tell

func (p *osProcess) close() {
	p.job.Close()
	_ = windows.CloseHandle(p.process)
}

// setFixedLimits does nothing: there are no such limits here. The job object ends the process when we end, at the
// latest.
func (p *osProcess) setFixedLimits() {}

func (p *osProcess) setMemoryLimit(lim solvers.Limits, _ string) { _ = p.job.Limit(lim.Memory) }

// setCPULimit does nothing: the job object already ends a process when smtlark, which polls it, ends.
func (p *osProcess) setCPULimit(time.Duration, solvers.Limits) {}

// awaitEnd waits until the process has ended.
func (p *osProcess) awaitEnd() { _, _ = windows.WaitForSingleObject(p.process, windows.INFINITE) }

// killGroup ends the process and all that it has started.
func (p *osProcess) killGroup() { _ = p.job.Kill() }

// reap tells how the process ended.
func (p *osProcess) reap() end {
	var code uint32
	_ = windows.GetExitCodeProcess(p.process, &code)
	e := end{exit: int(int32(code)), signal: system.SignalOf(code), cpu: p.cpuTime(), peak: p.peakMemory()}
	if e.signal != "" {
		e.exit = -1
	}
	return e
}
