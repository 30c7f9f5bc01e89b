package coordinator

import (
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// longTime is what is said to take its time.
const longTime = 2 * time.Second

// activity says what the worker is doing; "" for nothing.
func (w *workerState) activity() string {
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
	switch j.kind {
	case wire.OrderCases:
		text = fmt.Sprintf("case %d", j.next)
	case wire.OrderConfirm:
		text = fmt.Sprintf("confirming a verdict of case %d", j.group.f.Case.Origin.Number)
	case wire.OrderRecheck:
		text = fmt.Sprintf("looking at finding %d again", j.finding.Number)
	case wire.OrderReduce:
		text = fmt.Sprintf("reducing finding %d", j.group.f.Number)
		if j.group.bucket != nil {
			text = fmt.Sprintf("reducing case %d", j.group.f.Case.Origin.Number)
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

// activities lists in words what all workers are doing, and for how long where that is long, and what rests.
func (c *coordinator) activities() []string {
	out := c.working()
	if text := c.resting(); text != "" {
		out = append(out, text)
	}
	return out
}

// working lists in words what all workers are doing.
func (c *coordinator) working() []string {
	var out []string
	for _, w := range c.workers {
		what := w.activity()
		if what == "" {
			continue
		}
		begun := w.since
		if w.job != nil && w.job.kind != wire.OrderCases {
			begun = w.job.begun
		}
		if d := c.now.Sub(begun); d >= longTime {
			what += fmt.Sprintf(" (%d s)", d/time.Second)
		}
		out = append(out, what)
	}
	return out
}
