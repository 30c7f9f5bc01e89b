package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Limits on the content of a report.
const (
	maxText     = 16 << 10 // bytes of a case
	maxTroubles = 50
	maxMarks    = 5000
	fresh       = time.Minute // a run whose statistics are older is not live
)

// ErrNothing says that a folder has neither findings nor runs.
var ErrNothing = errors.New("neither findings nor runs are there")

// Load reads what there is to tell about path: a folder with findings and runs, as --out names it, or the folder of one
// run.
func Load(path, tool string, now time.Time) (*Data, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	d := &Data{Version: dataVersion, Tool: tool, Made: now.UTC().Truncate(time.Second), Folder: path, Findings: []reportFinding{}}
	if !st.IsDir() {
		return nil, fmt.Errorf("%s is no folder", path)
	}
	run := ""
	if isRun(path) {
		if run, err = filepath.EvalSymlinks(path); err != nil { // runs/CAMPAIGN/latest is a link
			return nil, err
		}
		if run, err = filepath.Abs(run); err != nil {
			return nil, err
		}
		d.OneRun, d.Folder = true, shorter(filepath.Dir(filepath.Dir(filepath.Dir(run))))
	}
	if d.Runs, err = runLines(d.Folder); err != nil {
		return nil, err
	}
	// A folder is shown with its latest run, but a finished run that only settled the findings of an earlier one has
	// nothing to plot.
	if run == "" && len(d.Runs) > 0 {
		shown := max(0, slices.IndexFunc(d.Runs, func(l runLine) bool { return !l.settledOnly() }))
		run = filepath.Join(d.Folder, "runs", filepath.FromSlash(d.Runs[shown].ID))
	}
	if run != "" {
		if d.Run, err = loadRun(run, now); err != nil {
			return nil, err
		}
	}
	found, broken, err := records(d.Folder)
	if err != nil {
		return nil, err
	}
	if d.Run != nil && d.Run.unread != nil {
		broken = append(broken, d.Run.unread)
	}
	d.Unread = broken
	if run == "" && len(found) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNothing)
	}
	for _, r := range found {
		if !d.OneRun || d.Run.met(r) {
			d.Findings = append(d.Findings, gather(d.Folder, r))
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b reportFinding) int { return a.Rank().Compare(b.Rank()) })
	return d, nil
}

// shorter returns a path relative to the working folder where that has no dots.
func shorter(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return path
}

