package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// MaxCandidates bounds the candidates of a bucket that wait at a time; each worker sends that many cases of a bucket
// that has no skeleton yet.
const MaxCandidates = 64

// ProtocolVersion must be equal on both sides.
const ProtocolVersion = 1

// maxLine bounds one line of the protocol in bytes; a worker that writes a longer one is killed.
const maxLine = 64 << 20

// Messages are JSON objects of one line that begin with their kind: {"type":"cases","job":7,...}. The struct of its
// kind defines the fields of a message. A message that some transport delivers whole can be read without those before
// it.

// Marshal returns an order or a report as one line without its newline.
func Marshal(m interface{ Kind() string }) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("message %q: %w", m.Kind(), err)
	}
	b := append(append(append(make([]byte, 0, len(body)+len(typePrefix)+16), typePrefix...), m.Kind()...), '"')
	if len(body) > len("{}") {
		b = append(b, ',')
	}
	return append(b, body[1:]...), nil
}

const typePrefix = `{"type":"`

// kindsOf is a table of what makes empty messages, by their kind.
func kindsOf[M interface{ Kind() string }](make ...func() M) map[string]func() M {
	table := map[string]func() M{}
	for _, m := range make {
		table[m().Kind()] = m
	}
	return table
}

// parse reads one message of a table of kinds.
func parse[M any](what string, table map[string]func() M, line []byte) (m M, err error) {
	kind, err := kindOf(line)
	if err != nil {
		return m, err
	}
	empty, ok := table[kind]
	if !ok {
		return m, fmt.Errorf("an unknown kind of %s: %q", what, finding.Clip(kind, 40))
	}
	read := empty()
	if err := json.Unmarshal(line, read); err != nil {
		return m, fmt.Errorf("%s %q: %w", what, kind, err)
	}
	return read, nil
}

// kindOf returns the kind of a message. Ours begin with it, which spares reading a long line twice.
func kindOf(line []byte) (string, error) {
	if rest, ok := cutPrefix(line, typePrefix); ok {
		if end := bytes.IndexAny(rest, `"\\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end]), nil
		}
	}
	var message struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &message); err != nil {
		return "", err
	}
	return message.Type, nil
}

// Ends reports whether the line of a worker ends the job that it was given.
func Ends(line []byte) bool {
	switch kind, _ := kindOf(line); kind {
	case (*RangeDone)(nil).Kind(), (*Confirmed)(nil).Kind(), (*Reduced)(nil).Kind(), (*Rechecked)(nil).Kind(), (*Tried)(nil).Kind():
		return true
	}
	return false
}

// IsSign reports whether the line of a worker describes only the worker's own state: a Beat or a ScriptAt.
func IsSign(line []byte) bool {
	kind, _ := kindOf(line)
	return kind == (*Beat)(nil).Kind() || kind == (*ScriptAt)(nil).Kind()
}

// ParseOrder reads one line of the coordinator.
func ParseOrder(line []byte) (Order, error) { return parse("order", orders, line) }

// WriteOrder writes an order.
func WriteOrder(w io.Writer, o Order) error {
	text, err := Marshal(o)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Writer writes reports. Lines wait in a buffer until flush, so that one write carries the result of a case and the
// announcement of the next.
type Writer struct {
	Out io.Writer
	// Wait is the time that the announcement of a case, and everything before it, may stay in the buffer; 0 means that
	// it is written at once. A write per case costs as much as making a simple case, since it wakes the reader. Waiting
	// is for workers whose running case can be found out in another way if they die.
	Wait time.Duration

	mu      sync.Mutex
	buf     []byte
	err     error
	written time.Time   // when the buffer was written last
	timer   *time.Timer // writes the buffer; nil if none ever waited
	waits   bool        // the timer runs
}

// Line adds a report. If flush is true, the report is sent before Line returns.
func (w *Writer) Line(r Report, flush bool) error {
	text, err := Marshal(r)
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
	if w.Wait == 0 || time.Since(w.written) >= w.Wait {
		return w.flushIf(true)
	}
	w.writeLater()
	return w.err
}

// writeLater schedules writing the buffer after Wait.
func (w *Writer) writeLater() {
	switch {
	case w.waits:
		return
	case w.timer == nil:
		w.timer = time.AfterFunc(w.Wait, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.waits = false
			_ = w.flushIf(true) // the next line returns the error
		})
	default:
		w.timer.Reset(w.Wait)
	}
	w.waits = true
}

const (
	casePrefix   = `{"type":"case","n":`
	resultPrefix = `{"type":"result","n":`
)

// Result adds the result of a case without verdicts; it is line without reflection.
func (w *Writer) Result(r *CaseResult, runs []*solvers.Run) error {
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
	if w.Wait > 0 {
		w.written = time.Now()
	}
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
func ParseReport(line []byte) (Report, error) {
	if rest, ok := cutPrefix(line, casePrefix); ok && len(rest) > 1 && rest[len(rest)-1] == '}' {
		n, err := strconv.ParseUint(string(rest[:len(rest)-1]), 10, 64)
		if err != nil {
			return nil, err
		}
		return &CaseBegun{N: n}, nil
	}
	if r := parsePlain(line); r != nil {
		return r, nil
	}
	return parse("report", reports, line)
}

// parsePlain reads the result of a case of which nothing is to be said but what its runs came to, as of nearly all: a
// coordinator of a thousand workers reads a hundred thousand of them a second. It returns nil for all others.
func parsePlain(line []byte) *CaseResult {
	rest, ok := cutPrefix(line, resultPrefix)
	if !ok {
		return nil
	}
	r := &CaseResult{}
	text := string(rest)
	number, text, ok := strings.Cut(text, `,"make":`)
	if !ok {
		return nil
	}
	var err error
	if r.N, err = strconv.ParseUint(number, 10, 64); err != nil {
		return nil
	}
	end := strings.IndexByte(text, ',')
	if end < 0 {
		return nil
	}
	if r.Make, err = strconv.ParseInt(text[:end], 10, 64); err != nil {
		return nil
	}
	text = text[end:]
	if hash, ok := strings.CutPrefix(text, `,"hash":"`); ok {
		if r.Hash, text, ok = strings.Cut(hash, `"`); !ok {
			return nil
		}
	}
	if text, ok = strings.CutPrefix(text, `,"runs":"`); !ok {
		return nil
	}
	if r.Runs, ok = strings.CutSuffix(text, `"}`); !ok || strings.ContainsAny(r.Runs, `"\`) || strings.Contains(r.Hash, `\`) {
		return nil
	}
	return r
}

func cutPrefix(line []byte, prefix string) ([]byte, bool) {
	if len(line) < len(prefix) || string(line[:len(prefix)]) != prefix {
		return nil, false
	}
	return line[len(prefix):], true
}

// Distrust has the seeds whose labels are no longer trusted in this run, with the reason: no case may claim an answer
// that rests on one.
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

// appendYield adds the fields of yield to a report that is written by hand.
func (r *CaseResult) appendYield(b []byte) []byte {
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
