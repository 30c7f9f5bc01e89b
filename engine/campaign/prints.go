package campaign

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/finding"
)

// printed counts what a campaign file prints, up to a bound.
type printed struct {
	maxLines, maxBytes int

	lines, bytes, left int
}

// What a campaign file may print in one case or while it is loaded, and in a whole campaign.
const (
	casePrintLines, casePrintBytes = 1000, 256 << 10
	allPrintLines, allPrintBytes   = 10_000, 4 << 20
)

// pass returns what is shown of a text: "" for one beyond the bound, which is counted.
func (p *printed) pass(text string) string {
	n := strings.Count(text, "\n") + 1
	if p.lines+n > p.maxLines || p.bytes >= p.maxBytes {
		p.left += n
		return ""
	}
	text = finding.Clip(text, p.maxBytes-p.bytes)
	p.lines, p.bytes = p.lines+n, p.bytes+len(text)
	return text
}

// over returns what to say about the lines that were left out, "" if there are none, and begins anew.
func (p *printed) over(of string) (text string) {
	if p.left > 0 {
		text = fmt.Sprintf("%d more lines that %s prints are left out", p.left, of)
	}
	p.lines, p.bytes, p.left = 0, 0, 0
	return text
}

// print passes on what the campaign file prints.
func (w *worker) print(text string) {
	if text = w.prints.pass(text); text != "" {
		_ = w.out.line(&report{Type: reportPrint, Text: text}, true)
	}
}

// printsEnd begins the prints of another case.
func (w *worker) printsEnd(of string) {
	if text := w.prints.over(of); text != "" {
		_ = w.out.line(&report{Type: reportPrint, Text: text}, true)
	}
}

// show passes a print on to the user.
func (c *coordinator) show(text string) {
	before := c.prints.left
	if text = c.prints.pass(text); text != "" {
		c.cfg.Print(LinePrint, text)
	} else if before == 0 {
		c.cfg.Print(LinePrint, fmt.Sprintf("the campaign file has printed %d lines; from here on they are only counted", c.prints.lines))
	}
}
