package coordinator

import (
	"fmt"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// takeBeat records the current activity that a worker reports.
func (w *workerState) takeBeat(b *wire.Beat, now time.Time) {
	if asked := b.Spent[account.Options].Times; asked > w.asked { // some thousand short questions to one solver are no hang
		w.asked, w.since = asked, now
	}
	if w.now = finding.Clip(campaign.OneLine(b.Text), 200); w.job != nil {
		w.job.now = w.now
	}
}

// longTime is how long an activity must have run before its duration is shown.
const longTime = 2 * time.Second

// describeActivity describes the worker's current activity, "" if it is idle.
func (w *workerState) describeActivity() string {
	j := w.job
	switch {
	case w.gone:
		return ""
	case w.loading && w.now != "":
		return w.now
	case w.loading:
		return "loading the campaign"
	case j == nil:
		return ""
	}
	text := ""
	switch j.order.(type) {
	case *wire.MakeCases:
		text = fmt.Sprintf("case %d", j.next)
	case *wire.Confirm:
		text = fmt.Sprintf("confirming a verdict of case %d", j.group.Finding.Case.Origin.Number)
	case *wire.Recheck:
		text = fmt.Sprintf("looking at finding %d again", j.finding.Number)
	case *wire.Reduce:
		text = fmt.Sprintf("reducing finding %d", j.group.Finding.Number)
		if j.group.Bucket != nil {
			text = fmt.Sprintf("reducing case %d", j.group.Finding.Case.Origin.Number)
		}
	}
	if j.now != "" {
		text += ", " + j.now
	}
	if j.stage != "" {
		text += ": " + j.stage
	}
	return text
}

// duration describes how long the worker has been at its job, and names the function of the campaign file that is
// computing, if that is known. It returns "" for a job that has just begun.
func (w *workerState) duration(now time.Time) string {
	if w.at != "" { // count from its last sign of life, as the job may have begun much earlier
		return fmt.Sprintf(": %s has computed for %d s", w.at, now.Sub(w.since)/time.Second)
	}
	begun := w.since
	if w.job != nil && w.job.cases == nil {
		begun = w.job.begun
	}
	if d := now.Sub(begun); d >= longTime {
		return fmt.Sprintf(" (%d s)", d/time.Second)
	}
	return ""
}

// maxDescribed bounds the number of workers whose activity is described: nobody reads more, and describing a thousand
// takes a sixth of the coordinator's time.
const maxDescribed = 64

// describeActivities describes the activity of each worker in words, with its duration if that is long.
func (c *crew) describeActivities() []string {
	var out []string
	for i, w := range c.workers {
		if len(out) == maxDescribed {
			out = append(out, fmt.Sprintf("and %d others", len(c.workers)-i))
			break
		}
		what := w.describeActivity()
		if what == "" {
			continue
		}
		out = append(out, what+w.duration(c.life.now))
	}
	return out
}

// whyAt adds the place that a worker's script had reached, if known, to the reason for the worker's death.
func whyAt(why, at string) string {
	if at == "" {
		return why
	}
	head, rest, more := strings.Cut(strings.TrimSpace(why), "\n")
	head += "; the campaign file was in " + at
	if more {
		return head + "\n" + rest
	}
	return head
}
