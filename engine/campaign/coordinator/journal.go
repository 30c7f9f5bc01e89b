package coordinator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// Log keeps the history of a campaign. An error means that the disk is full or not writable.
type Log interface {
	// Event adds an event with its fields.
	Event(name string, fields map[string]any) error
	// Stats replaces the statistics.
	Stats(s *metrics.Stats) error
}

// noLog is a Log that keeps nothing.
type noLog struct{}

// Event does nothing.
func (noLog) Event(string, map[string]any) error { return nil }

// Stats does nothing.
func (noLog) Stats(*metrics.Stats) error { return nil }

// journal records what happens in a campaign: the log, the lines for the user, the errors in the statistics.
type journal struct {
	log         Log
	print       func(kind Line, text string)
	stats       *metrics.Stats
	printed     campaign.Printed // by the campaign file
	onDiskError func(error)      // ends the campaign because something could not be stored
}

// logEvent adds to the log.
func (j *journal) logEvent(name string, fields map[string]any) {
	if err := j.log.Event(name, fields); err != nil {
		j.onDiskError(err)
	}
}

// keepStats writes the statistics into the log.
func (j *journal) keepStats() {
	if err := j.log.Stats(j.stats.Clone()); err != nil {
		j.onDiskError(err)
	}
}

// showPrint passes a print of the campaign file on to the user.
func (j *journal) showPrint(text string) {
	before := j.printed.Left
	if text = j.printed.Pass(text); text != "" {
		j.print(LinePrint, text)
	} else if before == 0 {
		j.print(LinePrint, fmt.Sprintf("the campaign file has printed %d lines; from here on they are only counted", j.printed.Lines))
	}
}

// showPrints shows the lines that the campaign file printed while worker w loaded it. One worker suffices: all print
// the same.
func (j *journal) showPrints(w *workerState) {
	for _, text := range w.prints {
		j.showPrint(text)
	}
	w.prints = nil
}

// maxListed bounds the errors and deaths that are listed.
const maxListed = 10

// listError lists an error unless the list has the same one with another case. If show is set, it also prints the
// error.
func (j *journal) listError(text string, show bool) {
	known := slices.ContainsFunc(j.stats.ErrorList, func(s string) bool { return withoutCase(s) == withoutCase(text) })
	if known || len(j.stats.ErrorList) >= maxListed {
		return
	}
	j.stats.ErrorList = append(j.stats.ErrorList, text)
	if show {
		j.print(LineWarning, text)
	}
}

// withoutCase cuts off the last line of an error if it names the case.
func withoutCase(text string) string {
	if i := strings.LastIndex(text, "\ncase "); i >= 0 {
		return text[:i]
	}
	return text
}
