package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// MaxCandidates bounds the candidates of a bucket that wait at a time; workers send so many cases of a bucket that has no
// skeleton yet, each.
const MaxCandidates = 64

// ProtocolVersion must be equal on both sides.
const ProtocolVersion = 1

// maxLine bounds one line of the protocol in bytes; a worker that writes a longer one is killed.
const maxLine = 64 << 20

// Types of orders and reports.
const (
	OrderHello     = "hello"
	OrderCases     = "cases"
	OrderConfirm   = "confirm"
	OrderReduce    = "reduce"
	OrderRecheck   = "recheck"
	OrderReproduce = "reproduce"
	OrderShow      = "show"
	OrderKnown     = "known"
	OrderStop      = "stop"
	OrderCut       = "cut"
	OrderForget    = "forget"
	OrderDistrust  = "distrust"

	ReportHello      = "hello"
	ReportPlan       = "plan"
	ReportFailed     = "failed"
	ReportCase       = "case"
	ReportResult     = "result"
	ReportSkip       = "skip"
	ReportError      = "error"
	ReportDone       = "done"
	ReportConfirmed  = "confirmed"
	ReportBest       = "best"
	ReportReduced    = "reduced"
	ReportRechecked  = "rechecked"
	ReportReproduced = "reproduced"
	ReportShown      = "shown"
	ReportPrint      = "print"
	ReportStop       = "stop"
	ReportStage      = "stage"
	ReportBeat       = "beat"
	ReportAt         = "at" // where a script is whose step takes long: Text
)

// Order is what the coordinator writes.
type Order struct {
	Epoch    int              `json:"epoch,omitempty"`   // of cases, with weights
	Weights  []uint32         `json:"weights,omitempty"` // of the parts of a mixture
	Avoid    []string         `json:"avoid,omitempty"`   // operators that cases do without, see hazard.Avoided
	Type     string           `json:"type"`
	Protocol int              `json:"protocol,omitempty"`
	File     string           `json:"file,omitempty"`
	Options  *finding.Options `json:"options,omitempty"`
	Hash     bool             `json:"hash,omitempty"` // results carry a hash of the case
	Job      uint64           `json:"job,omitempty"`
	From     uint64           `json:"from,omitempty"`
	To       uint64           `json:"to,omitempty"`
	Detail   bool             `json:"detail,omitempty"` // results carry what each target did
	Case     *testcase.Wire   `json:"case,omitempty"`
	Verdict  *oracle.Verdict  `json:"verdict,omitempty"`
	Mode     string           `json:"mode,omitempty"` // of reduce: that in which the verdict was confirmed
	Times    int              `json:"times,omitempty"`
	Budget   time.Duration    `json:"budget,omitempty"`
	Keys     []string         `json:"keys,omitempty"`
	// Of known: for vague signatures the skeletons of what was found of them so far; an empty list means that they are not
	// known yet.
	Skeletons map[string][][]string `json:"skeletons,omitempty"`
	Known     *finding.Plan         `json:"known,omitempty"` // of recheck: the plan of the campaign that found it
	Distrust  Distrust              `json:"distrust,omitempty"`
	// Sequence is what came before the case in its process, of confirm; of reduce and recheck, what it needs ahead of it.
	finding.Sequence
}

