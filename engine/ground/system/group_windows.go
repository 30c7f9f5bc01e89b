package system

import (
	"os/exec"
	"sync/atomic"
)

// Group holds the processes that StartGroup has started.
type Group struct{ job *Job }

// StartGroup starts a command in a job of its own. When the context of the command ends, the whole job is killed.
func StartGroup(cmd *exec.Cmd) (*Group, error) {
	job, err := NewJob(0)
	if err != nil {
		return nil, err
	}
	var inside atomic.Bool // the context may end before the process is in its job
	cmd.Cancel = func() error {
		if inside.Load() {
			return job.Kill()
		}
		return cmd.Process.Kill()
	}
	if err := cmd.Start(); err != nil {
		job.Close()
		return nil, err
	}
	inside.Store(job.Add(cmd.Process.Pid) == nil)
	return &Group{job}, nil
}

// Close ends the rest of the group, when the command has been waited for.
func (g *Group) Close() { g.job.Close() }
