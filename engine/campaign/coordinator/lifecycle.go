package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// lifecycle decides when a campaign begins and ends, and why. Its field now is the current time for the whole campaign.
type lifecycle struct {
	stats *metrics.Stats // State and StopReason are kept there
	stop  finding.Stop

	begun     time.Time // when the plan arrived
	now       time.Time
	drainFrom time.Time
	cutAt     time.Time // when running jobs are cut
	killAt    time.Time // when the workers of such jobs are killed
	cutSent   bool
	awaits    string // the last known activity of the workers when the time was over
	err       error  // ends the campaign
}

func (l *lifecycle) isRunning() bool { return l.stats.State == metrics.StateRunning }

func (l *lifecycle) isDraining() bool { return l.stats.State == metrics.StateDraining }

// elapsed is the run time so far.
func (l *lifecycle) elapsed() time.Duration { return l.now.Sub(l.begun) }

// endsAt returns the end of the campaign's time; zero without such a limit.
func (l *lifecycle) endsAt() time.Time {
	if l.stop.After == 0 {
		return time.Time{}
	}
	return l.begun.Add(l.stop.After)
}

// timeIsOver reports whether the time that the campaign was given is over.
func (l *lifecycle) timeIsOver() bool {
	end := l.endsAt()
	return !end.IsZero() && l.now.After(end)
}

// beforeLastPart reports whether the last fifth of the time that the campaign was given is yet to come.
func (l *lifecycle) beforeLastPart() bool {
	after := l.stop.After
	return after == 0 || l.elapsed() < after-after/settleLast
}

// stopReason returns which part of a stop condition holds, "" if none does, and whether there is time to settle the
// findings. The plan of cases checks the number of cases at the top level.
func (l *lifecycle) stopReason(s finding.Stop) (why string, patient bool) {
	run := l.elapsed()
	quiet := run - time.Duration(l.stats.LastFound(s.Technique)*float64(time.Second))
	switch {
	case s.After > 0 && run >= s.After:
		return "time is over", false
	case s.Quiet > 0 && quiet >= s.Quiet && l.stats.Findings.Pending == 0:
		return "no new finding " + s.QuietText(), false
	case s.Findings > 0 && l.stats.Findings.New >= s.Findings:
		return fmt.Sprintf("%d findings", l.stats.Findings.New), true
	case s.Sets == nil:
		return "", false
	}
	for _, set := range *s.Sets {
		if why := l.holdsTogether(set); why != "" {
			return why, false
		}
	}
	return "", false
}

// holdsTogether returns the joined reasons if all conditions of a set hold, and "" otherwise.
func (l *lifecycle) holdsTogether(set []finding.Stop) string {
	var all []string
	for _, part := range set {
		why, _ := l.stopReason(part)
		if done := l.stats.Cases + l.stats.Skipped + l.stats.Killed + l.stats.Errors; why == "" && part.Cases > 0 && done >= part.Cases {
			why = fmt.Sprintf("%d cases", part.Cases)
		}
		if why == "" {
			return ""
		}
		all = append(all, why)
	}
	return strings.Join(all, ", ")
}

// beginDraining ends the search and records the reason; it returns false if the search had already ended. Verdicts are
// confirmed and reduced for up to limit; grace is the whole time that an interrupted campaign would have.
func (l *lifecycle) beginDraining(reason string, limit, grace time.Duration) bool {
	if !l.isRunning() {
		return false
	}
	l.stats.State, l.stats.StopReason, l.drainFrom = metrics.StateDraining, reason, l.now
	l.cutAt = l.now.Add(limit)
	l.killAt = l.cutAt.Add(grace / 6)
	if end := l.endsAt(); !end.IsZero() && end.Before(l.killAt) { // the user's time limit includes draining
		l.cutAt = end
		l.killAt = end.Add(min(endGrace, grace/6))
	}
	return true
}

// reasonFor returns the stop reason of a campaign that an error ends.
func (l *lifecycle) reasonFor(err error) string {
	if fault := (*campaign.LoadError)(nil); errors.As(err, &fault) && fault.Fault == campaign.FaultScript {
		return "an error in the campaign file"
	}
	return firstLine(err.Error())
}

// reduceBudget returns the time for reducing one finding: whole, the usual time, or less if the campaign ends earlier.
func (l *lifecycle) reduceBudget(whole time.Duration) time.Duration {
	end := l.endsAt()
	if l.isDraining() {
		end = l.cutAt
	}
	if !end.IsZero() {
		whole = min(whole, max(time.Second, end.Sub(l.now)-time.Second))
	}
	return whole
}

// lateAfter is the overrun beyond which a campaign explains why it exceeded its time limit.
const lateAfter = 2 * time.Second

// lateText explains why the campaign exceeded its time limit by more than two seconds, "" if it did not.
func (l *lifecycle) lateText() string {
	end := l.endsAt()
	late := l.now.Sub(end)
	loaded := l.begun.Sub(l.stats.Started)
	if end.IsZero() || late+loaded <= lateAfter {
		return ""
	}
	parts := []string{fmt.Sprintf("%s as told", timespan(l.stop.After))}
	if loaded > lateAfter/2 {
		parts = append(parts, fmt.Sprintf("%.1f s to load", loaded.Seconds()))
	}
	if late > lateAfter/2 {
		why := cmp.Or(l.awaits, "findings were written, or its processes did not end on a busy machine")
		parts = append(parts, fmt.Sprintf("%.1f s to end: %s", late.Seconds(), why))
	}
	return fmt.Sprintf("%.0f s: %s", (l.stop.After + late + loaded).Seconds(), strings.Join(parts, ", "))
}

// timespan formats a duration given by the user.
func timespan(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
