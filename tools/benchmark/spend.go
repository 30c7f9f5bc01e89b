package benchmark

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// exitFindings is the exit code of smtlark that says that something is wrong.
const exitFindings = 10

// solversSetting is the setting of the environment that lets smtlark see some programs and libraries alone.
func solversSetting(files ...string) string {
	return "SMTLARK_SOLVERS=" + strings.Join(files, string(os.PathListSeparator))
}

// poll is the interval at which spend looks at the CPU time.
const poll = 100 * time.Millisecond

// spend runs a program until it ends, has used a number of CPU seconds with all its processes, or is said to be done,
// which it asks at each look and once more after the end; nil: never. It returns the seconds used, and no error for an
// exit code, since fuzzers end with all kinds of codes.
func spend(ctx context.Context, cmd *exec.Cmd, limit float64, isDone func() (bool, error)) (used float64, err error) {
	system.Starting()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	f := &family{leader: cmd.Process.Pid, sessions: map[int]bool{}}
	defer f.endOrphans()
	isOver := false
	defer func() {
		if !isOver {
			interruptAndWait(cmd, ended, func() { f.look() })
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return used, ctx.Err()
		case err := <-ended:
			isOver = true
			if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
				return used, err
			}
			used = max(used, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
		case <-time.After(poll):
			used = max(used, f.look())
		}
		done := isOver || used >= limit
		if isDone != nil {
			isSaid, err := isDone()
			if err != nil {
				return used, err
			}
			done = done || isSaid
		}
		if done {
			return used, nil
		}
	}
}

// family is a process and its descendants.
type family struct {
	leader   int
	sessions map[int]bool // that they were seen in, without that of this process
}

// look returns the CPU seconds of the family, those that have ended included, and notes its sessions.
func (f *family) look() (seconds float64) {
	children := map[int][]system.Relative{}
	own := 0 // the session of this process
	for _, p := range system.Processes() {
		children[p.Parent] = append(children[p.Parent], p)
		if p.PID == os.Getpid() {
			own = p.Session
		}
	}
	for members := []system.Relative{{PID: f.leader, Session: own}}; len(members) > 0; members = members[1:] {
		if p := members[0]; p.Session != own {
			f.sessions[p.Session] = true
		}
		_, all := cpuOfProcess(members[0].PID)
		seconds += all
		members = append(members, children[members[0].PID]...)
	}
	return seconds
}

// endOrphans ends and reaps processes that the ended leader left to this process, since a campaign that is interrupted
// twice does not wait for its workers. They are identified by their sessions, the only information about an ended
// process. Children of this process itself, for which os/exec waits, are in its own session.
func (f *family) endOrphans() {
	system.EndOrphans(func(p system.Relative) bool { return !f.sessions[p.Session] })
}
