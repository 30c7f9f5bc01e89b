package campaign

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Printed counts the lines that a campaign file prints, up to a bound.
type Printed struct {
	MaxLines, MaxBytes int

	Lines, bytes, Left int
}

// Bounds on the output of a campaign file: in one case or while the file is loaded, and in a whole campaign.
const (
	CasePrintLines, CasePrintBytes = 1000, 256 << 10
	AllPrintLines, AllPrintBytes   = 10_000, 4 << 20
)

// Pass returns the text to show: a text within the bound as it is, or "" for one beyond the bound, which is counted.
func (p *Printed) Pass(text string) string {
	n := strings.Count(text, "\n") + 1
	if p.Lines+n > p.MaxLines || p.bytes >= p.MaxBytes {
		p.Left += n
		return ""
	}
	text = finding.Clip(text, p.MaxBytes-p.bytes)
	p.Lines, p.bytes = p.Lines+n, p.bytes+len(text)
	return text
}

// Over returns what to say about the lines that were left out, "" if there are none, and begins anew.
func (p *Printed) Over(of string) (text string) {
	if p.Left > 0 {
		text = fmt.Sprintf("%d more lines that %s prints are left out", p.Left, of)
	}
	p.Lines, p.bytes, p.Left = 0, 0, 0
	return text
}
