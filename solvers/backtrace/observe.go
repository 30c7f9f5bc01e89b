package backtrace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Self is the command that starts the tracing process: a program and its first arguments, to which a file and the
// traced command are appended. If empty, it is the running program with the verb "backtrace". Tests set it to their own
// binary.
var Self []string

func ownCommand() ([]string, error) {
	if len(Self) > 0 {
		return Self, nil
	}
	return system.Self("backtrace")
}

// Observation collects the dumps of the processes that were started for runs with its context.
type Observation struct {
	mu    sync.Mutex
	dumps []*dump // of the latest process that died
}

type contextKey struct{}

// Observe returns a context for runs whose processes are to be watched. Only processes that start within such a run
// are.
func Observe(ctx context.Context) (context.Context, *Observation) {
	o := &Observation{}
	return context.WithValue(ctx, contextKey{}, o), o
}

// Stack returns the unwound stack of the process that died last; nil if none died of a signal, or there is no dump.
func (o *Observation) Stack() *CallStack {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.dumps) == 0 {
		return nil
	}
	// The latest signal ended the process. If the handler of an earlier signal raised it, the earlier one is the cause.
	s := o.dumps[len(o.dumps)-1].Unwind()
	if first := o.dumps[0].Unwind(); len(s.Frames) == 0 || s.inHandler() {
		s = first
	}
	if len(s.Frames) == 0 {
		return nil
	}
	return s
}

func (s *CallStack) inHandler() bool {
	for i := range s.Frames {
		if s.Frames[i].Signal {
			return true
		}
	}
	return false
}

// Watch is a process that is being watched; nil stands for an unwatched process.
type Watch struct {
	by   *Observation
	path string
}

// dumpPattern names the file that a watched process's dumps go to.
const dumpPattern = "backtrace-*"

// Command returns the argument vector that starts a command, watched if the context asks for it. The process can
// write to dir, and Collect is to be called when it has ended.
func Command(ctx context.Context, argv []string, dir string) ([]string, *Watch) {
	o, _ := ctx.Value(contextKey{}).(*Observation)
	if o == nil || !supported {
		return argv, nil
	}
	own, err := ownCommand()
	if err != nil {
		return argv, nil
	}
	f, err := os.CreateTemp(dir, dumpPattern)
	if err != nil {
		return argv, nil
	}
	f.Close()
	path, err := filepath.Abs(f.Name())
	if err != nil {
		return argv, nil
	}
	return append(append(append([]string{}, own...), path), argv...), &Watch{by: o, path: path}
}

// Collect reads the dumps of a process that has ended.
func (w *Watch) Collect() {
	if w == nil {
		return
	}
	text, err := os.ReadFile(w.path)
	_ = os.Remove(w.path)
	var dumps []*dump
	for line := range strings.Lines(string(text)) {
		d := &dump{}
		if json.Unmarshal([]byte(line), d) == nil {
			dumps = append(dumps, d)
		}
	}
	if err != nil || len(dumps) == 0 {
		return
	}
	w.by.mu.Lock()
	defer w.by.mu.Unlock()
	w.by.dumps = dumps
}