// Report is what a worker writes. Which fields count depends on Type.
type Report struct {
	Features []uint32 `json:"features,omitempty"` // of a mixture whose weights follow the yield
	// Hazard is what is noted of some cases of it.
	Hazard   *hazard.Case     `json:"hazard,omitempty"`
	Type     string           `json:"type"`
	Protocol int              `json:"protocol,omitempty"`
	PID      int              `json:"pid,omitempty"`
	Plan     *finding.Plan    `json:"plan,omitempty"`
	Sources  *finding.Sources `json:"sources,omitempty"` // of plan
	Fault    campaign.Fault   `json:"fault,omitempty"`
	Text     string           `json:"text,omitempty"`   // of failed, error, skip, print, stop
	Expect   string           `json:"expect,omitempty"` // of error: the flag that the command which makes the case again needs, with a blank before it
	Job      uint64           `json:"job,omitempty"`
	N        uint64           `json:"n,omitempty"`
	Next     uint64           `json:"next,omitempty"` // of done: the first case of the range that was not run
	Make     int64            `json:"make,omitempty"` // microseconds
	// Spent is what the worker has spent so far: with the end of each job, and with each beat.
	Spent account.Account `json:"spent,omitempty"`
	Hash  string          `json:"hash,omitempty"`
	// Technique and Steps say what made the case; an empty technique is that of the plan. Repeat: it was there before.
	Technique string                  `json:"technique,omitempty"`
	Steps     []string                `json:"steps,omitempty"`
	Repeat    bool                    `json:"repeat,omitempty"`
	Runs      string                  `json:"runs,omitempty"` // see runCodes
	Verdicts  []finding.SignedVerdict `json:"verdicts,omitempty"`
	Case      *testcase.Wire          `json:"case,omitempty"`
	Details   []finding.Run           `json:"details,omitempty"`
	Mode      string                  `json:"mode,omitempty"`
	Hits      int                     `json:"hits,omitempty"`
	Tries     int                     `json:"tries,omitempty"`
	Tests     int                     `json:"tests,omitempty"`
	Bytes     int                     `json:"bytes,omitempty"`
	Replays   []finding.Replay        `json:"replays,omitempty"`
	Checks    []finding.Check         `json:"checks,omitempty"`
	// Suppressed has, for each verdict that the campaign file knows, the name of what knows it.
	Suppressed []string             `json:"suppressed,omitempty"`
	Plain      []finding.Run        `json:"plain,omitempty"`    // of confirmed: with default options
	Needs      string               `json:"needs,omitempty"`    // of confirmed and reduced: see Finding
	Tried      int                  `json:"tried,omitempty"`    // of confirmed: see Finding
	Cut        bool                 `json:"cut,omitempty"`      // of confirmed: it did not come to its end
	Upstream   *finding.Upstream    `json:"upstream,omitempty"` // of confirmed and reduced: see Finding
	Varies     []string             `json:"varies,omitempty"`   // of confirmed: see Finding
	Vouched    []string             `json:"vouched,omitempty"`  // of best and reduced: see Reduction
	Refuted    *finding.Refutation  `json:"refuted,omitempty"`  // of confirmed: why it is no finding, however often it shows
	Broken     []finding.BrokenSeed `json:"broken,omitempty"`   // of done: seeds found broken since the last one
	Tally      *metrics.Tally       `json:"tally,omitempty"`    // of done: operators that were counted since the last one
	Coverage   *metrics.Coverage    `json:"coverage,omitempty"` // of done: what was counted since the last one
	Cells      *metrics.CellStats   `json:"cells,omitempty"`    // of done: cells that were answered since the last one
	Stack      *backtrace.Stack     `json:"stack,omitempty"`    // of confirmed and rechecked: see Finding
	Ahead      finding.Sequence     `json:"ahead,omitzero"`     // of result: what the process had had; of confirmed, best and reduced: see Finding
}

// Writer writes reports. Lines wait in a buffer until flush, so that one write carries the result of a case and the
// announcement of the next.
type Writer struct {
	mu  sync.Mutex
	Out io.Writer
	buf []byte
	err error
}

// Line adds a report; with flush it is on its way when line returns.
func (w *Writer) Line(r *Report, flush bool) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(append(w.buf, text...), '\n')
	return w.flushIf(flush || len(w.buf) > 1<<16)
}

// Announce writes that case n begins.
func (w *Writer) Announce(n uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, casePrefix...)
	w.buf = strconv.AppendUint(w.buf, n, 10)
	w.buf = append(w.buf, '}', '\n')
	return w.flushIf(true)
}

const (
	casePrefix   = `{"type":"case","n":`
	resultPrefix = `{"type":"result","n":`
)