// isRun reports whether a folder is that of a run.
func isRun(dir string) bool {
	for _, name := range []string{"stats.json", "events.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// runLines lists the runs of a folder, the latest first.
func runLines(out string) ([]runLine, error) {
	dirs, err := filepath.Glob(filepath.Join(globEscape(out), "runs", "*", "*"))
	if err != nil {
		return nil, err
	}
	var lines []runLine
	for _, dir := range dirs {
		if st, err := os.Lstat(dir); err != nil || !st.IsDir() || !isRun(dir) {
			continue
		}
		l := runLine{ID: runID(dir)}
		if rec, err := store.ReadRun(dir); err == nil {
			l.Stats = rec.Stats.Point()
		} else if st, err := os.Stat(dir); err == nil { // it ended before it wrote any
			l.Stats = &metrics.Stats{Progress: metrics.Progress{Started: st.ModTime(), State: metrics.StateLoading}}
		} else {
			continue // it was removed just now
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b runLine) int {
		if c := b.Stats.Started.Compare(a.Stats.Started); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return lines, nil
}

// globEscape protects the characters of a path that mean something in a pattern.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

func runID(dir string) string {
	return filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
}

// loadRun reads the folder of a run. A run that has written no statistics yet has those of its events.
func loadRun(dir string, now time.Time) (*reportRun, error) {
	r := &reportRun{ID: runID(dir), Dir: shorter(dir)}
	rec, err := store.ReadRun(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.unread = fmt.Errorf("%w; the run is shown by its events", err)
	}
	var s *metrics.Stats
	if rec != nil {
		s = rec.Stats
	} else {
		s = &metrics.Stats{Progress: metrics.Progress{Version: metrics.StatsVersion, State: metrics.StateLoading, Campaign: filepath.Base(filepath.Dir(dir))}}
	}
	r.Stats = s
	r.Live = s.State != metrics.StateDone && now.Sub(s.Updated) < fresh
	f, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := r.events(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if n := len(r.Points); n > 0 {
		s.CatchUp(&r.Points[n-1]) // stats.json is written less often
	}
	return r, nil
}

// eventLine is the part of an event that a report needs.
type eventLine struct {
	Time      time.Time       `json:"time"`
	Event     string          `json:"event"`
	Plan      *finding.Plan   `json:"plan"`
	Options   *finding.Inputs `json:"options"`
	Stats     *metrics.Stats  `json:"stats"`
	Number    int             `json:"number"`
	Kind      string          `json:"kind"`
	Summary   string          `json:"summary"`
	Signature struct {
		Key string `json:"key"`
	} `json:"signature"`
	Reason string `json:"reason"`
	Error  string `json:"error"`
	Text   string `json:"text"`
	File   string `json:"file"`
}

// events reads events.jsonl. A line that is cut, as the last one of a run that was killed may be, is passed over.
func (r *reportRun) events(f io.Reader) error {
	in := bufio.NewReaderSize(f, 1<<16)
	var begun time.Time
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var e eventLine
		if json.Unmarshal(line, &e) == nil {
			if e.Event == "start" {
				begun = e.Time
			}
			at := 0.0
			if !begun.IsZero() {
				at = max(0, e.Time.Sub(begun).Seconds())
			}
			r.event(&e, at)
		}
		if err != nil {
			return nil
		}
	}
}

func (r *reportRun) event(e *eventLine, at float64) {
	switch e.Event {
	case "start":
		r.Plan = e.Plan
		if e.Options != nil {
			r.Set = e.Options.Set
		}
	case "progress":
		if e.Stats != nil {
			r.Points = append(r.Points, *e.Stats)
		}
	case "finding", "flaky", "known":
		if len(r.Marks) < maxMarks {
			r.Marks = append(r.Marks, pointMark{at, e.Event, e.Number, e.Kind, e.Signature.Key, e.Summary})
		}
	case "worker-death", "case-killed", "confirm-lost", "protocol-error", "load-error", "error":
		if len(r.Troubles) < maxTroubles {
			text := e.Reason
			if text == "" {
				text = e.Error
			}
			first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
			r.Troubles = append(r.Troubles, runTrouble{at, e.Event, first})
		}
	}
}

// met reports whether the run stored or saw a finding.
func (r *reportRun) met(rec *folder.Record) bool {
	return slices.ContainsFunc(r.Marks, func(m pointMark) bool {
		return m.Signature != "" && m.Signature == rec.Signature.Key || m.Number == rec.Number && (m.What == "flaky") == rec.Flaky
	})
}

// records lists the findings of a folder, the flaky ones last.
func records(out string) (found []*folder.Record, broken []error, err error) {
	r, err := store.OpenReader(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	found, err = r.Findings()
	return found, r.Broken(), errors.Join(err, r.Close())
}

// gather collects the data about a finding for a report. Files that are missing are left out.
func gather(out string, r *folder.Record) reportFinding {
	f := reportFinding{Record: r, ID: r.Name(), File: "case.smt2"}
	if rel, err := filepath.Rel(out, r.Path); err == nil {
		f.Folder = filepath.ToSlash(rel)
	}
	prefix := ""
	if r.MinBytes > 0 {
		f.File, prefix = "min.smt2", "min-"
	}
	dir := filepath.Join(out, filepath.FromSlash(f.Folder))
	f.Text, f.Cut = head(dir, f.File)
	f.Outcomes = outcomes(dir, prefix, f.wrong())
	return f
}

// head returns the beginning of a file of a finding.
func head(dir, name string) (text string, cut bool) {
	in, err := durable.OpenFile(dir, name)
	if err != nil {
		return "", false
	}
	defer in.Close()
	b := make([]byte, maxText+1)
	n, _ := io.ReadFull(in, b) // a short file is not an error
	if n > maxText {
		b, cut = b[:maxText], true
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		b = b[:len(b)-1]
		n = len(b)
	}
	return strings.ToValidUTF8(string(b[:n]), "\uFFFD"), cut
}

// outcomes reads the runs of the targets from the files runs/PREFIX*.json.
func outcomes(dir, prefix string, wrong []string) []runOutcome {
	names, err := os.ReadDir(filepath.Join(dir, "runs"))
	if err != nil {
		return nil
	}
	var out []runOutcome
	for _, e := range names {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || prefix == "" && !folder.OfCase(name) || !strings.HasPrefix(name, prefix) {
			continue
		}
		text, err := durable.ReadFile(dir, "runs/"+name)
		var info finding.Run
		if err != nil || json.Unmarshal(text, &info) != nil {
			continue
		}
		out = append(out, runOutcome{info.Target, info.Version, cmp.Or(info.Outcome, "no check-sat"), info.Wall, slices.Contains(wrong, info.Target)})
	}
	return out
}
