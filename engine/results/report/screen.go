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

	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers"
)

// How often the status is written.
const (
	redrawEvery    = 250 * time.Millisecond
	heartbeatEvery = 10 * time.Second
)

// Screen shows the state of a campaign while it runs. On a terminal it is a block of lines at the bottom that is
// redrawn by a timer and clipped to the terminal; elsewhere it is a line of key=value pairs every ten seconds.
type Screen struct {
	mu     sync.Mutex
	out    io.Writer // lines
	errs   io.Writer // warnings and what campaign files print
	status io.Writer // the status
	size   func() (width, height int, ok bool)
	every  time.Duration
	latest *metrics.Stats
	drawn  []int // columns of each line of the status on the screen
	stop   chan struct{}
	done   chan struct{}
	paint  bool
}

// NewScreen returns a screen that writes findings to out, warnings and the output of campaign files to errs, and the
// status to status. A nil status shows none.
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

// Update sets the statistics to show; it never waits for the terminal.
func (s *Screen) Update(st *metrics.Stats) {
	if s.mu.TryLock() {
		s.latest = st
		s.mu.Unlock()
	}
}

// Println writes lines above the status.
func (s *Screen) Println(kind coordinator.Line, text string) {
	text = display.Text(strings.TrimRight(text, "\n"))
	w := s.out
	switch kind {
	case coordinator.LineWarning, coordinator.LinePrint:
		w = s.errs
	}
	if s.paint {
		switch kind {
		case coordinator.LineFinding:
			text = paint(color.FgGreen, text)
		case coordinator.LineWarning:
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

// paint colours text; the caller has looked at NO_COLOR and the terminal.
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
				fmt.Fprintln(s.status, heartbeat(s.latest))
			default:
				s.draw()
			}
			s.mu.Unlock()
		}
	}
}

// erase removes the status from the screen line by line: some terminals keep text in their history if it is cleared all
// at once.
func (s *Screen) erase() {
	if up := s.rows(); up > 0 {
		_, _ = io.WriteString(s.status, "\r"+strings.Repeat("\x1b[A\x1b[2K", up))
	}
	s.drawn = nil
}

// rows is the number of rows that the status takes on the screen. A terminal that became narrower may have broken
// lines.
func (s *Screen) rows() int {
	n := len(s.drawn)
	if n == 0 {
		return 0
	}
	width, height, ok := s.size()
	if !ok {
		return n
	}
	n = 0
	for _, w := range s.drawn {
		n += max(1, (w+width-1)/width)
	}
	return min(n, height-1)
}

// draw writes the status over the one before, in one write, each line clipped so that nothing ever scrolls: neither
// flickers.
func (s *Screen) draw() {
	width, height, ok := s.size()
	if !ok {
		return
	}
	var b strings.Builder
	if up := s.rows(); up > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", up)
	}
	lines := statusLines(s.latest, width-1, height-1)
	s.drawn = s.drawn[:0]
	for i, l := range lines {
		s.drawn = append(s.drawn, display.Columns(l))
		if s.paint {
			switch {
			case i == 0:
				l = paint(color.Bold, l)
			case strings.HasPrefix(l, "  ! "):
				l = paint(color.FgYellow, l)
			case strings.HasPrefix(l, "  findings") && s.latest.Findings.New > 0:
				l = paint(color.FgGreen, l)
			}
		}
		b.WriteString(l + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	_, _ = io.WriteString(s.status, b.String())
}

// heartbeat renders the status as one line of key=value pairs: the metrics that have a short name, and the answers of
// the targets with how their runs ended.
func heartbeat(st *metrics.Stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run=%.0fs state=%s workers=%d/%d", st.Elapsed, st.State, st.Workers.Alive, st.Workers.Wanted)
	for _, m := range metrics.Metrics() {
		if m.Short != "" {
			fmt.Fprintf(&b, " %s=%s", m.Short, valueText(&m, m.Samples(st)[0].Value))
		}
	}
	for i := range st.Edges {
		e := &st.Edges[i]
		fmt.Fprintf(&b, " edges:%s=%d", strings.ReplaceAll(display.Text(e.Name), " ", "_"), e.Edges)
	}
	for i := range st.Targets {
		t := &st.Targets[i]
		declined := t.Classes[solvers.Unsupported.String()]
		ended := t.Runs - t.Classes[solvers.OK.String()] - declined
		fmt.Fprintf(&b, " %s=sat:%d,unsat:%d,unknown:%d,declined:%d,not-ok:%d", strings.ReplaceAll(display.Text(t.Name), " ", "_"), t.Sat, t.Unsat, t.Unknown, declined, ended)
	}
	if len(st.Health) > 0 {
		fmt.Fprintf(&b, " warnings=%d", len(st.Health))
	}
	if doing := notable(st.Workers.Doing); len(doing) > 0 {
		fmt.Fprintf(&b, " doing=%q", display.Text(strings.Join(doing, "; ")))
	}
	return b.String()
}

// valueText writes a value of a metric.
func valueText(m *metrics.Metric, v float64) string {
	switch m.Unit {
	case "":
		return fmt.Sprintf("%.0f", v)
	case "share":
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}
