package campaign

import (
	"fmt"
	"time"
)

// longTime is what is said to take its time.
const longTime = 2 * time.Second

// stage tells the coordinator in words what a confirmation or a reduction has come to.
func (w *worker) stage(text string) {
	_ = w.out.line(&report{Type: reportStage, Text: text}, true) // a coordinator that is gone ends the worker elsewhere
}

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
	case orderCases:
		text = fmt.Sprintf("case %d", j.next)
	case orderConfirm:
		text = fmt.Sprintf("confirming a verdict of case %d", j.group.f.Case.Origin.Number)
	case orderRecheck:
		text = fmt.Sprintf("looking at finding %d again", j.finding.Number)
	case orderReduce:
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
		if w.job != nil && w.job.kind != orderCases {
			begun = w.job.begun
		}
		if d := c.now.Sub(begun); d >= longTime {
			what += fmt.Sprintf(" (%d s)", d/time.Second)
		}
		out = append(out, what)
	}
	return out
}
