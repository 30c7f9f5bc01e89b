package report

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// optionLines say of each solver how many of the options that it declares had a case each for all of their values.
func optionLines(s metrics.OptionStats) (lines []string) {
	for i := range s {
		t := &s[i]
		line := fmt.Sprintf("options probed, one at a time: %s of %s (%s of %s settings)", number(uint64(t.Probed)), number(uint64(t.Options-t.Refused)),
			number(uint64(t.Tried.Len())), number(uint64(t.Settings-t.Untaken.Len())))
		if t.Refused > 0 {
			line += fmt.Sprintf(", %s refused", number(uint64(t.Refused)))
		}
		if len(s) > 1 {
			line += ": " + display.Line(t.Name)
		}
		lines = append(lines, line)
	}
	return lines
}

// optionRows is the table of optionLines.
func optionRows(s metrics.OptionStats) [][]string {
	rows := [][]string{{"solver", "options probed", "of", "refused", "settings tried", "of"}}
	for i := range s {
		t := &s[i]
		rows = append(rows, []string{display.Text(t.Name), number(uint64(t.Probed)), number(uint64(t.Options - t.Refused)), number(uint64(t.Refused)),
			number(uint64(t.Tried.Len())), number(uint64(t.Settings - t.Untaken.Len()))})
	}
	return rows
}
