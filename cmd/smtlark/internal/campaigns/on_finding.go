package campaigns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

const onFindingHelp = "run this `command` of sh for each new finding, once, when it has been reduced, else at the end; " +
	"SMTLARK_FINDING is its folder, SMTLARK_NUMBER, SMTLARK_TITLE and SMTLARK_SEVERITY say what it is " +
	"(docs/ci.md#a-command-for-each-new-finding)"

// Times of the command that the user wants to run for each new finding. A request to a server takes seconds; what takes
// longer hangs.
const (
	hookTime    = time.Minute // each
	hookEndTime = time.Minute // all that are left when the campaign has ended
)

// hook runs a command of the user for each new finding, one after the other, beside the campaign.
type hook struct {
	command string
	out     string // the folder of the campaign
	warn    func(string)

	mu    sync.Mutex
	queue []string // folders of findings that are not told yet
	ended bool
	more  sync.Cond
	done  chan struct{}
	stop  context.CancelFunc
	// failed counts the commands that failed after the first one, which was reported.
	failed int
}

// startHook returns a hook that waits for findings.
func startHook(command, out string, warn func(string)) *hook {
	ctx, stop := context.WithCancel(context.Background())
	h := &hook{command: command, out: out, warn: warn, done: make(chan struct{}), stop: stop}
	h.more.L = &h.mu
	go h.work(ctx)
	return h
}

// tell has the command run for a finding.
func (h *hook) tell(f *finding.Finding) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, f.Dir)
	h.more.Signal()
}

// close waits some time for the remaining commands, and says for which findings the command did not run.
func (h *hook) close() {
	h.mu.Lock()
	h.ended = true
	h.more.Signal()
	h.mu.Unlock()
	late := time.AfterFunc(hookEndTime, h.stop)
	<-h.done
	late.Stop()
	h.stop()
	if n := len(h.queue); n > 0 {
		h.warn(fmt.Sprintf("--on-finding: there was no time to run the command for %d findings, the first of them %s", n, h.queue[0]))
	}
	if h.failed > 1 {
		h.warn(fmt.Sprintf("--on-finding: the command failed for %d findings", h.failed))
	}
}

// work runs the command for each finding in the queue, until the queue is empty and no more findings will come.
func (h *hook) work(ctx context.Context) {
	defer close(h.done)
	for {
		h.mu.Lock()
		for len(h.queue) == 0 && !h.ended {
			h.more.Wait()
		}
		if len(h.queue) == 0 || ctx.Err() != nil {
			h.mu.Unlock()
			return
		}
		dir := h.queue[0]
		h.queue = h.queue[1:]
		h.mu.Unlock()
		if err := h.run(ctx, dir); err != nil {
			if h.failed++; h.failed == 1 { // the others fail alike
				h.warn(fmt.Sprintf("--on-finding: for %s: %v", dir, err))
			}
		}
	}
}

// run runs the command for the finding in dir. It passes texts of the finding in the environment only, since a solver
// may have put anything into them.
func (h *hook) run(ctx context.Context, dir string) error {
	r, err := folder.ReadRecord(dir)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(h.out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", h.command)
	cmd.Env = append(os.Environ(),
		"SMTLARK_FINDING="+path,
		"SMTLARK_NUMBER="+fmt.Sprint(r.Number),
		"SMTLARK_TITLE="+display.Line(r.Title),
		"SMTLARK_SEVERITY="+display.Line(r.Severity.String()),
		"SMTLARK_OUT="+out,
	)
	cmd.WaitDelay = time.Second // in case background processes of the command keep its output open
	var said system.Ends
	cmd.Stdout = &said
	cmd.Stderr = &said
	group, err := system.StartGroup(cmd)
	if err != nil {
		return err
	}
	defer group.Close()
	err = cmd.Wait()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("the command took more than %s and was ended", hookTime)
	}
	if last := strings.TrimSpace(display.LastLine(said.String())); last != "" {
		return fmt.Errorf("the command failed: %w: %s", err, last)
	}
	return fmt.Errorf("the command failed: %w", err)
}
