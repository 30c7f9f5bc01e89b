// Package benchmark compares whole programs by the CPU time of all their processes: rounds of A, B, A, B on the same
// machine, medians with the least and the greatest, so that a campaign of smtlark stands beside the tool that it is
// compared with, start-up, solvers and all.
package benchmark

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
)

// Process is one run of a program.
type Process struct {
	Argv  []string
	Dir   string
	Env   []string // added to the environment
	Stdin string   // name of a file; "": none
	// For is the time after which the program is interrupted, as by ^C; 0 means that it ends by itself.
	For time.Duration
	// Accept lists exit codes other than 0 that are not failures. A program that is interrupted may end as it likes.
	Accept []int
	// Count returns the number of units of work, from the output of the program. It is called when the program has
	// ended, or before it is interrupted.
	Count func(output string) (float64, error)
	// OwnCPU returns the CPU seconds of the program without the solvers that it started. nil: those of the process that
	// was started, without its children, where the system tells them.
	OwnCPU func() (float64, error)
	// LeastCPU returns the CPU seconds that the work takes in any program: those of the solvers on the cases. nil: not
	// known.
	LeastCPU func() (float64, error)
}

// processSample is the result of one run.
type processSample struct {
	Units  float64
	CPU    float64 // seconds of user and system time of all processes
	Own    float64 // seconds without the solvers; 0: not known
	Least  float64 // seconds of what cannot be left out, see Process.LeastCPU; 0: not known
	Wall   float64 // seconds
	Output string
}

// grace is the time that an interrupted program may take to end.
const grace = 20 * time.Second

// Run runs the process once.
func (p *Process) Run(ctx context.Context) (*processSample, error) {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), p.Env...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if p.Stdin != "" {
		in, err := os.Open(p.Stdin)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	start := time.Now()
	system.Starting()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var limit <-chan time.Time
	if p.For > 0 {
		timer := time.NewTimer(p.For)
		defer timer.Stop()
		limit = timer.C
	}
	s := &processSample{}
	interrupted := false
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		<-ended
		return nil, ctx.Err()
	case <-limit:
		// CPU and count are read at the same time: the work that the program does to shut down is not compared.
		interrupted = true
		s.Own, s.CPU = cpuOfProcess(cmd.Process.Pid)
		s.Units, err = p.Count("")
		interruptAndWait(cmd, ended, func() {})
	}
	s.Wall = time.Since(start).Seconds()
	s.Output = output.String()
	if err != nil && !p.acceptsExit(cmd.ProcessState) {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(p.Argv, " "), err, display.LastLine(s.Output))
	}
	if interrupted {
		return s, nil
	}
	s.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if s.Units, err = p.Count(s.Output); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(p.Argv, " "), err)
	}
	if p.OwnCPU != nil {
		if s.Own, err = p.OwnCPU(); err != nil {
			return s, err
		}
	}
	if p.LeastCPU != nil {
		s.Least, err = p.LeastCPU()
	}
	return s, err
}

func (p *Process) acceptsExit(state *os.ProcessState) bool {
	for _, code := range p.Accept {
		if state.ExitCode() == code {
			return true
		}
	}
	return false
}

// cpuOfProcess returns the CPU seconds of a process that runs, and those with its children that have ended (proc(5),
// utime, stime, cutime, cstime). Both are 0 where the system does not tell.
func cpuOfProcess(pid int) (own, all float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	_, rest, ok := strings.Cut(string(text), ") ") // the name may have blanks
	fields := strings.Fields(rest)
	if !ok || len(fields) < 15 {
		return 0, 0
	}
	const ticksPerSecond = 100 // USER_HZ, the same on all of Linux's architectures that Go has
	var seconds [4]float64
	for i := range seconds {
		n, _ := strconv.ParseFloat(fields[11+i], 64)
		seconds[i] = n / ticksPerSecond
	}
	own = seconds[0] + seconds[1]
	return own, own + seconds[2] + seconds[3]
}

// interruptAndWait ends a program as ^C does, which ends its solvers, too, typed twice where once is not enough, and
// kills it where it does not end. It calls meanwhile every poll.
func interruptAndWait(cmd *exec.Cmd, ended <-chan error, meanwhile func()) {
	const patience = 2 * time.Second
	_ = cmd.Process.Signal(os.Interrupt)
	again, enough := time.After(patience), time.After(patience+grace)
	look := time.NewTicker(poll)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return
		case <-look.C:
			meanwhile()
		case <-again:
			meanwhile() // an interrupted program may leave processes behind
			_ = cmd.Process.Signal(os.Interrupt)
		case <-enough:
			_ = cmd.Process.Kill()
		}
	}
}
