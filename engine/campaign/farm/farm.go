package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
)

// Spec configures a farm.
type Spec struct {
	Files   []string // of campaigns
	Sources []Source
	Out     string   // the folder of all campaigns
	Program []string // that has the verbs run, findings and bisect
	Args    []string // more of run, such as -j 4
	Look    time.Duration
	Keep    Retention
	Trust   func(path string) error // lets campaign files name a build
	Print   func(string)
}

const (
	endTime     = 10 * time.Minute // for a campaign to end after an interrupt: it confirms and reduces for a while
	mostBuilds  = 20               // that a finding is tried with
	pause       = 10 * time.Second // after a campaign that ended by itself
	longPause   = 5 * time.Minute  // after one that cannot run
	retainEvery = time.Hour
)

// farm is a Spec that is being done.
type farm struct {
	Spec
	book    *book
	trusted map[string]bool   // builds
	failed  map[string]string // the message printed for a source without a build
	status  map[int]string    // of findings, as far as they were looked at
}

// Run runs campaigns until ctx ends. It returns an error if it cannot begin.
func Run(ctx context.Context, cfg Spec) error {
	if err := os.MkdirAll(cfg.Out, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(cfg.Out)
	if err != nil {
		return err
	}
	defer root.Close()
	f := &farm{Spec: cfg, failed: map[string]string{}, trusted: map[string]bool{}, status: map[int]string{}}
	if f.book, err = openBook(root); err != nil {
		return err
	}
	f.followFindings(ctx, func(string) {}) // findings that exist already are not news
	for retained := (time.Time{}); ctx.Err() == nil; {
		if _, ok := f.look(ctx); !ok {
			f.wait(ctx, cfg.Look)
			continue
		}
		f.round(ctx, func() {
			f.followFindings(ctx, cfg.Print)
			if time.Since(retained) > retainEvery {
				retained = time.Now()
				for _, text := range cfg.Keep.apply(root, retained) {
					cfg.Print(text)
				}
			}
		})
	}
	return nil
}

func (f *farm) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// look finds the newest builds: fresh, whether one of them is new; ok, whether there is one of each source.
func (f *farm) look(ctx context.Context) (fresh, ok bool) {
	ok = true
	for i := range f.Sources {
		s := &f.Sources[i]
		path, err := s.newest(ctx)
		isNew := false
		if err == nil {
			if !f.trusted[path] { // which each process has to be told once
				err, f.trusted[path] = f.Trust(path), true
			}
		}
		if err == nil {
			isNew, err = f.book.note(s.Variable, path, time.Now())
		}
		if ctx.Err() != nil {
			return fresh, false
		}
		if err != nil {
			if f.failed[s.Variable] != err.Error() {
				f.failed[s.Variable] = err.Error()
				f.Print(fmt.Sprintf("%s: no new build: %v", s.Variable, err))
			}
			ok = ok && len(f.book.Builds[s.Variable]) > 0 // the one before goes on
			continue
		}
		delete(f.failed, s.Variable)
		if isNew {
			fresh = true
			f.Print(fmt.Sprintf("%s is %s (sha256 %s)", s.Variable, path, f.book.latest(s.Variable).SHA256[:12]))
		}
	}
	return fresh, ok
}

// round runs all campaigns with the builds that are the newest, until there is a newer one. It calls meanwhile each
// time it looks for builds.
func (f *farm) round(ctx context.Context, meanwhile func()) {
	running, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	for _, file := range f.Files {
		wait.Go(func() { f.campaign(running, file) })
	}
	for ctx.Err() == nil {
		f.wait(ctx, f.Look)
		meanwhile()
		if fresh, ok := f.look(ctx); fresh && ok {
			break
		}
	}
	stop()
	wait.Wait()
	meanwhile()
}

// campaign runs a campaign, again and again.
func (f *farm) campaign(ctx context.Context, file string) {
	args := append([]string{"run", file, "--out", f.Out, "--fail-on", "none", "--quiet"}, f.Args...)
	for i := range f.Sources {
		args = append(args, "--set", f.Sources[i].Variable+"="+f.book.latest(f.Sources[i].Variable).Path)
	}
	for times := 0; ctx.Err() == nil; times++ {
		now := args
		if times > 0 {
			now = append(now[:len(now):len(now)], "--fresh") // it had an end: other cases from now on
		}
		out, err := f.call(ctx, now...)
		if ctx.Err() != nil {
			return
		}
		const usage, data, unavailable = 64, 65, 69
		var exit *exec.ExitError
		switch {
		case err == nil:
			f.wait(ctx, pause)
		case errors.As(err, &exit) && (exit.ExitCode() == usage || exit.ExitCode() == data || exit.ExitCode() == unavailable):
			f.Print(fmt.Sprintf("%s cannot run with these builds: %s", file, display.LastLine(out)))
			f.wait(ctx, longPause)
		default:
			f.Print(fmt.Sprintf("%s has ended: %v: %s", file, err, display.LastLine(out)))
			f.wait(ctx, pause)
		}
	}
}

// call runs a verb and returns its output. The process is interrupted when ctx ends, and killed if it is still running
// long after. It runs in a process group of its own; otherwise, ^C in a terminal would interrupt it twice, which ends
// it at once.
func (f *farm) call(ctx context.Context, args ...string) (string, error) {
	lives, kill := context.WithCancel(context.Background())
	defer kill()
	cmd := exec.CommandContext(lives, f.Program[0], append(f.Program[1:len(f.Program):len(f.Program)], args...)...)
	out := &system.Ends{Most: mostOutput}
	cmd.Stdout, cmd.Stderr = out, out
	group, err := system.StartGroup(cmd)
	if err != nil {
		return "", err
	}
	defer group.Close()
	defer context.AfterFunc(ctx, func() {
		if cmd.Process.Signal(os.Interrupt) != nil { // Windows has none
			kill()
		}
		late := time.AfterFunc(endTime, kill)
		context.AfterFunc(lives, func() { late.Stop() })
	})()
	err = cmd.Wait()
	return out.String(), err
}

// mostOutput bounds the kept output of a verb, in bytes: its beginning and its end.
const mostOutput = 4 << 20

// found is a finding as the verb findings prints it.
type found struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"status_detail"`
}

// followFindings reports status changes of findings, and bisects those that a build no longer shows, or shows again.
func (f *farm) followFindings(ctx context.Context, say func(string)) {
	text, err := f.call(ctx, "findings", "--all", "--json", "--out", f.Out)
	if err != nil {
		return // there is no store yet
	}
	for line := range bytes.Lines([]byte(text)) {
		var x found
		if json.Unmarshal(line, &x) != nil || x.Number == 0 {
			continue
		}
		before, known := f.status[x.Number]
		if x.Status == "" || ctx.Err() != nil {
			continue
		}
		f.status[x.Number] = x.Status
		if known && before == x.Status {
			continue
		}
		say(fmt.Sprintf("finding %d is %s", x.Number, strings.TrimSpace(x.Status+" "+x.Detail)))
		if known && (x.Status == "fixed" || x.Status == "regressed") {
			f.bisect(ctx, x.Number)
		}
	}
}

// bisect tries a finding with the builds that are still there.
func (f *farm) bisect(ctx context.Context, number int) {
	args := []string{"bisect", fmt.Sprint(number), "--out", f.Out, "--in-order"}
	for i := range f.Sources {
		kept := f.book.kept(f.Sources[i].Variable, mostBuilds)
		slices.Reverse(kept)
		for _, b := range kept {
			args = append(args, "--program", b.Path)
		}
	}
	out, err := f.call(ctx, args...)
	var exit *exec.ExitError
	const shown = 10
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == shown) {
		f.Print(fmt.Sprintf("finding %d: bisect: %v: %s", number, err, display.LastLine(out)))
		return
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "last ") {
			f.Print(fmt.Sprintf("finding %d: %s", number, line))
		}
	}
}

// Retention chooses the runs to remove.
type Retention struct {
	Runs  time.Duration // statistics and events of runs that are older; 0: none
	Bytes int64         // of all runs together, the oldest first; 0: none
}

// runsFolder has a folder for each campaign, with one for each run, named by its time.
const runsFolder = "runs"

// apply removes runs, except for the latest of each campaign, and returns lines that describe the removed ones.
func (r Retention) apply(root *os.Root, now time.Time) (said []string) {
	type run struct {
		name  string
		at    time.Time
		bytes int64
	}
	var runs []run
	total := int64(0)
	campaigns, err := os.ReadDir(filepath.Join(root.Name(), runsFolder))
	if err != nil {
		return nil
	}
	for _, campaign := range campaigns {
		of, err := os.ReadDir(filepath.Join(root.Name(), runsFolder, campaign.Name()))
		if err != nil {
			continue
		}
		for i, x := range of { // by name, which is by time
			size := system.SizeOf(filepath.Join(root.Name(), runsFolder, campaign.Name(), x.Name()))
			total += size
			info, err := x.Info()
			if err == nil && x.IsDir() && i < len(of)-1 {
				runs = append(runs, run{filepath.Join(runsFolder, campaign.Name(), x.Name()), info.ModTime(), size})
			}
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return a.at.Compare(b.at) })
	for _, x := range runs {
		if !(r.Runs > 0 && now.Sub(x.at) > r.Runs || r.Bytes > 0 && total > r.Bytes) {
			continue
		}
		if err := root.RemoveAll(x.name); err != nil {
			said = append(said, fmt.Sprintf("%s cannot be removed: %v", x.name, err))
			continue
		}
		total -= x.bytes
		said = append(said, fmt.Sprintf("%s is removed (%d KiB)", x.name, x.bytes>>10))
	}
	return said
}
