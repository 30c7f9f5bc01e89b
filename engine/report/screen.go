package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/smtlark/smtlark/engine/campaign"
)

// How often the status is written.
const (
	redrawEvery    = 250 * time.Millisecond
	heartbeatEvery = 10 * time.Second
)

// Screen shows the state of a campaign while it runs. On a terminal it is a block of lines at the bottom that is redrawn
// by a timer and clipped to the terminal; elsewhere it is a line of key=value pairs every ten seconds.
type Screen struct {
	mu     sync.Mutex
	out    io.Writer // lines
	errs   io.Writer // warnings and what campaign files print
	status io.Writer // the status
	size   func() (width, height int, ok bool)
	every  time.Duration
	latest *campaign.Stats
	drawn  int // lines of the status on the screen
	stop   chan struct{}
	done   chan struct{}
	paint  bool
}

// NewScreen returns a screen that writes findings to out, warnings and what campaign files print to errs, and the status
// to status. A nil status shows none.
func NewScreen(out, errs, status io.Writer) *Screen {
	s := &Screen{out: out, errs: errs, status: status, every: heartbeatEvery, stop: make(chan struct{}), done: make(chan struct{})}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" {
		s.size = func() (int, int, bool) {
			w, h, err := term.GetSize(int(f.Fd()))
			return w, h, err == nil && w > 0 && h > 0
		}
		s.every, s.paint = redrawEvery, os.Getenv("NO_COLOR") == ""
	}
	go s.loop()
	return s
}

// Update sets what is shown; it never waits for the terminal.
func (s *Screen) Update(st *campaign.Stats) {
	if s.mu.TryLock() {
		s.latest = st
		s.mu.Unlock()
	}
}

// Println writes lines above the status.
func (s *Screen) Println(kind campaign.Line, text string) {
	text = clean(strings.TrimRight(text, "\n"))
	w := s.out
	switch kind {
	case campaign.LineWarning, campaign.LinePrint:
		w = s.errs
	}
	if s.paint {
		switch kind {
		case campaign.LineFinding:
			text = paint(color.FgGreen, text)
		case campaign.LineWarning:
			text = paint(color.FgYellow, text)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintln(w, text)
	if s.size != nil && s.latest != nil {
		s.draw()
	}
}

func paint(c color.Attribute, text string) string {
	p := color.New(c)
	p.EnableColor()
	return p.Sprint(text)
}

// Close ends the display and leaves the screen clean.
func (s *Screen) Close() {
	close(s.stop)
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *Screen) loop() {
	defer close(s.done)
	t := time.NewTicker(s.every)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			switch {
			case s.latest == nil || s.status == nil:
			case s.size == nil:
				fmt.Fprintln(s.status, Heartbeat(s.latest))
			default:
				s.erase()
				s.draw()
			}
			s.mu.Unlock()
		}
	}
}

// erase takes the status off the screen.
func (s *Screen) erase() {
	if s.drawn > 0 {
		fmt.Fprintf(s.status, "\r\x1b[%dA\x1b[J", s.drawn)
		s.drawn = 0
	}
}

// draw writes the status, clipped so that it never scrolls.
func (s *Screen) draw() {
	width, height, ok := s.size()
	if !ok {
		return
	}
	lines := StatusLines(s.latest)
	if len(lines) > height-1 {
		lines = lines[:max(0, height-1)]
	}
	var b strings.Builder
	for i, l := range lines {
		l = clip(l, width-1)
		if s.paint {
			switch {
			case i == 0:
				l = paint(color.Bold, l)
			case strings.HasPrefix(l, "  ! "):
				l = paint(color.FgYellow, l)
			}
		}
		b.WriteString(l + "\n")
	}
	_, _ = io.WriteString(s.status, b.String())
	s.drawn = len(lines)
}

// StatusLines renders the status.
func StatusLines(st *campaign.Stats) []string {
	f := &st.Findings
	lines := []string{fmt.Sprintf("smtlark  %s  %s  run %s  seed %s  workers %d/%d  [%s]", clean(st.Campaign), clean(st.Technique), duration(st.Elapsed), st.Seed, st.Workers.Alive, st.Workers.Wanted, stateText(st))}
	work := fmt.Sprintf("  cases %s  %.1f/s  skipped %s  engine %.0f %% of CPU", number(st.Cases), st.Rate, number(st.Skipped), 100*st.CPU.EngineShare)
	if st.Killed > 0 {
		work += fmt.Sprintf("  killed %d", st.Killed)
	}
	if st.Errors > 0 {
		work += fmt.Sprintf("  errors %d", st.Errors)
	}
	if st.Workers.Restarts > 0 {
		work += fmt.Sprintf("  restarts %d", st.Workers.Restarts)
	}
	if st.BrokenSeeds > 0 {
		work += fmt.Sprintf("  broken seeds %d", st.BrokenSeeds)
	}
	found := fmt.Sprintf("  findings %d", f.New)
	if f.New > 0 {
		found += fmt.Sprintf(" (last %s ago)", duration(st.Elapsed-f.Last))
	}
	found += fmt.Sprintf("  duplicates %d  known %d  flaky %d", f.Duplicates, f.Known, f.Flaky)
	if f.Pending+f.Reducing > 0 {
		found += fmt.Sprintf("  | confirming %d  reducing %d", f.Pending, f.Reducing)
	}
	lines = append(lines, work, found)
	for _, row := range targetTable(st.Targets) {
		lines = append(lines, "  "+row)
	}
	for _, h := range st.Health {
		lines = append(lines, "  ! "+clean(h))
	}
	return lines
}

func stateText(st *campaign.Stats) string {
	if st.State == campaign.StateDraining {
		return "ending: " + clean(st.StopReason)
	}
	if len(st.Health) > 0 {
		return fmt.Sprintf("%s, %s", st.State, plural(len(st.Health), "warning", "warnings"))
	}
	return st.State
}

// Heartbeat renders the status as one line of key=value pairs: the metrics that have a short name, and the answers of
// the targets as sat/unsat/unknown/other ends.
func Heartbeat(st *campaign.Stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run=%.0fs state=%s workers=%d/%d", st.Elapsed, st.State, st.Workers.Alive, st.Workers.Wanted)
	for _, m := range campaign.Metrics() {
		if m.Short != "" {
			fmt.Fprintf(&b, " %s=%s", m.Short, valueText(&m, m.Samples(st)[0].Value))
		}
	}
	for i := range st.Targets {
		t := &st.Targets[i]
		ended := t.Runs - t.Classes["ok"]
		fmt.Fprintf(&b, " %s=%d/%d/%d/%d", strings.ReplaceAll(clean(t.Name), " ", "_"), t.Sat, t.Unsat, t.Unknown, ended)
	}
	if len(st.Health) > 0 {
		fmt.Fprintf(&b, " warnings=%d", len(st.Health))
	}
	return b.String()
}

// valueText writes a value of a metric.
func valueText(m *campaign.Metric, v float64) string {
	switch m.Unit {
	case "":
		return fmt.Sprintf("%.0f", v)
	case "share":
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}