// Result adds the result of a case without verdicts; it is line without reflection.
func (w *Writer) Result(r *Report, runs []*solvers.Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := append(w.buf, resultPrefix...)
	b = strconv.AppendUint(b, r.N, 10)
	b = append(b, `,"make":`...)
	b = strconv.AppendInt(b, r.Make, 10)
	if r.Hash != "" {
		b = append(b, `,"hash":"`...)
		b = append(b, r.Hash...)
		b = append(b, '"')
	}
	b = r.appendYield(b)
	if len(r.Features) > 0 {
		b = append(b, `,"features":[`...)
		for i, f := range r.Features {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendUint(b, uint64(f), 10)
		}
		b = append(b, ']')
	}
	b = append(b, `,"runs":"`...)
	b = metrics.AppendRunCodes(b, runs)
	w.buf = append(b, "\"}\n"...)
	return w.flushIf(len(w.buf) > 1<<16)
}

func (w *Writer) flushIf(now bool) error {
	if !now || w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	_, w.err = w.Out.Write(w.buf)
	w.buf = w.buf[:0]
	if cap(w.buf) > 1<<20 {
		w.buf = nil
	}
	return w.err
}

// ReadLine returns the next line without its newline; it is valid until the next call. Longer lines than maxLine are an
// error.
func ReadLine(r *bufio.Reader, long *[]byte) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	*long = (*long)[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		*long = append(*long, line...)
		if len(*long) > maxLine {
			return nil, fmt.Errorf("a line of more than %d bytes", maxLine)
		}
		line, err = r.ReadSlice('\n')
	}
	*long = append(*long, line...)
	if err != nil {
		if errors.Is(err, io.EOF) && len(*long) > 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return (*long)[:len(*long)-1], nil
}

// ParseReport reads one line of a worker.
func ParseReport(line []byte) (*Report, error) {
	r := &Report{}
	if rest, ok := cutPrefix(line, casePrefix); ok && len(rest) > 1 && rest[len(rest)-1] == '}' {
		n, err := strconv.ParseUint(string(rest[:len(rest)-1]), 10, 64)
		if err != nil {
			return nil, err
		}
		r.Type, r.N = ReportCase, n
		return r, nil
	}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, err
	}
	return r, nil
}

func cutPrefix(line []byte, prefix string) ([]byte, bool) {
	if len(line) < len(prefix) || string(line[:len(prefix)]) != prefix {
		return nil, false
	}
	return line[len(prefix):], true
}

// Distrust is the seeds of whose answers no case of this run may claim anything any more, with the reason.
type Distrust map[string]string

// Skips says why a case is not run: it claims an answer that rests on such a seed; "" if it does not.
func (d Distrust) Skips(c *testcase.Case) string {
	if len(d) == 0 || !slices.ContainsFunc(c.Expect, smtlib.Answer.Decided) || len(c.Origin.Assumed) == 0 {
		return ""
	}
	if c.Witness != nil && !slices.Contains(c.Expect, smtlib.Unsat) {
		return "" // the witness shows it, whatever the seed's label says
	}
	for _, s := range c.Origin.Seeds {
		if why, ok := d[s]; ok {
			return why
		}
	}
	return ""
}

func WriteOrder(w io.Writer, o *Order) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// appendYield adds the fields of yield to a report that is written by hand.
func (r *Report) appendYield(b []byte) []byte {
	if r.Repeat {
		b = append(b, `,"repeat":true`...)
	}
	if r.Technique != "" {
		b = append(b, `,"technique":`...)
		b = appendString(b, r.Technique)
	}
	for i, s := range r.Steps {
		if i == 0 {
			b = append(b, `,"steps":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendString(b, s)
		if i == len(r.Steps)-1 {
			b = append(b, ']')
		}
	}
	return b
}

func appendString(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil { // not possible for strings
		return strconv.AppendQuote(b, "")
	}
	return append(b, text...)
}
